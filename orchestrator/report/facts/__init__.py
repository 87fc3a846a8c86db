"""JSON objects about instances, events and verdicts, made of the ledger."""
