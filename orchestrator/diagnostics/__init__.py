"""Checks of a site, a ledger and a host."""
