"""Contents of a report, read from the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from db.evidence.block_energy import BlockEnergy, block_energy
from db.evidence.resources import Resources, resources
from db.evidence.runs import metric_columns
from db.queries import node_descriptions
from db.queries.attempt_times import AttemptTimes, attempt_times
from db.queries.labels import NO_LABELS, Labels, labels
from orchestrator.analysis.comparison.axis_comparison import AxisComparison, compare_by
from orchestrator.analysis.comparison.axis_rows import DEFAULT, ERROR
from orchestrator.analysis.nodes.ranking import NodeRanking, rank_nodes
from orchestrator.analysis.projection.forecasts import (
    RegisteredForecast,
    registered_forecast,
    updated_forecasts,
)
from orchestrator.analysis.roofline.ceilings import Roofline
from orchestrator.analysis.roofline.runs import measured_roofline
from orchestrator.analysis.slot_time.cost import campaign_bill
from orchestrator.analysis.slot_time.makespan_explained import Explained, explain
from orchestrator.analysis.study.sweep_runs import runs_of_points
from orchestrator.errors import CampaignError
from orchestrator.review.dossier import Dossier
from orchestrator.review.secrets import masked
from orchestrator.rulebooks.registry import load
from orchestrator.version import __version__

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow
    from db.rows import Session
    from sites.cost import Bill

_FAILURES = 50
_FACTS = 200
_ENERGY = "energy_joules"


@dataclass(frozen=True, slots=True)
class Described:
    """Nodes with the same hardware and software, and their own description, by path of the fact."""

    nodes: tuple[str, ...]
    facts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RunEnergy:
    """Energy of the accepted attempts that measured it: joules in all, how many measured, of how many."""

    joules: float
    measured: int
    accepted: int


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """Everything that a report states; what the ledger has not is None or empty.

    Parameters
    ----------
    version
        Of the program that wrote the report.
    meaning, rules
        What the rulebook's figure means, and the sentence of each of its rules by name.
    reference
        System whose figure is 1 by the rulebook; empty where the figure is no ratio to a system.
    failures
        Reasons of attempts that did not succeed, with their number, the most frequent first.
    metrics
        Lowest and highest value and number of each metric, by benchmark.
    nodes
        None also where SciPy, which ranks them, is not installed.
    frameworks
        Points that differ in the framework alone; None where there are none that measured themselves.
    described
        Nodes by their own description, the most common first.
    updated
        Forecast that was made last while the campaign runs; None once it has ended, or without one.
    bill
        Money and CO2 of the held node-hours; None where the site file has no prices.
    roofline
        None where no microbenchmark measured a ceiling, or nothing trained.
    """

    version: str
    campaign: CampaignRow
    sessions: Sequence[Session]
    labels: Labels
    forecast: RegisteredForecast | None
    updated: RegisteredForecast | None
    meaning: str
    reference: str
    rules: Mapping[str, str]
    counts: Mapping[str, Mapping[str, int]]
    dossier: Dossier
    times: AttemptTimes
    explained: Explained | None
    nodes: NodeRanking | None
    failures: Sequence[tuple[str, int]]
    resources: Sequence[Resources]
    metrics: Mapping[str, Mapping[str, tuple[float, float, int]]]
    frameworks: AxisComparison | None
    described: Sequence[Described]
    block_energy: BlockEnergy
    run_energy: RunEnergy
    bill: Bill | None
    roofline: Roofline | None
    campaign_text: str
    site_text: str


def contents(reader: Reader, row: CampaignRow) -> Contents:
    """Return what a report of a campaign says.

    Raises
    ------
    CampaignError
        If the campaign cannot be judged.
    """
    number = row.campaign_id
    dossier = Dossier.read(reader, [row])
    rulebook = load(row.rulebook)
    metrics = {name: one.metrics for name, one in dossier.reviews.items() if one.metrics}
    times = attempt_times(reader, number)
    explained = _or_none(partial(explain, times=times), reader, row)
    return Contents(
        version=__version__,
        campaign=row,
        sessions=reader.sessions_of(number),
        labels=labels(reader, number).get(number, NO_LABELS),
        forecast=registered_forecast(reader, row),
        updated=next(reversed(updated_forecasts(reader, row)), None) if row.outcome is None else None,
        meaning=rulebook.meaning,
        reference=rulebook.reference,
        rules=rulebook.sentences,
        counts=reader.counts(number),
        dossier=dossier,
        times=times,
        explained=explained,
        nodes=_or_none(partial(rank_nodes, times=times, judged=dossier.judged.judged), reader, row)
        if find_spec("scipy")
        else None,
        failures=reader.failure_counts(number, _FAILURES),
        resources=resources(reader, number),
        metrics=metrics,
        frameworks=_frameworks(reader, number, metrics),
        described=_described(reader, number),
        block_energy=block_energy(reader, number),
        run_energy=_run_energy(reader, number, metrics),
        bill=campaign_bill(reader, row, explained.until_us if explained else None),
        roofline=measured_roofline(reader, [row]),
        campaign_text=masked(row.campaign_yaml.encode()).decode(),
        site_text=masked(row.site_yaml.encode()).decode(),
    )


def _run_energy(reader: Reader, campaign_id: int, metrics: Mapping[str, Mapping[str, Any]]) -> RunEnergy:
    """Return the energy of accepted attempts; the ledger is asked only where an attempt measured any."""
    if not any(_ENERGY in found for found in metrics.values()):
        return RunEnergy(0.0, 0, 0)
    columns, _ = metric_columns(reader, campaign_id, [_ENERGY])
    joules = np.concatenate([column[_ENERGY] for column in columns.values()])
    return RunEnergy(float(np.nansum(joules)), int(np.isfinite(joules).sum()), joules.size)


def _or_none(read: Any, reader: Reader, row: CampaignRow) -> Any:
    """Return what is read, or None where no attempt has what it needs."""
    try:
        return read(reader, row)
    except CampaignError:
        return None


def _frameworks(
    reader: Reader, campaign_id: int, metrics: Mapping[str, Mapping[str, Any]]
) -> AxisComparison | None:
    """Return the points of a campaign that measured themselves, by framework."""
    if not any({DEFAULT, ERROR} & set(found) for found in metrics.values()):
        return None
    try:
        points = runs_of_points(
            reader, campaign_id, [one.benchmark for one in reader.benchmarks(campaign_id)]
        )
        return compare_by(points, "framework", rank_tests=find_spec("scipy") is not None)
    except CampaignError:  # one framework
        return None


def _described(reader: Reader, campaign_id: int) -> list[Described]:
    found, texts = node_descriptions.read(reader, campaign_id)
    nodes: dict[str, set[str]] = {}
    for one in found:
        nodes.setdefault(one.document, set()).add(one.node)
    kinds = [
        Described(tuple(sorted(names)), dict(_flat(texts[key])[:_FACTS]))
        for key, names in nodes.items()
        if key in texts
    ]
    return sorted(kinds, key=lambda one: (-len(one.nodes), one.nodes))


def _flat(value: Any, path: str = "") -> list[tuple[str, str]]:
    """Return the leaves of nested data with their paths."""
    if isinstance(value, Mapping):
        return [
            leaf for key, one in value.items() for leaf in _flat(one, f"{path}.{key}" if path else str(key))
        ]
    if isinstance(value, list) and any(isinstance(one, Mapping | list) for one in value):
        return [leaf for place, one in enumerate(value) for leaf in _flat(one, f"{path}[{place}]")]
    text = ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    return [(path, text)] if text else []
