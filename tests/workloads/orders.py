"""Sends orders to the runner as the supervisor does: a process, its standard input, a pipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from orchestrator.catalog.registry import describe
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
    **changes: Any,
) -> Report:
    read, write = os.pipe()
    order: dict[str, Any] = {
        "workload": workload, "parameters": parameters or {}, "seed": 1, "data": None, "cores": [0],
        "cache": None, "devices": [], "memory_bytes": None, "device_memory_bytes": None,
        "rank": 0, "size": 1, "report_fd": write,
    }  # fmt: skip
    if is_file(workload):
        order |= external(workload, order["parameters"])
    order |= changes
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    process = subprocess.Popen(
        [sys.executable, "-m", "workloads.run"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
        pass_fds=[write], cwd=ROOT, text=True, env=environment,
    )  # fmt: skip
    os.close(write)
    out, err = process.communicate(json.dumps(order))
    with os.fdopen(read) as reports:
        lines = [json.loads(line) for line in reports]
    return Report(process.returncode, lines, out, err)
