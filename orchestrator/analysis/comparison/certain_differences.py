"""Differences between points that are certain whenever one looks, while the campaign runs too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from db.evidence.registered_design import registered_order
from db.evidence.runs_of_campaign import instance_values
from db.states import InstanceState
from orchestrator.analysis.base.metric_names import TIME, better_of
from orchestrator.analysis.comparison.axis_rows import Row
from orchestrator.analysis.sequential.boundaries import MOST_LOOKS, Method
from orchestrator.analysis.sequential.decisions import Decide, Decisions, Design, PairDecision, evaluate
from orchestrator.analysis.sequential.observations import Observation
from orchestrator.analysis.sequential.sentences import pair_sentence
from orchestrator.analysis.study.sweep_summary import AxisValue
from orchestrator.errors import CampaignError
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from db.reader import Reader

AT_LEAST = 5
"""Runs of each point at the first look."""
_WAITING = (InstanceState.PLANNED, InstanceState.IN_FLIGHT)


@dataclass(frozen=True, slots=True)
class RowDecisions:
    """Decisions on the points of a row, which differ in one axis alone."""

    axes: Mapping[str, AxisValue]
    pairs: tuple[PairDecision, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CertainDifferences:
    """Decisions on all rows.

    Parameters
    ----------
    difference
        Least difference that matters, such as 0.03.
    error
        Probability of any wrong decision, over all pairs of all rows and all looks.
    notes
        Sentences on what the decisions assume, and on rows that have none.
    """

    difference: float
    error: float
    rows: tuple[RowDecisions, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return asdict(self)


def certain_differences(
    reader: Reader, campaign_id: int, axis: str, rows: Sequence[Row], *, difference: float, error: float
) -> CertainDifferences:
    """Decide between the points of each row, by all runs so far.

    A look is valid at any time: the error holds over all looks from the fifth run of each point to the last
    planned one, so that a campaign may be stopped, or looked at again, because of what a look shows. Where
    blocks of the registered order hold one run of each point, the two runs of a block are a pair, and ranks
    of pairs are compared, which no drift from block to block biases; elsewhere runs are independent samples.

    Raises
    ------
    CampaignError
        If no row has two points with enough instances, or a value is not above 0.
    """
    known = [(row, designed) for row in rows if (designed := _cells(row))]
    values: dict[str | None, dict[str, list[tuple[str, float | None]]]] = {}
    for metric in {None if row.metric == TIME else row.metric for row, _ in known}:
        found = values.setdefault(metric, {})
        for one in instance_values(reader, campaign_id, metric):
            found.setdefault(one.benchmark, []).append((one.state, one.value))
    order = registered_order(reader, campaign_id)
    decided, few = [], 0
    paired = set()
    for row, cells in known:
        runs = values[None if row.metric == TIME else row.metric]
        most = min(min(len(runs[benchmark]) for benchmark in cells.values()), MOST_LOOKS)
        if most < AT_LEAST:
            few += 1
            continue
        names = {f"{axis} {value}": runs[benchmark] for value, benchmark in cells.items()}
        in_blocks = order is not None and _share_blocks(order, cells.values())
        paired.add(in_blocks)
        method: Method = "ranks" if in_blocks else "unpaired"
        asked = Decide(difference, error / len(known), None, AT_LEAST, most, method)
        found_now = evaluate(Design(tuple(names), decide=asked), _observations(names))
        decided.append(RowDecisions(row.axes, found_now.pairs, _sentences(found_now, asked, row)))
    if not decided:
        raise CampaignError(
            f"no two points have {AT_LEAST} instances each, the fewest that can be certainly different; "
            "plan more: `repeat` in the campaign file, or `orchestrator instance add`"
        )
    notes = [f"at most {100 * error:g} % of such tables have any wrong line, however often one looks"]
    if True in paired:
        notes.append(
            "the two runs of a block of the registered order are a pair: drift between blocks biases nothing"
        )
    if False in paired:
        notes.append("runs in no common blocks: a drift of the machine counts as a difference")
    if few:
        notes.append(f"{count_of(few, 'row', 'have')} fewer than {AT_LEAST} instances of a point")
    return CertainDifferences(difference, error, tuple(decided), tuple(notes))


def _share_blocks(order: Mapping[str, Any], benchmarks: Iterable[str]) -> bool:
    """Return whether each block of a registered order has one run of each benchmark."""
    widths = order["widths"]
    return order["order"] == "interleaved" and all(widths.get(one) == 1 for one in benchmarks)


def _cells(row: Row) -> dict[str, str]:
    """Return benchmarks by value of the axis; empty where fewer than two points are valid."""
    found = {cell.value: cell.benchmark for cell in row.cells if not cell.invalid}
    return found if len(found) > 1 else {}


def _observations(names: Mapping[str, Sequence[tuple[str, float | None]]]) -> list[Observation]:
    return [
        Observation(name, block, "", value)
        for name, runs in names.items()
        for block, (state, value) in enumerate(runs)
        if state not in _WAITING
    ]


def _sentences(found: Decisions, asked: Decide, row: Row) -> tuple[str, ...]:
    time = row.metric == TIME or row.unit == "s"
    return tuple(pair_sentence(one, asked, better_of(row.metric), time=time) for one in found.pairs)
