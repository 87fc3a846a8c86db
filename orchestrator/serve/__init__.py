"""Pages of a ledger for a browser, and metrics for Prometheus; nothing here writes."""
