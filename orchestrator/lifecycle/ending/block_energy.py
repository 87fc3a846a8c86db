"""Note in the ledger what energy the batch system accounts to the blocks that have ended."""

from __future__ import annotations

import logging
import threading
import time

from db.errors import LedgerError
from db.events import EventKind
from db.evidence.block_energy import BlockEnergy, block_energy
from db.ledger import Ledger
from db.queries.attempt_times import blocks_of
from db.records import CampaignRow
from db.rows import Block
from orchestrator.schedulers.job_energy import job_energy
from orchestrator.schedulers.model import SchedulerError
from orchestrator.wording import count_of
from sites import Site
from sites.schedulers import Batch

_log = logging.getLogger(__name__)
_ASK_SECONDS = 2.0
_JOBS_AT_ONCE = 500
WAIT_SECONDS = 30.0
"""How long the end of a session waits for the accounting of the blocks that it gave back."""


def note_block_energy(book: Ledger, row: CampaignRow, site: Site, wait_seconds: float = 0.0) -> None:
    """Note the energy of each ended block once; the next call asks for those of which nothing is known yet.

    Where the batch system measures none, the reason is noted once. Nothing here fails a session.

    Parameters
    ----------
    wait_seconds
        Longest wait for jobs that the accounting does not know to have ended.
    """
    deadline = time.monotonic() + wait_seconds
    for machine in site.by_scheduler().values():
        if isinstance(machine.scheduler, Batch):
            _note_of_system(book, row, site, machine.scheduler, deadline)


def _note_of_system(book: Ledger, row: CampaignRow, site: Site, scheduler: Batch, deadline: float) -> None:
    """Note the energy of the blocks of one batch system, until a deadline of the monotonic clock."""
    try:
        known = block_energy(book, row.campaign_id)
        left = {
            block.job_id: block
            for block in blocks_of(book, row.campaign_id)
            if site.scheduler_type(block.pool or "") == scheduler.type and _is_asked(block, known)
        }
        pause = threading.Event()
        while left:
            asked = list(filter(None, left))
            for first in range(0, len(asked), _JOBS_AT_ONCE):
                found = job_energy(scheduler, asked[first : first + _JOBS_AT_ONCE])
                if found is None:
                    return
                if found.absent:
                    _note_reason(book, row, known, found.absent)
                    return
                for job in sorted(found.joules.keys() & left.keys()):
                    _note(book, row, left.pop(job), found.joules[job])
            new = len(left) < len(asked)
            if not new and time.monotonic() >= deadline:
                return
            if left and not new:
                pause.wait(_ASK_SECONDS)
    except (SchedulerError, LedgerError) as error:
        _log.warning("the energy of blocks is not in the ledger, the next session asks again: %s", error)


def _is_asked(block: Block, known: BlockEnergy) -> bool:
    """Return whether a block held nodes, ended, is a job of its own, and its energy is not noted."""
    key = (block.session_number, block.slot_shape, block.block_id)
    ran = block.started_us is not None and block.ended_us is not None
    return ran and (block.job_id or "").isdecimal() and key not in known.joules


def _note(book: Ledger, row: CampaignRow, block: Block, joules: float | None) -> None:
    subject = f"block {block.block_id} (job {block.job_id})"
    stated = "no energy is stated" if joules is None else f"{joules:.6g} J"
    data = {
        "session": block.session_number,
        "slot_shape": block.slot_shape,
        "block": block.block_id,
        "job": block.job_id,
        "joules": joules,
    }
    message = f"{subject}, {count_of(block.nodes, 'node')}: {stated}"
    book.note(row.campaign_id, EventKind.BLOCK_ENERGY, message, subject=subject, data=data)


def _note_reason(book: Ledger, row: CampaignRow, known: BlockEnergy, reason: str) -> None:
    if reason not in known.reasons:
        message = f"the energy of blocks is absent: {reason}"
        book.note(row.campaign_id, EventKind.BLOCK_ENERGY, message, data={"reason": reason})
