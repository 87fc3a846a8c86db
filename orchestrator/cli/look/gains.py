"""`explain --sooner`: with which blocks, queues and packings a campaign would end sooner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.cli.terminal.plain_output import console_of
from orchestrator.cli.terminal.progress_bar import SimulationProgress
from orchestrator.wording import few, number_words
from sites.quantities import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.reader import Reader
    from db.records import CampaignRow
    from orchestrator.simulation.gains import Gain, Gains, UnknownWait
    from orchestrator.simulation.packings import PackingGain

_UNKNOWN_SHOWN, _NAMES_SHOWN = 3, 3


def gains_of(reader: Reader, row: CampaignRow) -> Gains:
    """Return what would make a campaign end sooner; progress is shown.

    Raises
    ------
    CampaignError
        If nothing says when it ends, or no batch system gives it blocks.
    """
    from db.events import now_us
    from orchestrator.simulation.gains import gains

    with SimulationProgress(console_of(stderr=True), first_seconds=2.0) as progress:
        return gains(reader, row, now_us(), display=progress)


def gains_words(name: str, found: Gains) -> str:
    """Return what would make a campaign end sooner as lines for people."""
    lines = []
    if found.changes:
        lines.append("it would end sooner, by simulated campaigns:")
        for one in found.changes:
            lines += _gain_lines(name, one)
        lines.append("a verdict declares such a change")
    elif found.without_gain:
        lines.append("no change of its blocks that was simulated would end it sooner:")
        lines += [f"  {_set(name, one)}" for one in found.without_gain]
    else:
        lines.append("no change of its blocks could be simulated")
    lines += _unknown_lines(found.unknown)
    for packing in found.packings:
        lines += _packing_lines(packing)
    if not found.packings_are_measured:
        lines.append("no other number of instances a node is measured: `orchestrator workload tune`")
    return "\n".join(lines)


def _set(name: str, one: Gain | UnknownWait) -> str:
    return f"orchestrator node set {name} {one.pool} {' '.join(one.settings)}"


def _gain_lines(name: str, one: Gain) -> list[str]:
    waits = f"; waits of {one.waits}" if one.waits else ""
    words = f"  by {shown(one.sooner_seconds)}, with {_hours(one.node_hours)}{waits}:"
    return [words, f"    {_set(name, one)}"]


def _unknown_lines(unknown: Sequence[UnknownWait]) -> list[str]:
    """Return the changes whose waits are not known, with the batch system's answers about the first."""
    if not unknown:
        return []
    lines = ["not simulated, as no wait of such blocks is known (`orchestrator plan --ask`):"]
    for one in unknown[:_UNKNOWN_SHOWN]:
        lines.append(f"  {one.pool} {' '.join(one.settings)}")
        lines += [f"    {words}" for words in one.answers if words]
    more = [" ".join(one.settings) for one in unknown[_UNKNOWN_SHOWN:]]
    return [*lines, f"  {few(more, _NAMES_SHOWN)}"] if more else lines


def _packing_lines(one: PackingGain) -> list[str]:
    campaigns = few(one.campaigns, _NAMES_SHOWN)
    lines = [
        f"with {one.instances_per_node} instances a node, not {one.before_per_node}, as in {campaigns}, "
        "a next campaign would take",
        f"  {shown(one.seconds)}, not {shown(one.before_seconds)}, with {_hours(one.node_hours)}:",
        f"    orchestrator launch FILE --set '{one.benchmark}.slot={one.slot}'",
    ]
    if one.sooner_seconds > 0:
        lines.append(f"  launched anew so, after a stop, this one ends {shown(one.sooner_seconds)} sooner")
    return lines


def _hours(node_hours: float) -> str:
    return f"{number_words(abs(node_hours), 3)} node-hours {'more' if node_hours >= 0 else 'less'}"
