"""How a workload reads its files: a parameter of every workload that reads tables."""

from __future__ import annotations

from workloads.description import Parameter

_READERS = ("numpy", "pandas", "pandas_low_memory_false")  # of workloads.data.wide_csv
LOADER = Parameter(
    "loader",
    "numpy",
    "numpy: typed reader; pandas: read_csv as the original; pandas_low_memory_false; "
    "cache: files parsed once for all instances, which is not reading them as distributed",
    choices=(*_READERS, "cache"),
)
