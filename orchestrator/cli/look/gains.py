"""`explain --sooner`: with which blocks a campaign would end sooner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from orchestrator.cli.terminal.plain_output import console_of
from orchestrator.cli.terminal.progress_bar import SimulationProgress
from orchestrator.wording import number_words
from sites.quantities import shown

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow
    from orchestrator.simulation.gains import Gain


def gains_of(reader: Reader, row: CampaignRow) -> list[Gain]:
    """Return the changes with which a campaign would end sooner, the best first; progress is shown.

    Raises
    ------
    CampaignError
        If nothing says when it ends, or no batch system gives it blocks.
    """
    from db.events import now_us
    from orchestrator.simulation.gains import gains

    with SimulationProgress(console_of(stderr=True), first_seconds=2.0) as progress:
        return gains(reader, row, now_us(), display=progress)


def gains_words(name: str, found: Sequence[Gain]) -> str:
    """Return changes as lines for people."""
    if not found:
        return "neither twice as many blocks nor blocks of twice the walltime would end it sooner"
    lines = ["it would end sooner, by simulated campaigns whose blocks wait as blocks did before:"]
    for one in found:
        hours = (
            f"{number_words(abs(one.node_hours), 3)} node-hours {'more' if one.node_hours >= 0 else 'less'}"
        )
        lines.append(f"  by {shown(one.sooner_seconds)}, with {hours}:")
        lines.append(f"    orchestrator node set {name} {one.pool} {one.setting}")
    lines.append("a verdict declares such a change")
    return "\n".join(lines)
