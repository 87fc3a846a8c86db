"""`instance show NAME INSTANCE --timeline`: when the ranks of an instance communicated."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.cli.terminal.tables import print_json, print_table
from orchestrator.errors import CampaignError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.records import CampaignRow
    from db.rows import Attempt, Instance
    from workloads.runtime.horovod_timeline import Summary

_COLUMNS = 60
_SHADES = " ▁▂▃▄▅▆▇█"


def show_timeline(row: CampaignRow, found: Instance, attempt: Attempt, label: str, *, as_json: bool) -> None:
    """Print what the timeline of an attempt adds up to, drawn over time.

    Raises
    ------
    CampaignError
        If none was recorded, or it cannot be read.
    """
    from workloads.runtime.horovod_timeline import read, summarize

    file = _file(row, found, attempt, label)
    try:
        summary = summarize(read(file))
    except (OSError, ValueError, KeyError) as error:
        raise CampaignError(f"{file} cannot be read as a timeline: {error}") from error
    names = [name for name in summary.activities if name.isupper()]
    if as_json:
        print_json(_facts(file, summary, names))
        return
    print_table(
        ["activity", "calls", "s", "% of time", "MB", f"over {summary.seconds:.4g} s"],
        [
            [
                name.lower().replace("_", " "),
                one.calls,
                one.seconds,
                f"{100 * one.seconds / summary.seconds:.2f}" if summary.seconds else None,
                one.bytes / 1e6 if one.bytes else None,
                drawn(one.spans, summary.first, summary.last),
            ]
            for name, one in ((name, summary.activities[name]) for name in names)
        ],
        title=f"communication of {label}, attempt {attempt.attempt_number}",
    )
    if summary.last_ranks:
        rank, number = summary.last_ranks.most_common(1)[0]
        share = number / summary.last_ranks.total()
        print(f"the others waited most often for rank {rank}: {share:.0%} of the operations")
    print(f"{file}: gunzip it to open it in Perfetto (ui.perfetto.dev) or chrome://tracing")


def _file(row: CampaignRow, found: Instance, attempt: Attempt, label: str) -> Path:
    from orchestrator.rundir.layout import RunDirectory, recording_name

    directory = RunDirectory(Path(row.run_directory))
    name = recording_name(found.benchmark, found.benchmark_index, attempt.attempt_number)
    for folder in (directory.timelines, directory.slowest_timelines):
        if (folder / name).is_file():
            return folder / name
    raise CampaignError(
        f"no timeline of {label}, attempt {attempt.attempt_number}, is in {directory.timelines}; "
        "`timeline: true` of a benchmark with several ranks records one"
    )


def _facts(file: Path, summary: Summary, names: Sequence[str]) -> dict[str, Any]:
    return {
        "file": str(file),
        "seconds": summary.seconds,
        "activities": {
            name: {"calls": one.calls, "seconds": one.seconds, "bytes": one.bytes}
            for name, one in ((name, summary.activities[name]) for name in names)
        },
        "last_ranks": dict(summary.last_ranks),
    }


def drawn(spans: Sequence[tuple[float, float]], first: float, last: float) -> str:
    """Return a line whose blocks are higher where more of the time was in an activity."""
    width = (last - first) / _COLUMNS or 1.0
    filled = [0.0] * _COLUMNS
    for start, stop in spans:
        column = min(int((start - first) / width), _COLUMNS - 1)
        while column < _COLUMNS and first + column * width < stop:
            begin, end = first + column * width, first + (column + 1) * width
            filled[column] += max(0.0, min(stop, end) - max(start, begin)) / width
            column += 1
    return "".join(_SHADES[min(8, math.ceil(8 * share - 1e-9))] for share in filled)
