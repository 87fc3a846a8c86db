"""Objects that commands print about comparisons, nodes and slots."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from orchestrator.outputs.commands import Facts


class NodeRanks(TypedDict, closed=True):
    """Nodes, slots and positions by their slowdown; `exclude` is a line for a site file."""

    campaign: str
    false_alarm_rate: float
    slow: list[str]
    no_verdict: str | None
    nodes: list[Facts]
    slots: list[Facts]
    positions: list[Facts]
    failed_attempts: dict[str, int]
    without: list[Facts]
    differing: Facts
    conditions: list[Facts]
    exclude: str | None


class Screened(TypedDict, closed=True):
    """Nodes that were screened by micro-benchmarks."""

    campaign: str
    site: str
    pool: str
    asked_nodes: int
    held_node_minutes: float | None
    planned_node_minutes: float | None
    outcome: str | None
    false_alarm_rate: float
    missed_rate: float
    difference: float
    waves: dict[str, int]
    no_verdict: str | None
    named: list[str]
    undecided: list[str]
    to_decide: str | None
    benchmarks: list[Facts]
    nodes: list[Facts]
    silent: list[str]
    rates_of_a_slot: dict[str, int]
    unfinished: str
    cost: NotRequired[Facts]


class Tuned(TypedDict, closed=True):
    """Slot shapes of a workload with their figures."""

    campaign: str
    site: str
    workload: str
    pool: str
    unit: str
    time_unit: str
    memory_limit_bytes: int | None
    held_node_hours: float | None
    points: list[Facts]
    recommended: Facts | None
    as_good: list[str]
    dropped: dict[str, str]
    notes: list[str]
    refused: dict[str, str]
    unfinished: str
    planned_node_hours: float | None
    outcome: str | None
    certainty: NotRequired[Facts]
    cost: NotRequired[Facts]


class CampaignTime(TypedDict, closed=True):
    """FOM times of a benchmark in a campaign."""

    campaign: str
    benchmark: str
    unit: str
    runs: int
    median: Facts
    low: float | None
    high: float | None
    longest: float
    fom: float | None


class Comparison(TypedDict, closed=True):
    """Campaigns beside the first."""

    baseline: str
    confidence: float
    metric: str | None
    times: list[CampaignTime]
    changes: list[Facts]
    missing: dict[str, list[str]]
    different: Facts
    headline: dict[str, float | None]
    slower: NotRequired[list[str]]


class AxisComparison(TypedDict, closed=True):
    """Values of an axis beside each other."""

    axis: str
    metric: str
    better: str
    values: list[str]
    rows: list[Facts]
    failing: list[Facts]
    tallies: list[Facts]
    comparisons: int
    notes: list[str]
    certain: NotRequired[Facts]


class MakespanExplained(TypedDict, closed=True):
    """Parts of the slot time of a campaign, microseconds."""

    campaign: str
    offered_us: int
    slot_use: float
    parts_us: dict[str, int]
    benchmarks: dict[str, dict[str, int]]
    worst: dict[str, list[Facts]]
    node_hours: dict[str, float | None]
    blocks: list[Facts]
    cost: NotRequired[Facts]


class Study(TypedDict, closed=True):
    """Answers of a scaling study."""

    accuracy_breaks: list[Facts]
    block_energy: Facts
    claims: list[Facts]
    communication_costs: list[Facts]
    improvements: list[Facts]
    laws: list[Facts]
    link: Facts | None
    points: list[Facts]
    published: list[Facts]
    side_by_side: list[Facts]
    source: str | None
    units: dict[str, str]


class RooflineFacts(TypedDict, closed=True):
    """Ceilings, and trainings below them; rates are of a rank."""

    ceilings: list[Facts]
    trainings: list[Facts]


class Forecasts(TypedDict, closed=True):
    """Forecasts beside what came of them; ratios are measured by forecast, in the median."""

    confidence: float
    scored: int
    inside: int
    hours_scored: int
    hours_inside: int
    updates_scored: int
    updates_inside: int
    length_ratio: float | None
    hours_ratio: float | None
    forecasts: list[Facts]


class Projection(TypedDict, closed=True):
    """Figures of a larger machine, extrapolated."""

    prediction: str
    site: str
    nodes: int
    confidence: float
    benchmarks: list[Facts]
    headline: Facts | None
