"""Attempts that a worker runs one after another in the same processes."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from orchestrator.host.processes import SLOT_MARK, with_mark
from orchestrator.node import worker
from orchestrator.protocol.block_environment import node_name
from orchestrator.protocol.order import AttemptOrder, RankResources, pack_slots
from orchestrator.protocol.report import AttemptReport
from tests.harness import wait_for
from tests.orchestrator.node.supervised import supervised_order

NUMBER = "attempt_of_process"


class Reusing:
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
        fixed = {"processes": "reused", "campaign": self.campaign, "slots": pack_slots([[core]])}
        return supervised_order(self.folder, **{**fixed, **logs, **changes})

    def run(self, **changes: Any) -> AttemptReport:
        """Run an attempt and return its report."""
        return worker.run_attempt(self.order(**changes))

    def behave(self, behaviour: str = "succeed", **changes: Any) -> AttemptReport:
        """Run an attempt of the toy workload that behaves so."""
        more = changes.pop("parameters", {})
        return self.run(parameters={"behaviour": behaviour, "seconds": 0.0, **more}, **changes)

    def left(self) -> list[int]:
        """Return the processes that hold the slot."""
        return [one.pid for one in with_mark(SLOT_MARK, f"{self.campaign}:c1:{node_name()}:0")]


@contextmanager
def reusing(folder: Path) -> Iterator[Reusing]:
    """Yield a worker, and see that nothing outlives it."""
    one = Reusing(folder)
    try:
        yield one
    finally:
        worker.close_kept()
        if worker._forks is not None:
            worker._forks.close()
    wait_for(lambda: not one.left(), "the end of the processes")


def place_of(report: AttemptReport) -> tuple[int | None, int]:
    """Return the process of an attempt, and its number among the attempts of that process."""
    assert report.result is not None, report.message
    values = {one.name: one.value for one in report.result.metrics}
    assert report.result.observed.facts["processes"] == "reused"
    return report.result.observed.pid, values[NUMBER]
