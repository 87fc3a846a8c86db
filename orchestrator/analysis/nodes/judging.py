"""Finds nodes of a screening that fail or are slow, by each slot's rates against the same slot elsewhere.

Slots of a node may differ by design, so that a slot is compared with those of its number on the other nodes,
in each benchmark by itself, wave by wave. `members` has the decisions; their errors are divided among all
slots of all nodes and all benchmarks.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from db.queries.rates import SlotRate, slot_rates
from db.states import AttemptState, RunOutcome
from orchestrator.analysis.nodes.scores import LEAST_PLACES
from orchestrator.analysis.nodes.screened import (
    Judged,
    ScreenedBenchmark,
    ScreenedNode,
    ScreenedSlot,
    Screening,
)
from orchestrator.analysis.sequential.members import STANDINGS, Among, decision, standings
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from db.reader import Reader

    Numbers = NDArray[np.float64]

LEAST_TOGETHER = 3
"""Nodes of an instance that measures links: of two, either end may be what slows the pair."""
_FAILED = (AttemptState.FAILED, AttemptState.TIMED_OUT, AttemptState.LOST)
_OF_THE_DRIVER = ("driver died", "engine failed")
"""Reasons of lost attempts that say nothing about their node."""
_WITH_THE_DRIVER = "worker died"
"""Reason that says nothing about it either in a session whose driver died: workers end with their driver."""


@dataclass(slots=True)
class _Node:
    """Values gathered of a node by benchmark and slot, and the rest of a `ScreenedNode`."""

    relative: dict[str, dict[int, list[float]]] = field(default_factory=dict)
    failed: int = 0
    message: str = ""
    standings: dict[str, list[str]] = field(default_factory=dict)
    slow: list[ScreenedSlot] = field(default_factory=list)
    undecided: list[ScreenedSlot] = field(default_factory=list)


def screened_nodes(
    reader: Reader, campaign_id: int, difference: float, at_least: int, at_most: int
) -> Judged:
    """Return what the ledger says of the nodes of a screening, as `Screening` asks."""
    sessions = reader.sessions_of(campaign_id)
    found = slot_rates(reader, campaign_id)
    linked_nodes = max((one.nodes for one in found if one.has_links), default=1)  # each has a rate of its own
    slots = linked_nodes * max((one.slots or 0 for one in sessions), default=0)
    asked = Screening(difference, at_least, at_most, slots, len(reader.benchmarks(campaign_id)))
    died = {one.session_number for one in sessions if one.outcome == RunOutcome.DRIVER_DIED}
    return judge(found, asked, died)


def judge(found: Sequence[SlotRate], asked: Screening, died: Collection[int] = ()) -> Judged:
    """Return the nodes of a screening with their verdicts.

    A function of the attempts of waves that have ended: with those of later waves of as many nodes, a verdict
    of slow or fine stays what it was.

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
    rated = {name: _Rated.of(members) for name, members in by_benchmark.items()}
    benchmarks = {
        name: _failures(name, members, rated[name], nodes) for name, members in by_benchmark.items()
    }
    compared = [name for name, one in rated.items() if one.compared and not benchmarks[name].failed_nodes]
    among = asked.among(len({(one.node, one.slot) for one in found}))
    for name, rates in rated.items():
        _note_rates(name, rates, nodes)
        if name in compared:
            _decide(name, rates, nodes, among)
    whole = len(by_benchmark) >= asked.benchmarks
    verdicts = {name: _verdict(node, compared, whole=whole) for name, node in nodes.items()}
    open_ = {
        name
        for key in _present(found)
        if verdicts[key] == "undecided"
        for name, known in nodes[key].standings.items()
        if "undecided" in known
    }
    screened = [_screened(name, node, verdicts[name]) for name, node in nodes.items()]
    return Judged(
        asked,
        tuple(sorted(screened, key=_place)),
        tuple(
            replace(one, needed=_needs(one, asked, open_=one.name in open_)) for one in benchmarks.values()
        ),
        _why_no_verdict(rated, asked, among),
    )


def _place(one: ScreenedNode) -> tuple[int, float, str]:
    """Return the place of a node in the answer: nodes with a verdict first, then the slowest."""
    verdicts = {"failing": 0, "slow": 1, "undecided": 2}
    return verdicts.get(one.verdict, 3), one.worst_relative or 0.0, one.node


def _needs(one: ScreenedBenchmark, asked: Screening, *, open_: bool) -> bool:
    """Return whether further waves of a benchmark may decide anything."""
    return not one.failed_nodes and one.waves < (asked.at_most if open_ else asked.at_least)


def _why_no_verdict(rated: Mapping[str, _Rated], asked: Screening, among: Among) -> str:
    linked = [one.linked_nodes for one in rated.values() if one.linked_nodes is not None]
    if together := [number for number in linked if number < LEAST_TOGETHER]:
        return (
            f"of {min(together)} nodes that run together none can be distinguished from its partner; blocks "
            f"of at least {LEAST_TOGETHER} are judged"
        )
    most = max((len(one.names) for one in rated.values()), default=0)
    if most < LEAST_PLACES:
        if most == 1:
            return f"1 node has rates, and no other to compare it with; at least {LEAST_PLACES} are compared"
        return f"{most} nodes have rates; at least {LEAST_PLACES} are compared"
    if among.ranks((most,) * asked.at_most, "slow")[-1]:
        return ""
    waves = count_of(asked.at_most, "wave", "are")
    return f"{waves} too few to be certain of any of {most} nodes; give more with --at-most"


@dataclass(frozen=True, slots=True, eq=False)
class _Rated:
    """The rates of a benchmark.

    Parameters
    ----------
    logs
        Logarithms by slot number, shape (waves, nodes); NaN where a slot has none.
    node, slot, relative
        Of each rate: its node, slot, and ratio to the median of the slot's number.
    linked_nodes
        Nodes of an attempt that measured links, the fewest where these differ; None where none did.
    """

    names: tuple[str, ...]
    logs: Mapping[int, Numbers]
    node: tuple[str, ...]
    slot: tuple[int, ...]
    relative: Numbers
    median: float
    unit: str
    linked_nodes: int | None = None

    @classmethod
    def of(cls, members: Sequence[SlotRate]) -> _Rated:
        rated = [one for one in members if one.rate is not None]
        known: dict[str, int] = {}
        node = np.array([known.setdefault(one.node, len(known)) for one in rated], dtype=np.int64)
        slot = np.array([one.slot or 0 for one in rated], dtype=np.int64)
        rates = np.array([one.rate for one in rated], dtype=np.float64)
        compared = _by_instance(rated, rates)
        waves = _waves(rated)
        relative, logs = np.empty_like(rates), {}
        for number in np.unique(slot).tolist():
            mine = slot == number
            relative[mine] = compared[mine] / np.median(compared[mine])
            logs[number] = np.full((max(waves) + 1, len(known)), np.nan)
            logs[number][np.array(waves)[mine], node[mine]] = np.log(compared[mine])
        middle = float(np.median(rates)) if rated else float("nan")
        places = tuple(one.node for one in rated), tuple(slot.tolist())
        smallest = min((one.nodes for one in rated if one.has_links), default=None)
        return cls(tuple(known), logs, *places, relative, middle, rated[0].unit if rated else "", smallest)

    @property
    def waves(self) -> int:
        """Number of waves with a rate."""
        return max((len(one) for one in self.logs.values()), default=0)

    @property
    def compared(self) -> bool:
        """True if nodes are so many that they are compared, also those whose links were measured together."""
        together = self.linked_nodes is None or self.linked_nodes >= LEAST_TOGETHER
        return len(self.names) >= LEAST_PLACES and together


def _by_instance(rated: Sequence[SlotRate], rates: Numbers) -> Numbers:
    """Return rates, those of links divided by the median of the nodes whose links were measured together.

    So nodes are compared with those of their block, and not with a block that lies elsewhere.
    """
    places: dict[int, list[int]] = {}
    for place, one in enumerate(rated):
        if one.has_links:
            places.setdefault(one.instance, []).append(place)
    found = rates.copy()
    for mine in places.values():
        found[mine] /= np.median(rates[mine])
    return found


def _waves(rated: Sequence[SlotRate]) -> list[int]:
    """Return the number of each rate's wave: a wave is handed over before any run of it ends."""
    found, wave, ends, session = [0] * len(rated), -1, 0, 0
    for number in sorted(range(len(rated)), key=lambda k: (rated[k].session, rated[k].submitted_us)):
        one = rated[number]
        if one.session != session or one.submitted_us >= ends:
            wave, ends, session = wave + 1, one.received_us or one.submitted_us + 1, one.session
        ends = min(ends, one.received_us or ends)
        found[number] = wave
    return found


def _present(found: Sequence[SlotRate]) -> set[str]:
    """Return the nodes of the latest wave: those of an earlier job have no more runs."""
    rated = [one for one in found if one.rate is not None]
    waves = _waves(rated)
    last = max(waves, default=0)
    return {one.node for one, wave in zip(rated, waves, strict=True) if wave == last}


def _failures(
    name: str, members: Sequence[SlotRate], rated: _Rated, nodes: Mapping[str, _Node]
) -> ScreenedBenchmark:
    """Charge failures to nodes, unless a benchmark fails on most of them; those of several nodes to none."""
    of_all = [one for one in members if one.state in _FAILED and one.reason not in _OF_THE_DRIVER]
    failed = [one for one in of_all if one.nodes == 1]
    plain = ScreenedBenchmark(name, rated.unit, rated.median, rated.waves, needed=True)
    if shared := [one for one in of_all if one.nodes > 1]:
        message = shared[0].message or ""
        if not rated.names:
            return replace(plain, failed_nodes=shared[0].nodes, message=message)
        plain = replace(plain, failed_together=len(shared), message=message)
    where = {one.node for one in failed}
    if 2 * len(where) > len({one.node for one in members}):
        return replace(plain, failed_nodes=len(where), message=failed[0].message or "")
    for one in failed:
        node = nodes[one.node]
        node.failed += 1
        node.message = node.message or f"{name}: {one.message or one.reason or one.state}"
    return plain


def _note_rates(name: str, rated: _Rated, nodes: Mapping[str, _Node]) -> None:
    for node, slot, relative in zip(rated.node, rated.slot, rated.relative.tolist(), strict=True):
        nodes[node].relative.setdefault(name, {}).setdefault(slot, []).append(relative)


def _decide(name: str, rated: _Rated, nodes: Mapping[str, _Node], among: Among) -> None:
    """Note which slots of a benchmark are slow, fine, and undecided."""
    found = {slot: standings(logs, among) for slot, logs in rated.logs.items()}
    for member, node in enumerate(rated.names):
        mine = {
            slot: STANDINGS[found[slot][0][member]]
            for slot, logs in rated.logs.items()
            if not np.isnan(logs[:, member]).all()
        }
        nodes[node].standings[name] = list(mine.values())
        known = [
            ScreenedSlot(
                name,
                slot if len(found) > 1 else None,
                decision(rated.logs[slot], member, among, found[slot]),
            )
            for slot, standing in mine.items()
            if standing != "fine"
        ]
        slow = [one for one in known if one.decision.standing == "slow"]
        if 1 < len(slow) == len(mine):  # the whole node, by no more than holds for each slot
            slow = [replace(max(slow, key=lambda one: one.decision.high or 0.0), slot=None)]
        nodes[node].slow += slow
        waiting = [one for one in known if one.decision.standing == "undecided"]
        if waiting:
            nodes[node].undecided.append(min(waiting, key=lambda one: one.decision.estimate or 0.0))


def _verdict(node: _Node, compared: Sequence[str], *, whole: bool) -> str:
    if node.failed:
        return "failing"
    if not compared:
        return ""
    if node.slow:
        return "slow"
    known = [one for name in compared for one in node.standings.get(name, ["undecided"])]
    return "fine" if whole and set(known) == {"fine"} else "undecided"


def _screened(name: str, node: _Node, verdict: str) -> ScreenedNode:
    worst = min(
        (
            (median(values), benchmark, slot)
            for benchmark, slots in node.relative.items()
            for slot, values in slots.items()
        ),
        default=(None, "", None),
    )
    medians = {
        benchmark: median(one for values in slots.values() for one in values)
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
        tuple(node.slow),
        tuple(node.undecided),
        verdict,
    )
