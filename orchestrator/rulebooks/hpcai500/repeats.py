"""The repeats of a training, and their means without the highest and the lowest one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orchestrator.rulebooks.hpcai500.formulas import kept, variation
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orchestrator.rulebooks.measurements import AcceptedRuns

    Column = NDArray[np.float64]

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
    number = 0 if runs is None else runs.accuracy.size
    if runs is None or not number:
        return Means(0, 0, None, None, None, None, None, None, ("no repeat was accepted",))
    nothing = np.full(number, np.nan)
    columns = {name: runs.metrics.get(name, nothing) for name in (SECONDS, SAMPLES, WATTS, COUNTED)}
    missing = tuple(
        f"{lacking:,} of {count_of(number, 'repeat')} report no {name}"
        for name, column in (
            (SECONDS, columns[SECONDS]),
            (SAMPLES, columns[SAMPLES]),
            ("quality", runs.accuracy),
        )
        if (lacking := int(np.isnan(column).sum()))
    )
    times = columns[SECONDS]
    known = _mean(times) is not None and bool((times > 0).all())
    counts = np.array(kept(times.tolist()) if known else range(number), dtype=np.intp)
    counted, watts = np.unique(columns[COUNTED]), _mean(columns[WATTS][counts])
    return Means(
        repeats=number,
        kept=int(counts.size),
        seconds=_mean(times[counts]) if known else None,
        samples=None if np.isnan(columns[SAMPLES]).any() else _mean(columns[SAMPLES][counts]),
        quality=None if np.isnan(runs.accuracy).any() else _mean(runs.accuracy[counts]),
        watts=watts if watts is not None and watts > 0 else None,
        variation=variation(times.tolist()) if known else None,
        counted_flop_per_sample=float(counted[0]) if counted.size == 1 and counted[0] > 0 else None,
        missing=missing,
    )


def _mean(values: Column) -> float | None:
    with np.errstate(over="ignore"):
        mean = float(values.mean())
    return mean if np.isfinite(mean) else None
