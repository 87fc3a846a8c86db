"""The Throughput score of MLPerf HPC, from the run intervals of the models that converged.

Source: MLPerf HPC Training Rules 3.0, section "Throughput". M models are trained at instance scale S on T
resources; the score is the tuple (T, S, M', TTTa) with

    TTTa = max(run_stop) - min(run_start)

over the M' <= M models that are counted. The rules know no retries: here the run of a model that was tried
again starts with its first attempt. A submitter may prune results, such as stragglers, as long as
M' stays at least the benchmark's minimum; models that did not converge must be pruned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workloads.description import QualityTarget

if TYPE_CHECKING:
    from orchestrator.rulebooks.measurements import AcceptedRuns

Interval = tuple[int, int]
"""Start and stop of a run, in microseconds."""


@dataclass(frozen=True, slots=True)
class Score:
    """Number of counted models M', and the time TTTa in which all of them were trained, in seconds."""

    models: int
    seconds: float

    @property
    def models_per_minute(self) -> float:
        """M' ÷ TTTa."""
        return self.models / self.seconds * 60


def converged_runs(runs: AcceptedRuns, target: QualityTarget) -> list[Interval]:
    """Return the measured intervals of the runs whose accuracy reached the target.

    That of a model whose earlier attempt was ended begins with that attempt: the time to train it includes
    what was thrown away, and ending a slow run does not help.
    """
    columns = runs.start_us, runs.stop_us, runs.accuracy, runs.began_us
    return [
        (min(start, began or start), stop)
        for start, stop, accuracy, began in zip(*columns, strict=True)
        if stop > start and target.met_by(accuracy)
    ]


def score(intervals: Sequence[Interval]) -> Score | None:
    """Return the score of all these models; None where there are none."""
    if not intervals:
        return None
    first, last = min(start for start, _ in intervals), max(stop for _, stop in intervals)
    return Score(len(intervals), (last - first) / 1e6)


def best_pruned_score(intervals: Sequence[Interval], minimum: int) -> Score | None:
    """Return the most models per minute after leaving out any number of those that ended last.

    Parameters
    ----------
    minimum
        Least number of models that must stay.

    Returns
    -------
    Score or None
        None where there are fewer than `minimum`.
    """
    best: Score | None = None
    first = 0
    for number, (start, stop) in enumerate(sorted(intervals, key=lambda one: one[1]), 1):
        first = start if number == 1 else min(first, start)
        kept = Score(number, (stop - first) / 1e6)
        if number >= max(minimum, 1) and (best is None or kept.models_per_minute >= best.models_per_minute):
            best = kept
    return best
