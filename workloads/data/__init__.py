"""Readers, makers and checkers of the data sets, one module per workload."""
