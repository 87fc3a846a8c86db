"""Benchmarks: each compares two ways in one run and prints their ratio. ``make bench`` runs them all."""
