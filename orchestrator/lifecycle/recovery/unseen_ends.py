"""When blocks of a dead driver ended, which it did not live to see: at their last sign of life.

A block of which nothing runs any more has ended some time before, perhaps long before: node-hours, money and
energy of the time until somebody asks would be false.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from db.queries.blocks import last_attempt_times, unended_blocks
from orchestrator.rundir.layout import RunDirectory

if TYPE_CHECKING:
    from db.evidence.block_energy import Key
    from db.reader import Reader
    from db.records import CampaignRow

_OF_POOL = re.compile(r"/(?P<shape>[^/]+)/block-(?P<block>\d+)/")
_OF_JOB = re.compile(r"/(?P<shape>[^/]+)\.block-(?P<block>\d+)\.")
_OF_PARSL = re.compile(r"/parsl\.(?P<shape>[^/]+)\.block-(?P<block>\d+)\.")
_FILES = (
    ("*/*/block-*/*/manager.log", _OF_POOL),
    ("*/submit_scripts/*", _OF_PARSL),
    ("blocks/*", _OF_JOB),
)
"""Files of worker pools, of local blocks and of jobs, and how their names tell the block."""


def unseen_ends(reader: Reader, row: CampaignRow, alive: Collection[str]) -> dict[Key, int]:
    """Return the last sign of life of each open block whose job is not `alive`, in UTC microseconds.

    That is the latest of its start, the times of its attempts, the last change of the files that its worker
    pools, its workers and its job write, and of the clock of its session's driver, which would have seen the
    end while it lived. Files that changed later than now are ignored.

    Parameters
    ----------
    alive
        Ids of the jobs, or of the processes, that ran until now.
    """
    gone = [one for one in unended_blocks(reader, row.campaign_id) if one.job_id not in alive]
    if not gone:
        return {}
    directory = RunDirectory(Path(row.run_directory))
    signs = last_attempt_times(reader, row.campaign_id)
    for session in {one.session_number for one in gone}:
        for shape, block, changed_us in _of_blocks(directory.parsl(session)):
            key = session, shape, block
            signs[key] = max(changed_us, signs.get(key, 0))
    return {
        key: max(
            one.requested_us,
            one.started_us or 0,
            signs.get(key, 0),
            _changed_us(directory.clock_file(one.session_number)),
            *map(_changed_us, directory.block_journals(*key)),
        )
        for one in gone
        for key in [(one.session_number, one.slot_shape, one.block_id)]
    }


def _of_blocks(folder: Path) -> Iterator[tuple[str, str, int]]:
    """Yield slot shape, block and the time of the last change of each file that a block writes."""
    for pattern, name in _FILES:
        for file in folder.glob(pattern):
            if (found := name.search(f"/{file.relative_to(folder)}")) is not None:
                yield found["shape"], found["block"], _changed_us(file)


def _changed_us(file: Path) -> int:
    """Return when a file changed last, in UTC microseconds; 0 if it is gone, or changed later than now."""
    with suppress(OSError):
        if (changed_ns := file.stat().st_mtime_ns) <= time.time_ns():
            return changed_ns // 1000
    return 0
