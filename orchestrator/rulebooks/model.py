"""The model that all rulebooks share: figures, rules, verdicts, and what a rulebook offers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, ParamSpec

from orchestrator.rulebooks.measurements import Measurements
from orchestrator.wording import printable
from workloads.description import ParameterRule, QualityTarget

RESULTS = {True: "pass", False: "FAIL", None: "n/a"}
"""The words for a rule's result, by `CheckResult.passed`."""
_Facts = ParamSpec("_Facts")


def _escape(record: object, *names: str) -> None:
    """Escape what would control a terminal in texts of a record."""
    for name in names:
        given = getattr(record, name)
        text = printable(given) if isinstance(given, str) else tuple(map(printable, given))
        if text != given:
            object.__setattr__(record, name, text)


@dataclass(frozen=True)
class CheckResult:
    """Result of a check, and the sentence that gives the reason.

    Parameters
    ----------
    passed
        None where the rule does not apply, or where the ledger cannot decide it.
    declared
        Deviations under which the rule counts as passed; a report must state them.
    """

    passed: bool | None
    reason: str
    declared: tuple[str, ...] = ()


@dataclass(frozen=True)
class RuleResult(CheckResult):
    """Result of the rule with this name."""

    name: str = field(kw_only=True)

    def __post_init__(self) -> None:
        """Make its texts one line each: they quote names that anybody may have chosen."""
        _escape(self, "name", "reason", "declared")

    @property
    def result(self) -> str:
        """Its result in a word."""
        return RESULTS[self.passed]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        data: dict[str, Any] = {"name": self.name, "passed": self.passed, "reason": self.reason}
        return data | {"declared": list(self.declared)} if self.declared else data


@dataclass(frozen=True)
class Rule(Generic[_Facts]):
    """A rule of a rulebook. Called with the facts of a benchmark, it returns its result.

    Parameters
    ----------
    name
        A few words, by which verdicts and people call it.
    sentence
        States the rule.
    check
        Returns the result; it reads nothing but the facts that it is called with.
    """

    name: str
    sentence: str
    check: Callable[_Facts, CheckResult]

    def __call__(self, *facts: _Facts.args, **options: _Facts.kwargs) -> RuleResult:
        """Return the result of the check."""
        result = self.check(*facts, **options)
        return RuleResult(result.passed, result.reason, result.declared, name=self.name)


def rule(name: str, sentence: str) -> Callable[[Callable[_Facts, CheckResult]], Rule[_Facts]]:
    """Return a decorator that makes a `Rule` of its check."""
    return lambda check: Rule(name, sentence, check)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that a rulebook states.

    Parameters
    ----------
    name
        Key in JSON; a number with a unit ends in it (``seconds``).
    value
        None, never 0, where a number that it needs was not measured.
    unit
        Unit for tables; empty for counts and ratios.
    arithmetic
        The formula with its numbers put in, where the figure is computed from others.
    absent
        Why it has no value, where a reader would look for one.
    """

    name: str
    value: float | None
    unit: str = ""
    arithmetic: str = ""
    absent: str = ""

    def __post_init__(self) -> None:
        """Make its texts one line each."""
        _escape(self, "name", "unit", "arithmetic", "absent")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figured:
    """Fields that verdicts of a benchmark, a group and a campaign share.

    Parameters
    ----------
    headline
        The figure that is reported; None where the rulebook defines none.
    """

    headline: Figure | None
    figures: tuple[Figure, ...] = ()

    def __getitem__(self, name: str) -> float | None:
        """Return the value of the figure called `name`; raises `KeyError` where there is none."""
        for figure in (self.headline, *self.figures):
            if figure is not None and figure.name == name:
                return figure.value
        raise KeyError(name)

    def _reportable(self, reasons: Sequence[str]) -> bool | None:
        """Return whether the headline has a value and no reason speaks against it."""
        return None if self.headline is None else self.headline.value is not None and not reasons

    def _figures_to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {}
        if self.headline is not None:
            data = {self.headline.name: self.headline.value, "arithmetic": self.headline.arithmetic}
        for figure in self.figures:
            data[figure.name] = figure.value
            if figure.arithmetic:
                data[f"{figure.name}_arithmetic"] = figure.arithmetic
            if figure.absent:
                data[f"{figure.name}_absent"] = figure.absent
        return data


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkVerdict(_Figured):
    """Figures and rules of one benchmark; `group` is None for one that the suite does not have."""

    benchmark: str
    workload: str
    group: str | None = None
    run_class: str
    rules: tuple[RuleResult, ...]
    attempts: Mapping[str, int] = field(default_factory=dict)
    """Attempts by state and reason."""
    modifications: tuple[str, ...] = ()
    """What the run changed that its class leaves free."""

    def __post_init__(self) -> None:
        """Make its texts one line each."""
        _escape(self, "benchmark", "workload", "modifications")

    @property
    def declared(self) -> tuple[str, ...]:
        """Deviations under which it is reportable."""
        return tuple(text for result in self.rules for text in result.declared)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons of the rules that were broken."""
        return tuple(result.reason for result in self.rules if result.passed is False)

    @property
    def reportable(self) -> bool | None:
        """True if the headline has a value and no rule was broken; None without a headline."""
        return self._reportable(self.reasons)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "benchmark": self.benchmark,
            "workload": self.workload,
            "group": self.group,
            "run_class": self.run_class,
            **self._figures_to_dict(),
            "attempts": dict(self.attempts),
            "rules": [result.to_dict() for result in self.rules],
            "reportable": self.reportable,
            "reasons": list(self.reasons),
            "declared": list(self.declared),
            "modifications": list(self.modifications),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupVerdict(_Figured):
    """The figure of a group of benchmarks; it has no value while a member's is `missing`."""

    name: str
    members: tuple[str, ...]
    missing: tuple[str, ...]
    reasons: tuple[str, ...]

    @property
    def reportable(self) -> bool | None:
        """True if the headline has a value and nothing speaks against it."""
        return self._reportable(self.reasons)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "name": self.name,
            **self._figures_to_dict(),
            "members": self.members,
            "missing": self.missing,
            "reasons": self.reasons,
            "reportable": self.reportable,
        }


@dataclass(frozen=True, slots=True)
class Ranking:
    """Benchmarks that compete with each other: of one campaign, or of several that are judged together.

    Parameters
    ----------
    title
        What they have in common.
    benchmarks
        Their names, the best first.
    """

    title: str
    benchmarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(_Figured):
    """Statement of a rulebook about a campaign.

    Parameters
    ----------
    rulebook
        Name of the rulebook.
    benchmarks, groups
        In the order of the campaign and of the suite; a rulebook without groups leaves `groups` empty.
    columns
        Headings of the benchmarks' table, each with the name of the figure below it.
    reasons
        Everything that keeps the headline from being reportable.
    rankings
        Orders of benchmarks, for a rulebook that ranks.
    required
        What the suite asks a report to state of each benchmark, each with the name of the figure.
    worst_first
        Figure by which benchmarks that are not reportable are listed, the largest first, before the others.
    """

    rulebook: str
    benchmarks: tuple[BenchmarkVerdict, ...]
    groups: tuple[GroupVerdict, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    reasons: tuple[str, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    required: tuple[tuple[str, str], ...] = ()
    worst_first: str = ""

    @property
    def listed(self) -> Sequence[BenchmarkVerdict]:
        """The benchmarks in the order of tables; where the figure of `worst_first` is unknown, first."""

        def place(one: BenchmarkVerdict) -> tuple[bool, float]:
            value = one[self.worst_first]
            return bool(one.reportable), -math.inf if value is None else -value

        return sorted(self.benchmarks, key=place) if self.worst_first else self.benchmarks

    @property
    def reportable(self) -> bool | None:
        """True if the headline has a value and nothing speaks against it; None without a headline."""
        return self._reportable(self.reasons)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data; keys that a rulebook has nothing for are left out."""
        data: dict[str, Any] = {} if self.reportable is None else {"reportable": self.reportable}
        data |= {"rulebook": self.rulebook, "benchmarks": [one.to_dict() for one in self.benchmarks]}
        if self.groups:
            data["groups"] = [one.to_dict() for one in self.groups]
        data |= self._figures_to_dict()
        if self.headline is not None:
            data["reasons"] = self.reasons
        if self.rankings:
            data["rankings"] = [asdict(one) for one in self.rankings]
        return data

    def ranked(self, ranking: Ranking) -> list[list[Any]]:
        """Return the rows of a ranking's table: place, benchmark, the columns' figures, reportable.

        Only benchmarks that are reportable have a place.
        """
        named = {one.benchmark: one for one in self.benchmarks}
        rows: list[list[Any]] = []
        place = 0
        for name in ranking.benchmarks:
            one = named[name]
            place += bool(one.reportable)
            figures = [one[key] for _, key in self.columns]
            rows.append([place if one.reportable else None, name, *figures, one.reportable])
        return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRun:
    """One benchmark of a plan.

    Parameters
    ----------
    workload, run_class, parameters
        As in `Measurements`.
    broken_parameters
        Sentences, each beginning with a parameter's name, about broken rules of the workload's own.
    at_once
        How many of its instances can run at the same time.
    share_of_system
        The part of the machine that one instance holds; None where the machine's size is unknown.
    gpus_unprovable
        Why its processes cannot prove which GPUs they open; None where they can, or where it is not known.
    synthetic_data
        Whether its data are, or will be, made by this project.
    sweep
        Name of the sweep that it is a point of, if it is one.
    instances
        How many are planned; None where that is not known.
    """

    workload: str
    run_class: str
    parameters: Mapping[str, Any]
    broken_parameters: tuple[str, ...] = ()
    at_once: int
    instances: int | None = None
    share_of_system: float | None
    gpus_unprovable: str | None = None
    synthetic_data: bool = False
    sweep: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadRules:
    """Demands of a rulebook on one workload.

    Parameters
    ----------
    target
        Accuracy that every instance must reach; None where the suite sets none.
    parameters
        Rules of parameters; a parameter that is not listed is free.
    data
        Rules of the facts of the data that a run must have read.
    """

    target: QualityTarget | None = None
    parameters: Mapping[str, ParameterRule] = field(default_factory=dict)
    data: Mapping[str, ParameterRule] = field(default_factory=dict)


def _own_rules_only(run: PlannedRun) -> list[str]:
    """List broken rules of the workload's own."""
    return list(run.broken_parameters)


def _every_run(_workload: str, _run_class: str, _parameters: Mapping[str, Any]) -> str | None:
    """Accept every run: the ledger's record decides."""
    return None


@dataclass(frozen=True, kw_only=True)
class Rulebook:
    """The rules of a suite, as functions and facts.

    Parameters
    ----------
    name
        By which campaign files call it.
    title
        One line for lists.
    source
        Where the rules are published.
    headline
        The figure that is reported, in words; empty where the rulebook defines none.
    meaning
        What that figure means, in a sentence for people who do not know the suite.
    reference
        System whose figure is 1; empty where the figure is no ratio to a system.
    run_classes
        Values of a campaign's ``class``; the first is the default.
    unmodified_run_classes
        Run classes of unmodified code, whose environment changes no training.
    rules
        All rules, in the order of a list of them.
    groups
        Groups of the suite with their workloads.
    judge
        Returns figures and rules of a campaign, from what was measured of each benchmark.
    preflight
        Returns what in a plan will keep a benchmark from being reportable, whatever its instances measure.
    reject_reason
        Returns why a run of a workload, in a run class, with these parameters cannot be of its class, or
        None; a campaign with such a benchmark is refused when its file is read.
    workloads
        Returns the benchmarks of the suite, by the name of their workload.
    node_fom
        Returns what one node adds to the figure, from a workload of the suite, instances at once on the
        node, and the longest of their times; None where no figure is a sum over nodes.
    fixed_runs
        Why campaigns may not stop by what they measured, as the suite fixes the number of runs; empty where
        they may.
    one_benchmark_at_a_time
        Whether a benchmark starts only when no instance of another one runs.
    needs_runs
        Whether ``judge`` reads `Measurements.runs`; gathering them costs a pass over all accepted attempts.
    metrics
        Names of metrics to gather into `AcceptedRuns.metrics`; ``needs_runs`` gathers them.
    node_facts
        Groups of facts of nodes, such as ``cpu.``, to gather into `Measurements.node_facts`; ``needs_runs``
        gathers them.
    ranks_campaigns
        Whether several campaigns that are judged together compete, and do not make one suite.
    decides_exit_code
        Whether `fom` ends with an exit code of its own unless every benchmark is reportable.
    shows_roofline
        Whether `fom` and `launch` end with the place of trainings below the ceilings that were measured.
    """

    name: str
    title: str
    source: str
    headline: str = ""
    meaning: str = ""
    reference: str = ""
    run_classes: tuple[str, ...]
    unmodified_run_classes: tuple[str, ...] = ()
    rules: tuple[Rule[...], ...]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    judge: Callable[[Sequence[Measurements]], Verdict]
    preflight: Callable[[PlannedRun], list[str]] = _own_rules_only
    reject_reason: Callable[[str, str, Mapping[str, Any]], str | None] = _every_run
    workloads: Callable[[], Mapping[str, WorkloadRules]] = dict
    node_fom: Callable[[str, int, float], float] | None = None
    fixed_runs: str = ""
    one_benchmark_at_a_time: bool = False
    needs_runs: bool = False
    metrics: tuple[str, ...] = ()
    node_facts: tuple[str, ...] = ()
    ranks_campaigns: bool = False
    decides_exit_code: bool = False
    shows_roofline: bool = False

    @property
    def sentences(self) -> dict[str, str]:
        """The sentence of each rule, by its name."""
        return {rule.name: rule.sentence for rule in self.rules}
