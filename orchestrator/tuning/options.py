"""Options of `workload tune`."""

from __future__ import annotations

from dataclasses import dataclass, field

WAVES = 6
"""How often a node is filled at each point before the first look; an interval of 95 % needs as many."""
AT_MOST = 18
"""How often at the most, while it is not certain which shape is the best."""
DIFFERENCE = 0.05
"""Slot shapes that certainly differ by less are as good as each other."""
RESERVE = 0.1
"""Share of a node's memory that instances leave free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneOptions:
    """Workload to tune, and the way to tune it.

    Parameters
    ----------
    workload
        Name of a workload, or path of its file.
    name
        Of the campaign; None: after workload and site.
    like
        Campaign whose benchmark of that workload has the parameters, data and durations; None: the
        workload's own.
    waves
        How often a node is filled at each point before the first look.
    at_most
        How often at the most, while it is not certain which shape is the best.
    difference
        Shapes that certainly differ by less are as good as each other.
    reserve
        Share of a node's memory that instances leave free.
    site, overrides, data, check_data, ledger, notify, here
        As of `orchestrator.lifecycle.options.LaunchOptions`.
    """

    workload: str
    site: str | None = None
    name: str | None = None
    like: str | None = field(default=None, metadata={"option": "--from"})
    overrides: tuple[str, ...] = field(default=(), metadata={"option": "--set"})
    waves: int = WAVES
    at_most: int = AT_MOST
    difference: float = DIFFERENCE
    reserve: float = RESERVE
    data: str | None = None
    check_data: bool = True
    ledger: str | None = None
    notify: str | None = None
    here: bool | None = None
