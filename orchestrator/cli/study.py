"""`study`: what sweeps measured, as a table."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.options import BenchmarkOption, CampaignArgument, JsonOption, LedgerOption
from orchestrator.cli.tables import count_of, print_json, print_table
from orchestrator.errors import CampaignError
from orchestrator.report.blocks import cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.analysis.sweep_summary import Summary


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Look")(study)


def study(
    name: CampaignArgument,
    ledger: LedgerOption = None,
    by: Annotated[
        str | None,
        typer.Option("--by", help="One row for each value of this axis, such as ranks.", show_default=False),
    ] = None,
    benchmark: BenchmarkOption = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Summarize sweeps: for each point the median time with its 95 % confidence interval, and scaling.

    The interval is non-parametric, from order statistics, and needs six runs. Speed-up and parallel
    efficiency are against the point with the fewest ranks (or nodes) and the same values of all other axes.

    Example: orchestrator study friday --by batch_size

    Example: orchestrator study friday --benchmark nt3 --csv
    """
    from db.reader import Reader
    from orchestrator.analysis.sweep_runs import sweep_runs
    from orchestrator.analysis.sweep_summary import summaries

    if as_csv and as_json:
        raise typer.BadParameter("--csv and --json exclude each other")
    with Reader(ledger) as reader:
        points = sweep_runs(reader, name, benchmark)
    found = summaries(points, by)
    if not found:
        known = ", ".join(dict.fromkeys(axis for point in points for axis in point.axes))
        raise CampaignError(f"no sweep of campaign {name} has the axis {by}; there are {known}")
    if as_json:
        print_json([one.to_dict() for one in found])
    elif as_csv:
        _print_csv(found)
    else:
        _print_tables(found)


def _axes(found: Sequence[Summary]) -> list[str]:
    return list(dict.fromkeys(axis for one in found for axis in one.axes))


def _print_csv(found: Sequence[Summary]) -> None:
    axes = _axes(found)
    rows = [one.to_dict() for one in found]
    figures = [name for name in rows[0] if name not in ("sweep", "axes", "interval")]
    lines = csv.writer(sys.stdout, lineterminator="\n")
    lines.writerow(["sweep", *axes, *figures, "low", "high"])
    for one, row in zip(found, rows, strict=True):
        values = [one.axes.get(axis) for axis in axes]
        lines.writerow([one.sweep, *values, *(row[name] for name in figures), one.low, one.high])


def _print_tables(found: Sequence[Summary]) -> None:
    for number, sweep in enumerate(dict.fromkeys(one.sweep for one in found)):
        members = [one for one in found if one.sweep == sweep]
        axes = _axes(members)
        scaling = any(one.speed_up is not None for one in members)
        total = count_of(sum(one.points for one in members), "point")
        print("\n" * bool(number), end="")
        print_table(
            [
                *axes,
                "runs",
                "accepted",
                f"median {members[0].unit}",
                "95 % interval",
                *(("speed-up", "efficiency") if scaling else ()),
                "note",
            ],
            [
                [
                    *(_shown(one.axes.get(axis)) for axis in axes),
                    one.runs,
                    f"{one.accepted:.0%}",
                    one.median,
                    None if one.low is None else f"{cell(one.low)} to {cell(one.high)}",
                    *((one.speed_up, one.efficiency) if scaling else ()),
                    one.note,
                ]
                for one in members
            ],
            title=f"sweep {sweep}: {total}",
        )


def _shown(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
