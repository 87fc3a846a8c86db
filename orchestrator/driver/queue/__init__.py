"""Pending, running and overdue attempts, and their orders."""
