"""Sends orders to the runner as the supervisor does: a process, its standard input, a pipe.

The process of a built-in training on one core is forked from one that has imported its framework.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from orchestrator.catalog.registry import describe
from tests.workloads.forked_runs import REPORTS, ForkedRuns, forked_runs
from workloads.external.command import ExternalWorkload
from workloads.external.reference import is_file

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Report:
    """What one runner process left behind."""

    code: int
    lines: list[dict[str, Any]]
    stdout: str
    stderr: str

    @property
    def marks(self) -> list[str]:
        return [line["mark"] for line in self.lines if "mark" in line]

    @property
    def last(self) -> dict[str, Any]:
        return self.lines[-1]


def external(file: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return what the order of an external command has beside that of any workload."""
    described = describe(file)
    assert isinstance(described, ExternalWorkload)
    return {"external": described.to_order(), "parameters": described.resolve(parameters)}


def send(
    workload: str,
    parameters: dict[str, Any] | None = None,
    stderr: int | IO[str] = subprocess.PIPE,
    *,
    fresh: bool = False,
    **changes: Any,
) -> Report:
    """Return what a runner left behind.

    Parameters
    ----------
    fresh
        Whether it must be a new process, which has imported nothing before.
    """
    order: dict[str, Any] = {
        "workload": workload, "parameters": parameters or {}, "seed": 1, "data": None, "cores": [0],
        "cache": None, "devices": [], "memory_bytes": None, "device_memory_bytes": None,
        "rank": 0, "size": 1,
    }  # fmt: skip
    if is_file(workload):
        order |= external(workload, order["parameters"])
    order |= changes
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    if not fresh and stderr == subprocess.PIPE and (server := forked_runs(order, environment)) is not None:
        return ForkedRun(server, order, environment).finish()
    read, write = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "workloads.run"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
        pass_fds=[write], cwd=ROOT, text=True, env=environment,
    )  # fmt: skip
    os.close(write)
    out, err = process.communicate(json.dumps({"report_fd": write} | order))
    with os.fdopen(read) as reports:
        lines = [json.loads(line) for line in reports]
    return Report(process.returncode, lines, out, err)


class ForkedRun:
    """A runner that is forked, with its order."""

    def __init__(self, server: ForkedRuns, order: Mapping[str, Any], environment: Mapping[str, str]) -> None:
        self._server = server
        self._files = [os.fdopen(os.memfd_create("run"), "w+") for _ in range(4)]
        stdin, stdout, stderr, reports = self._files
        stdin.write(json.dumps({"report_fd": REPORTS} | order))
        stdin.seek(0)
        descriptors = stdin.fileno(), stdout.fileno(), stderr.fileno(), reports.fileno()
        self._pid = server.fork(environment, descriptors)

    def finish(self) -> Report:
        """Return what it leaves behind, once it has ended."""
        code = self._server.wait(self._pid)
        texts = []
        for file in self._files:
            with file:
                file.seek(0)
                texts.append(file.read())
        _, stdout, stderr, reports = texts
        return Report(code, [json.loads(line) for line in reports.splitlines()], stdout, stderr)
