"""Compare run times, or a metric, of campaigns: ratios with intervals, a rank test, and figures of merit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from db.evidence.runs import metric_columns, metric_ranges, run_columns
from db.queries.attempt_times import attempt_times
from db.reader import Reader
from db.records import CampaignRow
from orchestrator.analysis.base.statistics import (
    CONFIDENCE,
    Estimate,
    median_interval,
    rank_test,
    ratio_of_medians,
)
from orchestrator.analysis.comparison.recorded_differences import differences, recorded_facts
from orchestrator.analysis.projection.extremes import TooFewError, predict_maximum
from orchestrator.analysis.verdict.fom import judge
from orchestrator.errors import CampaignError
from orchestrator.wording import few
from workloads.spelling import near

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[np.float64]


ACCURACY = "accuracy"
"""The quality that each run reached, as if it were a metric."""
_LEAST_FOR_PERCENTILES = 20
_NAMES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Times:
    """The accepted runs of a benchmark in one campaign, in the unit of its FOM time or of the metric.

    Parameters
    ----------
    median
        With a distribution-free interval.
    low, high
        5th and 95th percentile; None with fewer than 20 runs, of which they would be the ends.
    fom
        FOM of the benchmark; None where the rulebook states none.
    """

    campaign: str
    benchmark: str
    unit: str
    runs: int
    median: Estimate
    low: float | None
    high: float | None
    longest: float
    fom: float | None


@dataclass(frozen=True, slots=True)
class Change:
    """A benchmark of a campaign beside the same one of the baseline.

    Parameters
    ----------
    median
        Ratio of medians to the baseline's, with a bootstrap interval: above 1 is slower.
    longest
        Ratio of the longest times. Its interval is that of the ratio which another pair of such campaigns
        would show, by extreme-value statistics; it has no bounds with too few runs.
    probability
        Of ranks this different or more if both have the same distribution (Mann-Whitney, two-sided).
    fom
        Ratio of FOMs; None where one is missing.
    """

    campaign: str
    benchmark: str
    median: Estimate
    longest: Estimate
    probability: float
    fom: float | None

    def slower(self, share: float) -> bool:
        """Return whether it is slower by more than a share, and certainly slower.

        The ratio of the medians is above 1 + `share`, and its interval above 1; without an interval the ratio
        alone decides.
        """
        certain = self.median.low is None or self.median.low > 1
        return self.median.value > 1 + share and certain


@dataclass(frozen=True, slots=True)
class Comparison:
    """Campaigns beside the first of them.

    Parameters
    ----------
    baseline
        Name of the first one.
    metric
        What is compared in place of FOM times; None for these.
    times
        Of each campaign and benchmark with a timed accepted run, or one that has the metric.
    changes
        Of each later campaign, for the benchmarks that both have.
    missing
        Of each later campaign, benchmarks of the first one of which it or the first one has no timed run.
    different
        Of each later campaign, what the ledger records differently: name, and both values.
    headline
        Ratio of the headline of the whole campaign, by campaign.
    """

    baseline: str
    metric: str | None
    times: tuple[Times, ...]
    changes: tuple[Change, ...]
    missing: dict[str, tuple[str, ...]]
    different: dict[str, dict[str, tuple[str, str]]]
    headline: dict[str, float | None]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {"confidence": CONFIDENCE, **asdict(self)}


@dataclass(frozen=True, slots=True)
class _Measured:
    """Values of the accepted runs of a campaign by benchmark, their units, and figures of merit.

    Parameters
    ----------
    figures
        Headlines by benchmark, and that of the campaign under None; empty where a metric is compared.
    """

    values: Mapping[str, Column]
    units: Mapping[str, str]
    figures: Mapping[str | None, float | None]


def compare(reader: Reader, rows: Sequence[CampaignRow], metric: str | None = None) -> Comparison:
    """Compare campaigns with the first of them.

    Parameters
    ----------
    metric
        Name of a metric, or `ACCURACY`; None compares FOM times.

    Raises
    ------
    CampaignError
        If no accepted run has the metric, or there is no ratio: a value is not above 0, or in another unit.
    """
    measured = _measured(reader, rows, metric)
    for row, one in zip(rows, measured, strict=True):
        _require_ratios(row, one, rows[0], measured[0], metric)
    base, changes = measured[0], []
    facts = [recorded_facts(reader, row) for row in rows]
    planned = [one.benchmark for one in reader.benchmarks(rows[0].campaign_id)]
    missing: dict[str, tuple[str, ...]] = {}
    different: dict[str, dict[str, tuple[str, str]]] = {}
    headline: dict[str, float | None] = {}
    for row, mine, recorded in zip(rows[1:], measured[1:], facts[1:], strict=True):
        changes += [
            change(
                row.name,
                name,
                mine.values[name],
                values,
                _ratio(mine.figures.get(name), base.figures.get(name)),
            )
            for name, values in base.values.items()
            if name in mine.values
        ]
        asked = [*base.values, *(name for name in planned if metric is None or name in mine.values)]
        both = base.values.keys() & mine.values.keys()
        if absent := tuple(name for name in dict.fromkeys(asked) if name not in both):
            missing[row.name] = absent
        different[row.name] = differences(facts[0], recorded)
        headline[row.name] = _ratio(mine.figures.get(None), base.figures.get(None))
    times = _times(rows, measured)
    return Comparison(rows[0].name, metric, tuple(times), tuple(changes), missing, different, headline)


def history(reader: Reader, rows: Sequence[CampaignRow], metric: str | None = None) -> list[Times]:
    """Return the times, or values of a metric, of each benchmark of campaigns, in their order.

    Raises
    ------
    CampaignError
        If no accepted run has the metric.
    """
    return _times(rows, _measured(reader, rows, metric)) if rows else []


def _times(rows: Sequence[CampaignRow], measured: Sequence[_Measured]) -> list[Times]:
    return [
        times_of(row.name, name, one.units[name], values, one.figures.get(name))
        for row, one in zip(rows, measured, strict=True)
        for name, values in one.values.items()
    ]


def _measured(reader: Reader, rows: Sequence[CampaignRow], metric: str | None) -> list[_Measured]:
    if metric is None:
        return [_Measured(timed_runs(reader, row), *_units_and_figures(reader, row)) for row in rows]
    found = [_of_metric(reader, row, metric) for row in rows]
    if not any(one.values for one in found):
        known = sorted({ACCURACY}.union(*(set(_names(reader, row)) for row in rows)))
        hint = near(metric, known, f"there are {few(known, _NAMES_SHOWN)}")
        raise CampaignError(f"no accepted run of these campaigns has metric {metric!r}{hint}")
    return found


def _require_ratios(
    row: CampaignRow, one: _Measured, base_row: CampaignRow, base: _Measured, metric: str | None
) -> None:
    """Raise `CampaignError` where values have no ratio to those of the baseline."""
    for name, values in one.values.items():
        if (lowest := float(values.min())) <= 0:
            raise CampaignError(
                f"{row.name}: a run of {name} has {metric} {lowest:g}, and ratios are of values above 0"
            )
        if name in base.units and one.units[name] != base.units[name]:
            raise CampaignError(
                f"{name} is measured in {one.units[name] or 'no unit'} in {row.name}, and in "
                f"{base.units[name] or 'no unit'} in {base_row.name}: these have no ratio"
            )


def _of_metric(reader: Reader, row: CampaignRow, metric: str) -> _Measured:
    if metric == ACCURACY:
        columns = {name: run[-1] for name, run in run_columns(reader, row.campaign_id).items()}
        units: dict[str, str] = {}
    else:
        found, known = metric_columns(reader, row.campaign_id, [metric])
        columns = {name: one[metric] for name, one in found.items()}
        units = {name: ", ".join(sorted(one.get(metric, ()))) for name, one in known.items()}
    arrays = {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}
    values = {name: one[np.isfinite(one)] for name, one in arrays.items()}
    values = {name: one for name, one in values.items() if one.size}
    return _Measured(values, {name: units.get(name, "") for name in values}, {})


def _names(reader: Reader, row: CampaignRow) -> set[str]:
    return {name for found in metric_ranges(reader, row.campaign_id).values() for name in found}


def timed_runs(reader: Reader, row: CampaignRow) -> dict[str, Column]:
    """Return the FOM times, more than 0, of the accepted attempts of each benchmark."""
    times = attempt_times(reader, row.campaign_id)
    chosen = times.timed
    found = {
        name: times.fom_seconds[chosen & (times.benchmark.codes == code)]
        for code, name in enumerate(times.benchmark.texts)
    }
    return {name: seconds for name, seconds in found.items() if seconds.size}


def times_of(campaign: str, benchmark: str, unit: str, values: Column, fom: float | None) -> Times:
    """Return the distribution of the values of a benchmark's runs."""
    enough = values.size >= _LEAST_FOR_PERCENTILES
    low, high = np.quantile(values, [0.05, 0.95]).tolist() if enough else (None, None)
    middle, longest = median_interval(values), float(values.max())
    return Times(campaign, benchmark, unit, values.size, middle, low, high, longest, fom)


def change(campaign: str, benchmark: str, seconds: Column, baseline: Column, fom: float | None) -> Change:
    """Return how the times of a benchmark compare with those of the baseline."""
    return Change(
        campaign,
        benchmark,
        ratio_of_medians(seconds, baseline),
        _ratio_of_maxima(seconds, baseline),
        rank_test([seconds, baseline]),
        fom,
    )


def _ratio_of_maxima(seconds: Column, baseline: Column) -> Estimate:
    ratio = float(seconds.max() / baseline.max())
    try:
        drawn = predict_maximum(seconds, seconds.size).draws
        # The same random numbers would make both maxima rise and fall together.
        other = predict_maximum(baseline, baseline.size).draws[::-1]
    except TooFewError:
        return Estimate(ratio, None, None)
    low, high = np.quantile(drawn / other, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]).tolist()
    return Estimate(ratio, low, high)


def _units_and_figures(
    reader: Reader, row: CampaignRow
) -> tuple[dict[str, str], dict[str | None, float | None]]:
    """Return the units of FOM times; and the headline of each benchmark, of the campaign under None."""
    judged = judge(reader, [row])
    verdict = judged.verdict
    foms: dict[str | None, float | None] = {
        one.benchmark: one.headline.value for one in verdict.benchmarks if one.headline is not None
    }
    units = {one.measurements.benchmark: one.measurements.times.unit for one in judged.judged}
    return units, {**foms, None: verdict.headline.value if verdict.headline else None}


def _ratio(value: float | None, baseline: float | None) -> float | None:
    return value / baseline if value and baseline else None
