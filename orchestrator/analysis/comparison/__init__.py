"""Compare campaigns with a baseline and with their history."""
