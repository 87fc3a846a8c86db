"""The repeats of a training, and their means without the highest and the lowest one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from orchestrator.rulebooks.hpcai500.formulas import kept, variation
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from orchestrator.rulebooks.measurements import AcceptedRuns
SECONDS, SAMPLES, WATTS = "training_seconds", "samples_seen", "power_mean_watts"
COUNTED = "training_flop_per_sample"


@dataclass(frozen=True, slots=True)
class Means:
    """Figures of one benchmark over its repeats, without the fastest and the slowest where there are 3.

    The suite does not say by which figure the highest and the lowest repeat are found: by the training time
    here, and all means are over the same repeats.

    Parameters
    ----------
    repeats, kept
        Accepted repeats, and those that the means are over.
    seconds, samples, quality
        Mean training time, samples seen, and quality reached; None where a repeat lacks it.
    watts
        Mean power; None where a repeat that the means are over lacks it, and where it is not positive.
    variation
        Standard deviation ÷ mean of the training times of all repeats; None of fewer than 2.
    counted_flop_per_sample
        As the trainings counted it; None where one did not, or they differ.
    missing
        Sentences about the numbers that repeats lack.
    """

    repeats: int
    kept: int
    seconds: float | None
    samples: float | None
    quality: float | None
    watts: float | None
    variation: float | None
    counted_flop_per_sample: float | None
    missing: tuple[str, ...]


def means(runs: AcceptedRuns | None) -> Means:
    """Return the means over the repeats of a benchmark."""
    number = 0 if runs is None else len(runs.accuracy)
    if runs is None or not number:
        return Means(0, 0, None, None, None, None, None, None, ("no repeat was accepted",))
    nothing = [math.nan] * number
    columns = {name: runs.metrics.get(name, nothing) for name in (SECONDS, SAMPLES, WATTS, COUNTED)}
    missing = tuple(
        f"{lacking:,} of {count_of(number, 'repeat')} report no {name}"
        for name, column in (
            (SECONDS, columns[SECONDS]),
            (SAMPLES, columns[SAMPLES]),
            ("quality", runs.accuracy),
        )
        if (lacking := sum(map(math.isnan, column)))
    )
    times = columns[SECONDS]
    known = _mean(times) is not None and all(time > 0 for time in times)
    counts = kept(times) if known else range(number)
    counted, watts = set(columns[COUNTED]), _mean([columns[WATTS][one] for one in counts])
    return Means(
        repeats=number,
        kept=len(counts),
        seconds=_mean([times[one] for one in counts]) if known else None,
        samples=_mean_of_whole(columns[SAMPLES], counts),
        quality=_mean_of_whole(runs.accuracy, counts),
        watts=watts if watts is not None and watts > 0 else None,
        variation=variation(times) if known else None,
        counted_flop_per_sample=min(counted) if len(counted) == 1 and min(counted) > 0 else None,
        missing=missing,
    )


def _mean_of_whole(column: Sequence[float], counts: Sequence[int]) -> float | None:
    """Return the mean over the repeats that count; None where any repeat lacks the number."""
    return None if any(map(math.isnan, column)) else _mean([column[one] for one in counts])


def _mean(values: Sequence[float]) -> float | None:
    try:
        mean = fmean(values)
    except OverflowError:
        return None
    return mean if math.isfinite(mean) else None
