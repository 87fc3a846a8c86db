"""Adopt reports and allocations of drivers that died."""
