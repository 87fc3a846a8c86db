"""Run a shell command of the user, which may fail or hang, without failing or hanging with it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from orchestrator.host.processes import kill_child

_OUTPUT_BYTES = 500


@dataclass(frozen=True, slots=True)
class HookOutcome:
    """How a command ended.

    Parameters
    ----------
    problem
        What went wrong; empty after exit code 0.
    """

    seconds: float
    problem: str
    output: str


def run_hook(command: str, facts: Mapping[str, Any], timeout_seconds: float) -> HookOutcome:
    """Run a command with bash, with facts as JSON on its standard input, and kill it after a time.

    Its streams are files, so that a process that it leaves behind holds up nothing.
    """
    begin = time.monotonic()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as printed:
        given.write(json.dumps(dict(facts)).encode() + b"\n")
        given.seek(0)
        try:
            process = subprocess.Popen(
                ["bash", "-c", command],
                stdin=given,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:  # no bash, or a null character
            return HookOutcome(0.0, f"it could not be started: {error}", "")
        try:
            code = process.wait(timeout_seconds)
            problem = f"it ended with exit code {code}" if code else ""
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            problem = f"it did not end within {timeout_seconds:g} s (hook_timeout of the site) and was killed"
            if not kill_child(process):
                problem += f", which has not ended process {process.pid}"
        size = printed.seek(0, os.SEEK_END)
        printed.seek(max(0, size - _OUTPUT_BYTES))
        output = printed.read().decode(errors="replace").strip()
    return HookOutcome(time.monotonic() - begin, problem, output)
