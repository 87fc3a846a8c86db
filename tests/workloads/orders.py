"""Sends orders to the runner as the supervisor does: a process, its standard input, a pipe.

The process of a built-in training on one core is forked from one that has imported its framework.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, Literal

from orchestrator.catalog.registry import describe
from tests.harness import wait_for
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
        return Run(order, environment, server).finish()
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


def call(function: str, *arguments: Any, framework: str) -> str:
    """Return what a function prints, in a process that has imported a framework.

    Parameters
    ----------
    function
        Module and name, with a colon between them.
    arguments
        JSON-ready data.
    """
    parameters = {"framework": framework, "function": function, "arguments": json.dumps(arguments)}
    report = send("tests.workloads.called", parameters)
    assert report.code == 0, report.stderr
    return report.stdout


class Run:
    """A runner that has its order. What it writes can be read while it runs.

    Parameters
    ----------
    server
        Forks it; None for a new process.
    """

    def __init__(
        self, order: Mapping[str, Any], environment: Mapping[str, str], server: ForkedRuns | None
    ) -> None:
        self._files = [os.fdopen(os.memfd_create("run"), "w+") for _ in range(4)]
        stdin, stdout, stderr, reports = (file.fileno() for file in self._files)
        descriptor = REPORTS if server else reports
        os.pwrite(stdin, json.dumps({"report_fd": descriptor} | order).encode(), 0)
        self._wait: Callable[[], int]
        if server is None:
            process = subprocess.Popen(
                [sys.executable, "-m", "workloads.run"],
                stdin=stdin, stdout=stdout, stderr=stderr, pass_fds=[reports], cwd=ROOT, env=environment,
            )  # fmt: skip
            self.pid, self._wait = process.pid, process.wait
        else:
            self.pid = server.fork(order, environment, (stdin, stdout, stderr, reports))
            self._wait = partial(server.wait, self.pid)
        self._process = os.pidfd_open(self.pid)
        self._ended = False

    def runs(self) -> bool:
        """Return whether it has not ended."""
        return not self._ended and not select.select([self._process], [], [], 0)[0]

    def written(self, stream: Literal["stdout", "stderr", "reports"]) -> str:
        """Return what it has written."""
        file = self._files[("stdin", "stdout", "stderr", "reports").index(stream)].fileno()
        return os.pread(file, os.fstat(file).st_size, 0).decode()

    def wait_for(self, text: str, stream: Literal["stdout", "reports"] = "reports") -> None:
        """Return once it has written a text."""
        wait_for(lambda: text in self.written(stream) or not self.runs(), text)
        assert text in self.written(stream), self.written("stderr")

    def kill(self) -> None:
        """Kill it."""
        os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kill it if it still runs, and forget it if `finish` was not called."""
        if not self._ended:
            if self.runs():
                self.kill()
            self.finish()

    def finish(self) -> Report:
        """Return what it leaves behind, once it has ended."""
        code = self._wait()
        self._ended = True
        os.close(self._process)
        reports = [json.loads(line) for line in self.written("reports").splitlines()]
        report = Report(code, reports, self.written("stdout"), self.written("stderr"))
        for file in self._files:
            file.close()
        return report
