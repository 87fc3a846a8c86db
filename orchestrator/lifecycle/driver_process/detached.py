"""Run a driver in a session of its own, which no terminal ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.host.own_modules import module_command
from orchestrator.rundir.layout import RunDirectory

_VARIABLE = "ORCHESTRATOR_DETACH"


@dataclass(frozen=True, slots=True)
class Detached:
    """A driver that was started.

    Parameters
    ----------
    output
        File that it prints to; None if it ended before it had a campaign.
    exit_code
        How it ended before it had a campaign; None if it runs.
    """

    pid: int
    output: Path | None
    exit_code: int | None


def start_detached(arguments: Sequence[str], show: Callable[[str], object]) -> Detached:
    """Run this command line in a session of its own, and return once its campaign has a run directory.

    Parameters
    ----------
    arguments
        Words of the command, such as ``launch`` and its options.
    show
        Takes what it prints until then.
    """
    answers, descriptor = os.pipe()
    process = subprocess.Popen(
        module_command("orchestrator", *arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        pass_fds=[descriptor],
        env=os.environ | {_VARIABLE: str(descriptor)},
    )
    os.close(descriptor)
    assert process.stdout is not None  # noqa: S101  for the type checker
    with process.stdout as printed, os.fdopen(answers, encoding="utf-8") as answer:
        for line in printed:
            show(line.rstrip("\n"))
        output = answer.read()
    if output:
        return Detached(process.pid, Path(output), None)
    return Detached(process.pid, None, process.wait())


def leave_starter(directory: RunDirectory) -> Path | None:
    """Print to a file of the run directory from now on, and return it, if `start_detached` started this."""
    descriptor = os.environ.pop(_VARIABLE, "")
    if not descriptor.isdecimal():
        return None
    file = os.open(directory.detached_output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(int(descriptor), os.fsencode(directory.detached_output))
    os.close(int(descriptor))
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)
    return directory.detached_output
