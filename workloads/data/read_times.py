"""Times of reading each file of a data set, as metrics."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workloads.context import Metric


@dataclass(slots=True)
class FileRead:
    """The reading of one file: rows, set by the reader; bytes; and seconds."""

    rows: int = 0
    file_bytes: int = 0
    seconds: float = 0.0


class ReadTimes:
    """The readings of a data set's files, by a short name such as ``train``."""

    def __init__(self) -> None:
        self.reads: dict[str, FileRead] = {}

    @contextmanager
    def file(self, name: str, path: Path) -> Iterator[FileRead]:
        """Time the reading of one file; nothing is kept of one that fails."""
        read = FileRead()
        begin = time.perf_counter()
        yield read
        read.seconds = time.perf_counter() - begin
        read.file_bytes = path.stat().st_size
        self.reads[name] = read

    def seconds(self) -> dict[str, float]:
        """Return the seconds of each file, such as ``train_file``; none where a cache was mapped."""
        return {f"{name}_file": read.seconds for name, read in self.reads.items()}

    def metrics(self) -> tuple[Metric, ...]:
        """Return seconds, rows/s and MB/s (10⁶ bytes) of each file; none where a cache was mapped."""
        return tuple(
            metric
            for name, read in self.reads.items()
            if read.seconds > 0
            for metric in (
                Metric(f"{name}_file_seconds", read.seconds, "s"),
                Metric(f"{name}_file_rows_per_second", read.rows / read.seconds, "rows/s"),
                Metric(f"{name}_file_mb_per_second", read.file_bytes / 1e6 / read.seconds, "MB/s"),
            )
        )
