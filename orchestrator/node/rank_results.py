"""From the results of an instance's ranks to one result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from orchestrator.node.rank_process import BEGINNINGS
from orchestrator.protocol.report import Observed, TrainingError, TrainingResult

_OF_EACH_RANK = ("host", "pid", "cpuset", "gpus", "device_memory_bytes")
_OF_ALL_RANKS = ("cpuset", "gpus", "ranks")


def blamed(ranks: Sequence[Reporter], fallen: Reporter | None) -> Reporter | None:
    """Return the rank that tells why the instance failed.

    That is the first that fell, unless it fell only because it missed another one, and that one's
    own error is known.
    """
    if fallen is None or not _missed_another(fallen):
        return fallen
    causes = [rank for rank in ranks if rank.error is not None and not _missed_another(rank)]
    return causes[0] if causes else fallen


def _missed_another(rank: Reporter) -> bool:
    return rank.error is not None and rank.error.kind == "rank lost"


class Ended(Protocol):
    """What is asked of a process that has ended."""

    number: int
    exit_code: int | None

    @property
    def failed(self) -> bool:
        """Whether it has exited with anything but 0."""
        ...


class HasError(Protocol):
    """What is asked of a rank that may have reported an error."""

    error: TrainingError | None


Process = TypeVar("Process", bound=Ended)

Reporter = TypeVar("Reporter", bound=HasError)


def culprit(ended: Sequence[Process]) -> Process | None:
    """Return which of the ranks that ended at about the same time brought the others down.

    A rank that died of a signal reported nothing, and those that miss it then end with errors.
    """
    failed = [rank for rank in ended if rank.failed]
    return min(failed, key=lambda rank: ((rank.exit_code or 0) > 0, rank.number), default=None)


def combine_marks(marks: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the marks of an instance: it starts with its first rank and stops with its last.

    Parameters
    ----------
    marks
        UTC microseconds by name, of every rank. A mark that not every rank has set is left out.
    """
    names = set(marks[0]).intersection(*marks[1:])
    return {
        name: (min if name in BEGINNINGS else max)(one[name] for one in marks)
        for name in marks[0]
        if name in names
    }


def combine_results(results: Sequence[TrainingResult | None]) -> TrainingResult | None:
    """Return the result of an instance from those of its ranks; None where one has none.

    It is rank 0's, with the slowest rank's time, and what every rank observed.
    """
    known = [result for result in results if result is not None]
    if len(known) < len(results):
        return None
    if len(known) == 1:
        return known[0]
    observed = [result.observed for result in known]
    times = [result.fom_seconds or math.nan for result in known]
    return replace(
        known[0],
        fom_seconds=max(times, key=lambda time: (math.isnan(time), time)),
        observed=replace(
            observed[0],
            cpuset=tuple(sorted({core for one in observed for core in one.cpuset or ()})),
            gpus=tuple(gpu for one in observed for gpu in one.gpus or ()),
            ranks=tuple(
                Observed.from_json({name: one.stated(name) for name in _OF_EACH_RANK}) for one in observed
            ),
            facts={name: fact for name, fact in observed[0].facts.items() if name not in _OF_ALL_RANKS},
        ),
        accuracies=tuple(result.accuracy for result in known),
    )
