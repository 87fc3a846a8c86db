"""Nodes of a screening, with what was found about each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from orchestrator.analysis.nodes.scores import FALSE_ALARMS
from orchestrator.analysis.sequential.members import Among, MemberDecision
from orchestrator.wording import count_of

MISSED = 0.05
"""Probability that any node of a screening which is slower by the asked difference is called fine."""


@dataclass(frozen=True, slots=True)
class Screening:
    """Questions that a screening was launched to answer.

    Parameters
    ----------
    difference
        Least difference that makes a node slow, such as 0.05.
    at_least, at_most
        Waves of each benchmark at the first and at the last look.
    slots
        Of all nodes together.
    benchmarks
        Number of them.
    """

    difference: float
    at_least: int
    at_most: int
    slots: int
    benchmarks: int

    def among(self, slots: int) -> Among:
        """Return the decisions that are wanted, of as many slots as there are."""
        members = max(slots, self.slots) * self.benchmarks
        return Among(self.difference, members, FALSE_ALARMS, MISSED, self.at_least, self.at_most)


@dataclass(frozen=True, slots=True)
class ScreenedBenchmark:
    """Measurements of one benchmark on all nodes.

    Parameters
    ----------
    median
        Of all accepted rates.
    waves
        In which rates were measured.
    needed
        Whether further waves are needed, if there are any.
    failed_nodes, message
        Nodes on which it failed, and the first message, where these are so many that no node is to blame;
        else none and empty.
    failed_together
        Attempts on several nodes that failed, which name none of them; `message` is that of the first.
    """

    name: str
    unit: str
    median: float
    waves: int
    needed: bool
    failed_nodes: int = 0
    message: str = ""
    failed_together: int = 0


@dataclass(frozen=True, slots=True)
class ScreenedSlot:
    """A slot that is slow, or not decided: its rate ÷ that of the same slot of another node.

    Parameters
    ----------
    slot
        Its number; None where nodes have one, or all slots of the node are slow.
    """

    benchmark: str
    slot: int | None
    decision: MemberDecision

    @property
    def place(self) -> str:
        """``gemm``, or ``gemm slot 3``."""
        return self.benchmark if self.slot is None else f"{self.benchmark} slot {self.slot}"

    @property
    def words(self) -> str:
        """Words for people: bounds of its rate, and the waves that they rest on."""
        found = self.decision
        waves = count_of(found.looks, "wave")
        if found.standing == "slow" and found.high is not None:
            return f"{self.place} at most {found.high:.3g} of the others ({waves})"
        if found.low is None or found.high is None:
            return (
                f"{self.place} about {found.estimate or 0:.3g} of the others ({waves}, too few to be certain)"
            )
        return f"{self.place} {found.low:.3g} to {found.high:.3g} of the others ({waves})"

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {"benchmark": self.benchmark, "slot": self.slot, **asdict(self.decision)}


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
    slow
        Its slots that are certainly slow.
    undecided
        Of each benchmark the slowest slot that is not decided.
    verdict
        ``failing``, ``slow``, ``fine``, ``undecided``, or empty where no node is compared.
    """

    node: str
    relative: Mapping[str, float]
    worst_slot: int | None
    worst_relative: float | None
    worst_benchmark: str
    values: int
    failed: int
    message: str
    slow: tuple[ScreenedSlot, ...]
    undecided: tuple[ScreenedSlot, ...]
    verdict: str

    @property
    def slow_in(self) -> tuple[str, ...]:
        """Benchmarks, or slots in benchmarks, in which it is slow: ``gemm``, ``triad slot 3``."""
        return tuple(one.place for one in self.slow)

    @property
    def why(self) -> str:
        """The reason of the verdict, for people; empty where it is fine or has none."""
        if self.verdict == "failing":
            message = " ".join(self.message.split())
            return f"{count_of(self.failed, 'attempt')} failed{f': {message}' if message else ''}"
        shown = {"slow": self.slow, "undecided": self.undecided}.get(self.verdict, ())
        nothing = "it has not run every benchmark" if self.verdict == "undecided" else ""
        return "; ".join(one.words for one in shown) or nothing

    @property
    def further(self) -> int | None:
        """Estimate of the further waves that would decide it; None where none is needed or can be stated."""
        known = [one.decision.further for one in self.undecided]
        return max((one for one in known if one is not None), default=None) if None not in known else None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        plain = ("node", "worst_slot", "worst_relative", "worst_benchmark", "values", "failed", "message")
        return {
            **{name: getattr(self, name) for name in plain},
            "relative": dict(self.relative),
            "verdict": self.verdict,
            "slow_in": list(self.slow_in),
            "slow": [one.to_dict() for one in self.slow],
            "undecided": [one.to_dict() for one in self.undecided],
        }


@dataclass(frozen=True, slots=True)
class Judged:
    """The nodes of a screening, those with a verdict first, then the slowest.

    Parameters
    ----------
    no_verdict
        Why no node can be called slow; empty if one could.
    """

    asked: Screening
    nodes: tuple[ScreenedNode, ...]
    benchmarks: tuple[ScreenedBenchmark, ...]
    no_verdict: str = ""

    @property
    def named(self) -> tuple[ScreenedNode, ...]:
        """Nodes that are failing or slow."""
        return tuple(one for one in self.nodes if one.verdict in ("failing", "slow"))

    @property
    def undecided(self) -> tuple[ScreenedNode, ...]:
        """Nodes that are certainly neither slow nor fine."""
        return tuple(one for one in self.nodes if one.verdict == "undecided")

    @property
    def to_decide(self) -> str:
        """Words for people: steps that would decide the undecided nodes; empty without any."""
        short = sum(not one.undecided for one in self.undecided)
        known = [one.further for one in self.undecided if one.undecided]
        stated = [one for one in known if one is not None]
        near = len(known) - len(stated)
        parts = [f"{short} {'has' if short == 1 else 'have'} not run every benchmark"] if short else []
        if stated:
            waves = max(one.waves for one in self.benchmarks) + max(stated)
            parts.append(f"{len(stated)} by about {waves} waves in all (--at-most in a new screening)")
        if near:
            parts.append(f"{near} may be slower by about the asked difference: give another --difference")
        return ", ".join(parts)

    def sentence_of(self, one: ScreenedBenchmark) -> str:
        """Return why a benchmark needs no further wave, for people."""
        waves = count_of(one.waves, "wave")
        if one.failed_nodes:
            return f"{one.name} failed on {one.failed_nodes} nodes, so it judges none"
        if self.no_verdict:
            return f"{one.name} has run in {waves}; {self.no_verdict}"
        slow = sum(any(slot.benchmark == one.name for slot in node.slow) for node in self.nodes)
        undecided = sum(
            node.verdict == "undecided" and any(slot.benchmark == one.name for slot in node.undecided)
            for node in self.nodes
        )
        return f"{one.name} after {waves}: {slow} of {len(self.nodes)} nodes slow, {undecided} undecided"

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "false_alarm_rate": FALSE_ALARMS,
            "missed_rate": MISSED,
            "difference": self.asked.difference,
            "waves": {"at_least": self.asked.at_least, "at_most": self.asked.at_most},
            "no_verdict": self.no_verdict or None,
            "named": [one.node for one in self.named],
            "undecided": [one.node for one in self.undecided],
            "to_decide": self.to_decide or None,
            "benchmarks": [asdict(one) for one in self.benchmarks],
            "nodes": [one.to_dict() for one in self.nodes],
        }
