"""Questions to a ledger, each a function of a reader and a campaign."""
