"""The order in which a campaign hands out its instances: blocks, and draws from the campaign's seed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.planning.plan import Plan
from orchestrator.wording import count_of


@dataclass(frozen=True, slots=True)
class OrderDesign:
    """A drawn order of instances.

    A draw is the first eight bytes of a SHA-256 over seed and names, so that any program can repeat it.

    Parameters
    ----------
    order
        ``interleaved``: blocks in which every benchmark and point occurs `widths` times; ``shuffled``: all
        instances are one block.
    seed
        The campaign's seed.
    widths
        Instances of each benchmark in a block: 1, or a wave of those that run beside no other benchmark.
    groups
        Benchmarks of the same text run side by side; empty where all benchmarks of a stage do.
    """

    order: str
    seed: int
    widths: Mapping[str, int]
    groups: Mapping[str, str]

    def block(self, benchmark: str, index: int) -> int:
        """Return the block of an instance, counted from 1."""
        return 1 if self.order == "shuffled" else index // self.widths[benchmark] + 1

    def place(self, benchmark: str, index: int) -> tuple[int, int, int]:
        """Return the block of an instance and its draws in the block; lower ones are handed out first."""
        group, wave = self.groups[benchmark], index // self.widths[benchmark]
        of_group = self._draw(group, wave) if group else 0
        return self.block(benchmark, index), of_group, self._draw(benchmark, index, "instance")

    def _draw(self, *names: object) -> int:
        text = "/".join(map(str, (self.seed, *names)))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])

    def facts(self) -> dict[str, Any]:
        """Return the design as data of the event that registers it."""
        return {
            "order": self.order,
            "seed": self.seed,
            "widths": dict(self.widths),
            "groups": dict(self.groups),
        }

    def blocks(self, counts: Mapping[str, int]) -> int:
        """Return the number of blocks of so many instances of each benchmark."""
        return max(self.block(name, number - 1) for name, number in counts.items() if number)

    def sentence(self, counts: Mapping[str, int]) -> str:
        """Return the design of so many instances of each benchmark in one line."""
        points, instances = count_of(len(counts), "point"), count_of(sum(counts.values()), "instance")
        if self.order == "shuffled":
            return f"order: shuffled, {instances} of {points} in one random order, seed {self.seed}"
        widest = max(self.widths[name] for name in counts)
        each = "once" if widest == 1 else f"in up to {widest:,} instances"
        blocks = count_of(self.blocks(counts), "block")
        return f"order: interleaved, {blocks} of {points}, each point {each} in a block, seed {self.seed}"


def order_design(plan: Plan) -> OrderDesign | None:
    """Return the design of a plan's order; None where instances go in the order of the file."""
    if plan.campaign.order == "file":
        return None
    slots: dict[str, int] = {}
    members: dict[str, int] = {}
    groups: dict[str, str] = {}
    for stage in plan.stages:
        for group, ones in stage.groups.items():
            members[group] = max(members.get(group, 0), len(ones))
            for one in ones:
                separate = len(stage.groups) > 1
                groups[one.name] = (group or one.name) if separate else groups.get(one.name, "")
                slots[one.name] = slots.get(one.name, 0) + stage.width
    in_group = {one.name: members[one.group] for one in plan.benchmarks}
    widths = {name: -(-slots[name] // in_group[name]) if groups[name] else 1 for name in slots}
    return OrderDesign(plan.campaign.order, plan.campaign.seed, widths, groups)


def design_of(facts: Mapping[str, Any]) -> OrderDesign:
    """Return the design that an event registered."""
    return OrderDesign(facts["order"], facts["seed"], facts["widths"], facts["groups"])


def instance_counts(plan: Plan) -> dict[str, int]:
    """Return the number of instances of each benchmark of a plan."""
    return {one.name: one.instances for one in plan.benchmarks}
