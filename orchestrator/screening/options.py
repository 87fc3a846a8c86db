"""Options of `node screen`."""

from __future__ import annotations

from dataclasses import dataclass, field

SECONDS = 60.0
"""On each slot, of all benchmarks before the first look together, without the start of processes."""
WAVES = 3
"""Runs of each benchmark on each slot before the first look; fewer make no node of 200 certain."""
AT_MOST = 12
"""Runs at the most, while a node is undecided."""
DIFFERENCE = 0.05
"""Nodes that are certainly slower by less are fine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenOptions:
    """Nodes to screen, and the way to screen them.

    Parameters
    ----------
    name
        Of the campaign; None: after site and date.
    nodes
        How many to ask for; None: as many as the site's blocks have.
    workloads
        Names, or files; empty: `orchestrator.screening.screen.WORKLOADS`.
    seconds
        Of measurement on each slot before the first look; further waves take as long each.
    waves
        Runs of each workload on each slot before the first look.
    at_most
        Runs at the most, while a node is undecided.
    difference
        Nodes that are certainly slower by less are fine.
    pool
        Pool of the site; None: its first.
    site, overrides, exclude, ledger, notify, here
        As of `orchestrator.lifecycle.options.LaunchOptions`.
    """

    name: str | None = None
    site: str | None = None
    nodes: int | None = None
    workloads: tuple[str, ...] = field(default=(), metadata={"option": "--workload"})
    seconds: float = SECONDS
    waves: int = WAVES
    at_most: int = AT_MOST
    difference: float = DIFFERENCE
    pool: str | None = None
    overrides: tuple[str, ...] = field(default=(), metadata={"option": "--set"})
    exclude: str | None = None
    ledger: str | None = None
    notify: str | None = None
    here: bool | None = None
