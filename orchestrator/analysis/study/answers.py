"""The answers that `analyze study` gives of sweeps, gathered once for tables, CSV, JSON and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from db.evidence.block_energy import BlockEnergy, block_energy
from orchestrator.analysis.study.comparison import Choice, Improvement, improvements, side_by_side
from orchestrator.analysis.study.cost_models import Link, Reduction, StepCost, fit_link, step_costs
from orchestrator.analysis.study.curves import (
    Break,
    Curve,
    Laws,
    accuracy_break,
    curves,
    epoch_curves,
    laws_of,
)
from orchestrator.analysis.study.published import Beside, MachineResults, beside, published_of
from orchestrator.analysis.study.scaling_laws import FitRefusedError
from orchestrator.analysis.study.sweep_runs import runs_of_points, sweep_runs
from orchestrator.analysis.study.sweep_summary import Summary, summaries
from orchestrator.analysis.study.tables import metric_units
from orchestrator.errors import CampaignError

if TYPE_CHECKING:
    from db.reader import Reader


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of one `analyze study`."""

    found: Sequence[Summary]
    units: dict[str, str]
    laws: Sequence[Laws]
    epochs: Sequence[Curve]
    breaks: Sequence[Break]
    choices: Sequence[Choice]
    improvements: Sequence[Improvement]
    machine: MachineResults | None
    published: Sequence[Beside]
    block_energy: BlockEnergy
    link: Link | None = None
    costs: Sequence[StepCost] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "points": [one.to_dict() for one in self.found],
            "units": self.units,
            "laws": [one.to_dict() for one in self.laws],
            "accuracy_breaks": [asdict(one) for one in self.breaks],
            "side_by_side": [asdict(one) for one in self.choices],
            "improvements": [asdict(one) for one in self.improvements],
            "source": self.machine and self.machine.source,
            "published": [one.to_dict() for one in self.published],
            "block_energy": self.block_energy.to_dict(),
            "link": self.link and asdict(self.link),
            "communication_costs": [asdict(one) for one in self.costs],
        }


def ask(
    reader: Reader,
    name: str,
    benchmark: str | None,
    by: str | None,
    *,
    threshold: float | None,
    predict: Sequence[int],
    compare: str | None,
    against: str | None,
    cost_model: str | None = None,
) -> Answers:
    """Return the answers of a campaign's sweeps, of one benchmark or of all.

    Parameters
    ----------
    by
        Axis of which each value is a row; None for a row of each point.
    threshold
        Accuracy of which the first ranks, nodes or epochs that fall below are named.
    predict
        Ranks or nodes for which the time is predicted.
    compare
        Campaign with which each point is compared.
    cost_model
        Campaign whose all-reduces give latency and bandwidth for predicted times of communication.

    Raises
    ------
    CampaignError
        If no sweep has what is asked for.
    """
    points = sweep_runs(reader, name, benchmark)
    others = [] if compare is None else sweep_runs(reader, compare, benchmark)
    found = summaries(points, by)
    if not found:
        known = ", ".join(dict.fromkeys(axis for point in points for axis in point.axes))
        raise CampaignError(f"no sweep of campaign {name} has the axis {by}; there are {known}")
    lines, over_epochs = curves(points), epoch_curves(points)
    if predict and not lines:
        raise CampaignError(
            f"no sweep of campaign {name} has several numbers of ranks or nodes to predict from"
        )
    if threshold is not None and not (lines or over_epochs):
        raise CampaignError(f"no sweep of campaign {name} has several numbers of ranks, nodes or epochs")
    machine = None if against is None else published_of(against)
    link = None if cost_model is None else measured_link(reader, cost_model)
    costs = [] if link is None else [cost for one in lines for cost in step_costs(one, link)]
    if link is not None and not costs:
        raise CampaignError(
            f"no sweep over ranks of campaign {name} has communicated_bytes_per_step of several ranks"
        )
    answers = Answers(
        found=found,
        units=metric_units(points),
        laws=[laws_of(one, predict) for one in lines],
        epochs=over_epochs,
        breaks=[]
        if threshold is None
        else [accuracy_break(one, threshold) for one in (*lines, *over_epochs)],
        choices=side_by_side(points),
        improvements=improvements(points, others),
        machine=machine,
        published=[] if machine is None else beside(machine, points),
        block_energy=block_energy(reader, reader.campaign(name).campaign_id),
        link=link,
        costs=costs,
    )
    if compare is not None and not answers.improvements:
        raise CampaignError(f"campaigns {name} and {compare} have no point with runs in common")
    return answers


def measured_link(reader: Reader, name: str) -> Link:
    """Return latency and seconds per byte, fitted to the all-reduces of a campaign.

    Raises
    ------
    CampaignError
        If it has too few of them to tell latency from bandwidth.
    """
    campaign = reader.campaign(name).campaign_id
    chosen = [row.benchmark for row in reader.benchmarks(campaign)]
    points = [one for one in runs_of_points(reader, campaign, chosen) if one.workload == "allreduce"]
    found = [
        Reduction(one.ranks, float(one.parameters["tensor_bytes"]), seconds)
        for one in points
        for seconds in one.metrics.get("allreduce_seconds", ("", ()))[1]
    ]
    try:
        return fit_link(found)
    except FitRefusedError as error:
        raise CampaignError(f"campaign {name}: {error}") from None
