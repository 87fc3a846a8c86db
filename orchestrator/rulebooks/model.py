"""The words that rulebooks share: evidence, rules, figures of merit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

RunClass = Literal["base", "optimized"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Certainty:
    """What overlapped for certain, where clocks of several nodes told when instances ran.

    Parameters
    ----------
    overlap
        How many instances overlapped whatever the clocks were within their bounds.
    node
        The node whose clock may have been off furthest.
    ahead_seconds
        How far that clock was ahead of the driver's, at least and at most; None where that is not known.
    """

    overlap: int
    node: str
    ahead_seconds: tuple[float | None, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the ledger proves about one benchmark of a campaign; counts are of instances.

    "Instance" below always means an accepted one unless it says planned.

    Parameters
    ----------
    benchmark
        Label of the benchmark in the campaign.
    workload
        Name of the workload it runs.
    run_class
        ``base`` or ``optimized``.
    parameters
        Resolved parameters of the workload.
    broken_parameters
        One sentence for each parameter that differs from what a base run allows, as the
        workload's description words it: the parameter's name comes first.
    planned, accepted
        Instances planned, and those with an accepted attempt.
    concurrent
        Peak overlap of the accepted attempts' measured run intervals.
    certain
        How much of that is certain; None where one clock told it all.
    max_seconds
        Longest FOM time of any instance; None where no instance has one.
    without_seconds
        Instances whose FOM time is missing or not a number.
    min_accuracy
        Lowest quality value of any instance; None where no instance has one.
    without_accuracy
        Instances whose quality value is missing or not a number.
    below_target
        Instances below the workload's quality target.
    frameworks, precisions
        Distinct values the instances reported; ``unknown`` stands for one that did not say.
    versions
        Distinct software versions they reported, for the reader.
    synthetic_data
        Whether any instance read data made by this project; None if none told or none reads.
    other_data_sizes
        One sentence for each size in which the data that were read differ from the suite's.
    slot_mismatches
        Instances which saw other cores or devices than assigned, or did not report any.
    devices_used
        Whether every instance computed on its assigned devices; None where none was assigned.
    largest_devices
        Most devices any one instance held: GPUs (or parts of one), or ranks on CPU slots.
    distinct_seeds
        Whether no two instances share a seed.
    largest_share_of_system
        Nodes of the widest instance ÷ nodes of the whole system; None where unknown.
    fewest_epochs_run
        Least epochs any instance really trained; None where none reported a count.
    resumed
        Whether any instance went on from a checkpoint of an earlier attempt, so that its time lacks
        what that attempt took.
    disturbed
        Whether another campaign was seen on the same cores while this one ran.
    clocks_apart_seconds
        By how much the times of different processes contradict each other; 0 if they do not.

    Raises
    ------
    ValueError
        If the counts contradict each other; such evidence is a defect of whoever gathered it.
    """

    benchmark: str
    workload: str
    run_class: RunClass
    parameters: Mapping[str, Any]
    broken_parameters: tuple[str, ...]
    planned: int
    accepted: int
    concurrent: int
    max_seconds: float | None
    without_seconds: int
    min_accuracy: float | None
    without_accuracy: int
    below_target: int
    frameworks: frozenset[str]
    precisions: frozenset[str]
    synthetic_data: bool | None
    other_data_sizes: tuple[str, ...]
    slot_mismatches: int
    devices_used: bool | None
    largest_devices: int
    distinct_seeds: bool
    largest_share_of_system: float | None
    fewest_epochs_run: int | None = None
    resumed: bool = False
    disturbed: bool = False
    clocks_apart_seconds: float = 0.0
    certain: Certainty | None = None
    versions: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.run_class not in ("base", "optimized"):
            raise ValueError(f"{self.benchmark}: run class is base or optimized, not {self.run_class!r}")
        if not 0 <= self.concurrent <= self.accepted <= self.planned:
            raise ValueError(
                f"{self.benchmark}: {self.planned} planned, {self.accepted} accepted and "
                f"{self.concurrent} concurrent contradict each other"
            )
        if self.certain is not None and not 0 <= self.certain.overlap <= self.concurrent:
            raise ValueError(
                f"{self.benchmark}: {self.concurrent} concurrent and {self.certain.overlap} for certain "
                "contradict each other"
            )
        for name in ("without_seconds", "without_accuracy", "below_target", "slot_mismatches"):
            if not 0 <= getattr(self, name) <= self.accepted:
                raise ValueError(
                    f"{self.benchmark}: {name} is {getattr(self, name)} of {self.accepted} accepted"
                )
        if self.largest_devices < 0:
            raise ValueError(f"{self.benchmark}: an instance cannot hold {self.largest_devices} devices")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, whether it was kept, and the sentence that says why."""

    name: str
    passed: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkFom:
    """The figure of merit of one benchmark.

    `instances` are those the formula counts, `seconds` the longest time over all accepted ones,
    `accuracy` the lowest quality value, `arithmetic` the formula with its numbers put in. `fom`
    is None, never 0, where a number the formula needs was not measured.
    """

    benchmark: str
    workload: str
    group: str | None = None
    run_class: RunClass
    fom: float | None = None
    arithmetic: str = ""
    seconds: float | None
    instances: int
    reference_seconds: float | None = None
    reference_instances: int | None = None
    accuracy: float | None
    target: float | None = None
    rules: tuple[Rule, ...]

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons of the rules that were broken."""
        return tuple(rule.reason for rule in self.rules if not rule.passed)

    @property
    def reportable(self) -> bool:
        """Whether there is a number and no rule was broken."""
        return self.fom is not None and not self.reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFom:
    """The figure of merit of a group of benchmarks; absent while a member's is `missing`."""

    name: str
    fom: float | None
    arithmetic: str
    weight: float
    members: tuple[str, ...]
    missing: tuple[str, ...]
    reasons: tuple[str, ...]

    @property
    def reportable(self) -> bool:
        """Whether there is a number and nothing speaks against it."""
        return self.fom is not None and not self.reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFom:
    """The verdict on a campaign; `reasons` hold everything that keeps `overall` from counting."""

    rulebook: str
    benchmarks: tuple[BenchmarkFom, ...]
    groups: tuple[GroupFom, ...]
    overall: float | None
    arithmetic: str
    reasons: tuple[str, ...]

    @property
    def reportable(self) -> bool:
        """Whether there is an overall number and nothing speaks against it."""
        return self.overall is not None and not self.reasons

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON-ready data, ``reportable`` spelt out at every level."""
        data: dict[str, Any] = {"reportable": self.reportable, **asdict(self)}
        for key, parts in (("benchmarks", self.benchmarks), ("groups", self.groups)):
            data[key] = [
                {**asdict(part), "reportable": part.reportable, "reasons": list(part.reasons)}
                for part in parts
            ]
        return data


class Rulebook(Protocol):
    """What every rulebook module offers."""

    NAME: str
    FREES: frozenset[str]
    """Parameters that an optimized run may change, whatever their rule in a base run."""

    def judge(self, evidences: Sequence[Evidence]) -> SuiteFom:
        """Hold the evidence against the rules and state the figures of merit."""
        ...

    def refusal(self, workload: str, run_class: RunClass, parameters: Mapping[str, Any]) -> str | None:
        """Say why a run with these parameters cannot be of its class, before it is made; None if it can."""
        ...

    def forecast(self, workload: str, at_once: int, share_of_system: float | None) -> list[str]:
        """Say what of a plan will keep a benchmark from counting, however its instances fare.

        Parameters
        ----------
        at_once
            How many of its instances can run at the same time.
        share_of_system
            The part of the machine that one of them holds; None where the machine's size is unknown.
        """
        ...
