"""Objects about instances and their attempts."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict


class InstanceRow(TypedDict):
    """An instance with the figures of its accepted, or else last, attempt; axes of its sweep are keys."""

    benchmark: str
    benchmark_index: int
    seed: int
    state: str
    attempts: int
    attempt_state: str | None
    fom_seconds: float | None
    accuracy: float | None
    node: str | None
    slot_index: int | None
    run_start: str | None
    run_stop: str | None
    peak_memory_bytes: int | None
    failure_reason: str | None
    superseded_by: str | None
    code: str | None
    variables: str | None


class Quantity(TypedDict, closed=True):
    """A number with its unit; null where it was not finite."""

    value: float | None
    unit: str


class CurveFacts(TypedDict, closed=True):
    """A learning curve: pairs of epoch or step (`axis`) and value."""

    axis: str
    points: list[list[float | None]]


class _Attempt(TypedDict):
    attempt: int
    state: str
    failure_category: str | None
    failure_reason: str | None
    failure_message: str | None
    block_id: str | None
    node: str | None
    slot_index: int | None
    cores: str | None
    fom_seconds: float | None
    accuracy: float | None
    exit_code: int | None
    signal: str | None
    peak_memory_bytes: int | None
    cpu_seconds: float | None
    stdout_path: str | None
    stderr_path: str | None
    times: dict[str, str | None]
    observed: dict[str, Any]
    data_facts: dict[str, Any]
    metrics: dict[str, Quantity]
    stderr_tail: str | None
    curves: NotRequired[dict[str, CurveFacts]]


_FromTo = TypedDict("_FromTo", {"from": str | None, "to": str | None})


class InstanceEvent(_FromTo, closed=True):
    """An event of an instance."""

    at: str
    kind: str
    attempt: int | None
    detail: str | None


class AttemptFacts(_Attempt, closed=True):
    """An attempt at an instance."""


class InstanceFacts(TypedDict, closed=True):
    """An instance with its attempts and events."""

    instance: str
    seed: int
    state: str
    accepted_attempt: int | None
    attempts: list[AttemptFacts]
    events: list[InstanceEvent]
    superseded_by: NotRequired[str]
    sweep: NotRequired[str]
    axes: NotRequired[dict[str, str | float]]
    data: NotRequired[dict[str, Any]]


class CurvesOfAttempt(TypedDict, closed=True):
    """The learning curves of an attempt by name."""

    instance: str
    attempt: int
    curves: dict[str, CurveFacts]


class AttemptOfInstance(_Attempt, closed=True):
    """An attempt, with the label of its instance."""

    instance: str


class MetricFacts(TypedDict, closed=True):
    """A metric of an attempt; `value` is null where it was not finite."""

    instance: str
    attempt: int
    name: str
    value: float | None
    unit: str


class LogTexts(TypedDict, closed=True):
    """Texts that an attempt wrote; `missing` says why there are none."""

    instance: str
    attempt: int
    missing: str | None
    stdout: NotRequired[str | None]
    stderr: NotRequired[str | None]
