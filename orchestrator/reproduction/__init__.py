"""Campaigns behind the published documents, and pages of their regenerated tables and figures."""
