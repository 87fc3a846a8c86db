"""Pages of a ledger for a browser, and metrics for Prometheus; only `actions` writes."""
