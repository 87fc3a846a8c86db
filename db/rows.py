"""Rows that the ledger returns: one class per table, one attribute per column.

`Attempt` is the one list of what is kept of an attempt. The `Fact` of a field says where the column comes
from and where it goes; writers, comparisons and displays derive their lists from it. A new column is added
here and in `db.tables`, with a migration.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, get_type_hints

from db.records import NewBenchmark, NewCurve, NewPoint, NewSample

LINK_FACTS = "links"
"""Fact of what an attempt on several nodes observed, with the bytes per second of each node's links."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Where a column of attempts comes from and where it goes.

    Parameters
    ----------
    reported
        True if reports fill it.
    copied
        True if a report has a field of the column's name; False if the driver derives it.
    compared
        True if verification compares it with the report in the journal.
    shown
        True if `orchestrator instance show` lists it among the facts of an attempt.
    """

    reported: bool = True
    copied: bool = True
    compared: bool = False
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """One launch or resume of a campaign; `ended_us` is None while it runs."""

    campaign_id: int
    session_number: int
    kind: str
    host: str
    pid: int
    version: str
    slots: int | None
    started_us: int
    ended_us: int | None
    outcome: str | None


@dataclass(frozen=True, slots=True)
class BenchmarkRow(NewBenchmark):
    """One benchmark of a campaign."""

    campaign_id: int


@dataclass(frozen=True, slots=True)
class Point(NewPoint):
    """The value of one axis at a point of a sweep."""

    campaign_id: int


@dataclass(frozen=True, slots=True)
class Instance:
    """One planned run; `benchmark_index` counts within its benchmark."""

    campaign_id: int
    instance_id: int
    benchmark: str
    benchmark_index: int
    seed: int
    state: str
    accepted_attempt: int | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at an instance.

    Columns that end in ``_us`` are times in microseconds since the Unix epoch, UTC, except
    `clock_offset_min_us` and `clock_offset_max_us`, which are differences.
    """

    campaign_id: int
    instance_id: int
    attempt_number: int
    token: str
    session_number: int
    state: Annotated[str, Fact(reported=False, copied=False, shown=True)]
    failure_category: Annotated[str | None, Fact(shown=True)]
    failure_reason: Annotated[str | None, Fact(shown=True)]
    failure_message: Annotated[str | None, Fact(shown=True)]
    slot_shape: str | None
    block_id: Annotated[str | None, Fact(shown=True)]
    node: Annotated[str | None, Fact(compared=True, shown=True)]
    slot_index: Annotated[int | None, Fact(shown=True)]
    cores: Annotated[str | None, Fact(copied=False, compared=True, shown=True)]
    devices: Annotated[str | None, Fact(copied=False, compared=True)]
    submitted_us: int
    process_start_us: Annotated[int | None, Fact(compared=True)]
    ready_us: Annotated[int | None, Fact()]
    run_start_us: Annotated[int | None, Fact(compared=True)]
    timed_window_start_us: Annotated[int | None, Fact(compared=True)]
    timed_window_stop_us: Annotated[int | None, Fact(compared=True)]
    run_stop_us: Annotated[int | None, Fact(compared=True)]
    process_stop_us: Annotated[int | None, Fact(compared=True)]
    received_us: Annotated[int | None, Fact(copied=False)]
    fom_seconds: Annotated[float | None, Fact(copied=False, compared=True, shown=True)]
    accuracy: Annotated[float | None, Fact(copied=False, compared=True, shown=True)]
    exit_code: Annotated[int | None, Fact(compared=True, shown=True)]
    signal: Annotated[str | None, Fact(compared=True, shown=True)]
    peak_memory_bytes: Annotated[int | None, Fact(shown=True)]
    cpu_seconds: Annotated[float | None, Fact(compared=True, shown=True)]
    environment_sha256: str | None
    observed: Annotated[str | None, Fact(copied=False)]
    data_facts: Annotated[str | None, Fact(copied=False)]
    stdout_path: Annotated[str | None, Fact(shown=True)]
    stderr_path: Annotated[str | None, Fact(shown=True)]
    stderr_tail: Annotated[str | None, Fact()]
    observation_sha256: str | None
    clock_offset_max_us: Annotated[int | None, Fact()]
    run_start_arrived_us: Annotated[int | None, Fact(compared=True)]
    timed_window_start_arrived_us: Annotated[int | None, Fact(compared=True)]
    timed_window_stop_arrived_us: Annotated[int | None, Fact(compared=True)]
    run_stop_arrived_us: Annotated[int | None, Fact(compared=True)]
    run_start_cpu_seconds: Annotated[float | None, Fact(compared=True)]
    timed_window_stop_cpu_seconds: Annotated[float | None, Fact(compared=True)]
    run_stop_cpu_seconds: Annotated[float | None, Fact(compared=True)]
    clock_offset_min_us: Annotated[int | None, Fact(copied=False)]


@dataclass(frozen=True, slots=True)
class Metric:
    """One number that an attempt reported; `value` is None if it was not finite."""

    campaign_id: int
    instance_id: int
    attempt_number: int
    name: str
    value: float | None
    unit: str


@dataclass(frozen=True, slots=True)
class Sample(NewSample):
    """Samples of one quantity and device while an attempt ran."""

    campaign_id: int
    instance_id: int
    attempt_number: int


@dataclass(frozen=True, slots=True)
class Curve(NewCurve):
    """A learning curve of an attempt."""

    campaign_id: int
    instance_id: int
    attempt_number: int


@dataclass(frozen=True, slots=True)
class Block:
    """One scheduler job that held nodes."""

    campaign_id: int
    session_number: int
    slot_shape: str
    block_id: str
    job_id: str | None
    state: str
    requested_us: int
    started_us: int | None
    ended_us: int | None
    nodes: int
    message: str | None
    pool: str | None = None


@dataclass(frozen=True, slots=True)
class LabelledAttempt:
    """An attempt with the names of its instance."""

    benchmark: str
    benchmark_index: int
    attempt: Attempt

    @property
    def label(self) -> str:
        """The attempt's instance, ``benchmark/number``."""
        return f"{self.benchmark}/{self.benchmark_index}"


def is_moment(column: str) -> bool:
    """Return whether a column holds times: microseconds since the Unix epoch, UTC."""
    return column.endswith("_us") and not column.startswith("clock_offset_")


FACTS: dict[str, Fact] = {
    name: extra
    for name, hint in get_type_hints(Attempt, include_extras=True).items()
    for extra in getattr(hint, "__metadata__", ())
}
REPORTED = tuple(name for name, fact in FACTS.items() if fact.reported)
"""Columns that reports fill."""
COPIED = tuple(name for name, fact in FACTS.items() if fact.copied)
"""Columns that have the value of the report's field of the same name."""
COMPARED = tuple(name for name, fact in FACTS.items() if fact.compared)
"""Columns that must equal what the report in the journal says."""
SHOWN = tuple(name for name, fact in FACTS.items() if fact.shown)
"""Columns that are shown as facts of an attempt."""
TIMES = tuple(one.name for one in fields(Attempt) if is_moment(one.name))
"""Columns with the times of an attempt, in the order in which they occur."""
