"""Removal of what a run directory has besides evidence: logs, checkpoints, the engine's files."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from db.events import EventKind
from db.ledger import Ledger
from db.records import CampaignRow
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.ending.compaction import why_busy
from orchestrator.lifecycle.saved_rows import refuse_older_ledger, save_rows
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.packed_writer import only_writer


@dataclass(frozen=True, slots=True)
class Removable:
    """Files of a campaign's run directory that can be removed.

    Parameters
    ----------
    row
        The campaign.
    sizes
        Bytes of each file or folder, by its name in the directory.
    kept_bytes
        Bytes of what stays: journals and saved rows, by which the ledger is verified and rebuilt.
    """

    row: CampaignRow
    sizes: dict[str, int]
    kept_bytes: int

    @property
    def bytes(self) -> int:
        """Bytes that a removal frees."""
        return sum(self.sizes.values())


def removable(book: Ledger, name: str) -> Removable:
    """Return what can be removed of a campaign's run directory.

    Raises
    ------
    CampaignError
        If something of the campaign may still write, or its directory is not there, or is of a later ledger.
    """
    row = book.campaign(name)
    if why := why_busy(book, row):
        raise CampaignError(why)
    run = RunDirectory(Path(row.run_directory))
    if not run.path.is_dir():
        raise CampaignError(f"{name}: its run directory {run.path} is gone, or on another machine")
    refuse_older_ledger(book, row)
    sizes = {one.name: _bytes(one) for one in sorted(run.path.iterdir()) if one != run.compaction_lock}
    kept = sum(sizes.pop(one.name, 0) for one in (run.journals, run.saved_rows))
    return Removable(row, sizes, kept)


def remove(book: Ledger, found: Removable) -> list[str]:
    """Remove it; return what could not be removed, a line each.

    Raises
    ------
    CampaignError
        If the campaign was taken up again meanwhile, or another process packs its files.
    """
    row = found.row
    directory = Path(row.run_directory)
    problems: list[str] = []
    with only_writer(directory):
        if why := why_busy(book, book.campaign(row.name)):
            raise CampaignError(why)
        message = f"removed from {directory}: {', '.join(found.sizes)}"
        book.note(row.campaign_id, EventKind.FILES_REMOVED, message, data={"bytes": found.sizes})
        for name in found.sizes:
            place = directory / name
            try:
                if place.is_dir() and not place.is_symlink():
                    shutil.rmtree(place)
                else:
                    place.unlink(missing_ok=True)
            except OSError as error:
                problems.append(f"{error.filename or place}: {error.strerror}")
    save_rows(book, row)
    return problems


def _bytes(place: Path) -> int:
    """Return the bytes of a file, or of all files below a folder; a link is not followed."""
    found = [place] if place.is_symlink() or not place.is_dir() else []
    if not found:
        found = [Path(folder, name) for folder, _, files in os.walk(place) for name in files]
    return sum(one.lstat().st_size for one in found)
