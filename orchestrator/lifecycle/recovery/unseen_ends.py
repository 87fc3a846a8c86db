"""When blocks of a dead driver ended, which it did not live to see: at their last sign of life.

A block of which nothing runs any more has ended some time before, perhaps long before: node-hours, money and
energy of the time until somebody asks would be false.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from db.queries.blocks import last_attempt_times, unended_blocks
from orchestrator.rundir.layout import RunDirectory

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow

_FILE = re.compile(r"/(?:parsl\.)?(?P<shape>[^/]+)[./]block-(?P<block>\d+)[./]")
"""Part of a path that names the block: the folder of its worker pools, or what its job wrote."""

BlockKey = tuple[int, str, str]
"""Session, slot shape and number of a block."""


def unseen_ends(reader: Reader, row: CampaignRow, alive: Collection[str]) -> dict[BlockKey, int]:
    """Return the last sign of life of each open block whose job is not `alive`, in UTC microseconds.

    That is the latest of its start, the times of its attempts, and the last change of the files that its
    worker pools and its job write.

    Parameters
    ----------
    alive
        Ids of the jobs, or of the processes, that ran until now.
    """
    gone = [one for one in unended_blocks(reader, row.campaign_id) if one.job_id not in alive]
    if not gone:
        return {}
    attempts = last_attempt_times(reader, row.campaign_id)
    directory = RunDirectory(Path(row.run_directory))
    files: dict[BlockKey, int] = {}
    for session in {one.session_number for one in gone}:
        for shape, block, changed_us in _changed(directory.parsl(session)):
            key = session, shape, block
            files[key] = max(changed_us, files.get(key, 0))
    return {
        key: max(one.requested_us, one.started_us or 0, attempts.get(key, 0), files.get(key, 0))
        for one in gone
        for key in [(one.session_number, one.slot_shape, one.block_id)]
    }


def _changed(folder: Path) -> Iterator[tuple[str, str, int]]:
    """Yield slot shape, block and the time of the last change of each file that a block writes."""
    for pattern in ("*/*/block-*/*/manager.log", "*/submit_scripts/*", "blocks/*"):
        for file in folder.glob(pattern):
            named = _FILE.search(f"/{file.relative_to(folder)}")
            with suppress(OSError):  # it is removed meanwhile
                if named is not None:
                    yield named["shape"], named["block"], file.stat().st_mtime_ns // 1000
