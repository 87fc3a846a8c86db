"""`instance show NAME INSTANCE --profile`: the time of an instance's kernels, by class."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.terminal.tables import print_json, print_table
from orchestrator.errors import CampaignError
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from db.records import CampaignRow
    from db.rows import Attempt, Instance

_MOST_KERNELS = 15
_DIGITS = 4
_PLACES = {"device": "the GPUs", "host": "the CPU"}
_LEAST_BUSY_PERCENT = 10.0
_REASONS = {
    "not begun": "the run ended before the delay of its profile, or has no profiler; the end of its stderr "
    "says which, where logs are kept",
    "failed": "its profiler failed; the end of its stderr says why, where logs are kept",
    "recorded": "it was recorded, and its file has been removed since",
}


def show_profile(row: CampaignRow, found: Instance, attempt: Attempt, label: str, *, as_json: bool) -> None:
    """Print the time of classes of kernels, and of the kernels that took longest.

    Raises
    ------
    CampaignError
        If none was recorded, or it cannot be read.
    """
    from orchestrator.rundir.layout import RunDirectory, recording_name
    from workloads.runtime.profiling.kernels import read_profile

    folder = RunDirectory(Path(row.run_directory)).profiles
    file = folder / recording_name(found.benchmark, found.benchmark_index, attempt.attempt_number)
    if not file.is_file():
        state = json.loads(attempt.observed or "{}").get("profiled")
        why = "`profile: true` of a benchmark records one" if state is None else _REASONS.get(state, "")
        raise CampaignError(f"no profile of {label}, attempt {attempt.attempt_number}, is in {folder}; {why}")
    try:
        profile = read_profile(file)
    except (OSError, ValueError) as error:
        raise CampaignError(f"{file} cannot be read as a profile: {error}") from error
    classes, total = profile.by_class(), profile.kernel_seconds
    if as_json:
        facts = {"instance": label, "attempt": attempt.attempt_number, "file": str(file)}
        facts |= {"classes": classes, "kernel_seconds": total}
        print_json(facts | asdict(profile))
        return
    print_table(
        ["class", "s", "% of kernels"],
        [[name.replace("_", " "), time, _percent(time, total)] for name, time in classes.items()],
        digits=_DIGITS,
        title=f"kernels of {label}, attempt {attempt.attempt_number}, on {_PLACES[profile.place]}",
    )
    shown = profile.kernels[:_MOST_KERNELS]
    print_table(
        ["kernel", "class", "calls", "s", "% of kernels"],
        [
            [
                _shortened(kernel.name),
                kernel.kind.replace("_", " "),
                kernel.calls,
                kernel.seconds,
                _percent(kernel.seconds, total),
            ]
            for kernel in shown
        ],
        digits=_DIGITS,
    )
    rest = len(profile.kernels) - len(shown)
    if rest:
        print(f"and {count_of(rest, 'kernel')} more, with --json")
    recorded = f"recorded for {profile.seconds:.4g} s by {profile.profiler}"
    if profile.busy_seconds is None:
        print(recorded)
        return
    busy = _percent(profile.busy_seconds, profile.seconds)
    print(f"{recorded}; a kernel ran in {busy:.1f} % of it")
    if busy < _LEAST_BUSY_PERCENT:
        print("that is little: it may not have trained yet, or no longer; change profile.delay")


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


def _shortened(name: str) -> str:
    return name if len(name) <= 36 else f"{name[:35]}…"
