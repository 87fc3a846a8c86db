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

_BULK = ("logs", "measured", "parsl", "profiles", "rungs", "scratch", "timelines")
"""Folders of a run directory that can be large, and that no evidence needs."""


def remove_rungs(row: CampaignRow) -> None:
    """Remove the checkpoints of a search that is complete: no rung goes on from them."""
    shutil.rmtree(RunDirectory(Path(row.run_directory)).rungs, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Removable:
    """Files of a campaign's run directory that can be removed.

    Parameters
    ----------
    places
        Bytes of each file or folder below the folders of `_BULK`, most of which are of one session.
    kept_bytes
        Bytes of everything else.
    """

    row: CampaignRow
    places: dict[Path, int]
    kept_bytes: int

    @property
    def sizes(self) -> dict[str, int]:
        """Bytes in each folder of the run directory."""
        found: dict[str, int] = {}
        for place, size in self.places.items():
            found[place.parent.name] = found.get(place.parent.name, 0) + size
        return found

    @property
    def bytes(self) -> int:
        """Bytes that a removal frees."""
        return sum(self.places.values())


def removable(book: Ledger, name: str) -> Removable:
    """Return what can be removed of a campaign's run directory.

    Raises
    ------
    CampaignError
        If something of the campaign may still write, or its directory is not there, is not the campaign's, or
        is of a later ledger.
    """
    row = book.campaign(name)
    run = RunDirectory(Path(row.run_directory))
    if not run.path.is_dir():
        raise CampaignError(f"{name}: its run directory {run.path} is gone, or on another machine")
    if run.path.is_symlink() or not run.journals.is_dir():
        raise CampaignError(
            f"{name}: {run.path} is a link, or has no journals, so that it may not be its own"
        )
    refuse_older_ledger(book, row)
    # Listed before the look at the driver: a session that begins later has folders of its own.
    folders = [folder for one in _BULK if (folder := run.path / one).is_dir() and not folder.is_symlink()]
    places = {place: _bytes(place) for folder in folders for place in sorted(folder.iterdir())}
    if why := why_busy(book, row):
        raise CampaignError(why)
    return Removable(row, places, _bytes(run.path) - sum(places.values()))


def remove(book: Ledger, found: Removable) -> dict[Path, str]:
    """Remove it; return why places could not be removed.

    Raises
    ------
    CampaignError
        If the campaign was taken up again meanwhile, or another process packs its files.
    """
    row = found.row
    directory = Path(row.run_directory)
    problems: dict[Path, str] = {}
    removed: list[Path] = []
    with only_writer(directory):
        try:
            for place in found.places:
                if why := why_busy(book, book.campaign(row.name)):
                    raise CampaignError(why)
                try:
                    if place.is_dir() and not place.is_symlink():
                        shutil.rmtree(place)
                    else:
                        place.unlink(missing_ok=True)
                    removed.append(place)
                except OSError as error:
                    problems[place] = f"{error.filename or place}: {error.strerror}"
        finally:
            if removed:
                gone = Removable(row, {place: found.places[place] for place in removed}, 0)
                message = f"removed from {directory}: {', '.join(gone.sizes)}"
                book.note(row.campaign_id, EventKind.FILES_REMOVED, message, data={"bytes": gone.sizes})
    save_rows(book, row)
    return problems


def _bytes(place: Path) -> int:
    """Return the bytes of a file, or of all files below a folder; a link is not followed."""
    found = [place] if place.is_symlink() or not place.is_dir() else []
    if not found:
        found = [Path(folder, name) for folder, _, files in os.walk(place) for name in files]
    return sum(one.lstat().st_size for one in found)
