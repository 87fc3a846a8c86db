"""Fake batch systems: commands that answer as real ones, and jobs that really run on this host."""
