"""Rank nodes and slots by the times of their attempts."""
