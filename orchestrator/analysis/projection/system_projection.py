"""The figure of merit of a whole system, projected from the ledger of campaigns on a few of its nodes."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from db.queries.attempt_times import attempt_times
from orchestrator.analysis.projection.extremes import CONFIDENCE, TooFewError
from orchestrator.analysis.projection.longest_run import Projection, Sample, project, projected
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.errors import CampaignError
from orchestrator.rulebooks import registry

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow
    from orchestrator.rulebooks.measurements import Measurements

_ENDS = ("low", "value", "high")
_SLOT = ("nodes", "ranks", "cores", "gpus", "memory_bytes")
"""Facts of a slot that must be equal. The slots of a node may differ: that is a scale."""


@dataclass(frozen=True, slots=True, eq=False)
class BenchmarkProjection:
    """One benchmark on a whole system.

    Parameters
    ----------
    measured_runs, measured_longest
        Accepted runs of all campaigns, and the longest of them, in the unit of the FOM time.
    at_once
        Instances that run at once on the system.
    found
        None where the runs cannot carry a projection.
    refused, needed
        Then why, and how many runs would.
    fom
        FOM at the lower end, the median and the upper end of its interval; None where there is none.
    """

    benchmark: str
    unit: str
    measured_runs: int
    measured_longest: float
    at_once: int
    found: Projection | None = None
    refused: str = ""
    needed: int | None = None
    fom: tuple[float, float, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        facts: dict[str, Any] = {
            "benchmark": self.benchmark,
            "unit": self.unit,
            "measured_runs": self.measured_runs,
            "measured_longest": self.measured_longest,
            "at_once": self.at_once,
            "refused": self.refused or None,
            "needed_runs": self.needed,
            "fom": None if self.fom is None else dict(zip(_ENDS, self.fom, strict=True)),
        }
        if self.found is not None:
            maximum, contention = self.found.maximum, self.found.contention
            facts |= {
                "instances": self.found.instances,
                "longest": {end: getattr(maximum, end) for end in _ENDS},
                "tail_shape": maximum.shape,
                "method": self.found.method,
                "contention": None if contention is None else asdict(contention),
            }
        return facts


@dataclass(frozen=True, slots=True, eq=False)
class SystemProjection:
    """A whole system.

    Parameters
    ----------
    headline
        Figure of the whole campaign if every benchmark is at the lower end of its FOM, at the median, or at
        the upper end: a wider interval than theirs. None where one is missing.
    """

    site: str
    nodes: int
    benchmarks: tuple[BenchmarkProjection, ...]
    headline: tuple[float, float, float] | None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data, which says that it is a prediction."""
        return {
            "prediction": "extrapolated from measured runs",
            "site": self.site,
            "nodes": self.nodes,
            "confidence": CONFIDENCE,
            "benchmarks": [one.to_dict() for one in self.benchmarks],
            "headline": None if self.headline is None else dict(zip(_ENDS, self.headline, strict=True)),
        }


def project_system(
    reader: Reader, rows: Sequence[CampaignRow], site: str, nodes: int, at_once: Mapping[str, int]
) -> SystemProjection:
    """Return the projection of campaigns of one rulebook to a system of the same nodes.

    Parameters
    ----------
    at_once
        Instances that the system runs at once, by benchmark.

    Raises
    ------
    CampaignError
        If no benchmark has an accepted attempt with a time, or one ran in slots of several shapes or pools,
        or with other settings in another campaign.
    """
    _require_alike(reader, rows, at_once)
    book = registry.load(rows[0].rulebook)
    found = [
        {one.benchmark: one for one in measurements(reader, row, every_run=book.needs_runs)} for row in rows
    ]
    samples: dict[str, list[Sample]] = {}
    for row, mine in zip(rows, found, strict=True):
        for name, sample in _samples(reader, row, mine).items():
            if name in at_once:
                samples.setdefault(name, []).append(sample)
    if not samples:
        raise CampaignError(f"{', '.join(row.name for row in rows)}: no accepted attempt has a time")
    known = {name: next(mine[name] for mine in found if name in mine) for name in samples}
    longest: dict[str, dict[str, Measurements]] = {end: {} for end in _ENDS}
    projections: dict[str, BenchmarkProjection] = {}
    for name, several in samples.items():
        one = _benchmark(known[name], several, at_once[name])
        projections[name] = one
        if one.found is not None:
            for end in _ENDS:  # the longest time of the interval makes the lowest FOM
                seconds = getattr(one.found.maximum, {"low": "high", "high": "low"}.get(end, end))
                longest[end][name] = projected(known[name], seconds, at_once[name])
    headline = None
    if book.headline and not book.needs_runs and longest["value"]:
        verdicts = [book.judge(list(longest[end].values())) for end in _ENDS]
        for k, name in enumerate(longest["value"]):
            figures = [one.benchmarks[k].headline for one in verdicts]
            projections[name] = _with_fom(projections[name], [one.value if one else None for one in figures])
        overall = [one.headline.value if one.headline else None for one in verdicts]
        headline = _three(overall)
    return SystemProjection(site, nodes, tuple(projections.values()), headline)


def _require_alike(reader: Reader, rows: Sequence[CampaignRow], names: Collection[str]) -> None:
    """Raise `CampaignError` where benchmarks of one name are not the same one."""
    seen: dict[str, tuple[str, dict[str, Any]]] = {}
    for row in rows:
        for one in reader.benchmarks(row.campaign_id):
            if one.benchmark not in names:
                continue
            slot = {name: json.loads(one.slot).get(name) for name in _SLOT}
            mine = {"workload": one.workload, **json.loads(one.parameters), **slot}
            before, theirs = seen.setdefault(one.benchmark, (row.name, mine))
            other = sorted(key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key))
            if other:
                raise CampaignError(
                    f"benchmark {one.benchmark} has another {', '.join(other[:3])} in {row.name} than in "
                    f"{before}; name only campaigns that ran it with the same settings"
                )


def _samples(reader: Reader, row: CampaignRow, found: Mapping[str, Measurements]) -> dict[str, Sample]:
    times = attempt_times(reader, row.campaign_id)
    timed = times.ever_timed
    answers = {}
    for code, name in enumerate(times.benchmark.texts):
        mine = timed & (times.benchmark.codes == code)
        if np.unique(times.shape.codes[mine]).size > 1:
            shapes = sorted({times.shape.of(k) for k in np.flatnonzero(mine)})
            raise CampaignError(
                f"benchmark {name} of {row.name} ran in slots of several shapes or pools "
                f"({', '.join(shapes)}), and a projection is from slots of one: launch a campaign without "
                "spread or --mixed for it"
            )
        if name in found and mine.any():
            answers[name] = Sample(
                times.fom_seconds[mine], times.node.codes[mine], max(found[name].overlap.concurrent, 1)
            )
    return answers


def _benchmark(found: Measurements, samples: Sequence[Sample], at_once: int) -> BenchmarkProjection:
    largest = max(samples, key=lambda one: one.at_once)
    seconds = np.concatenate([one.seconds for one in samples])
    facts = (found.benchmark, found.times.unit, seconds.size, float(seconds.max()), at_once)
    waves = max(1, round(largest.seconds.size / largest.at_once))
    try:
        return BenchmarkProjection(*facts, found=project(samples, at_once, waves))
    except TooFewError as error:
        return BenchmarkProjection(*facts, refused=str(error), needed=error.units)


def _with_fom(one: BenchmarkProjection, values: Sequence[float | None]) -> BenchmarkProjection:
    return replace(one, fom=_three(values))


def _three(values: Sequence[float | None]) -> tuple[float, float, float] | None:
    known = [value for value in values if value is not None]
    return (known[0], known[1], known[2]) if len(known) == len(_ENDS) else None
