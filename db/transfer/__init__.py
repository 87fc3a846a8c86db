"""Campaigns moved between ledgers, and backups."""
