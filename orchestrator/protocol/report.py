"""Reports of an attempt, while it runs and at its end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import msgspec

from db.states import AttemptState
from orchestrator.protocol.codec import MessageError, from_json, to_json
from orchestrator.protocol.sampling import Sampling

OUT_OF_MEMORY = "out of memory"
OUT_OF_DISK = "out of disk"
OUT_OF_GPU_MEMORY = "out of memory of its GPU"
SUPERVISOR_FAILED = "supervisor failed"
"""Reason of attempts whose supervisor ended by itself without a report."""
NOT_STARTED = ("cannot start", "worker failed", SUPERVISOR_FAILED)
"""Reasons of attempts whose processes did not start."""
Category = Literal["benchmark", "infrastructure", "neutral"]


OTHER_PROGRAM = "other_program"
"""Fact of a supervisor: which program ran in place of the interpreter that it had started."""
REFUSED_REPORTS = "refused_reports"
"""Fact of a supervisor: reports of a training that it refused, in words."""
UNREAD_SECONDS = "unread_seconds"
"""Fact of a supervisor: whole seconds for which it stood still, so that it read a mark late."""
BUSY_BEFORE_SECONDS = "busy_before_seconds"
"""Fact of one of several ranks: whole CPU seconds that it used before the run, where they are many."""


class Observed(msgspec.Struct, frozen=True):
    """Facts that a training process observed of its machine and of its own settings.

    Parameters
    ----------
    cpuset
        Logical CPUs it may use; None if it did not report them.
    gpus
        GPUs it opened: ``uuid``, and ``proven`` where the device's driver confirmed it; None if it
        did not report them.
    device_memory_bytes
        Bytes it limited each GPU's memory to; None without a limit.
    ranks
        The observation of every rank if an instance has several; else None.
    code, variables
        Keys (SHA-256) of the documents that list the code it ran, and the environment variables that it was
        given and that can change speed or numbers; None from a process that recorded none.
    facts
        Other observations, such as versions, thread counts and CPU model; also nulls and values of an
        unexpected type.
    """

    host: str | None = None
    pid: int | None = None
    cpuset: tuple[int, ...] | None = None
    gpus: tuple[dict[str, Any], ...] | None = None
    device_memory_bytes: int | float | None = None
    ranks: tuple[Observed, ...] | None = None
    framework: str | None = None
    framework_version: str | None = None
    precision: str | None = None
    tensor_float32: bool | None = None
    devices: tuple[str, ...] | None = None
    code: str | None = None
    variables: str | None = None
    facts: dict[str, Any] = msgspec.field(default_factory=dict)

    @classmethod
    def from_json(cls, content: object) -> Self:
        """Return the observation in JSON data; what has an unexpected type is kept among the facts."""
        return from_json(cls, _observed_fields(content, careful=True))

    def to_json(self) -> dict[str, Any]:
        """Return the observation as JSON-ready data without the values that the process did not state."""
        content = {name: value for name in _FIELDS if (value := getattr(self, name)) is not None}
        content = {
            name: list(value) if isinstance(value, tuple) else value for name, value in content.items()
        }
        if self.ranks is not None:
            content["ranks"] = [rank.to_json() for rank in self.ranks]
        return self.facts | content

    def stated(self, name: str) -> Any:
        """Return a field as the process stated it, also where its type is unexpected; None if it did not."""
        value = getattr(self, name)
        return self.facts.get(name) if value is None else value

    @property
    def gpu_names(self) -> list[str]:
        """UUIDs of the opened GPUs."""
        return [str(gpu.get("uuid")) for gpu in self.gpus or ()]

    @property
    def gpus_proven(self) -> bool:
        """True if GPUs were opened and the GPU driver confirmed each of them."""
        return bool(self.gpus) and all(gpu.get("proven", True) for gpu in self.gpus or ())


_FIELDS: dict[str, Any] = {
    "host": str,
    "pid": int,
    "cpuset": tuple[int, ...],
    "gpus": tuple[dict[str, Any], ...],
    "device_memory_bytes": int | float,
    "framework": str,
    "framework_version": str,
    "precision": str,
    "tensor_float32": bool,
    "devices": tuple[str, ...],
    "code": str,
    "variables": str,
}
"""Types of an observation's fields but the ranks; a null is kept among the facts."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A further number that a training measured, such as an error or a phase's seconds."""

    name: str
    value: Any
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """A learning curve.

    Parameters
    ----------
    axis
        Whether a place is an epoch or a step.
    points
        Place and value, None where it was not finite.
    """

    name: str
    axis: Literal["epoch", "step"]
    points: tuple[tuple[int, float | None], ...]


class TrainingResult(msgspec.Struct, frozen=True):
    """Result of a training. Numbers are not yet checked: the program may be a user's own.

    Parameters
    ----------
    fom_seconds
        Seconds that the figure of merit counts.
    accuracy
        Quality value, or None where the workload has none.
    phases
        Seconds by the name of a part of the run.
    accuracies
        Accuracy of every rank, where an instance has several.
    documents
        Documents whose keys are in `observed`, without those that the ledger has.
    curves
        Learning curves.
    """

    fom_seconds: Any = None
    accuracy: Any = None
    phases: dict[str, Any] = msgspec.field(default_factory=dict)
    metrics: tuple[Metric, ...] = ()
    observed: Observed = Observed()
    data: Any = msgspec.field(default_factory=dict)
    accuracies: tuple[Any, ...] | None = None
    documents: tuple[dict[str, Any], ...] = ()
    curves: tuple[Curve, ...] = ()

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Return the result in JSON data.

        Raises
        ------
        MessageError
            If a field has the wrong type.
        """
        return from_json(cls, _result_fields(content, careful=True))

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON-ready data."""
        content = to_json(self)
        del content["version"], content["observed"]
        if not self.documents:
            del content["documents"]
        if not self.curves:
            del content["curves"]
        return content | {"data": self.data, "seen": self.observed.to_json()}


@dataclass(frozen=True, slots=True)
class TrainingError:
    """Why a training ended without a result.

    Parameters
    ----------
    kind
        ``data``, ``memory``, ``gpu memory``, ``parameters``, ``command``, ``disk``, ``node disk``,
        ``rank lost``, ``container`` or ``exception``.
    message, where
        Message of one line, and ``file:line`` or empty.
    """

    kind: str = "exception"
    message: str = "no message"
    where: str = ""

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Return the error in JSON data; missing fields take their defaults."""
        names = ("kind", "message", "where")
        return cls(**{name: str(content[name]) for name in names if content.get(name) is not None})


# Not `kw_only`: such a struct takes twice as long to unpickle.
class AttemptReport(msgspec.Struct, frozen=True):
    """State of an attempt at one moment; field names are the keys of journal lines.

    Times are UTC microseconds by the node's clock, None if the attempt has not come so far.

    Parameters
    ----------
    state
        ``running`` or a final state.
    at_us
        When the report was made.
    failure_category, failure_reason, failure_message
        Category of a failure, a short reason to group by, and a message of one line.
    nodes
        Nodes of an instance that spans several; where it was not started because nodes are excluded, these.
    process_start_us, ready_us, at_barrier_us, run_start_us, timed_window_start_us, \
timed_window_stop_us, run_stop_us, process_stop_us
        When it passed its steps, in their order.
    at_barrier, barrier_seconds
        Whether it waits for its wave's start now, and how long it waited.
    clock_offset_max_us
        Upper bound of how far the node's clock was ahead of the driver's.
    exit_code, signal
        How the process ended.
    cpu_seconds, peak_memory_bytes
        CPU time and memory it used.
    stdout_path, stderr_path, stderr_tail
        Logs that were kept, and the end of standard error if it failed.
    left_seconds
        Seconds left of its block when it was not started.
    sampling
        Energy, power and load that were sampled while it ran.
    run_start_arrived_us, timed_window_start_arrived_us, timed_window_stop_arrived_us, run_stop_arrived_us
        When marks of the training arrived at its supervisor, by the supervisor's clock.
    run_start_cpu_seconds, timed_window_stop_cpu_seconds, run_stop_cpu_seconds
        CPU time that its processes had used by then, as the kernel counts it; parts of `cpu_seconds`.
    """

    token: str
    state: AttemptState
    at_us: int
    label: str = ""
    failure_category: Category | None = None
    failure_reason: str | None = None
    failure_message: str | None = None
    node: str | None = None
    block_id: str | None = None
    pool: str | None = None
    slot_index: int | None = None
    cores: tuple[int, ...] | None = None
    devices: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    process_start_us: int | None = None
    ready_us: int | None = None
    at_barrier_us: int | None = None
    run_start_us: int | None = None
    timed_window_start_us: int | None = None
    timed_window_stop_us: int | None = None
    run_stop_us: int | None = None
    process_stop_us: int | None = None
    at_barrier: bool = False
    barrier_seconds: float | None = None
    clock_offset_max_us: int | None = None
    exit_code: int | None = None
    signal: str | None = None
    cpu_seconds: float | None = None
    peak_memory_bytes: int | None = None
    stdout_path: str | None = None
    stderr_path: str | None = None
    stderr_tail: str | None = None
    left_seconds: float | None = None
    result: TrainingResult | None = None
    sampling: Sampling | None = None
    run_start_arrived_us: int | None = None
    timed_window_start_arrived_us: int | None = None
    timed_window_stop_arrived_us: int | None = None
    run_stop_arrived_us: int | None = None
    run_start_cpu_seconds: float | None = None
    timed_window_stop_cpu_seconds: float | None = None
    run_stop_cpu_seconds: float | None = None

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Return the report in JSON data; unknown fields are ignored.

        Raises
        ------
        MessageError
            If a field is missing or has the wrong type.
        """
        try:
            return from_json(cls, _report_fields(content, careful=False))
        except MessageError:
            return from_json(cls, _report_fields(content, careful=True))

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-ready data."""
        content = to_json(self)
        if self.result is not None:
            content["result"] = self.result.to_json()
        return content


MARKS = ("ready", "at_barrier", "run_start", "timed_window_start", "timed_window_stop", "run_stop")
"""Steps that a training marks itself; a report has each as ``<mark>_us``."""
ARRIVALS: Mapping[str, str] = {
    mark: f"{mark}_arrived_us"
    for mark in ("run_start", "timed_window_start", "timed_window_stop", "run_stop")
}
"""The field of a report for the arrival of a mark."""
CPU_AT_MARKS: Mapping[str, str] = {
    mark: f"{mark}_cpu_seconds" for mark in ("run_start", "timed_window_stop", "run_stop")
}
"""The field of a report for the CPU time that an attempt had used when a mark arrived."""


def finite(value: float) -> bool:
    """Return whether a reported number is finite as a floating-point number."""
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False


def mark_times(marks: Mapping[str, int]) -> dict[str, Any]:
    """Return marks as fields of a report, without marks of other names."""
    return {f"{name}_us": at for name, at in marks.items() if name in MARKS}


# JSON data as the fields of the classes above. Careful: nulls and unexpected types are looked for one by
# one. They are rare, and a resume reads hundreds of thousands of reports, so it is tried without first.


def _report_fields(content: Mapping[str, Any], *, careful: bool) -> Mapping[str, Any]:
    if careful:
        content = {name: value for name, value in content.items() if value is not None}
        if not _has_type(content.get("sampling"), Sampling):
            content.pop("sampling", None)
    result = content.get("result")
    return {**content, "result": _result_fields(result, careful=careful) if result else None}


def _result_fields(content: Any, *, careful: bool) -> dict[str, Any]:
    if not isinstance(content, Mapping):
        raise MessageError("not a usable result: it is no mapping")
    given = {name: value for name, value in content.items() if value is not None}
    if careful:
        given["metrics"] = _metric_fields(content.get("metrics"))
        if not _has_type(content.get("documents"), tuple[dict[str, Any], ...]):
            given.pop("documents", None)
        if not _has_type(content.get("curves"), tuple[Curve, ...]):
            given.pop("curves", None)
    observed = _observed_fields(content.get("seen"), careful=careful)
    return given | {"observed": observed, "data": content.get("data", {})}


def _metric_fields(content: Any) -> list[dict[str, Any]]:
    try:
        return [
            {"name": str(one["name"]), "value": one["value"], "unit": str(one.get("unit") or "")}
            for one in content or ()
        ]
    except (AttributeError, KeyError, TypeError) as error:
        raise MessageError(f"not a usable result: in its metrics {error!r}") from None


def _observed_fields(content: Any, *, careful: bool) -> dict[str, Any]:
    known: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    for name, value in content.items() if isinstance(content, Mapping) else ():
        if name == "ranks" and isinstance(value, list | tuple):
            known[name] = [_observed_fields(one, careful=careful) for one in value]
        elif value is None or name not in _FIELDS or (careful and not _has_type(value, _FIELDS[name])):
            facts[name] = value
        else:
            known[name] = value
    return known | {"facts": facts}


def _has_type(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True
