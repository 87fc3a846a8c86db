"""Compare the run times of campaigns: ratios with intervals, a rank test, and figures of merit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from db.evidence.attempt_times import attempt_times
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

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[np.float64]


_LEAST_FOR_PERCENTILES = 20


@dataclass(frozen=True, slots=True)
class Times:
    """The accepted runs of a benchmark in one campaign, in the unit of its FOM time.

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
    times
        Of each campaign and benchmark with a timed accepted run.
    changes
        Of each later campaign, for the benchmarks that both have.
    missing
        Of each later campaign, benchmarks of the first one of which it has no timed run.
    different
        Of each later campaign, what the ledger records differently: name, and both values.
    headline
        Ratio of the headline of the whole campaign, by campaign.
    """

    times: tuple[Times, ...]
    changes: tuple[Change, ...]
    missing: dict[str, tuple[str, ...]]
    different: dict[str, dict[str, tuple[str, str]]]
    headline: dict[str, float | None]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {"confidence": CONFIDENCE, **asdict(self)}


def compare(reader: Reader, rows: Sequence[CampaignRow]) -> Comparison:
    """Compare campaigns with the first of them."""
    measured = [timed_runs(reader, row) for row in rows]
    verdicts, units = zip(*(_foms_and_units(reader, row) for row in rows), strict=True)
    facts = [recorded_facts(reader, row) for row in rows]
    base, changes = measured[0], []
    missing: dict[str, tuple[str, ...]] = {}
    different: dict[str, dict[str, tuple[str, str]]] = {}
    headline: dict[str, float | None] = {}
    for row, mine, fom, recorded in zip(rows[1:], measured[1:], verdicts[1:], facts[1:], strict=True):
        changes += [
            change(row.name, name, mine[name], seconds, _ratio(fom.get(name), verdicts[0].get(name)))
            for name, seconds in base.items()
            if name in mine
        ]
        if absent := tuple(name for name in base if name not in mine):
            missing[row.name] = absent
        different[row.name] = differences(facts[0], recorded)
        headline[row.name] = _ratio(fom.get(None), verdicts[0].get(None))
    times = [
        times_of(row.name, name, unit[name], seconds, fom.get(name))
        for row, mine, fom, unit in zip(rows, measured, verdicts, units, strict=True)
        for name, seconds in mine.items()
    ]
    return Comparison(tuple(times), tuple(changes), missing, different, headline)


def history(reader: Reader, rows: Sequence[CampaignRow]) -> list[Times]:
    """Return the times of every benchmark of campaigns, in the order of the campaigns."""
    return [
        times_of(row.name, name, unit[name], seconds, fom.get(name))
        for row in rows
        for fom, unit in [_foms_and_units(reader, row)]
        for name, seconds in timed_runs(reader, row).items()
    ]


def timed_runs(reader: Reader, row: CampaignRow) -> dict[str, Column]:
    """Return the FOM times, more than 0, of the accepted attempts of each benchmark."""
    times = attempt_times(reader, row.campaign_id)
    chosen = times.timed
    found = {
        name: times.fom_seconds[chosen & (times.benchmark.codes == code)]
        for code, name in enumerate(times.benchmark.texts)
    }
    return {name: seconds for name, seconds in found.items() if seconds.size}


def times_of(campaign: str, benchmark: str, unit: str, seconds: Column, fom: float | None) -> Times:
    """Return the distribution of the run times of a benchmark."""
    few = seconds.size < _LEAST_FOR_PERCENTILES
    low, high = (None, None) if few else np.quantile(seconds, [0.05, 0.95]).tolist()
    middle, longest = median_interval(seconds), float(seconds.max())
    return Times(campaign, benchmark, unit, seconds.size, middle, low, high, longest, fom)


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


def _foms_and_units(
    reader: Reader, row: CampaignRow
) -> tuple[dict[str | None, float | None], dict[str, str]]:
    """Return the headline of each benchmark, and of the campaign under None; the units of FOM times."""
    judged = judge(reader, [row])
    verdict = judged.verdict
    foms: dict[str | None, float | None] = {
        one.benchmark: one.headline.value for one in verdict.benchmarks if one.headline is not None
    }
    units = {one.measurements.benchmark: one.measurements.times.unit for one in judged.judged}
    return {**foms, None: verdict.headline.value if verdict.headline else None}, units


def _ratio(value: float | None, baseline: float | None) -> float | None:
    return value / baseline if value and baseline else None
