"""`analyze makespan`: where the slot-time of a campaign went, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import JsonOption, LastCampaignArgument, LedgerOption, campaign_or_last
from orchestrator.cli.terminal.tables import print_json, print_table, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.analysis.slot_time.makespan_explained import Explained, Worst

_BLOCKS_SHOWN = 10
_COLUMNS = 12
"""Benchmarks that have a column; --json has all."""
_PLANNED = "as planned at registration, if every instance takes what is expected"


def makespan(
    name: LastCampaignArgument = None,
    benchmark: Annotated[
        str | None,
        typer.Argument(help="Only this benchmark.", metavar="[BENCHMARK]"),
    ] = None,
    stage: Annotated[
        str | None,
        typer.Option("--stage", help="Only the stage with this kind of slot, such as c2."),
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Explain the makespan: every second of every slot, from the request of its block to its end.

    Also the nodes, slots and instances with the longest runs, node-hours beside the plan, their
    money and CO2 by the site file's prices, and queue waits.

    Example: orchestrator analyze makespan friday

    One benchmark: orchestrator analyze makespan friday p1b1 --json
    """
    from db.evidence.node_hours import planned_node_hours
    from db.reader import Reader
    from orchestrator.analysis.slot_time.cost import campaign_bill
    from orchestrator.analysis.slot_time.makespan_explained import explain

    with Reader(ledger) as reader:
        row = campaign_or_last(reader, name)
        found = explain(reader, row, benchmark, stage)
        planned = planned_node_hours(reader, row.campaign_id)
        bill = campaign_bill(reader, row, found.until_us)
    if as_json:
        facts = found.to_dict()
        facts["node_hours"]["planned"] = planned
        if bill is not None:
            facts["cost"] = bill.to_dict()
        print_json(facts)
        return
    _show_parts(found)
    for what, worst in (("nodes", found.nodes), ("slots", found.slots), ("instances", found.instances)):
        _show_worst(what, worst)
    _show_cost(found, planned)
    for line in bill.lines() if bill is not None else ():
        say(line)
    _show_blocks(found)


def _show_parts(found: Explained) -> None:
    from orchestrator.analysis.slot_time.parts import PARTS

    offered = found.offered_us
    several = 1 < len(found.by_benchmark) <= _COLUMNS
    shown = [part for part in PARTS if found.parts[part]]
    rows = [
        [
            part,
            _hours(found.parts[part]),
            _percent(found.parts[part], offered),
            *([_hours(one[part]) for one in found.by_benchmark.values()] if several else []),
            PARTS[part],
        ]
        for part in shown
    ]
    total = ["sum", _hours(offered), _percent(offered, offered)]
    if several:
        total += [_hours(sum(one.values())) for one in found.by_benchmark.values()]
    columns = [name or "(none)" for name in found.by_benchmark] if several else []
    print_table(
        ["part", "slot-hours", "%", *columns, "what it is"],
        [*rows, [*total, "slots × time from the request to the end of their blocks, and between sessions"]],
        title=f"where the slot-time of {found.campaign} went",
    )
    if len(found.by_benchmark) > _COLUMNS:
        say(f"{len(found.by_benchmark):,} benchmarks: name one, or see --json for each")
    if found.slot_use is not None:
        say(f"slot use: {found.slot_use:.1%} of the slot-time of blocks was runs of accepted attempts")


def _show_worst(what: str, worst: Sequence[Worst]) -> None:
    rows = [[one.name, one.runs, one.tail_us / 1e6, one.ratio] for one in worst if one.tail_us]
    if rows:
        say()
        print_table([what, "runs", "s beyond median", "longest ÷ median"], rows, title=f"slowest {what}")


def _show_cost(found: Explained, planned: float | None) -> None:
    hours = found.node_hours
    say()
    print_table(
        ["node-hours", "", "what it is"],
        [
            [
                "planned",
                planned,
                _PLANNED
                if planned is not None
                else "not recorded at registration, or without an expected length",
            ],
            ["asked for", hours.asked, "nodes × walltime of all blocks of batch systems"],
            ["held", hours.held, "nodes × time between start and end of all blocks"],
            ["busy", hours.busy, "slot-time of all processes, in nodes full of slots"],
            ["accepted", hours.accepted, "slot-time of accepted runs, in nodes full of slots"],
        ],
        title="cost of the whole campaign",
    )


def _show_blocks(found: Explained) -> None:
    listed = sorted(found.blocks, key=lambda one: -(one.queued_seconds or 0.0))[:_BLOCKS_SHOWN]
    if not listed:
        return
    pooled = any(one.pool for one in listed)
    say()
    print_table(
        ["session", "block", *["pool"][:pooled], "job", "nodes", "state", "queued s", "held s"],
        [
            [
                one.session,
                one.block,
                *[one.pool][:pooled],
                one.job,
                one.nodes,
                one.state,
                one.queued_seconds,
                one.held_seconds,
            ]
            for one in listed
        ],
        title="blocks, longest wait in the queue first",
    )
    if (rest := len(found.blocks) - len(listed)) > 0:
        say(f"and {rest:,} more blocks; --json lists all")


def _hours(microseconds: int) -> float:
    return microseconds / 3_600_000_000


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}" if whole else "-"
