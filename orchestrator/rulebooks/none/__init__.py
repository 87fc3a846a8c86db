"""Ensembles that follow no suite."""
