"""Attempts with warm processes that a worker runs one after another."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from orchestrator.host.processes import SLOT_MARK, with_mark
from orchestrator.node.worker import run_attempt
from orchestrator.protocol.block_environment import node_name
from orchestrator.protocol.order import AttemptOrder, RankResources, pack_slots
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir import journal
from tests.harness import wait_for
from tests.orchestrator.node.supervised import supervised_order


class WarmWorker:
    """A worker in this process, with a campaign of its own.

    Parameters
    ----------
    folder
        Run directory and working directory.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.campaign = uuid.uuid4().hex
        self._orders = 0

    def order(self, **changes: Any) -> AttemptOrder:
        """Return the order of the next attempt, with its own log files."""
        self._orders += 1
        logs = {
            name: str(self.folder / f"{self._orders}.{name[:6]}") for name in ("stdout_path", "stderr_path")
        }
        core = RankResources((min(os.sched_getaffinity(0)),))
        fixed = {"processes": "warm", "campaign": self.campaign, "slots": pack_slots([[core]])}
        return supervised_order(self.folder, **{**fixed, **logs, **changes})

    def run(self, **changes: Any) -> AttemptReport:
        """Run an attempt and return its report."""
        return run_attempt.run_attempt(self.order(**changes))

    def behave(self, behaviour: str = "succeed", **changes: Any) -> AttemptReport:
        """Run an attempt of the toy workload that behaves so."""
        more = changes.pop("parameters", {})
        return self.run(parameters={"behaviour": behaviour, "seconds": 0.0, **more}, **changes)

    def left(self) -> list[int]:
        """Return the processes that hold the slot."""
        return [one.pid for one in with_mark(SLOT_MARK, f"{self.campaign}:c1:{node_name()}:0")]


@contextmanager
def warm_worker(folder: Path) -> Iterator[WarmWorker]:
    """Yield a worker, and see that nothing outlives it."""
    worker = WarmWorker(folder)
    try:
        yield worker
    finally:
        run_attempt.close_kept()
        if run_attempt._forks is not None:
            run_attempt._forks.close()
    wait_for(lambda: not worker.left(), "the end of the processes")


def training_of(report: AttemptReport, processes: str = "warm") -> int:
    """Return the training process of an attempt, which was forked, or which was not."""
    assert report.result is not None, report.failure_message
    facts = report.result.observed.facts
    assert facts.get("processes", "fresh") == processes, facts
    return report.result.observed.pid or 0


def waits(folder: Path, token: str) -> bool:
    """Tell whether an attempt has reported that it waits at the start barrier."""
    lines = [line for file in folder.rglob("*.journal") for line in file.read_bytes().splitlines()]
    return any(
        found.token == token and found.at_barrier for line in lines if (found := journal.decode_report(line))
    )


def supervisor_of() -> int:
    """Return the process of the supervisor that the worker keeps."""
    assert run_attempt._kept is not None
    return run_attempt._kept.pid
