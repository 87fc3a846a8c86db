"""The two channels between a rank and the process that starts it: its reports, and the start barrier.

They are pipes that the rank inherits. Where a container's runtime passes no descriptors on, they are named
pipes in a folder of the node's temporary files.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any


class RankChannels:
    """Open channels.

    Parameters
    ----------
    barrier
        Whether there is a start barrier.
    named
        Whether the channels have names, and are not inherited.

    Attributes
    ----------
    reports
        Descriptor that reports are read from; it does not block.
    request
        What the rank's order says of its ends.
    inherited
        Descriptors of the rank's ends, for the process that is started.
    """

    def __init__(self, *, barrier: bool, named: bool) -> None:
        self.inherited: list[int] = []
        self._barrier: int | None = None
        self._folder: Path | None = None
        if not named:
            self.reports, writer = os.pipe()
            os.set_blocking(self.reports, False)
            self.inherited.append(writer)
            self.request: dict[str, Any] = {"report_fd": writer, "barrier_fd": None}
            if barrier:
                reader, self._barrier = os.pipe()
                self.inherited.append(reader)
                self.request["barrier_fd"] = reader
            return
        self._folder = Path(tempfile.mkdtemp(prefix="orchestrator-"))
        self.reports = _named_pipe(self._folder / "reports")
        self.request = {"report_path": str(self._folder / "reports"), "barrier_path": None}
        if barrier:
            self._barrier = _named_pipe(self._folder / "barrier")
            self.request["barrier_path"] = str(self._folder / "barrier")

    def started(self) -> None:
        """Close the ends of the rank, which has them now, or was not started."""
        for descriptor in self.inherited:
            os.close(descriptor)
        self.inherited = []

    def announce(self, start_us: int) -> None:
        """Write the start's instant, UTC microseconds, to a rank that waits for it."""
        if self._barrier is not None:
            with suppress(BrokenPipeError):
                os.write(self._barrier, f"{start_us}\n".encode())

    def close(self) -> None:
        """Close this process's ends, and remove the names."""
        self.started()
        for descriptor in (self.reports, self._barrier):
            if descriptor is not None:
                os.close(descriptor)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _named_pipe(path: Path) -> int:
    """Make a named pipe and open it, at both ends so that neither this process nor the rank has to wait."""
    os.mkfifo(path, mode=0o600)
    return os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
