"""Requests to a running campaign: stop, cancel, retry, pause."""
