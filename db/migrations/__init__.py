"""Steps that bring a ledger from one schema to the next."""
