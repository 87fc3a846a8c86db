"""Figures of a campaign's time for its page: instances ended, and what every slot did."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from db.events import now_us
from db.queries.attempt_times import attempt_times, blocks_of
from orchestrator.analysis.slot_time.throughput import throughput
from orchestrator.analysis.slot_time.timeline import slot_timeline
from orchestrator.lifecycle.driver_process.identity import live_driver
from orchestrator.report import figures

if TYPE_CHECKING:
    from orchestrator.report.figures import Drawing
    from orchestrator.serve.ledger_source import LedgerSource

_STEPS = 60
_ROWS, _COLUMNS = 300, 900
_BENCHMARKS = 8
"""Benchmarks with a colour of their own."""
_SECONDS, _SHARE = 10.0, 0.05
"""Shortest time between two drawings of a campaign, and the largest part of the time that drawing takes."""
DRAWING = Lock()
"""Held while Matplotlib draws: its settings are those of the process."""


def read_drawings(source: LedgerSource, name: str) -> list[Drawing]:
    """Return the figures of a campaign's time until now; none before a process has started.

    Raises
    ------
    LedgerError
        If the ledger cannot be read now.
    """
    with source.reader() as reader:
        row = reader.campaign(name)
        times = attempt_times(reader, row.campaign_id)
        until_us = now_us() if live_driver(row) is not None else None
        blocks, sessions = blocks_of(reader, row.campaign_id), reader.sessions_of(row.campaign_id)
    ended = throughput(times, steps=_STEPS, until_us=until_us)
    size = {"rows": _ROWS, "columns": _COLUMNS, "benchmarks": _BENCHMARKS}
    slots = slot_timeline(times, blocks=blocks, sessions=sessions, until_us=until_us, **size)
    with DRAWING:
        return [
            *([figures.throughput(ended)] if ended else []),
            *([figures.timeline(slots)] if slots else []),
        ]


def drawings_seconds(_: Sequence[Drawing], took: float) -> float:
    """Return after how many seconds the figures of a campaign are drawn again."""
    return max(_SECONDS, took / _SHARE)
