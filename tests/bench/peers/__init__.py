"""What users would take instead, measured beside the orchestrator in one run: ``make bench-peers``."""
