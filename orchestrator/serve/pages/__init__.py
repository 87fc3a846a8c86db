"""Pages of a ledger for a browser: their sections, forms and addresses."""
