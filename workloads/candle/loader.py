"""How a workload reads its files: parameters of every workload that reads tables."""

from __future__ import annotations

from workloads.data.readers import CHUNK_ROWS as _CHUNK_ROWS
from workloads.data.readers import READERS
from workloads.description import Parameter

LOADER = Parameter(
    "loader",
    "numpy",
    "numpy: typed reader; pandas: read_csv as the original; pandas_low_memory_false; pandas_chunked: the "
    "same in chunks; dask: Dask DataFrame; cache: files parsed once for all instances, which is not reading "
    "them as distributed",
    choices=(*READERS, "cache"),
)
CHUNK_ROWS = Parameter("chunk_rows", _CHUNK_ROWS, "rows of a chunk, with loader pandas_chunked", minimum=1)
