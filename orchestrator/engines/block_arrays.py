"""Blocks of one shape that are submitted together, as one job array."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BLOCK = re.compile(r"(--block_id=)([0-9]+)\b")


@dataclass(slots=True)
class JobArray:
    """A job array whose tasks are blocks with numbers in a row.

    Parameters
    ----------
    command
        Command of the first block.
    jobs
        Ids of the tasks' jobs, in order.
    taken
        How many tasks have a block.
    """

    command: str
    jobs: list[str]
    taken: int = 1

    def take(self, command: str) -> str | None:
        """Return the job of the block that runs a command; None if no task that is left runs it."""
        if self.taken == len(self.jobs) or command != _numbered(self.command, self.taken):
            return None
        self.taken += 1
        return self.jobs[self.taken - 1]

    @property
    def left(self) -> list[str]:
        """Jobs of tasks that have no block."""
        return self.jobs[self.taken :]


def task_command(command: str, variable: str) -> str | None:
    """Return the command that each task of an array runs, by the command of the first block.

    None where that names no number of its block, or several.

    Parameters
    ----------
    variable
        Environment variable of the batch system with the number of the task, from 0.
    """
    if len(_BLOCK.findall(command)) != 1:
        return None
    return _BLOCK.sub(rf"\g<1>$((\g<2> + {variable}))", command)


def _numbered(command: str, task: int) -> str:
    """Return the command of a later block, by the command of the first."""
    return _BLOCK.sub(lambda found: f"{found[1]}{int(found[2]) + task}", command)
