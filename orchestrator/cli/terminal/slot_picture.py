"""Draw the slots of a node."""

from __future__ import annotations

import string
import sys

from orchestrator.cli.terminal.tables import terminal_width
from orchestrator.planning.slots import NodeFacts, Slot

_PICTURE_CHARACTERS = 96  # at the most
_INDENT = 2  # of a picture in a plan


def draw_slots(node: NodeFacts, slots: tuple[Slot, ...]) -> list[str]:
    """Return a node as lines of text: each core with the slot that holds it, GPUs with theirs.

    Slots have one letter each, or numbers where there are too many of them.
    """
    names, free = [*string.digits, *string.ascii_letters], "."
    if len(slots) > len(names):
        width = len(f" {len(slots) - 1}")
        names, free = [f"{number:>{width}}" for number in range(len(slots))], f"{'.':>{width}}"
    owner = {core: k for k, slot in enumerate(slots) for place in slot for core in place.cores}
    rows = []
    for number, domain in enumerate(node.numa_domains or (node.cores,)):
        mine = [core for core in domain if core in node.cores]
        rows.append((f"numa {number}", [names[owner[core]] if core in owner else free for core in mine]))
    for gpu in range(node.gpus):
        users = [k for k, slot in enumerate(slots) if any(gpu in place.gpus for place in slot)]
        rows.append((f"gpu {gpu}", [names[k] for k in users] or [free]))
    margin = max(len(label) for label, _ in rows) + 2
    room = min(_PICTURE_CHARACTERS, (terminal_width() or sys.maxsize) - margin - _INDENT)
    each = max(room // len(free), 1)
    lines = []
    for label, cells in rows:
        parts = ["".join(cells[k : k + each]) for k in range(0, len(cells), each)] or [""]
        lines += [f"{label:<{margin}}{parts[0]}", *(" " * margin + part for part in parts[1:])]
    return lines
