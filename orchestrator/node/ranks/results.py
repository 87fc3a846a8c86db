"""From the ranks of an attempt to one result, and to the rank that caused a failure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

import msgspec.structs

from orchestrator.protocol.report import (
    BUSY_BEFORE_SECONDS,
    OTHER_PROGRAM,
    REFUSED_REPORTS,
    UNREAD_SECONDS,
    Observed,
    TrainingError,
    TrainingResult,
)
from workloads.provenance.documents import document_key

BEGIN_MARKS = ("run_start", "timed_window_start")
"""Marks that an attempt takes from its first rank; it takes all others from its last."""
_OF_EACH_RANK = ("host", "pid", "cpuset", "gpus", "device_memory_bytes", "code", "variables")
_OF_ODD_RANKS = (OTHER_PROGRAM, REFUSED_REPORTS, UNREAD_SECONDS, BUSY_BEFORE_SECONDS, "exit_code")
_OF_ALL_RANKS = ("cpuset", "gpus", "ranks")


class ExitedRank(Protocol):
    """A process that has exited."""

    number: int
    exit_code: int | None

    @property
    def failed(self) -> bool:
        """True if it has exited with anything but 0, or without a result."""


class RankWithError(Protocol):
    """A rank that may have reported an error."""

    error: TrainingError | None


_Exited = TypeVar("_Exited", bound=ExitedRank)
_Rank = TypeVar("_Rank", bound=RankWithError)
_T = TypeVar("_T")


def first_failed(exited: Sequence[_Exited]) -> _Exited | None:
    """Return which of the ranks that exited at about the same time failed first; None if none failed.

    Ranks that a signal ended come first: the others then exit with errors because they miss them.
    """
    failed = [rank for rank in exited if rank.failed]
    return min(failed, key=lambda rank: ((rank.exit_code or 0) > 0, rank.number), default=None)


def root_cause(ranks: Sequence[_Rank], failed: _Rank | None) -> _Rank | None:
    """Return the rank whose error explains the failure of an attempt.

    That is the first that failed. If it failed because it lost the connection to another rank, it
    is the first with an error of its own.
    """
    if failed is None or not _lost_another(failed):
        return failed
    causes = [rank for rank in ranks if rank.error is not None and not _lost_another(rank)]
    return causes[0] if causes else failed


def _lost_another(rank: RankWithError) -> bool:
    return rank.error is not None and rank.error.kind == "rank lost"


def timed_ranks(ranks: Sequence[_T], external: Mapping[str, Any] | None) -> Sequence[_T]:
    """Return the ranks whose marks and times are the attempt's.

    These are all; but where the output of an external command tells its time, that is rank 0's alone.

    Parameters
    ----------
    external
        Description of the external command that the ranks run, as an order has it; None for a workload.
    """
    return ranks[:1] if output_states_time(external) else ranks


def output_states_time(external: Mapping[str, Any] | None) -> bool:
    """Return True if ranks run an external command whose output tells its time."""
    return external is not None and external["command"]["seconds"] != "run"


def combine_marks(marks: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the marks of an attempt: it starts with its first rank and stops with its last.

    Parameters
    ----------
    marks
        UTC microseconds by name, of every rank. A mark that a rank lacks is left out.
    """
    names = set(marks[0]).intersection(*marks[1:])
    return {
        name: (min if name in BEGIN_MARKS else max)(one[name] for one in marks)
        for name in marks[0]
        if name in names
    }


def combine_results(
    results: Sequence[TrainingResult | None], external: Mapping[str, Any] | None = None
) -> TrainingResult | None:
    """Return the result of an attempt from those of its ranks; None if one has none.

    It is the result of rank 0, with the time of the slowest rank and the observations of every rank.

    Parameters
    ----------
    external
        As of `timed_ranks`; an external command's accuracy is read from the output of rank 0 alone.
    """
    known = [result for result in results if result is not None]
    if len(known) < len(results):
        return None
    if len(known) == 1:
        return known[0]
    observed = [result.observed for result in known]
    times = [result.fom_seconds or math.nan for result in timed_ranks(known, external)]
    return msgspec.structs.replace(
        known[0],
        fom_seconds=max(times, key=lambda time: (math.isnan(time), time)),
        observed=msgspec.structs.replace(
            observed[0],
            cpuset=tuple(sorted({core for one in observed for core in one.cpuset or ()})),
            gpus=tuple(gpu for one in observed for gpu in one.gpus or ()),
            ranks=tuple(map(_of_rank, observed)),
            facts={name: fact for name, fact in observed[0].facts.items() if name not in _OF_ALL_RANKS},
        ),
        accuracies=tuple(result.accuracy for result in known) if external is None else None,
        documents=tuple({document_key(one): one for result in known for one in result.documents}.values()),
    )


def _of_rank(observed: Observed) -> Observed:
    """Return what differs between ranks of what one observed."""
    odd = {name: observed.facts[name] for name in _OF_ODD_RANKS if name in observed.facts}
    return Observed.from_json({name: observed.stated(name) for name in _OF_EACH_RANK} | odd)
