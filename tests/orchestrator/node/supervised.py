"""Attempts of toy workloads by a supervisor alone, without an engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import psutil

from orchestrator.host.processes import SLOT_MARK, with_mark
from orchestrator.protocol.codec import to_json
from orchestrator.protocol.order import AttemptOrder, RankResources, SlotOrder
from orchestrator.protocol.report import AttemptReport
from tests import messages
from tests.harness import ROOT, wait_for


class Supervised:
    """A supervisor with one attempt of a toy workload.

    Parameters
    ----------
    folder
        Run directory and working directory of the attempt, and where the workload leaves its marks.
    ranks
        Ranks, each on the first core.
    changes
        Changed fields of the order; ``parameters`` are added to those of the workload.
    """

    def __init__(self, folder: Path, ranks: int = 1, **changes: Any) -> None:
        self.folder = folder
        self.mark = f"test:{uuid.uuid4().hex}"
        core = min(os.sched_getaffinity(0))
        order = supervised_order(folder, **{"ranks_per_node": ranks, **changes})
        slot = SlotOrder(
            order=order,
            worker_pid=os.getpid(),
            slot=0,
            places=(RankResources((core,)),) * ranks,
            journal=str(folder / "a.journal"),
        )
        self.process = subprocess.Popen(
            [sys.executable, "-m", "orchestrator.node.attempt.supervisor"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {SLOT_MARK: self.mark, "PYTHONPATH": str(ROOT)},
            start_new_session=True,
        )
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(to_json(slot)).encode())
        self.process.stdin.close()
        self.process.stdin = None

    def report(self) -> AttemptReport:
        """Return the final report; no process of the attempt may be left."""
        answer, _ = self.process.communicate(timeout=600)
        report = AttemptReport.from_json(json.loads(answer))
        assert self.left() == []
        return report

    def started(self) -> int:
        """Wait until the workload runs, and return its process id."""
        file = self.folder / "started-7"

        def begun() -> str:
            assert self.process.poll() is None, self.report().failure_message
            return file.read_text() if file.exists() else ""

        return int(wait_for(begun, "the workload", 30).split()[-1])

    def left(self) -> list[psutil.Process]:
        """Return the living processes of the attempt."""
        return [one for one in with_mark(SLOT_MARK, self.mark) if one.status() != psutil.STATUS_ZOMBIE]

    def output(self) -> tuple[str, str]:
        """Return what the attempt wrote to standard output and to standard error."""
        return (self.folder / "a.out").read_text(), (self.folder / "a.err").read_text()


def supervised_order(folder: Path, **changes: Any) -> AttemptOrder:
    """Return an order whose files are all below a folder."""
    toy = changes.get("workload", "tests.toys.behave") == "tests.toys.behave"
    parameters = {"folder": str(folder)} if toy else {}
    return messages.order(**{
        "token": uuid.uuid4().hex,
        "seed": 7,
        "logs": "all",
        "cache": str(folder / "cache"),
        "scratch": str(folder / "scratch"),
        "stdout_path": str(folder / "a.out"),
        "stderr_path": str(folder / "a.err"),
        "directory": str(folder),
        "working_directory": str(folder),
        "interpreter": sys.executable,
        "environment": {"PYTHONPATH": str(ROOT)},
        **changes,
        "parameters": {**parameters, **changes.get("parameters", {})},
    })  # fmt: skip
