"""Run a worker pool, then the site's lines for the end of a node, and note how these ended.

``python -m orchestrator.node.worker.teardown ORDER.json [COMMAND...]`` runs the command, passes signals on
to it, and runs the lines when it has ended, however it ended. It exits as the command does, but with 0 after
a signal: at the first failure mpiexec kills the processes on all nodes, and with them their lines. The order
has the ``lines``, the seconds of their ``timeout``, and the ``folder`` for a file with their outcome. That
file is made first, without an outcome, so that the driver knows of a node whose lines have not ended.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from orchestrator.host.atomic_files import atomic_write
from orchestrator.host.shell_hook import run_hook
from orchestrator.protocol.block_environment import node_name
from orchestrator.schedulers.launchers import strictly

_PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main() -> int:
    """Run the command and then the lines; return the command's exit code, or 0 after a signal."""
    asked: list[int] = []
    for number in _PASSED_ON:  # before there is a file, which says that the lines will run
        signal.signal(number, lambda received, _: asked.append(received))
    order = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    node = node_name()
    outcome = Path(order["folder"]) / f"{node}-{os.getpid()}.json"
    with suppress(OSError):  # the lines are run all the same
        outcome.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(outcome, json.dumps({"node": node}))
    code = _run(sys.argv[2:], asked) if len(sys.argv) > 2 else 0
    for number in _PASSED_ON:
        signal.signal(number, signal.SIG_IGN)
    ended = run_hook("\n".join(strictly(order["lines"])), {"node": node, "exit_code": code}, order["timeout"])
    with suppress(OSError):
        atomic_write(outcome, json.dumps({"node": node, **asdict(ended)}))
    return 0 if asked else code


def _run(command: list[str], asked: list[int]) -> int:
    """Return the exit code of a command that runs in a process group of its own.

    Parameters
    ----------
    asked
        Signals that have come before it; those that come are added.
    """
    process = subprocess.Popen(command, process_group=0)

    def pass_on(received: int, _: object) -> None:
        asked.append(received)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, received)

    for number in _PASSED_ON:
        signal.signal(number, pass_on)
    for received in tuple(asked):
        pass_on(received, None)
    code = process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
