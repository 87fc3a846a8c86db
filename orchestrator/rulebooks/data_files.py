"""The data files of the rulebooks: those of this package, or for a while those of a package for reviewers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

Read = TypeVar("Read", bound=Callable[[], Any])

INSTALLED = Path(__file__).parent
_readers: list[Any] = []
_place = INSTALLED


def data_file(name: str) -> Path:
    """Return where a data file is, by its path below this package; installed ones stand for missing ones."""
    file = _place / name
    return file if file.is_file() else INSTALLED / name


def read_once(function: Read) -> Read:
    """Keep what a function without arguments reads from data files until they are read from another place."""
    kept: Any = cache(function)
    _readers.append(kept)
    return kept  # type: ignore[no-any-return]


@contextmanager
def data_from(folder: Path) -> Iterator[None]:
    """Read the data files from a folder inside the context; not to be used while other threads judge."""
    global _place
    before, _place = _place, folder
    _forget()
    try:
        yield
    finally:
        _place = before
        _forget()


def _forget() -> None:
    for kept in _readers:
        kept.cache_clear()
