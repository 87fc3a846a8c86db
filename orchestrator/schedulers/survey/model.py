"""Queues and nodes of a machine, as its batch system states them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

_ALIKE = 1.1
UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


@dataclass(frozen=True, slots=True)
class Queue:
    """A partition of Slurm, or a queue.

    Parameters
    ----------
    walltime_seconds
        Longest job; None without a limit.
    max_nodes
        Most nodes of a job; None without a limit.
    """

    name: str
    is_default: bool = False
    walltime_seconds: float | None = None
    max_nodes: int | None = None


@dataclass(frozen=True, slots=True)
class SurveyedNode:
    """A node, or several alike that the batch system lists as one.

    Parameters
    ----------
    cores
        Logical CPUs.
    queues
        Queues that use the node; none where the batch system does not say.
    """

    hosts: tuple[str, ...]
    cores: int
    memory_bytes: int | None = None
    gpus: int = 0
    gpu_kind: str = ""
    queues: tuple[str, ...] = ()
    count: int = 1


@dataclass(frozen=True, slots=True)
class SurveyCommands:
    """How a batch system is asked for its machine.

    Parameters
    ----------
    commands
        Words of each command by the parameter of `read` that takes its output, and whether it must succeed;
        of one that need not, a failure counts as no output.
    read
        Returns the machine that the outputs describe.
    """

    commands: Mapping[str, tuple[tuple[str, ...], bool]]
    read: Callable[..., Survey]


@dataclass(frozen=True, slots=True)
class Survey:
    """A machine's batch system.

    Parameters
    ----------
    kinds
        Nodes that are alike as one, the most numerous first.
    """

    scheduler: str
    queues: tuple[Queue, ...]
    kinds: tuple[SurveyedNode, ...]


def kinds_of(nodes: Iterable[SurveyedNode]) -> tuple[SurveyedNode, ...]:
    """Return nodes by kind, the most numerous first.

    The memory of a kind is that of its smallest node; those with a tenth more are another kind.
    """
    groups: dict[object, list[list[SurveyedNode]]] = {}
    for one in sorted(nodes, key=lambda one: one.memory_bytes or 0):
        kinds = groups.setdefault((one.cores, one.gpus, one.gpu_kind, one.queues), [])
        if not kinds or (one.memory_bytes or 0) > _ALIKE * (kinds[-1][0].memory_bytes or 0):
            kinds.append([])
        kinds[-1].append(one)
    merged = [
        replace(
            alike[0],
            hosts=tuple(host for one in alike for host in one.hosts),
            count=sum(one.count for one in alike),
        )
        for kinds in groups.values()
        for alike in kinds
    ]
    return tuple(sorted(merged, key=lambda kind: -kind.count))


def whole_number(text: str | None) -> int | None:
    """Return a number; None for another text, such as ``UNLIMITED``."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else None
