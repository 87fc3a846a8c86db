"""Supervise one attempt on its node."""
