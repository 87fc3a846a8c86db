"""Shell lines before and after an attempt's processes, watched as these are."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL

from orchestrator.host._linux import signal_when_parent_dies
from orchestrator.node.ranks.child_process import ChildProcess
from orchestrator.node.ranks.monitor import RankLimits, RankMonitor, RankObserver, SignalWakeups, TreeMemory
from orchestrator.schedulers.launchers import strictly

SETUP, TEARDOWN = "instance_setup", "instance_teardown"
_FIRST_LINE_BYTES = 4096


@dataclass(frozen=True, slots=True)
class HookResult:
    """How shell lines of one hook ended.

    Parameters
    ----------
    exit_code
        Negative for a signal.
    ended_by
        Why they were ended, as in `RankMonitor.terminated_by`; None if they ended by themselves.
    error
        First line that they wrote to standard error.
    """

    name: str
    exit_code: int
    seconds: float
    ended_by: str | None
    error: str

    @property
    def failed(self) -> bool:
        """True if they ended otherwise than by themselves with 0."""
        return self.ended_by is not None or self.exit_code != 0

    def facts(self) -> dict[str, str | int]:
        """Return what the ledger keeps beside the seconds.

        What attempts write differs, and attempts that observed the same share one row: see `remark`.
        """
        ended_by = {} if self.ended_by is None else {"ended_by": self.ended_by}
        return {"exit_code": self.exit_code, **ended_by}

    @property
    def remark(self) -> str:
        """The failure, or the first line of errors of lines that did not fail; empty without either."""
        return self.message if self.failed else f"{self.name}: {self.error}" if self.error else ""

    @property
    def message(self) -> str:
        """The failure, in one line."""
        if self.ended_by == "timeout":
            what = f"did not end within hook_timeout of the site, ended after {self.seconds:.1f} s"
        elif self.ended_by is not None:
            what = f"was ended with its attempt ({self.ended_by})"
        else:
            what = f"ended with exit code {self.exit_code}"
        return f"{self.name} {what}" + (f": {self.error}" if self.error else "")


class _Shell(ChildProcess):
    at_barrier = False

    def open_barrier(self, start_us: int) -> None:
        """Do nothing: it waits for none."""


def run_instance_hook(
    name: str,
    lines: Sequence[str],
    environment: Mapping[str, str],
    cores: Collection[int],
    logs: tuple[Path, Path],
    limits: RankLimits,
    observer: RankObserver,
    wakeups: SignalWakeups,
) -> HookResult:
    """Run shell lines on the cores of a slot until they end or must end, and return how they ended.

    Parameters
    ----------
    logs
        Files that their output and their errors are appended to.
    limits, observer, wakeups
        When they are ended; see `RankMonitor`.
    """

    def enter_slot() -> None:
        os.sched_setaffinity(0, cores)
        signal_when_parent_dies(SIGKILL)

    begin = time.monotonic()
    logs[0].parent.mkdir(parents=True, exist_ok=True)
    with logs[0].open("ab") as stdout, logs[1].open("ab") as stderr:
        offset = stderr.tell()
        process = subprocess.Popen(
            ["bash", "-c", "\n".join(strictly(lines))],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            env=environment,
            start_new_session=True,
            preexec_fn=enter_slot,  # this process has one thread, so no lock can be held across the fork
        )
    shell = _Shell(0, process)
    monitor = RankMonitor([shell], limits, observer, memory=TreeMemory([shell.pid]))
    try:
        monitor.run(wakeups)
    finally:
        shell.signal(SIGKILL)  # what it left in its process group
    return HookResult(
        name,
        shell.exit_code or 0,
        time.monotonic() - begin,
        monitor.terminated_by,
        _first_line(logs[1], offset),
    )


def _first_line(file: Path, offset: int) -> str:
    try:
        with file.open("rb") as stream:
            stream.seek(offset)
            text = stream.read(_FIRST_LINE_BYTES).decode(errors="replace")
    except OSError:
        return ""
    printable = "".join(one if one.isprintable() else " " for one in text.lstrip().partition("\n")[0])
    return printable.strip()[:300]
