"""A campaign's report: everything that a reader of its figures asks, from the ledger alone, on one page."""
