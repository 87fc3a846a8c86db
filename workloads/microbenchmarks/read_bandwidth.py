"""Sequential reading of files: the bandwidth that one process gets from a file system.

One stream reads in blocks. It passes by the page cache (``O_DIRECT``) where the file system allows that;
elsewhere each file's pages are dropped from the node's cache before it is read (``posix_fadvise``), which
clears neither the caches of a file server nor pages that another process has mapped. The attempt's metric
``storage_read_bytes``, where the node keeps it, is what really came from storage.
"""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workloads.context import Context, Metric, Result
from workloads.description import DataError, Workload, WorkloadError
from workloads.microbenchmarks.repetition import REPETITIONS, SECONDS, rate_metrics
from workloads.parameters import common, parameter, table

MEBIBYTE = 2**20
BYPASSED = "bypassed (O_DIRECT)"
DROPPED = "dropped before each pass (posix_fadvise)"


@dataclass(frozen=True, slots=True)
class ReadParameters:
    """Parameters of the reading."""

    path: str = parameter(
        "",
        "file, or directory of files, as the nodes see it; empty: a file that the run writes to the "
        "instance's scratch directory, in the run directory, and removes",
    )
    file_bytes: int = parameter(
        1024 * MEBIBYTE,
        "size of the file that is written; of a directory, files are read until they have so many",
        unit="bytes",
        minimum=1,
    )
    block_bytes: int = parameter(
        8 * MEBIBYTE, "of one read; whole memory pages", unit="bytes", minimum=mmap.PAGESIZE
    )
    page_cache: str = parameter(
        "bypass",
        "bypass: O_DIRECT, or drop where the file system refuses; drop: reads fill an emptied cache",
        choices=("bypass", "drop"),
    )
    seconds: float = common(SECONDS)
    repetitions: int = common(REPETITIONS)


WORKLOAD = Workload(
    name="read_bandwidth",
    title="Sequential reading of files: bytes/s of one process",
    source="this project",
    entry="workloads.microbenchmarks.read_bandwidth:run",
    parameters=table(ReadParameters, repetitions={"default": 3}),
    parameters_type=ReadParameters,
    fom_time="run",
)


def run(parameters: ReadParameters, context: Context) -> Result:
    """Read the same files again and again, each time past the node's page cache.

    Raises
    ------
    WorkloadError
        If a block is not whole pages or larger than memory, or there is no scratch directory to write to.
    DataError
        If there is nothing to read, a file cannot be read or written, or gets shorter.
    """
    if parameters.block_bytes % mmap.PAGESIZE:
        raise WorkloadError(
            f"block_bytes must be a multiple of {mmap.PAGESIZE}, not {parameters.block_bytes}"
        )
    written = None if parameters.path else _scratch_file(context)
    try:
        if written is not None:
            _write(written, parameters, context.seed)
        files = [written] if written else find_files(Path(parameters.path), parameters.file_bytes)
        direct = parameters.page_cache == "bypass" and all(map(_allows_direct, files))
        context.start()
        with context.phase("measure"):
            passes = _passes(files, parameters, direct=direct)
    except OSError as error:
        raise DataError(f"{error.filename or written or parameters.path}: {error.strerror}") from None
    finally:
        if written is not None:
            written.unlink(missing_ok=True)
    read = passes[0][0]
    return Result(
        metrics=(
            *rate_metrics("bytes_per_second", "B/s", read, [seconds for _, seconds in passes]),
            Metric("bytes_per_pass", read, "B"),
            Metric("files", len(files)),
        ),
        observed={"page_cache": BYPASSED if direct else DROPPED},
        data={"synthetic": written is not None},
    )


def find_files(path: Path, enough_bytes: int) -> list[Path]:
    """Return a file, or the first files of a directory in order of their names until they have enough bytes.

    Raises
    ------
    DataError
        If there is no such path, or nothing in it.
    """
    if not path.exists():
        raise DataError(f"{path}: no such file or directory on this node")
    found, size = [], 0
    for file in [path] if path.is_file() else _below(path):
        if file.is_file() and (file_bytes := file.stat().st_size):
            found.append(file)
            size += file_bytes
        if size >= enough_bytes:
            break
    if not size:
        raise DataError(f"{path}: no bytes to read, it is empty")
    return found


def _below(directory: Path) -> Iterator[Path]:
    """Yield files in order of their names, without listing all of a large tree."""
    for folder, folders, names in os.walk(directory):
        folders.sort()
        yield from (Path(folder, name) for name in sorted(names))


def _scratch_file(context: Context) -> Path:
    if context.scratch is None:
        raise WorkloadError("there is no scratch directory to write a file to: give path")
    context.scratch.mkdir(parents=True, exist_ok=True)
    return context.scratch / f"read-bandwidth-{context.rank}"


def _write(file: Path, parameters: ReadParameters, seed: int) -> None:
    """Write random bytes, which no file system can compress, down to the storage."""
    import numpy as np

    block = np.random.default_rng(seed % 2**64).bytes(min(parameters.block_bytes, parameters.file_bytes))
    with file.open("wb") as stream:
        left = parameters.file_bytes
        while left > 0:
            left -= stream.write(block[:left])
        stream.flush()
        os.fsync(stream.fileno())


def _allows_direct(file: Path) -> bool:
    """Tell whether a file can be read past the page cache."""
    buffer = mmap.mmap(-1, mmap.PAGESIZE)  # aligned to a page, as direct reads have to be
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_DIRECT)
    except OSError:  # the file system has no such mode; what else is wrong shows when it is read
        return False
    try:
        os.readv(descriptor, [buffer])
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _passes(files: Sequence[Path], parameters: ReadParameters, *, direct: bool) -> list[tuple[int, float]]:
    """Return bytes and seconds of each pass over the files."""
    try:
        buffer = mmap.mmap(-1, parameters.block_bytes)
    except (OSError, OverflowError) as error:
        raise WorkloadError(
            f"block_bytes is {parameters.block_bytes}, which this process cannot have in memory; lower it"
        ) from error
    passes: list[tuple[int, float]] = []
    begin = time.monotonic()
    while len(passes) < parameters.repetitions or time.monotonic() - begin < parameters.seconds:
        read = [_read(file, buffer, direct=direct) for file in files]
        passes.append((sum(size for size, _ in read), sum(seconds for _, seconds in read)))
        if passes[-1][0] != passes[0][0]:
            raise DataError(f"{parameters.path}: the files changed their size while they were read")
    return passes


def _read(file: Path, buffer: mmap.mmap, *, direct: bool) -> tuple[int, float]:
    """Return the bytes of a file and the seconds that reading them took."""
    if not direct:
        _drop_pages(file)
    begin = time.monotonic_ns()
    descriptor = os.open(file, os.O_RDONLY | (os.O_DIRECT if direct else 0))
    try:
        size, read = os.fstat(descriptor).st_size, 0
        while read < size:
            count = os.readv(descriptor, [buffer])
            if not count:
                raise DataError(f"{file}: it became shorter while it was read")
            read += count
    finally:
        os.close(descriptor)
    return read, max(1, time.monotonic_ns() - begin) / 1e9


def _drop_pages(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)
