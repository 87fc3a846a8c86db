"""Names of the ways in which tables of numbers are read; `workloads.data.wide_csv` has the readers."""

from __future__ import annotations

READERS = ("numpy", "pandas", "pandas_low_memory_false", "pandas_chunked", "dask")
CHUNK_ROWS = 2_000_000
"""Rows of a chunk in the listing of Wu et al. (ICPP 2019): more than any of its files has."""
