"""Finds nodes of a screening that fail or are slow, by each slot's rates against the same slot elsewhere.

A rate is divided by the median over the nodes of the same benchmark and slot number, as slots of a node may
differ by design. The two tests of `node_scores` then compare nodes, and slots of all nodes, in each benchmark
by itself; a third asks that the quicker runs of a place are slow, too. Probabilities are adjusted for nodes,
slots, benchmarks and both levels together, so that `FALSE_ALARMS` bounds the probability that any good node
of a screening is called slow.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from db.evidence.rates import SlotRate
from db.states import AttemptState
from orchestrator.analysis.base.statistics import holm
from orchestrator.analysis.nodes.scores import FALSE_ALARMS, LEAST_PLACES, place_scores, spread_test

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FAILED = (AttemptState.FAILED, AttemptState.TIMED_OUT, AttemptState.LOST)
_MARGIN = 2
"""By which probabilities are raised: in simulations, one-sided noise beside differences of all nodes doubles
the rate of false alarms, and other noise stays far below it."""
_OF_THE_DRIVER = ("driver died", "engine failed")
"""Reasons of lost attempts that say nothing about their node."""
_WITH_THE_DRIVER = "worker died"
"""Reason that says nothing about it either in a session whose driver died: workers end with their driver."""


@dataclass(frozen=True, slots=True)
class ScreenedBenchmark:
    """Measurements of one benchmark on all nodes.

    Parameters
    ----------
    median
        Of all accepted rates.
    failed_nodes, message
        Nodes on which it failed, and the first message, where these are so many that no node is to blame;
        else none and empty.
    """

    name: str
    unit: str
    median: float
    failed_nodes: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class ScreenedNode:
    """One node.

    Parameters
    ----------
    relative
        Median of its rates ÷ median over the nodes, by benchmark: 0.9 is 10 % slower.
    worst_slot, worst_relative, worst_benchmark
        Its slowest slot in the benchmark in which that is slowest; None where nothing was accepted.
    values
        Number of accepted rates.
    failed, message
        Attempts that failed, timed out or were lost, and the first one's message.
    slow_in
        Benchmarks in which it is slow as a whole, or one of its slots is: ``gemm``, ``triad slot 3``.
    probability
        Smallest probability of an error if it is called slow, adjusted for all tests.
    """

    node: str
    relative: Mapping[str, float]
    worst_slot: int | None
    worst_relative: float | None
    worst_benchmark: str
    values: int
    failed: int = 0
    message: str = ""
    slow_in: tuple[str, ...] = ()
    probability: float = 1.0

    @property
    def verdict(self) -> str:
        """``failing``, ``slow``, or empty."""
        return "failing" if self.failed else "slow" if self.slow_in else ""

    @property
    def why(self) -> str:
        """The reason of the verdict, for people; empty without one."""
        if self.failed:
            message = " ".join(self.message.split())
            return f"{self.failed} attempt{'s'[: self.failed != 1]} failed{f': {message}' if message else ''}"
        if not self.slow_in or self.worst_relative is None:
            return ""
        worst = f"{self.worst_benchmark} {self.worst_relative:.3g} of the median on slot {self.worst_slot}"
        return f"slow in {', '.join(self.slow_in)}; {worst}"


@dataclass(frozen=True, slots=True)
class Judged:
    """The nodes of a screening, those with a verdict first, then the slowest.

    Parameters
    ----------
    no_verdict
        Why no node can be called slow; empty if one could.
    """

    nodes: tuple[ScreenedNode, ...]
    benchmarks: tuple[ScreenedBenchmark, ...]
    no_verdict: str = ""

    @property
    def named(self) -> tuple[ScreenedNode, ...]:
        """Nodes that are failing or slow."""
        return tuple(one for one in self.nodes if one.verdict)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "false_alarm_rate": FALSE_ALARMS,
            "no_verdict": self.no_verdict or None,
            "named": [one.node for one in self.named],
            "benchmarks": [asdict(one) for one in self.benchmarks],
            "nodes": [
                {**asdict(one), "relative": dict(one.relative), "verdict": one.verdict} for one in self.nodes
            ],
        }


@dataclass(slots=True)
class _Node:
    """Values gathered of a node by benchmark and slot, and the rest of a `ScreenedNode`."""

    relative: dict[str, dict[int, list[float]]] = field(default_factory=dict)
    failed: int = 0
    message: str = ""
    slow_in: list[str] = field(default_factory=list)
    probability: float = 1.0


def judge(found: Sequence[SlotRate], died: Collection[int] = ()) -> Judged:
    """Return the nodes of a screening with their verdicts.

    Parameters
    ----------
    found
        All attempts.
    """
    found = [
        replace(one, reason=_OF_THE_DRIVER[0])
        if one.reason == _WITH_THE_DRIVER and one.session in died
        else one
        for one in found
    ]
    nodes = {one.node: _Node() for one in found}
    by_benchmark: dict[str, list[SlotRate]] = {}
    for one in found:
        by_benchmark.setdefault(one.benchmark, []).append(one)
    benchmarks = []
    rated = {name: _Rated.of(members) for name, members in by_benchmark.items()}
    levels = 1 + any(len(set(one.slot.tolist())) > 1 for one in rated.values())
    tests = _MARGIN * levels * sum(len(one.names) >= LEAST_PLACES for one in rated.values())
    for name, members in by_benchmark.items():
        benchmarks.append(_failures(name, members, rated[name], nodes))
        _rates(name, rated[name], nodes, tests)
    most = max((len(one.names) for one in rated.values()), default=0)
    why = (
        f"{most} node{'s have' if most != 1 else ' has'} rates; at least {LEAST_PLACES} are compared"
        if most < LEAST_PLACES
        else ""
    )
    screened = (_screened(name, node) for name, node in nodes.items())
    order = {"failing": 0, "slow": 1, "": 2}
    key = lambda one: (order[one.verdict], one.worst_relative or 0.0, one.node)  # noqa: E731
    return Judged(tuple(sorted(screened, key=key)), tuple(benchmarks), why)


@dataclass(frozen=True, slots=True, eq=False)
class _Rated:
    """The rates of a benchmark as columns; `residual` is the log of a rate ÷ the median of its slot."""

    names: tuple[str, ...]
    node: NDArray[np.int64]
    slot: NDArray[np.int64]
    residual: NDArray[np.float64]
    median: float
    unit: str

    @classmethod
    def of(cls, members: Sequence[SlotRate]) -> _Rated:
        rated = [one for one in members if one.rate is not None]
        known: dict[str, int] = {}
        node = np.array([known.setdefault(one.node, len(known)) for one in rated], dtype=np.int64)
        slot = np.array([one.slot or 0 for one in rated], dtype=np.int64)
        rates = np.array([one.rate for one in rated], dtype=np.float64)
        residual = np.log(rates)
        for number in np.unique(slot):
            residual[slot == number] -= np.median(residual[slot == number])
        median = float(np.median(rates)) if rated else float("nan")
        return cls(tuple(known), node, slot, residual, median, rated[0].unit if rated else "")


def _failures(
    name: str, members: Sequence[SlotRate], rated: _Rated, nodes: Mapping[str, _Node]
) -> ScreenedBenchmark:
    """Charge failures to nodes, unless a benchmark fails on most of them."""
    failed = [one for one in members if one.state in _FAILED and one.reason not in _OF_THE_DRIVER]
    where = {one.node for one in failed}
    if 2 * len(where) > len({one.node for one in members}):
        return ScreenedBenchmark(name, rated.unit, rated.median, len(where), failed[0].message or "")
    for one in failed:
        node = nodes[one.node]
        node.failed += 1
        node.message = node.message or f"{name}: {one.message or one.reason or one.state}"
    return ScreenedBenchmark(name, rated.unit, rated.median)


def _rates(name: str, rated: _Rated, nodes: Mapping[str, _Node], tests: int) -> None:
    """Note the rates of nodes in a benchmark, and which nodes or slots are slow."""
    for code, slot, residual in zip(rated.node, rated.slot, rated.residual, strict=True):
        slots = nodes[rated.names[code]].relative.setdefault(name, {})
        slots.setdefault(int(slot), []).append(float(np.exp(residual)))
    if len(rated.names) < LEAST_PLACES:
        return
    width = int(rated.slot.max()) + 1
    levels = [(rated.node, list(rated.names))]
    if len(np.unique(rated.slot)) > 1:
        levels.append((rated.node * width + rated.slot, [str(k) for k in range(len(rated.names) * width)]))
    seconds, one_benchmark = np.exp(-rated.residual), np.zeros(rated.node.size, dtype=np.int64)
    for level, (place, names) in enumerate(levels):
        quick = _quick_runs(seconds, place, tests)
        scores = place_scores(seconds, one_benchmark, place, names, tests=tests)
        numbers = {one: number for number, one in enumerate(names)}
        for score in scores:
            code, slot = divmod(numbers[score.place], width) if level else (numbers[score.place], 0)
            node = nodes[rated.names[code]]
            probability = max(score.probability, quick[numbers[score.place]])
            node.probability = min(node.probability, probability)
            if score.slow and probability <= FALSE_ALARMS:
                node.slow_in.append(f"{name} slot {slot}" if level else name)


def _quick_runs(seconds: NDArray[np.float64], place: NDArray[np.int64], tests: int) -> dict[int, float]:
    """Return the probability that each place is called slow by mistake for its quicker runs.

    Two stragglers of four runs move a median. The run at the first quarter stays where it is, and a slow
    place has no quick runs.
    """
    order = np.lexsort((seconds, place))
    used, first, counts = np.unique(place[order], return_index=True, return_counts=True)
    _, probability = spread_test(np.log(seconds[order][first + counts // 4]), skewed=True)
    return dict(zip(used.tolist(), np.minimum(tests * holm(probability), 1.0).tolist(), strict=True))


def _screened(name: str, node: _Node) -> ScreenedNode:
    worst = min(
        (
            (float(np.median(values)), benchmark, slot)
            for benchmark, slots in node.relative.items()
            for slot, values in slots.items()
        ),
        default=(None, "", None),
    )
    medians = {
        benchmark: float(np.median([one for values in slots.values() for one in values]))
        for benchmark, slots in node.relative.items()
    }
    return ScreenedNode(
        name,
        medians,
        worst[2],
        worst[0],
        worst[1],
        sum(len(values) for slots in node.relative.values() for values in slots.values()),
        node.failed,
        node.message,
        tuple(node.slow_in),
        node.probability,
    )
