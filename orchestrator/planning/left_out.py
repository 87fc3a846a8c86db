"""Optional benchmarks that a campaign was registered without."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.planning.plan import Plan


def left_out(text: str, registered: Collection[str]) -> list[str]:
    """Return the optional benchmarks of a campaign's stored text that a ledger did not register."""
    if "optional" not in text:
        return []
    from orchestrator.planning.campaign_file import default_name  # here: few campaigns get this far
    from orchestrator.planning.search.trials import written_labels
    from sites import parse_mapping

    names: list[str] = []
    for one in parse_mapping(text, "campaign")["benchmarks"]:
        if one.get("optional"):
            name = one.get("name") or default_name(one["workload"])
            names += written_labels(name, one)
    return [name for name in names if name not in registered]


def newly_left_out(before: Plan, after: Plan) -> dict[str, str]:
    """Return the benchmarks that a check left out of a plan, with the reason of each."""
    return {name: why for name, why in after.left_out.items() if name not in before.left_out}
