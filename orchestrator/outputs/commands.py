"""Objects that commands print about files, ledgers, machines and packages."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from orchestrator.outputs.verdicts import StatedVerdict

Facts = dict[str, Any]
"""An object whose keys differ from one to the next."""

_Class = TypedDict("_Class", {"class": str})


class _Set(TypedDict):
    set: list[str]


class Finished(TypedDict, closed=True):
    """The end of a launch or resume; `fom` is null where the ledger could not be read."""

    campaign: str
    outcome: str
    total: int
    done: int
    exhausted: int
    directory: str
    ledger: str
    fom: StatedVerdict | None
    warnings: NotRequired[list[str]]
    roofline: NotRequired[Facts]


class SubmittedDriver(TypedDict, closed=True):
    """A job that was submitted to run a driver."""

    campaign: str
    job: str
    output: str


class PlanFacts(_Class, closed=True):
    """A plan: its stages with blocks, slots and benchmarks."""

    campaign: str
    site: str
    rulebook: str
    instances: int
    left_out: dict[str, str]
    stages: list[Facts]
    cost: NotRequired[Facts]
    order: NotRequired[Facts]
    certainty: NotRequired[list[Facts]]
    missing_packages: NotRequired[list[str]]
    unknown_packages: NotRequired[str | None]
    node_hours: NotRequired[float | None]
    most_points: NotRequired[int]


class ForecastFacts(TypedDict):
    """A simulated campaign."""

    prediction: str


class AskedStage(TypedDict, closed=True):
    """Answer of the batch system about the blocks of a stage; `accepted` is null where it does not say."""

    stage: int
    slot: str
    blocks: int
    nodes_per_block: int
    walltime_seconds: float
    accepted: bool | None
    words: str


class PlanAsked(TypedDict, closed=True):
    """Answers of the batch system about a plan."""

    campaign: str
    site: str
    stages: list[AskedStage]


class Superseded(TypedDict, closed=True):
    """An instance that missed its accuracy, and the one in its place."""

    instance: str
    accuracy: float
    by: str
    seed: int


class Replaced(TypedDict, closed=True):
    """Instances that were planned in place of others."""

    campaign: str
    replaced: list[Superseded]


class Provenance(TypedDict, closed=True):
    """Workloads, code and environment variables that a campaign ran with."""

    campaign: str
    sessions: list[Facts]
    code: dict[str, Facts]
    variables: dict[str, Facts]
    listings: dict[str, Any]
    workloads: dict[str, Facts | None]
    block_energy: str
    blocks: list[Facts]


class KernelFacts(TypedDict, closed=True):
    """A kernel with its class (`kind`); `seconds` are those of all calls, without kernels that it called."""

    name: str
    kind: str
    calls: int
    seconds: float


class KernelProfile(TypedDict, closed=True):
    """Kernels of an attempt, on GPUs (`device`) or on CPUs (`host`), with the seconds of each class."""

    instance: str
    attempt: int
    file: str
    profiler: str
    place: str
    seconds: float
    busy_seconds: float | None
    kernel_seconds: float
    classes: dict[str, float]
    kernels: list[KernelFacts]


class Timeline(TypedDict, closed=True):
    """Communication of an attempt's ranks; `last_ranks` counts how often the others waited for each."""

    file: str
    seconds: float
    activities: dict[str, dict[str, float]]
    last_ranks: dict[str, int]


class LogFile(TypedDict, closed=True):
    """A log: its place, and its last lines."""

    log: str
    path: str
    lines: NotRequired[list[str]]


class Logs(TypedDict, closed=True):
    """Logs of a campaign or an instance; `missing` says why there are none."""

    campaign: str
    instance: str | None
    logs: list[LogFile]
    missing: list[str]


class WrittenReport(TypedDict, closed=True):
    """Files of a report."""

    campaign: str
    file: str
    preview: str | None
    figures: list[str]
    verdict: str


class PackageFacts(TypedDict, closed=True):
    """A package that was written."""

    file: str
    root: str
    members: int
    bytes: int
    signed: bool
    warnings: list[str]


class VerifiedPackage(TypedDict, closed=True):
    """A package that was verified."""

    file: str
    root: str
    verified: bool
    findings: list[str]
    notes: list[str]
    campaigns: list[str]
    packaged_by: str | None
    verified_by: str
    signed_by: str | None
    reports: int
    verdict: Facts | None


class ListLog(TypedDict, closed=True):
    """The log of a list: number of lines, and the Merkle root over them."""

    lines: int
    root: str


class BuiltList(TypedDict, closed=True):
    """A list of packages that was built, with the changes that its log got."""

    site: str
    rows: list[Facts]
    changes: list[dict[str, str]]
    log: ListLog


class CheckedList(TypedDict, closed=True):
    """A list whose rows were recomputed; `root` is the Merkle root of its log."""

    site: str
    rows: int
    root: str
    findings: list[str]
    notes: list[str]


class SiteRow(TypedDict, closed=True):
    """A site; `default` says why it is the default, and is null of others."""

    site: str
    scheduler: str
    description: str
    origin: str
    file: str
    default: str | None


class SiteFile(TypedDict, closed=True):
    """A site file that was written."""

    site: str
    file: str


class WorkloadFile(TypedDict, closed=True):
    """A workload file that was written."""

    workload: str
    file: str


class SiteFinding(TypedDict, closed=True):
    """A check of a site."""

    what: str
    good: bool
    observed: str


class SiteChecked(TypedDict, closed=True):
    """Checks of a site."""

    site: str
    good: bool
    findings: list[SiteFinding]


class Leftover(TypedDict, closed=True):
    """A process, job or file of a dead driver."""

    kind: str
    campaign: str | None
    description: str
    ended: bool
    problem: str | None


class Leftovers(TypedDict, closed=True):
    """Leftovers of dead drivers."""

    leftovers: list[Leftover]
    notes: list[str]


class WorkloadRow(TypedDict, closed=True):
    """A workload."""

    name: str
    title: str
    fom_time: str


class WorkloadFacts(TypedDict):
    """A description of a workload, with the rules of rulebooks."""

    name: str
    title: str
    source: str
    entry: str
    parameters: list[Facts]
    fom_time: str
    rulebooks: dict[str, Facts]


class RulebookRow(TypedDict, closed=True):
    """A rulebook."""

    name: str
    title: str
    run_classes: list[str]


class RulebookFacts(TypedDict, closed=True):
    """A rulebook with its rules."""

    name: str
    title: str
    source: str
    headline: str
    run_classes: list[str]
    groups: dict[str, list[str]]
    benchmarks: dict[str, Facts]
    rules: dict[str, str]


class Fetched(TypedDict, closed=True):
    """Files that were fetched."""

    directory: str
    fetched: list[Any]


class FetchList(TypedDict, closed=True):
    """Files that can be fetched."""

    files: list[dict[str, str]]
    source: str
    licence: str


class DataVerified(TypedDict):
    """Facts of data files, with their checksums."""

    checksums: list[Facts]


class LedgerSchema(TypedDict, closed=True):
    """A ledger and its schema."""

    ledger: str
    schema: str


class LedgerVerified(TypedDict, closed=True):
    """Findings of a verification."""

    campaigns: list[str]
    findings: list[Facts]
    notes: list[str]
    reports: int


class Compacted(TypedDict, closed=True):
    """Bytes of a run directory before and after."""

    before: int
    after: int
    problems: list[str]


class BackedUp(TypedDict, closed=True):
    """A copy of a ledger."""

    ledger: str
    file: str
    bytes: int


class SentTraces(TypedDict, closed=True):
    """Spans of each campaign that a collector of OpenTelemetry took."""

    collector: str
    spans: dict[str, int]


class Exported(TypedDict, closed=True):
    """An export: its tables with checksums, or the runs of each campaign."""

    folder: str
    runs: NotRequired[dict[str, int]]
    format: NotRequired[int]
    schema: NotRequired[str]
    exported_us: NotRequired[int]
    kind: NotRequired[str]
    campaigns: NotRequired[list[Facts]]
    tables: NotRequired[dict[str, Facts]]
    superseded: NotRequired[int]


class Imported(TypedDict, closed=True):
    """Campaigns that were taken into a ledger."""

    campaigns: list[str]
    skipped: list[str]
    running: list[str]
    rows: dict[str, int]


class Rebuilt(TypedDict):
    """A ledger that was rebuilt from a run directory."""

    campaign: str
    message: str


class Renamed(TypedDict, closed=True):
    """A campaign with a new name."""

    campaign: str
    before: str
    run_directory: str


class Removed(TypedDict, closed=True):
    """Files of a campaign that were removed."""

    campaign: str
    bytes: int
    removed: dict[str, int]
    problems: list[str]


class PartCost(_Set, closed=True):
    """A campaign behind a document, and what it costs here."""

    campaign: str
    file: str
    instances: int
    nodes: int | None
    node_hours: float | None
    node_hours_at_most: float | None
    problem: str | None


class Document(TypedDict):
    """A published document."""

    document: str
    title: str


class RegeneratedDocument(TypedDict, closed=True):
    """Tables of a document beside what was measured."""

    document: str
    title: str
    source: str
    campaigns: list[str]
    tables: list[Facts]
    claims: list[Facts]
