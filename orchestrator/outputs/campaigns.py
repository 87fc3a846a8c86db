"""Objects about campaigns: where they stand, their events, and what became of requests."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict


class BenchmarkProgressFacts(TypedDict, closed=True):
    """Instances of a benchmark: how many wait, run and ended."""

    benchmark: str
    total: int
    planned: int
    running: int
    done: int
    exhausted: int
    failed_attempts: int
    longest: float | None
    unit: str
    longest_running_seconds: float | None
    paused: bool


class FailureFacts(TypedDict, closed=True):
    """An attempt that failed."""

    at_us: int | None
    instance: str
    attempt: int
    state: str
    reason: str
    message: str | None
    node: str | None


class ProgressFacts(TypedDict, closed=True):
    """How far a campaign is; what only a driver makes is null without a driver."""

    total: int
    done: int
    benchmarks: list[BenchmarkProgressFacts]
    slots: int | None
    slots_busy: int | None
    per_minute: float | None
    time_left: dict[str, Any] | None
    failures: list[FailureFacts]


class BlockFacts(TypedDict, closed=True):
    """A block (job of the batch system) that has not ended; times are UTC microseconds."""

    block: str
    job: str | None
    state: str
    reason: str | None
    nodes: int
    requested_us: int
    started_us: int | None
    left_seconds: float | None
    pool: str | None


class DriverPlaceFacts(TypedDict, closed=True):
    """Where a driver runs, or the job that will run the next; `since_us` is in UTC microseconds."""

    host: str | None
    pid: int | None
    job: str | None
    log: str | None
    output: str | None
    since_us: int


class AnswerFacts(TypedDict, closed=True):
    """A question that may end a campaign, and what is known of it."""

    label: str
    metric: str
    points: list[list[str]]
    until: dict[str, Any] | None
    decide: dict[str, Any] | None
    certain: bool
    pairs: list[dict[str, Any]]
    precision: list[dict[str, Any]]
    sentences: list[str]
    left_out: dict[str, int]
    runs: int
    fixed_runs: int | None


class SearchFacts(TypedDict, closed=True):
    """A search for parameters, and its trials."""

    search: str
    method: str
    sampler: str | None
    metric: str
    goal: str
    rungs: list[dict[str, Any]]
    trials: list[dict[str, Any]]
    instances_run: int
    instances_pruned: int
    node_hours_saved: float | None


class SessionFacts(TypedDict, closed=True):
    """A launch or resume of a campaign; times are UTC."""

    session: int
    kind: str
    host: str
    started: str
    ended: str | None
    outcome: str | None


_Class = TypedDict("_Class", {"class": str})


class RangeFacts(TypedDict, closed=True):
    """A figure that is predicted; it lies between the ends with the stated confidence."""

    low: float | None
    median: float
    high: float | None


class ForecastFacts(TypedDict, closed=True):
    """Length and node-hours that a campaign was expected to take, from its registration to its end."""

    registered: str
    made: str
    runs: int
    confidence: float
    makespan_seconds: RangeFacts
    node_hours: RangeFacts


class UpdatedForecast(TypedDict, closed=True):
    """A campaign that runs, with what it is expected to take by now."""

    campaign: str
    forecast: ForecastFacts


class CampaignFacts(_Class, closed=True):
    """Where a campaign stands."""

    at: str
    campaign: str
    site: str
    created: str
    owner: NotRequired[str | None]
    tags: NotRequired[list[str]]
    note: NotRequired[str | None]
    driver: str | None
    outcome: str | None
    stop_request: str | None
    next: list[str] | None
    instances: dict[str, int]
    benchmarks: dict[str, dict[str, int]]
    progress: ProgressFacts
    attempts: dict[str, int]
    reasons: dict[str, int]
    directory: str
    sessions: list[SessionFacts]
    driver_place: NotRequired[DriverPlaceFacts]
    driver_job: NotRequired[DriverPlaceFacts]
    blocks: NotRequired[list[BlockFacts]]
    excluded_nodes: NotRequired[dict[str, str]]
    wave: NotRequired[int]
    sweeps: NotRequired[dict[str, list[str]]]
    superseded: NotRequired[dict[str, int]]
    left_out: NotRequired[list[str]]
    paused: NotRequired[list[str]]
    paused_pools: NotRequired[list[str]]
    pool_changes: NotRequired[list[str]]
    answers: NotRequired[list[AnswerFacts]]
    searches: NotRequired[list[SearchFacts]]
    forecast: NotRequired[ForecastFacts]
    updated_forecast: NotRequired[ForecastFacts]
    log: NotRequired[list[str]]
    figures_so_far: NotRequired[list[dict[str, Any]]]


class WatchMessage(TypedDict, closed=True):
    """Why a look at a campaign failed; the next may not."""

    message: str


class WaitingCampaign(TypedDict, closed=True):
    """A campaign that a submitted job will launch; the ledger does not have it yet."""

    campaign: str
    driver: None
    outcome: None
    instances: dict[str, int]
    benchmarks: dict[str, dict[str, int]]
    driver_job: DriverPlaceFacts


_FromTo = TypedDict("_FromTo", {"from": str | None, "to": str | None})


class EventFacts(_FromTo, closed=True):
    """An event of a campaign; `event` grows with every event."""

    event: int
    at: str
    kind: str
    subject: str
    message: str
    data: Any
    instance: int | None
    attempt: int | None


class Outcome(TypedDict, closed=True):
    """Counts of a campaign that was followed to its end."""

    campaign: str
    outcome: str | None
    instances: dict[str, int]
    exit_code: int


class GainFacts(TypedDict, closed=True):
    """Settings of a pool's blocks, the gain in a campaign's length, and from which blocks their waits are."""

    pool: str
    settings: list[str]
    sooner_seconds: float
    node_hours: float
    waits: str


class UnknownWaitFacts(TypedDict, closed=True):
    """Settings of a pool's blocks of which no wait is known, and the batch system's answers about them."""

    pool: str
    settings: list[str]
    answers: list[str]


class PackingFacts(TypedDict, closed=True):
    """Length of a next campaign with another number of instances a node; `node_hours` is the rise."""

    benchmark: str
    slot: str
    instances_per_node: int
    before_per_node: int
    campaigns: list[str]
    seconds: float
    before_seconds: float
    node_hours: float
    sooner_seconds: float


class GainsFacts(TypedDict, closed=True):
    """Changes with which a campaign would end sooner, changes without gain, and those not simulated."""

    changes: list[GainFacts]
    without_gain: list[GainFacts]
    unknown: list[UnknownWaitFacts]
    packings: list[PackingFacts]
    packings_are_measured: bool


class Waits(TypedDict, closed=True):
    """Reasons for which a campaign or an instance waits, a sentence each."""

    campaign: str
    instance: str | None
    waits_for: list[str]
    sooner: NotRequired[GainsFacts]


class Launched(TypedDict, closed=True):
    """A driver that was started without a terminal."""

    campaign: str
    pid: int
    output: str


class StopAsked(TypedDict, closed=True):
    """A stop: `asked` is false where no driver runs the campaign; `outcome` is null unless it was awaited."""

    campaign: str
    asked: bool
    outcome: str | None


class AskedFacts(TypedDict, closed=True):
    """Outcome of a request; where it is not `applied`, the driver applies it within seconds."""

    applied: bool
    instances: int
    message: str


class AddedFacts(TypedDict, closed=True):
    """Instances that were added to a campaign, by benchmark, and the benchmarks that are new."""

    campaign: str
    instances: dict[str, int]
    new_benchmarks: list[str]


class LabelFacts(TypedDict, closed=True):
    """Owner, tags and note of a campaign."""

    campaign: str
    owner: NotRequired[str | None]
    tags: NotRequired[list[str]]
    note: NotRequired[str | None]


class StoredFile(TypedDict, closed=True):
    """A campaign file that `serve` may launch."""

    file: str


class ProblemFacts(TypedDict, closed=True):
    """Why a request has no answer; `status` is that of HTTP."""

    status: int
    message: str


class Problem(TypedDict, closed=True):
    """The answer to a request that has none."""

    error: ProblemFacts
