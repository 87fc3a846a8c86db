"""Qualities of service of Slurm that take a block, by their limits of jobs, nodes and walltime."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestrator.schedulers.durations import format_hms, parse_limit
from orchestrator.schedulers.model import SchedulerError
from orchestrator.wording import count_of

_FIELDS = "name,maxwall,maxtres,maxjobspu,maxtrespu,maxsubmitpu"


@dataclass(frozen=True, slots=True)
class Qos:
    """Limits of a quality of service, and what the user has there; infinite without a limit.

    Parameters
    ----------
    walltime, nodes
        Longest walltime, in seconds, and most nodes of a job.
    user_jobs, user_nodes
        Jobs that run at a time, and nodes of all running jobs, of a user.
    submitted
        Jobs that a user may have there, waiting ones included.
    jobs, held_nodes
        Jobs of the user there, waiting ones included, and their nodes.
    """

    name: str
    walltime: float = math.inf
    nodes: float = math.inf
    user_jobs: float = math.inf
    user_nodes: float = math.inf
    submitted: float = math.inf
    jobs: int = 0
    held_nodes: int = 0

    def refusal(self, nodes: int, walltime: float) -> str:
        """Return why a job never starts there; empty where it may."""
        if walltime > self.walltime:
            return f"{self.name}: at most {format_hms(self.walltime)}"
        if nodes > (most := min(self.nodes, self.user_nodes)):
            return f"{self.name}: at most {count_of(int(most), 'node')}"
        return ""

    def has_room(self, jobs: int, nodes: int) -> bool:
        """Return whether jobs of so many nodes each need not wait there for another job of the user."""
        most = min(self.user_jobs, self.submitted)
        return self.jobs + jobs <= most and self.held_nodes + jobs * nodes <= self.user_nodes


def command(names: Sequence[str]) -> str:
    """Return a shell command that prints the limits of qualities of service, and the user's jobs."""
    limits = f"sacctmgr --noheader --parsable2 show qos where name={','.join(names)} format={_FIELDS}"
    return f"{limits}; squeue --me --array --noheader --states=PENDING,RUNNING --format='|%q|%D'"


def choose(names: Sequence[str], stdout: str, nodes: int, walltime: float, jobs: int = 1) -> list[str]:
    """Return the qualities of service that take jobs: those with room for all, if there are some.

    Parameters
    ----------
    stdout
        What `command` printed; without it no limit is known.

    Raises
    ------
    SchedulerError
        If none takes it.
    """
    known = {one.name: one for one in _parsed(stdout)}
    found = [known.get(name, Qos(name)) for name in names]
    refusals = {one.name: one.refusal(nodes, walltime) for one in found}
    if all(refusals.values()):
        wanted = f"{count_of(nodes, 'node')} for {format_hms(walltime)}"
        raise SchedulerError(f"no qos takes {wanted}: {'; '.join(refusals.values())}")
    fitting = [one for one in found if not refusals[one.name]]
    free = [one for one in fitting if one.has_room(jobs, nodes)]
    return [one.name for one in free or fitting]


def _parsed(stdout: str) -> Iterator[Qos]:
    jobs: Counter[str] = Counter()
    held: Counter[str] = Counter()
    limits = []
    for line in stdout.splitlines():
        words = [word.strip() for word in line.split("|")]
        if not words[0] and len(words) == 3 and words[2].isdecimal():
            jobs[words[1]] += 1
            held[words[1]] += int(words[2])
        elif len(words) == len(_FIELDS.split(",")):
            limits.append(words)
    for name, wall, each, user_jobs, user, submitted in limits:
        yield Qos(
            name,
            math.inf if (seconds := parse_limit(wall)) is None else seconds,
            _nodes(each),
            _limit(user_jobs),
            _nodes(user),
            _limit(submitted),
            jobs[name],
            held[name],
        )


def _nodes(resources: str) -> float:
    """Return the nodes of a list such as ``cpu=64,node=2``; infinite where it limits none."""
    pairs = dict(one.split("=", 1) for one in resources.split(",") if "=" in one)
    return _limit(pairs.get("node", ""))


def _limit(word: str) -> float:
    return float(word) if word.isdecimal() else math.inf
