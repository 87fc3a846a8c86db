"""Searches for the best parameters: which trials go on, and which is best."""
