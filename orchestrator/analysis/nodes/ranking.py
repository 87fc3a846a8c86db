"""The nodes and slots of a campaign by speed, and what its figure of merit would be without them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from db.evidence.node_conditions import NodeConditions, node_conditions
from db.queries import node_descriptions
from db.queries.attempt_times import AttemptTimes, attempt_times
from db.reader import Reader
from db.records import CampaignRow
from db.states import AttemptState
from orchestrator.analysis.base.overlap import peak_overlap
from orchestrator.analysis.nodes.scores import FALSE_ALARMS, LEAST_PLACES, PlaceScore, place_scores
from orchestrator.analysis.verdict.concurrency import guaranteed, lasting_us
from orchestrator.analysis.verdict.fom import JudgedBenchmark, judge
from orchestrator.analysis.verdict.gathering import Gathered, together
from orchestrator.analysis.verdict.node_differences import differing
from orchestrator.errors import CampaignError
from orchestrator.rulebooks import registry
from orchestrator.rulebooks.measurements import EndedAttempts, Measurements, SupersededInstances
from orchestrator.rulebooks.model import Rulebook
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LISTED = 5
_FAILED = (AttemptState.FAILED, AttemptState.TIMED_OUT, AttemptState.LOST)


@dataclass(frozen=True, slots=True)
class Without:
    """Figures that a campaign would have without some nodes.

    Parameters
    ----------
    longest, fom
        Change of the longest time and of the FOM, by benchmark: 0.09 for 9 % more. None where there is none.
    headline
        Change of the headline of the whole campaign; None where the rulebook states none.
    """

    nodes: tuple[str, ...]
    longest: dict[str, float | None]
    fom: dict[str, float | None]
    headline: float | None


@dataclass(frozen=True, slots=True)
class NodeRanking:
    """Nodes and slots of a campaign, the slowest first.

    Parameters
    ----------
    nodes, slots, positions
        Scores of nodes, of slots of nodes, and of slots by their number on every node.
    failed
        Attempts that failed, timed out or were lost, by node.
    without
        Figures without each slow node, or else each of the slowest, and without all slow ones.
    differing
        Facts in which the descriptions of slow nodes differ from those of most nodes.
    conditions
        Heat, clock and throttling of the nodes' GPUs, where they were sampled.
    """

    campaign: str
    nodes: tuple[PlaceScore, ...]
    slots: tuple[PlaceScore, ...]
    positions: tuple[PlaceScore, ...]
    failed: dict[str, int]
    without: tuple[Without, ...]
    differing: dict[str, tuple[str, ...]]
    conditions: tuple[NodeConditions, ...] = ()

    @property
    def slow(self) -> tuple[str, ...]:
        """Names of the nodes that are slower than the others."""
        return tuple(one.place for one in self.nodes if one.slow)

    @property
    def why_no_verdict(self) -> str | None:
        """Why no node can be called slow; None if one could."""
        if len(self.nodes) >= LEAST_PLACES:
            return None
        return (
            f"{count_of(len(self.nodes), 'node', 'have')} accepted runs; at least {LEAST_PLACES} are compared"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""

        def listed(scores: Sequence[PlaceScore]) -> list[dict[str, Any]]:
            return [{**asdict(one), "slow": one.slow} for one in scores]

        return {
            "campaign": self.campaign,
            "false_alarm_rate": FALSE_ALARMS,
            "slow": self.slow,
            "no_verdict": self.why_no_verdict,
            "nodes": listed(self.nodes),
            "slots": listed(self.slots),
            "positions": listed(self.positions),
            "failed_attempts": self.failed,
            "without": [asdict(one) for one in self.without],
            "differing": self.differing,
            "conditions": [asdict(one) for one in self.conditions],
        }


def rank_nodes(
    reader: Reader,
    row: CampaignRow,
    *,
    times: AttemptTimes | None = None,
    judged: Sequence[JudgedBenchmark] | None = None,
) -> NodeRanking:
    """Return the nodes and slots of a campaign by speed.

    Parameters
    ----------
    times, judged
        Times and judged benchmarks of the campaign, where they were read before.

    Raises
    ------
    CampaignError
        If no accepted attempt was timed, or the campaign cannot be judged.
    """
    times = attempt_times(reader, row.campaign_id) if times is None else times
    timed = np.flatnonzero(times.timed)
    if not timed.size:
        raise CampaignError(
            f"campaign {row.name} has no accepted attempt with a time; `orchestrator status {row.name}`"
        )
    nodes = _scores(times, timed, [times.node.of(i) for i in timed])
    several = len(set(times.slot[timed].tolist())) > 1
    slots = _scores(times, timed, [f"{times.node.of(i)} slot {times.slot[i]}" for i in timed])
    positions = _scores(times, timed, [f"slot {k}" for k in times.slot[timed]])
    slow = [one.place for one in nodes if one.slow]
    chosen: list[tuple[str, ...]] = [(name,) for name in (slow or [one.place for one in nodes[:_LISTED]])]
    if len(slow) > 1:
        chosen = [tuple(slow), *chosen[:_LISTED]]
    without: list[Without] = []
    if len(nodes) > 1:
        judged = judge(reader, [row]).judged if judged is None else judged
        without = _without(row, judged, times, timed, chosen)
    return NodeRanking(
        row.name,
        tuple(nodes),
        tuple(slots) if several else (),
        tuple(positions) if several else (),
        _failed(times),
        tuple(without),
        _differing(reader, row, set(slow)),
        tuple(node_conditions(reader, row.campaign_id)),
    )


def _scores(times: AttemptTimes, timed: NDArray[np.intp], names: Sequence[str]) -> list[PlaceScore]:
    known: dict[str, int] = {}
    codes = np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
    # Runs in slots of another shape or pool take another time on every node.
    alike = times.benchmark.codes[timed] * len(times.shape.texts) + times.shape.codes[timed]
    return place_scores(times.fom_seconds[timed], alike, codes, list(known))


def _failed(times: AttemptTimes) -> dict[str, int]:
    bad = [number for number, state in enumerate(times.state.texts) if state in _FAILED]
    counts = np.bincount(times.node.codes[np.isin(times.state.codes, bad)], minlength=len(times.node.texts))
    return {name: int(k) for name, k in zip(times.node.texts, counts, strict=True) if k and name}


def _without(
    row: CampaignRow,
    judged: Sequence[JudgedBenchmark],
    times: AttemptTimes,
    timed: NDArray[np.intp],
    chosen: Sequence[tuple[str, ...]],
) -> list[Without]:
    """Return the figures without each choice of nodes."""
    book = registry.load(row.rulebook)
    found = [_without_other_bounds(one.measurements) for one in judged]
    before = _foms(book, found)
    answers = []
    for nodes in chosen:
        out = [number for number, name in enumerate(times.node.texts) if name in nodes]
        left = timed[~np.isin(times.node.codes[timed], out)]
        longest = {
            times.benchmark.texts[code]: float(
                times.fom_seconds[left][times.benchmark.codes[left] == code].max()
            )
            for code in np.unique(times.benchmark.codes[left])
        }
        kept = [
            _as_without(one.measurements, one.gathered, set(nodes), longest.get(one.measurements.benchmark))
            for one in judged
        ]
        after = _foms(book, kept)
        answers.append(
            Without(
                nodes,
                {one.benchmark: _change(one.times.max_seconds, longest.get(one.benchmark)) for one in found},
                {name: _change(before.get(name), after.get(name)) for name in longest},
                _change(before[None], after[None]),
            )
        )
    return answers


def _as_without(
    found: Measurements, gathered: Gathered, nodes: Collection[str], longest: float | None
) -> Measurements:
    """Return the measurements of a benchmark whose runs on some nodes are left out."""
    starts, stops = together(gathered.timed)
    lasting = lasting_us(starts, stops)
    intervals = {place: one for place, one in gathered.timed.items() if place[1] not in nodes}
    starts, stops = together(intervals)
    sustained = peak_overlap(starts, stops, lasting)
    return replace(
        _without_other_bounds(found),
        times=replace(found.times, max_seconds=longest),
        overlap=replace(
            found.overlap,
            concurrent=peak_overlap(starts, stops),
            sustained=sustained,
            guaranteed=guaranteed(intervals, gathered.clocks, sustained, lasting),
        ),
    )


def _without_other_bounds(found: Measurements) -> Measurements:
    """Return measurements without the times of attempts that do not count: their nodes are not known."""
    return replace(found, ended=EndedAttempts(), superseded=SupersededInstances())


def _foms(book: Rulebook, found: Sequence[Measurements]) -> Mapping[str | None, float | None]:
    """Return the headline of each benchmark, and of the campaign under None."""
    if not book.headline or book.needs_runs:  # such a rulebook reads more than can be left out
        return {None: None}
    verdict = book.judge(found)
    foms: dict[str | None, float | None] = {
        one.benchmark: one.headline.value if one.headline else None for one in verdict.benchmarks
    }
    return {**foms, None: verdict.headline.value if verdict.headline else None}


def _change(before: float | None, after: float | None) -> float | None:
    return after / before - 1 if before and after else None


def _differing(reader: Reader, row: CampaignRow, slow: Collection[str]) -> dict[str, tuple[str, ...]]:
    if not slow:
        return {}
    described, documents = node_descriptions.read(reader, row.campaign_id)
    nodes: dict[str, list[str]] = {}
    for one in described:
        if one.document in documents:
            nodes.setdefault(one.document, []).append(one.node)
    facts = differing({key: documents[key] for key in nodes}, nodes)
    shown = {fact: tuple(sorted(set(names).intersection(slow))) for fact, names in facts.items()}
    return {fact: names for fact, names in shown.items() if names}
