"""The JSON API of a ledger."""
