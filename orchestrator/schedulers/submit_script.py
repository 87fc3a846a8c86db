"""The submit script of a block."""

from __future__ import annotations

import shlex

from orchestrator.protocol.block_environment import ENDS_VARIABLE, NODES_VARIABLE, STARTED_VARIABLE
from orchestrator.schedulers.launchers import launcher_words, strictly
from orchestrator.schedulers.model import Family, JobRequest
from sites.schedulers import Batch, Launcher

# A shell that a batch system asks to end would not wait for the lines that end a node.
_SURVIVE = "trap : INT TERM HUP"


def render(family: Family, batch: Batch, request: JobRequest) -> str:
    """Return the script that holds a block's nodes and runs the request's command on each of them.

    The command finds in ``ORCHESTRATOR_BLOCK_STARTED`` and ``ORCHESTRATOR_BLOCK_ENDS`` when, in seconds
    since the epoch, its block began and when its walltime will be over; 0 stands for the beginning of a block
    that is shorter than another may be. The script ends as its launcher
    does, so that the batch system knows of a block whose nodes could not be reached.

    Raises
    ------
    SchedulerError
        If the site's account is a variable that is not set here.
    """
    kept = [
        f"{family.directive_prefix} {directive}"
        for directive in [*family.directives(request), *batch.extra_directives]
        if not directive.startswith(tuple(batch.skip_directives))
    ]
    lines = [
        "#!/bin/bash",
        *kept,
        "",
        *family.script_preamble,
        # First of all: the setup may take minutes of the walltime.
        f"export {STARTED_VARIABLE}=$(date +%s)",
        f"export {ENDS_VARIABLE}=$(({STARTED_VARIABLE} + {int(request.walltime_seconds)}))",
        *([] if request.is_whole else [f"export {STARTED_VARIABLE}=0"]),
        *(f"export {name}={shlex.quote(value)}" for name, value in request.variables),
        "",
    ]
    if batch.prologue:
        lines += [*strictly(batch.prologue), ""]
    launcher = batch.launcher or Launcher(type=family.default_launcher)
    over_ssh = launcher.type == "ssh" and request.nodes > 1
    # ssh brings nothing of what the script's setup exported.
    prepare = strictly([*(batch.prologue if over_ssh else []), *batch.node_prologue])
    if request.teardown:
        lines.append(_SURVIVE)
    if request.on_every_node:
        command = request.command
        if request.teardown:
            command = "\n".join([_SURVIVE, shlex.join([*request.teardown, "bash", "-c", command])])
        lines += _on_every_node(launcher, request, "\n".join([*prepare, command]))
    else:
        if batch.node_prologue:
            lines += [*_on_every_node(launcher, request, "\n".join(prepare)), '[ "$?" = 0 ] || exit 1']
        lines += [
            f"{NODES_VARIABLE}=$({family.list_nodes_command}) || exit 1",
            f"export {NODES_VARIABLE}",
            shlex.join(["bash", "-c", request.command]),
        ]
        if request.teardown:
            teardown = "\n".join(
                [*strictly(batch.prologue if over_ssh else []), shlex.join(request.teardown)]
            )
            lines += ["ended=$?", *_on_every_node(launcher, request, teardown), '(exit "$ended")']
    return "\n".join([*lines, ""])


def _on_every_node(launcher: Launcher, request: JobRequest, command: str) -> list[str]:
    """Return shell lines that run a command once on every node, and end as it does."""
    if launcher.type == "ssh" and request.nodes > 1:
        return _over_ssh(launcher, request, command)
    words = [] if launcher.type == "ssh" else launcher_words(launcher.type, launcher.options, request.nodes)
    return [shlex.join([*words, "bash", "-c", command])]


def _over_ssh(launcher: Launcher, request: JobRequest, command: str) -> list[str]:
    words = shlex.join(launcher_words(launcher.type, launcher.options, request.nodes))
    exported = [STARTED_VARIABLE, ENDS_VARIABLE, *(name for name, _ in request.variables)]
    carried = " ".join(f'{name}=$(printf %q "${name}")' for name in exported)
    # The remote shell takes its command as one text; the environment does not come along by itself.
    return [
        f"command={shlex.quote(shlex.quote(command))}",
        'nodes=$(sort -u "${PBS_NODEFILE:-$LSB_DJOB_HOSTFILE}") && [ -n "$nodes" ] || exit 1',
        'pids=""',
        "for node in $nodes; do",
        f'  {words} "$node" "cd $(printf %q "$PWD") && env {carried} bash -c $command" &',
        '  pids="$pids $!"',
        "done",
        "status=0",
        "for pid in $pids; do",
        '  wait "$pid" || status=$?',
        "done",
        '(exit "$status")',
    ]
