"""The submit script of a block."""

from __future__ import annotations

import shlex

from orchestrator.schedulers.jobs import Family, JobRequest, launch_words
from orchestrator.worker import ENDS_VARIABLE, STARTED_VARIABLE
from sites.schedulers import Batch, Launcher


def render(family: Family, batch: Batch, request: JobRequest) -> str:
    """Return the script that holds a block's nodes and runs the request's command on each of them.

    The command finds in ``ORCHESTRATOR_BLOCK_STARTED`` and ``ORCHESTRATOR_BLOCK_ENDS`` when, in seconds
    since the epoch, its block began and when its walltime will be over.
    """
    kept = [
        f"{family.prefix} {directive}"
        for directive in [*family.directives(request), *batch.directives]
        if not directive.startswith(tuple(batch.skip))
    ]
    lines = ["#!/bin/bash", *kept, ""]
    if batch.setup:
        lines += ["set -e", *batch.setup, "set +e", ""]
    lines += [
        f"export {STARTED_VARIABLE}=$(date +%s)",
        f"export {ENDS_VARIABLE}=$(({STARTED_VARIABLE} + {int(request.walltime_seconds)}))",
        *(f"export {name}={shlex.quote(value)}" for name, value in request.variables),
        "",
    ]
    launcher = batch.launcher or Launcher(type=family.default_launcher)
    return "\n".join([*lines, *_launch(launcher, request), ""])


def _launch(launcher: Launcher, request: JobRequest) -> list[str]:
    words = shlex.join(launch_words(launcher, request.nodes))
    if launcher.type != "ssh":
        return [f"{words} bash -c {shlex.quote(request.command)}"]
    if request.nodes == 1:
        return [f"bash -c {shlex.quote(request.command)}"]
    exported = [STARTED_VARIABLE, ENDS_VARIABLE, *(name for name, _ in request.variables)]
    carried = " ".join(f'{name}=$(printf %q "${name}")' for name in exported)
    # The remote shell takes its command as one text; the environment does not come along by itself.
    return [
        f"command={shlex.quote(shlex.quote(request.command))}",
        'for node in $(sort -u "$PBS_NODEFILE"); do',
        f'  {words} "$node" "cd $(printf %q "$PWD") && env {carried} bash -c $command" &',
        "done",
        "wait",
    ]
