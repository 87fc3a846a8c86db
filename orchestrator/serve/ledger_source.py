"""Opens a ledger anew for each reading, so that a database that was away is read again once it is back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from db.connection.connect import parse_url, redacted_url
from db.connection.snapshot import may_write, snapshot
from db.reader import Reader

_SHORTEST_SECONDS = 5.0
_SHARE = 0.05
"""Largest part of the time that copies of a ledger take."""


@dataclass(eq=False)
class _Copy:
    folder: TemporaryDirectory[str]
    until: float
    readers: int = 0


class LedgerSource:
    """A ledger that any thread may read.

    Where this user may not write an SQLite ledger, all readings of some seconds share one copy of it.

    Parameters
    ----------
    url
        Ledger URL; by default the environment's ``ORCHESTRATOR_LEDGER``, else ``sqlite:///ledger.sqlite``.

    Raises
    ------
    LedgerError
        If the URL is none of a ledger.
    """

    def __init__(self, url: str | None = None) -> None:
        self._given = url
        self._url = parse_url(url)
        self._lock = Lock()
        self._copy: _Copy | None = None

    @property
    def given(self) -> str | None:
        """The URL that was given, for a connection of its own."""
        return self._given

    def __str__(self) -> str:
        return redacted_url(self._url)

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        """Yield a reader for the calling thread.

        Raises
        ------
        LedgerError
            If the ledger cannot be read now.
        """
        file = Path(str(self._url.database))
        if self._url.get_backend_name() != "sqlite" or not file.is_file() or may_write(file):
            with Reader(self._given) as reader:
                yield reader
            return
        copy = self._take(file)
        try:
            with Reader(str(Path(copy.folder.name, file.name))) as reader:
                yield reader
        finally:
            self._give_back(copy)

    def close(self) -> None:
        """Remove the copy, if there is one."""
        with self._lock:
            left, self._copy = self._copy, None
            if left is not None and not left.readers:
                left.folder.cleanup()

    def _take(self, file: Path) -> _Copy:
        with self._lock:
            found = self._copy
            if found is None or time.monotonic() > found.until:
                begin = time.monotonic()
                folder = snapshot(file, quiet=True)
                end = time.monotonic()
                found = _Copy(folder, end + max(_SHORTEST_SECONDS, (end - begin) / _SHARE))
                former, self._copy = self._copy, found
                if former is not None and not former.readers:
                    former.folder.cleanup()
            found.readers += 1
            return found

    def _give_back(self, copy: _Copy) -> None:
        with self._lock:
            copy.readers -= 1
            if copy is not self._copy and not copy.readers:
                copy.folder.cleanup()
