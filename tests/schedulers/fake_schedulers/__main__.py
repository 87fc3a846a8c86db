"""Run one command of a stood-in batch system: FAMILY COMMAND ARGUMENTS."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from tests.schedulers.fake_schedulers.store import Store

Command = Callable[[Store, list[str]], int]
DOWN = {  # what commands say when the server does not answer, and their exit codes
    "lsf": (255, "Failed in an LSF library call: LIM is down; try later"),
    "pbspro": (255, "{command}: cannot connect to server {server} (errno=15010)"),
    "torque": (
        111,
        "{command}: cannot connect to server {server} (errno=111) Connection refused",
    ),
    "flux": (
        1,
        "flux-{arguments}: ERROR: Unable to connect to Flux: broker socket /run/flux/local was not found",
    ),
}


def commands(family: str) -> dict[str, Command]:
    """Return the commands of a family."""
    from tests.schedulers.fake_schedulers import flux, jsrun, lsf, lsf_show, mpi, pbspro, torque

    found: dict[str, Command] = {
        "lsf": {**lsf.COMMANDS, **lsf_show.COMMANDS, **jsrun.COMMANDS},
        "pbspro": {**pbspro.COMMANDS, "mpiexec": mpi.mpiexec, "mpirun": mpi.mpiexec},
        "flux": flux.COMMANDS,
        "torque": {**torque.COMMANDS, **mpi.COMMANDS},
    }[family]
    return found


def run() -> int:
    """Run the command, or what was injected in its place."""
    family, command, *arguments = sys.argv[1:]
    store = Store.find()
    store.note_call(command, arguments)
    failure = store.failure(command)
    if failure is not None:
        time.sleep(failure["seconds"])
        code, text = DOWN[family]
        if failure["code"] is not None or failure["out"] or failure["err"]:
            code, text = failure["code"] or 0, failure["err"]
            sys.stdout.write(failure["out"])
        elif failure["seconds"]:
            return commands(family)[command](store, arguments)
        if text:
            first = (arguments or [""])[0]
            print(
                text.format(command=command, arguments=first, server=store.settings()["server"]),
                file=sys.stderr,
            )
        return int(code)
    return commands(family)[command](store, arguments)


def main() -> None:
    """Run, and exit as the command does."""
    sys.exit(run())


if __name__ == "__main__":
    main()
