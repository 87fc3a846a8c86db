"""Child processes that are polled, signalled and reaped, as ranks and launchers are."""

from __future__ import annotations

import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol


class StartedProcess(Protocol):
    """A child of this process: a `subprocess.Popen`, or one that was forked."""

    pid: int
    returncode: int | None


@dataclass(slots=True)
class ForkedProcess:
    """A child that runs a function of this program."""

    pid: int
    returncode: int | None = None


@dataclass(slots=True)
class ServedProcess:
    """A child of a server of trainings, which tells how it ended.

    Parameters
    ----------
    look
        Sets the other fields if it has ended.
    """

    pid: int
    look: Callable[[], None]
    returncode: int | None = None
    cpu_seconds: float = 0.0
    peak_bytes: int = 0


class ChildProcess(ABC):
    """A child in a session and process group of its own.

    Parameters
    ----------
    number
        Its rank; 0 for a launcher.
    reports
        Descriptor that its reports can be read from; None if it has none.
    """

    def __init__(self, number: int, process: StartedProcess, reports: int | None = None) -> None:
        self.number = number
        self.reports = reports
        self.pipe_closed = reports is None
        self.exit_code: int | None = None
        self.cpu_seconds = 0.0
        self.peak_bytes = 0
        self._process = process

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """True once it has exited and been waited for."""
        return self.exit_code is not None

    @property
    def failed(self) -> bool:
        """True if it has exited with anything but 0."""
        return self.exit_code not in (None, 0)

    @property
    @abstractmethod
    def at_barrier(self) -> bool:
        """True once it has come to the start barrier."""

    @abstractmethod
    def open_barrier(self, start_us: int) -> None:
        """Have its timed part start at an instant, UTC microseconds."""

    def read_reports(self) -> None:  # noqa: B027  a launcher has none
        """Read what has arrived on `reports`."""

    def poll(self) -> bool:
        """Read its reports and reap it if it has exited; return whether it exited since the last call."""
        if self.ended:
            return False
        code = self._wait()
        self.read_reports()  # after the wait, so that no report of an exited process is missed
        if code is None:
            return False
        self.pipe_closed = True
        self.exit_code = self._process.returncode = code
        return True

    def _wait(self) -> int | None:
        """Return its exit code once it has exited, and take note of what it has used."""
        if isinstance(self._process, ServedProcess):
            self._process.look()
            self.cpu_seconds, self.peak_bytes = self._process.cpu_seconds, self._process.peak_bytes
            return self._process.returncode
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        if not pid:
            return None
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        self.peak_bytes = usage.ru_maxrss * 1024
        return os.waitstatus_to_exitcode(status)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to its process group, or to itself as long as it has made none."""
        with suppress(ProcessLookupError):
            try:
                os.killpg(self.pid, number)
            except ProcessLookupError:
                if not self.ended:  # its id may be another process's
                    os.kill(self.pid, number)

    def close(self) -> None:
        """Close its descriptors."""
        if self.reports is not None:
            os.close(self.reports)
