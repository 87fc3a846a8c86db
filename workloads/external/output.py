"""Forward a command's output and search its lines in bounded memory."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import IO

from workloads.runtime.full_disk import says_full

_CHUNK = 1 << 16
_LONGEST_LINE = 1 << 16
_OVERLAP = 1 << 12
_SHOWN = 200
_LAST_LINES = 20
"""Lines before a command's end, of each stream, that may say why it failed."""
_BREAKS = re.compile(rb"[\r\n\b]+")  # progress bars go back with \r, those of old Keras also with \b
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Found:
    """Text of a match's group ``value``, and the line it stood on."""

    text: str
    line: str


class Search:
    """Searches lines of both streams; of each pattern the last match counts, of failures the first.

    Parameters
    ----------
    patterns
        Regular expressions with a group named ``value``, by name.
    failures
        Regular expressions of lines that make the run a failure.
    see
        Is called with each line first, one at a time.
    """

    def __init__(
        self,
        patterns: Mapping[str, str],
        failures: Sequence[str],
        see: Callable[[str], None] | None = None,
    ) -> None:
        self.found: dict[str, Found] = {}
        self.failure: str | None = None
        self.last_words = ""
        self.disk_line: str | None = None
        self._lines_since = 0
        self._patterns = {name: re.compile(pattern) for name, pattern in patterns.items()}
        self._failures = [re.compile(pattern) for pattern in failures]
        self._see = see
        self._lock = threading.Lock()
        self._closed = False

    def take(self, raw: bytes) -> None:
        """Search one line, given without its line break."""
        line = raw.decode("utf-8", "replace")
        if "\x1b" in line:
            line = _COLOURS.sub("", line)
        with self._lock:
            if self._closed:
                return
            if self._see is not None:
                self._see(line)
            for name, pattern in self._patterns.items():
                for match in pattern.finditer(line):
                    if match["value"] is not None:
                        self.found[name] = Found(match["value"].strip()[:_SHOWN], _around(line, match))
            self._note_full_disk(line)
            if self.failure is None:
                matches = (pattern.search(line) for pattern in self._failures)
                self.failure = next((_around(line, match) for match in matches if match), None)

    def _note_full_disk(self, line: str) -> None:
        """Keep a line that says that a disk is full, until too many others have followed it."""
        self._lines_since += 1
        if says_full(line):
            self.disk_line, self._lines_since = line, 0
        elif self._lines_since > 2 * _LAST_LINES:  # of two streams
            self.disk_line = None

    def take_error(self, raw: bytes) -> None:
        """Search one line of standard error, and keep its end as the last words of the command."""
        self.take(raw)
        if line := _COLOURS.sub("", raw.decode("utf-8", "replace")).strip():
            self.last_words = line[-_SHOWN:]

    def close(self) -> None:
        """Take no more lines; what was found stays as it is."""
        with self._lock:
            self._closed = True


def _around(line: str, match: re.Match[str]) -> str:
    """Return the part of a line around a match, short enough to be shown."""
    start = max(0, min(match.start(), len(line) - _SHOWN)) if match.end() > _SHOWN else 0
    return line[start : start + _SHOWN].strip()


class Lines:
    """Cuts a stream into lines; one longer than 64 KiB is handed on in overlapping pieces."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._take = take
        self._rest = b""

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the stream."""
        *lines, self._rest = _BREAKS.split(self._rest + chunk)
        for line in lines:
            self._take(line)
        if len(self._rest) > _LONGEST_LINE:
            self._take(self._rest)
            self._rest = self._rest[-_OVERLAP:]

    def end(self) -> None:
        """Take what stands after the last line break."""
        if self._rest:
            self._take(self._rest)
        self._rest = b""


class Pump(threading.Thread):
    """Copies a pipe to a descriptor as bytes come, and hands on its lines, as to a search.

    It reads to the end whatever happens: a command must never wait for us. `error` is what went
    wrong with searching, if anything did.
    """

    def __init__(self, stream: IO[bytes], writer: int, take: Callable[[bytes], None]) -> None:
        super().__init__(daemon=True)
        self.error: Exception | None = None
        self._stream = stream
        self._writer = writer
        self._lines = Lines(take)

    def run(self) -> None:
        """Copy until every writer has closed the pipe."""
        with self._stream as stream:
            while chunk := os.read(stream.fileno(), _CHUNK):
                with suppress(OSError):  # a full disk loses the log, not the run
                    view = memoryview(chunk)
                    while view:
                        view = view[os.write(self._writer, view) :]
                self._search(partial(self._lines.feed, chunk))
            self._search(self._lines.end)

    def _search(self, step: Callable[[], None]) -> None:
        if self.error is None:
            try:
                step()
            except Exception as error:  # noqa: BLE001  raised when the command has ended
                self.error = error
