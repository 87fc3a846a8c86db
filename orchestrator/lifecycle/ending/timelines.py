"""Keeps the timeline of the slowest instance of a benchmark, and removes those of the others."""

from __future__ import annotations

import logging
import re
from pathlib import Path

from db.errors import UnknownCampaignError
from db.reader import Reader
from db.records import CampaignRow
from orchestrator.rundir.layout import RunDirectory

_log = logging.getLogger(__name__)
_NAME = re.compile(r"(?P<benchmark>.+)-(?P<number>\d+)\.(?P<attempt>\d+)\.json\.gz")


def keep_slowest(reader: Reader, row: CampaignRow) -> None:
    """Remove the timelines of all but the slowest accepted instance, where only that one was asked for."""
    times: dict[str, list[tuple[float, Path]]] = {}
    for file in sorted(RunDirectory(Path(row.run_directory)).slowest_timelines.glob("*.json.gz")):
        if (parts := _NAME.fullmatch(file.name)) is not None:
            seconds = _accepted_seconds(reader, row, parts)
            times.setdefault(parts["benchmark"], []).append((seconds, file))
    for benchmark, found in times.items():
        slowest, kept = max(found)
        if slowest < 0:  # none is accepted: each may be looked at
            continue
        for _, file in found:
            if file != kept:
                file.unlink(missing_ok=True)
        _log.info("timeline of the slowest instance of %s: %s", benchmark, kept)


def _accepted_seconds(reader: Reader, row: CampaignRow, parts: re.Match[str]) -> float:
    """Return the FOM time of the attempt that a file is named by; -1 if it is not accepted or not timed."""
    try:
        instance = reader.find_instance(row.campaign_id, f"{parts['benchmark']}/{parts['number']}")
    except UnknownCampaignError:
        return -1.0
    if instance.accepted_attempt != int(parts["attempt"]):
        return -1.0
    for one in reader.attempts_of(row.campaign_id, instance.instance_id):
        if one.attempt_number == instance.accepted_attempt and one.fom_seconds is not None:
            return one.fom_seconds
    return -1.0
