"""Whether a site, a ledger and a host are as they should be."""
