"""Drivers: the name by which one holds a campaign, and whether it still lives."""

from __future__ import annotations

import getpass
import os
import socket

from db.events import now_us
from db.records import CampaignRow


def this_driver() -> str:
    """Return this driver's name: host, process id and its start time, which differs for a reused id."""
    from orchestrator.host.processes import boot_time_of  # here and below: not in a browser's Python

    return f"{socket.gethostname()} pid {os.getpid()} started {boot_time_of(os.getpid()):.2f}"


def this_user() -> str:
    """Return user and host of this process, ``user@host``: who asks for a change of a campaign."""
    return f"{getpass.getuser()}@{socket.gethostname()}"


def display_name(owner: str) -> str:
    """Return a driver's name for people."""
    return owner.partition(" started ")[0]


def is_dead(owner: str) -> bool:
    """Tell whether the owner of a lease is known to be dead; only its own host can say."""
    found = _process(owner)
    if found is None:
        return False
    from orchestrator.host.processes import is_alive

    return not is_alive(*found)


def is_remote(owner: str) -> bool:
    """Tell whether the owner of a lease is on another host, or where is not known."""
    return _process(owner) is None


def live_driver(row: CampaignRow) -> str | None:
    """Return the driver that runs a campaign now, for people; None without one, or if it is known dead."""
    expired = (row.lease_expires_us or 0) < now_us()
    if row.lease_owner is None or expired or is_dead(row.lease_owner):
        return None
    return display_name(row.lease_owner)


def may_be_alive(row: CampaignRow) -> bool:
    """Tell whether a campaign's driver may be at work, its lease run out or not.

    One whose ledger was away for long lives on without a lease; on this host it is seen.
    """
    if row.lease_owner is None or is_dead(row.lease_owner):
        return False
    here = _process(row.lease_owner) is not None
    return here or live_driver(row) is not None


def _process(owner: str) -> tuple[int, float] | None:
    """Return process id and start time of a driver on this host; None for one elsewhere."""
    host, _, rest = owner.partition(" pid ")
    pid, _, started = rest.partition(" started ")
    if host != socket.gethostname():
        return None
    try:
        return int(pid), float(started)
    except ValueError:
        return None
