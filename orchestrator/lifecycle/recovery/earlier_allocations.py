"""Allocations that dead drivers ran inside of (`--here`), and whether attempts may still run there."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from db.events import EventKind
from db.reader import Reader
from db.records import CampaignRow
from db.rows import Session
from orchestrator.host.processes import CAMPAIGN_MARK, with_mark
from orchestrator.rundir.layout import RunDirectory
from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.model import SchedulerError


@dataclass(frozen=True, slots=True)
class EarlierAllocation:
    """An allocation of a driver that did not end by itself.

    Parameters
    ----------
    scheduler
        Type of the batch system that gave it; empty where it is not noted.
    ends
        When it ends, in seconds since the epoch.
    here
        Whether its launcher was a process of this host, and the host has not started anew since.
    """

    scheduler: str
    job: str
    ends: float
    here: bool

    def may_hold(self, uid: str, clients: Mapping[str, SchedulerClient]) -> bool:
        """Return whether attempts of a campaign may run there.

        Where the launcher was a process of this host, it ends with the last attempt. Elsewhere the batch
        system tells whether the allocation has ended; one that it does not know, as an instance of Flux,
        counts until its end.

        Parameters
        ----------
        uid
            Of the campaign.
        clients
            Of the site's batch systems, by type.
        """
        if self.here:
            return bool(with_mark(CAMPAIGN_MARK, uid))
        if time.time() >= self.ends:
            return False
        client = clients.get(self.scheduler or next(iter(clients), ""))
        if client is None:  # a site that has another batch system now
            return True
        try:
            return not client.status([self.job])[0].state.ended
        except SchedulerError:
            return True


def earlier_allocations(reader: Reader, row: CampaignRow) -> list[EarlierAllocation]:
    """Return the allocations of drivers that left their clock file, which none does that ends by itself."""
    dead = RunDirectory(Path(row.run_directory)).clock_files()
    sessions = {one.session_number: one for one in reader.sessions_of(row.campaign_id)}
    found = []
    for event in reader.events(row.campaign_id, kinds=(EventKind.ALLOCATION_USED,)):
        number = int(event.subject.rpartition(" ")[2])
        if number in dead and number in sessions and event.data is not None:
            found.append(_allocation(event.data, sessions[number]))
    return found


def _allocation(data: Mapping[str, Any], session: Session) -> EarlierAllocation:
    here = session.host == socket.gethostname() and psutil.boot_time() * 1e6 < session.started_us
    return EarlierAllocation(str(data.get("scheduler", "")), str(data["job"]), float(data["ends"]), here)
