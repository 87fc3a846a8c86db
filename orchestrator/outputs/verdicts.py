"""Objects about figures of merit."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from orchestrator.outputs.campaigns import AnswerFacts, SearchFacts


class RuleFacts(TypedDict, closed=True):
    """Result of a rule; `passed` is null where it does not apply."""

    name: str
    passed: bool | None
    reason: str
    declared: NotRequired[list[str]]


class BenchmarkVerdictFacts(TypedDict):
    """Figures and rules of a benchmark; figures, their arithmetic and why they are absent are keys."""

    benchmark: str
    workload: str
    group: str | None
    run_class: str
    attempts: dict[str, int]
    rules: list[RuleFacts]
    reportable: bool | None
    reasons: list[str]
    declared: list[str]
    modifications: list[str]


class GroupVerdictFacts(TypedDict):
    """The figure of a group of benchmarks; figures are keys."""

    name: str
    members: list[str]
    missing: list[str]
    reasons: list[str]
    reportable: bool | None


class RankingFacts(TypedDict, closed=True):
    """Benchmarks that compete, the best first."""

    title: str
    benchmarks: list[str]


class StatedVerdict(TypedDict):
    """A verdict by itself; figures of the campaign are keys."""

    rulebook: str
    benchmarks: list[BenchmarkVerdictFacts]
    reportable: NotRequired[bool]
    groups: NotRequired[list[GroupVerdictFacts]]
    reasons: NotRequired[list[str]]
    rankings: NotRequired[list[RankingFacts]]


class PackageNote(TypedDict, closed=True):
    """A package that was written of a campaign."""

    root: str
    file: str
    at_us: int
    outdated: bool


class MakespanFacts(TypedDict, closed=True):
    """Where the time between the first start and the last stop went."""

    runs: int
    slots: int
    span_seconds: float
    start_skew_seconds: float
    median_run_seconds: float
    longest_run_seconds: float
    tail_seconds: float
    slot_use: float
    idle_slot_seconds: float
    idle_share: float


class VerdictFacts(StatedVerdict):
    """A verdict with the evidence that stands beside it."""

    makespan: dict[str, MakespanFacts]
    other_campaigns: list[str]
    evidence: dict[str, dict[str, Any]]
    former_verdict: NotRequired[dict[str, Any]]
    left_out: NotRequired[list[str]]
    data: NotRequired[dict[str, dict[str, Any]]]
    pools: NotRequired[dict[str, dict[str, int]]]
    packages: NotRequired[dict[str, list[PackageNote]]]
    changes: NotRequired[list[dict[str, str | None]]]
    answers: NotRequired[dict[str, list[AnswerFacts]]]
    searches: NotRequired[dict[str, list[SearchFacts]]]
    warnings: NotRequired[list[str]]
    achieved: NotRequired[list[dict[str, Any]]]
    roofline: NotRequired[dict[str, Any]]
