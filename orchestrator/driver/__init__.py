"""The loop that keeps slots busy and the ledger true."""
