"""The `search` of a benchmark, and its trials."""
