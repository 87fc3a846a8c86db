"""Checks before a campaign is registered."""
