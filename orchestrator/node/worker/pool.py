"""Hold a node for attempts that outlive their worker pool.

``python -m orchestrator.node.worker.pool CLOCK COMMAND...`` runs the command of a worker pool, adopts the
supervisors that lose their worker, and ends when the pool and they have ended. It ends them if the driver
that writes the file CLOCK is not gone, or if this process is asked to end.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from orchestrator.host._linux import adopt_orphans
from orchestrator.host.processes import SLOT_MARK, descendants, kill_descendants, reap, signal_to
from orchestrator.node.attempt.driver_watch import DriverWatch
from orchestrator.node.ranks.barrier import remove_abandoned

_LOOK_SECONDS = 1.0
_ENDING_SECONDS = 60.0  # for grace periods of attempts
_LEFTOVER_SECONDS = 5.0


class Pool:
    """A worker pool, and the attempts that it leaves."""

    def __init__(self, clock: Path, command: list[str]) -> None:
        self._clock = clock
        self._ending = False
        self._pid = 0
        adopt_orphans()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._end)
        self._process = subprocess.Popen(command)
        self._pid = self._process.pid
        if self._ending:
            self._end()

    def run(self) -> int:
        """Return the exit code of the pool once nothing of it runs any more."""
        code = self._wait_for_pool()
        self._wait_for_attempts()
        kill_descendants(_LEFTOVER_SECONDS)
        remove_abandoned()
        return code if code >= 0 else 128 - code

    def _end(self, *_: object) -> None:
        self._ending = True
        if self._pid:
            os.kill(self._pid, signal.SIGTERM)

    def _wait_for_pool(self) -> int:
        while True:
            pid, status = os.waitpid(-1, 0)  # any child: orphans that were adopted end, too
            if pid == self._pid:
                self._pid = 0
                self._process.returncode = os.waitstatus_to_exitcode(status)
                return self._process.returncode

    def _wait_for_attempts(self) -> None:
        watch = DriverWatch(self._clock)
        deadline: float | None = None
        while _attempts():
            if self._ending or watch.is_lost() is False:
                deadline = deadline or time.monotonic() + _ENDING_SECONDS
                if time.monotonic() > deadline:
                    return
                for child in psutil.Process().children():
                    signal_to(child, signal.SIGTERM)
            time.sleep(_LOOK_SECONDS)
            reap()


def _attempts() -> list[psutil.Process]:
    """Return the processes below this one that are part of an attempt."""
    found = []
    for process in descendants(os.getpid()):
        try:
            if SLOT_MARK in process.environ() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def main() -> int:
    """Run the pool that the command line names."""
    return Pool(Path(sys.argv[1]), sys.argv[2:]).run()


if __name__ == "__main__":
    sys.exit(main())
