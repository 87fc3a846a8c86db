"""Options of `node screen`."""

from __future__ import annotations

from dataclasses import dataclass, field

SECONDS = 60.0
"""On each slot, of all benchmarks and waves together, without the start of processes."""
WAVES = 4
"""Runs of each benchmark on each slot; with fewer, a slow node among 16 with one slot each is not certain."""


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
        Of measurement on each slot.
    waves
        Runs of each workload on each slot.
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
    pool: str | None = None
    overrides: tuple[str, ...] = field(default=(), metadata={"option": "--set"})
    exclude: str | None = None
    ledger: str | None = None
    notify: str | None = None
    here: bool | None = None
