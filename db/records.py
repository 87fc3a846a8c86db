"""Rows that travel between the orchestrator and the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from db.states import AttemptState, InstanceState


@dataclass(frozen=True, slots=True)
class NewCampaign:
    """A campaign as it is registered: exact texts, so that a resume plans the same instances."""

    name: str
    uid: str
    campaign_yaml: str
    site_name: str
    site_yaml: str
    rulebook: str
    run_class: str
    run_directory: str
    data_path: str


@dataclass(frozen=True, slots=True)
class CampaignRow:
    """A registered campaign; `lease_owner` is the driver that holds it, if any."""

    campaign_id: int
    name: str
    uid: str
    campaign_yaml: str
    campaign_sha256: str
    site_name: str
    site_yaml: str
    site_sha256: str
    rulebook: str
    run_class: str
    run_directory: str
    data_path: str
    created_us: int
    outcome: str | None
    stop_request: str | None
    lease_owner: str | None
    lease_expires_us: int | None


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event that is written with its campaign; see `Ledger.note`."""

    kind: str
    message: str
    subject: str = ""
    data: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class NewBenchmark:
    """One benchmark of a campaign; `parameters` and `slot` are JSON texts."""

    benchmark: str
    workload: str
    instances: int
    parameters: str
    slot: str
    timeout_seconds: float | None
    quality_metric: str | None
    quality_target: float | None


@dataclass(frozen=True, slots=True)
class NewPoint:
    """The value of one axis at a point of a sweep; `number` is None if it is no number."""

    benchmark: str
    axis: str
    place: int
    sweep: str
    value: str
    number: float | None


@dataclass(frozen=True, slots=True)
class NewInstance:
    """One planned run: `instance_id` is its number in the campaign, `benchmark_index` in its benchmark."""

    instance_id: int
    benchmark: str
    benchmark_index: int
    seed: int


@dataclass(frozen=True, slots=True)
class NewAttempt:
    """A try about to be handed to the engine."""

    instance_id: int
    attempt_number: int
    token: str
    slot_shape: str
    submitted_us: int


@dataclass(frozen=True, slots=True)
class NewSample:
    """Samples of one quantity and device while an attempt ran.

    `points` is JSON: lists of the seconds since `begin_us`, and of the mean, lowest and highest value
    from then to the next point, or of the one value if all three agree.
    """

    quantity: str
    node: str
    device: str
    unit: str
    source: str
    begin_us: int
    points: str


@dataclass(frozen=True, slots=True)
class NewCurve:
    """A learning curve of an attempt; its `axis` is ``epoch`` or ``step``.

    `points` is JSON: lists of the epoch or step and the value, null where it was not finite.
    """

    name: str
    axis: str
    points: str


@dataclass(frozen=True, slots=True)
class LedgerReport:
    """A change of one attempt's state.

    Parameters
    ----------
    token
        The attempt's fencing token; a report whose token is unknown, or whose attempt is
        already final, is kept as evidence and changes no figure.
    state
        New state.
    at_us
        When it happened, for the event.
    values
        Columns of the attempts table.
    metrics
        Name, value, unit.
    environment
        What the process ran in; stored once per distinct content.
    instance_state
        What becomes of the instance; ``None`` leaves it as it is.
    documents
        Lists of code files and environment variables that `values` name by key.
    samples
        What was sampled while it ran, one row per quantity and device.
    curves
        Its learning curves.
    """

    token: str
    state: AttemptState
    at_us: int
    values: Mapping[str, Any] = field(default_factory=dict)
    metrics: tuple[tuple[str, float, str], ...] = ()
    environment: Mapping[str, Any] | None = None
    instance_state: InstanceState | None = None
    documents: tuple[Mapping[str, Any], ...] = ()
    samples: tuple[NewSample, ...] = ()
    curves: tuple[NewCurve, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """An instance that still needs an accepted attempt.

    Parameters
    ----------
    attempts, timeouts, out_of_memory, out_of_disk
        How many attempts it has had, and how many of these ended at their timeout, out of memory, and out of
        their node's disk.
    """

    instance_id: int
    benchmark: str
    benchmark_index: int
    seed: int
    attempts: int
    timeouts: int = 0
    out_of_memory: int = 0
    out_of_disk: int = 0


@dataclass(frozen=True, slots=True)
class SettledBenchmark:
    """Benchmarks of which no waiting instance runs, with the event that says why.

    Parameters
    ----------
    benchmarks
        Their names; the event is about the first.
    state
        State of their instances from now on.
    """

    benchmarks: tuple[str, ...]
    state: InstanceState
    kind: str
    message: str
    data: Mapping[str, Any]
    at_us: int


@dataclass(frozen=True, slots=True)
class SuggestedTrial:
    """A trial whose parameters an optimizer chose.

    Parameters
    ----------
    benchmark
        Of the trial.
    parameters
        Those that were chosen.
    points
        The same as axes of the trial.
    message, data, at_us
        Of the event that keeps the choice.
    """

    benchmark: str
    parameters: Mapping[str, Any]
    points: tuple[NewPoint, ...]
    message: str
    data: Mapping[str, Any]
    at_us: int


@dataclass(frozen=True, slots=True)
class OpenAttempt:
    """An attempt without a final state."""

    instance_id: int
    attempt_number: int
    token: str
    benchmark: str
    state: AttemptState


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """One scheduler job that holds nodes."""

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
