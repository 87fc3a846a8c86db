"""Differences between points that are certain whenever one looks, while the campaign runs too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from db.evidence.registered_design import registered_order
from orchestrator.analysis.comparison.axis_rows import Row
from orchestrator.analysis.sequential.boundaries import MOST_LOOKS, Method
from orchestrator.analysis.sequential.decisions import Decide, PairDecision
from orchestrator.analysis.sequential.questions import Question, answers_to
from orchestrator.analysis.study.sweep_summary import AxisValue
from orchestrator.errors import CampaignError
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from db.reader import Reader

AT_LEAST = 5
"""Runs of each point at the first look."""


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
        If no row has two points with enough instances.
    """
    known = [(row, designed) for row in rows if (designed := _cells(row))]
    planned = {one.benchmark: one.instances for one in reader.benchmarks(campaign_id)}
    order = registered_order(reader, campaign_id)
    asked: list[tuple[Row, Question]] = []
    paired = set()
    for row, cells in known:
        most = min(min(planned[benchmark] for benchmark in cells.values()), MOST_LOOKS)
        if most < AT_LEAST:
            continue
        in_blocks = order is not None and _share_blocks(order, cells.values())
        paired.add(in_blocks)
        method: Method = "ranks" if in_blocks else "unpaired"
        names = {benchmark: f"{axis} {value}" for value, benchmark in cells.items()}
        decide = Decide(difference, error / len(known), None, AT_LEAST, most, method)
        asked.append((row, Question("", row.metric, names, decide=decide)))
    found = answers_to(reader, campaign_id, [question for _, question in asked])
    decided = [
        RowDecisions(row.axes, one.decisions.pairs, one.sentences)
        for (row, _), one in zip(asked, found, strict=True)
    ]
    few, left_out = len(known) - len(decided), sum(sum(one.left_out.values()) for one in found)
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
    if left_out:
        notes.append(f"{count_of(left_out, 'run')} without a value above 0 left out")
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
