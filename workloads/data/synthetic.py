"""Writes made data sets: whole files or none, marked as made."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workloads.description import DataError

MARKER = "SYNTHETIC.json"
_DECIMALS = 3
_LARGEST = 64


@contextmanager
def making(directory: Path, files: Iterable[str], facts: Mapping[str, Any]) -> Iterator[None]:
    """Surround the writing of `files` with a marker that says the data are made.

    The marker is there before the first file and says that the set is unfinished until the last
    one is in place, so a set that was left half made is never taken for a real one.

    Parameters
    ----------
    directory
        Created where it does not exist.
    files
        Names that will be written.
    facts
        Maker, seed and sizes, kept in the marker.

    Raises
    ------
    DataError
        If one of the files exists and was not made here: real data are never overwritten.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if not (directory / MARKER).exists():
        for name in files:
            if (directory / name).exists():
                raise DataError(
                    f"{directory / name}: exists and has no {MARKER} beside it, so it may be real data; "
                    "name another directory"
                )
    _write_marker(directory, {**facts, "complete": False})
    yield
    _write_marker(directory, {**facts, "complete": True})


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
