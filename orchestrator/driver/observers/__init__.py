"""Observers of a session's attempts, blocks and nodes."""
