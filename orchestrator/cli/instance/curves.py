"""`instance show NAME INSTANCE --curves`: the learning curves of an attempt."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from orchestrator.cli.terminal.tables import print_json, print_table
from orchestrator.errors import CampaignError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.reader import Reader
    from db.rows import Attempt

_COLUMNS = 24
_LEVELS = "▁▂▃▄▅▆▇█"


def show_curves(reader: Reader, attempt: Attempt, label: str, *, as_json: bool) -> None:
    """Print the curves of an attempt, drawn from their lowest to their highest value.

    Raises
    ------
    CampaignError
        If it has none.
    """
    from db.queries.attempts import curves_of_instances
    from orchestrator.report.facts.instances import curves_facts

    number, instance = attempt.attempt_number, attempt.instance_id
    curves = curves_of_instances(reader, attempt.campaign_id, [instance]).get((instance, number), {})
    if as_json:
        print_json(curves_facts(attempt, label, curves))
        return
    if not curves:
        raise CampaignError(
            f"{label}, attempt {number}, has no learning curves: its workload records none, or it ended "
            "without a result"
        )
    rows = []
    for name, curve in curves.items():
        points = [(place, value) for place, value in curve["points"] if value is not None]
        values = [value for _, value in points] or [None]
        lowest, highest = (min(values), max(values)) if points else (None, None)
        (first, _), (end, last) = curve["points"][0], curve["points"][-1]
        shown = "not finite" if last is None else last
        rows.append([
            name, values[0], lowest, highest, shown, f"{curve['axis']}s {first}…{end}", sparkline(points)
        ])  # fmt: skip
    print_table(
        ["curve", "first", "lowest", "highest", "last", "over", "drawn"],
        rows,
        title=f"learning curves of {label}, attempt {number}",
    )


def sparkline(points: Sequence[tuple[int, float]], columns: int = _COLUMNS) -> str:
    """Return a curve as one line of text.

    Each column shows the last point up to its place, scaled from the lowest to the highest value.
    """
    if not points:
        return ""
    places, values = [place for place, _ in points], [value for _, value in points]
    low, span = min(values) / 2, max(values) / 2 - min(values) / 2  # halves: a difference may overflow
    width = min(columns, len(points))
    step = (places[-1] - places[0]) / max(1, width - 1)
    shown = [
        values[max(1, bisect_right(places, places[0] + round(k * step))) - 1] for k in range(width - 1)
    ] + values[-1:]
    top = len(_LEVELS) - 1
    return "".join(_LEVELS[round(top * ((value / 2 - low) / span)) if span else 0] for value in shown)
