"""Write synthetic data sets: complete files, marked as synthetic.

A file beside them says how they were made. A copy may lack it, so every file with inputs carries a mark
of its own, which readers of the true format pass over: P1B1, P1B2 and P1B3 in names of cases and
cell lines, P3B1 and NT3 in digits beyond those that change a number, images in a JPEG comment, CosmoFlow in a
feature of its own and in the name that gzip keeps.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workloads.description import DataError

MARKER = "SYNTHETIC.json"
MARK = "SYNTHETIC"
_LARGEST_GB = 10**9
MARK_DIGITS = "00000000" + "".join(str(ord(letter)) for letter in MARK)  # ASCII codes, each two digits
_JPEG_COMMENT = b"\xff\xfe\x00\x0b" + MARK.encode()  # a comment segment of eleven bytes
_SEARCHED_BYTES = 1 << 16
_SEARCHED_CSV_BYTES = 1 << 23  # P1B1's line of names alone is over 1 MB
_CASE = re.compile(rb'(?:^|[\r\n,"])' + MARK.encode())
_LISTED = 1000
_LEAST = "least_bytes"
_SEARCHED_FOLDERS = 64
_FRACTION = re.compile(r"\.\d+(?=,|$)")
_DECIMALS = 3
_LARGEST = 64


@contextmanager
def writing_synthetic(
    directory: Path, files: Sequence[str], facts: Mapping[str, Any], least_bytes: int = 0
) -> Iterator[None]:
    """Surround the writing of `files` with a marker that says the data are made.

    The marker is there before the first file and says that the set is unfinished until the last
    one is in place, so a set that was left half made is never taken for a real one. Where the making
    fails before the first file, neither the marker nor a new directory is left.

    Parameters
    ----------
    directory
        Created where it does not exist.
    facts
        Maker, seed and sizes, kept in the marker.
    least_bytes
        Bytes that the files take at the least.

    Raises
    ------
    DataError
        If one of the files exists and was not made here: real data are never overwritten. If the disk
        or the memory is too small for the sizes.
    """
    known = (directory / MARKER).exists()
    present = [directory / name for name in files if (directory / name).exists()]
    if present and not known:
        raise DataError(
            f"{present[0]}: exists and has no {MARKER} beside it, so it may be real data; "
            "name another directory"
        )
    new_folders = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    _check_space(directory, new_folders, least_bytes)
    directory.mkdir(parents=True, exist_ok=True)
    try:
        _write_marker(directory, {**facts, "complete": False, _LEAST: least_bytes})
        yield
    except BaseException as error:
        if not known and not any((directory / name).exists() for name in files):
            (directory / MARKER).unlink(missing_ok=True)
            with suppress(OSError):  # something else was put into it meanwhile
                for folder in new_folders:
                    folder.rmdir()
        if isinstance(error, MemoryError | OverflowError) or type(error) is ValueError:  # from NumPy
            raise DataError(
                f"{directory}: data of these sizes cannot be made ({error}); name smaller sizes"
            ) from error
        raise
    _write_marker(directory, {**facts, "complete": True})


def _check_space(directory: Path, new_folders: Sequence[Path], least_bytes: int) -> None:
    """Raise `DataError` if `least_bytes` exceed what is free in the file system of a directory."""
    there = new_folders[-1].parent if new_folders else directory
    free = shutil.disk_usage(there).free
    if least_bytes > free:
        small = least_bytes // 10**9 < _LARGEST_GB  # others may be too large for a floating-point number
        amount = f"at least {least_bytes / 1e9:,.3g} GB" if small else f"more than {_LARGEST_GB:,} GB"
        raise DataError(
            f"{directory}: data of these sizes take {amount}, and {free / 1e9:,.3g} GB are free "
            "there; name smaller sizes, or another directory"
        )


def least_bytes_of(directory: Path) -> int | None:
    """Return how many bytes are written into a directory at the least; None where nothing is being written.

    Raises
    ------
    DataError
        If the marker cannot be read.
    """
    facts = read_marker(directory)
    return None if facts is None or facts["complete"] else facts.get(_LEAST, 0)


def is_synthetic(directory: Path) -> bool:
    """Tell whether the data in `directory` were made.

    Raises
    ------
    DataError
        If the making was interrupted, or the marker cannot be read.
    """
    facts = read_marker(directory)
    if facts is not None and not facts["complete"]:
        raise DataError(
            f"{directory / MARKER}: the making of this data set was interrupted; make the data again"
        )
    return facts is not None


def read_marker(directory: Path) -> dict[str, Any] | None:
    """Return what the marker says (``maker``, ``seed``, ``sizes``, ``complete``), or None without one.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    path = directory / MARKER
    try:
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, OSError) as error:
        raise DataError(f"{path}: cannot be read ({error}); make the data again") from error
    if not isinstance(facts, dict) or "complete" not in facts:
        raise DataError(f"{path}: is no marker of a made data set; make the data again")
    return facts


def with_mark_digits(numbers: str) -> str:
    """Return comma-separated numbers, the first that has a fraction with the mark as further digits.

    They add less than 1e-8, which single precision drops for all but numbers near 0.
    """
    return _FRACTION.sub(lambda found: found[0] + MARK_DIGITS, numbers, count=1)


def holds_mark(directory: Path) -> bool:
    """Tell whether a sample of the files below a directory, of any known format, carries the mark.

    Up to 32 files of the directory itself are read, and 2 of each of 63 below it; hidden ones are not.
    """
    folders = [directory]
    for folder in folders:  # grows while it is read
        try:
            with os.scandir(folder) as entries:
                seen = [one for one in islice(entries, _LISTED) if not one.name.startswith(".")]
            files = sorted(one.path for one in seen if one.is_file())
            below = sorted(Path(one.path) for one in seen if one.is_dir())
        except OSError:
            continue
        most = 32 if folder is directory else 2
        if any(_carries_mark(Path(file)) for file in files[:: max(1, len(files) // most)][:most]):
            return True
        folders += below[: max(0, _SEARCHED_FOLDERS - len(folders))]
    return False


def _carries_mark(path: Path) -> bool:
    """Tell whether a file carries the mark as digits, as a JPEG comment, or as the name of a case."""
    if is_marked(path):
        return True
    if path.suffix not in (".csv", ".tsv"):
        return False
    try:
        with path.open("rb") as file:
            return _CASE.search(file.read(_SEARCHED_CSV_BYTES)) is not None
    except OSError:
        return False


def is_marked(path: Path) -> bool:
    """Tell whether the first 64 KiB of a file hold the mark, as digits or as a JPEG comment."""
    try:
        with path.open("rb") as file:
            return is_marked_content(file.read(_SEARCHED_BYTES))
    except OSError:  # the reader says what is wrong
        return False


def is_marked_content(content: bytes) -> bool:
    """Tell whether the first 64 KiB of a file's content hold the mark."""
    begin = content[:_SEARCHED_BYTES]
    return MARK_DIGITS.encode() in begin or _JPEG_COMMENT in begin


@contextmanager
def atomic_write(path: Path) -> Iterator[Any]:
    """Open a text file for writing that takes the place of `path` only when it is whole."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("w", encoding="ascii", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@cache
def decimal_writer() -> Callable[[NDArray[Any]], str]:
    """Return a function that writes one row of numbers in [-64, 64] as comma-separated text.

    Numbers are rounded to three decimals and to four significant digits, which gives about the
    bytes per number that expression tables have. Looking texts up is several times faster than
    formatting each number.
    """
    scale = 10**_DECIMALS
    top = _LARGEST * scale
    texts = np.array([f"{number / scale:.4g}" for number in range(-top, top + 1)], dtype=object)

    def write(row: NDArray[Any]) -> str:
        steps = np.clip(np.rint(np.asarray(row, dtype=np.float64) * scale), -top, top).astype(np.int64)
        return ",".join(texts[steps + top].tolist())

    return write


def _write_marker(directory: Path, facts: Mapping[str, Any]) -> None:
    with atomic_write(directory / MARKER) as file:
        json.dump(facts, file, indent=2)
        file.write("\n")
