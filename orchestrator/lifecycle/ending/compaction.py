"""Packing: what a campaign leaves in thousands of files becomes a handful, once nothing of it runs.

The journals of a session become one journal; its logs, and what Parsl wrote, one zip each. What
instances keep to go on from stays for those that have no accepted attempt, and for no others.
"""

from __future__ import annotations

import logging
import time
import zlib
from contextlib import suppress
from pathlib import Path
from zipfile import BadZipFile

from db.errors import LedgerError, UnknownCampaignError
from db.queries.blocks import open_blocks
from db.reader import Reader
from db.records import CampaignRow
from db.states import InstanceState
from orchestrator.catalog.registered_site import registered_site
from orchestrator.errors import CampaignError, OrchestratorError
from orchestrator.host.processes import CAMPAIGN_MARK, with_mark
from orchestrator.lifecycle.driver_process.identity import display_name, live_driver
from orchestrator.lifecycle.recovery.campaign_jobs import campaign_jobs, campaign_systems
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.packed_writer import Packing, count_files, pack_files
from sites import FileError

_log = logging.getLogger(__name__)
_ENDING_SECONDS = 60.0  # for blocks that were cancelled
_MANY = 1000
_TROUBLE = (OSError, ValueError, EOFError, zlib.error, BadZipFile, OrchestratorError, LedgerError)


def pack(reader: Reader, name: str) -> Packing:
    """Pack the files of a campaign that has ended or was stopped.

    Raises
    ------
    CampaignError
        If something of it may still write, or another process packs it now. Nothing was changed then.
    LedgerError
        If the ledger has no such campaign.
    """
    sessions = [one.session_number for one in reader.sessions_of(reader.campaign(name).campaign_id)]
    row = reader.campaign(name)  # a driver that comes after this opens a further session
    if (why := why_busy(reader, row)) is not None:
        raise CampaignError(why)
    return pack_files(Path(row.run_directory), sessions, _finished(reader, row))


def pack_at_end(reader: Reader, name: str) -> None:
    """Pack the files of a campaign whose driver has just ended; log what could not be packed, never fail."""
    try:
        row = reader.campaign(name)
        if _held(row) is not None:
            return  # another driver took it up again
        deadline = time.monotonic() + _ENDING_SECONDS
        while _jobs(reader, row) and time.monotonic() < deadline:
            time.sleep(1)
        if (files := count_files(Path(row.run_directory))) > _MANY:
            _log.info("packing %d files", files)
        problems = pack(reader, name).problems
    except KeyboardInterrupt:
        problems = ("it was interrupted",)
    except _TROUBLE as error:
        problems = (str(error),)
    if problems:
        more = f"; and {len(problems) - 1} more" if len(problems) > 1 else ""
        _log.warning(
            "its files are not all packed: %s%s; later: orchestrator ledger compact %s",
            problems[0],
            more,
            name,
        )


def _finished(reader: Reader, row: CampaignRow) -> list[Path]:
    """Return the folders of accepted instances that are left, by attempts that were not the accepted one."""
    found = []
    for folder in sorted(RunDirectory(Path(row.run_directory)).scratch.glob("*-*")):
        label = "/".join(folder.name.rsplit("-", 1))
        with suppress(UnknownCampaignError):  # no instance has this label; the folder stays
            if reader.find_instance(row.campaign_id, label).state == InstanceState.DONE:
                found.append(folder)
    return found


# -- whether it may be -----------------------------------------------------------------------


def why_busy(reader: Reader, row: CampaignRow) -> str | None:
    """Return who holds a campaign, or what of it may still write, in a sentence, or None.

    Raises
    ------
    CampaignError
        If the scheduler does not tell.
    """
    return _held(row) or _at_work(reader, row)


def _held(row: CampaignRow) -> str | None:
    """Return who holds a campaign, in a sentence, or None."""
    if row.lease_owner is None:
        return None
    if (driver := live_driver(row)) is not None:
        return f"{row.name} is being run by {driver}; its files are its driver's until it ends"
    return (
        f"the driver of {row.name}, {display_name(row.lease_owner)}, did not end it; "
        f"`orchestrator resume {row.name}` goes on, `orchestrator node leftovers {row.name} --fix` closes it"
    )


def _at_work(reader: Reader, row: CampaignRow) -> str | None:
    """Return what of a campaign may still write, in a sentence, or None."""
    close = f"`orchestrator node leftovers {row.name} --fix`"
    if running := with_mark(CAMPAIGN_MARK, row.uid):
        pids = ", ".join(str(process.pid) for process in running)
        return f"processes {pids} of {row.name} still run; {close} ends them"
    if open_blocks(reader, row.campaign_id):
        return f"{row.name} has blocks without an end; {close} ends them"
    if jobs := _jobs(reader, row):
        return f"jobs {', '.join(jobs)} of {row.name} have not ended yet"
    return None


def _jobs(reader: Reader, row: CampaignRow) -> list[str]:
    """Return a campaign's scheduler jobs that have not ended; raises `CampaignError` if that is not known."""
    try:
        jobs, problems = campaign_jobs(campaign_systems(reader, row, registered_site(row)), row)
    except FileError as error:
        jobs, problems = [], [str(error)]
    if problems:
        raise CampaignError(
            f"whether the blocks of {row.name} have ended is not known: {'; '.join(problems)}"
        )
    return [job for _, job in jobs]
