"""Decisions that may end a campaign: a point is known well enough, two points certainly differ or are alike.

Errors are controlled over the family: each of m pairs has intervals that miss with a probability of at most
`error` ÷ m at any look (Bonferroni), so that with probability 1 − `error` all intervals of all pairs cover
at all looks. Decisions that follow from intervals are then right all together, whenever a campaign stops
and whichever points it drops. Step-down methods such as Holm's would be sharper; that they control wrong
*directions* is not proven for dependent comparisons (J. P. Shaffer, Annals of Statistics 8 (1980)
1342–1347, needs independence).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from orchestrator.analysis.base.statistics import CONFIDENCE
from orchestrator.analysis.sequential.boundaries import MOST_LOOKS, Method, ranks_of
from orchestrator.analysis.sequential.differences import (
    Difference,
    compared,
    difference,
    difference_path,
    further_looks,
    latest_entries,
    ratio,
)
from orchestrator.analysis.sequential.intervals import Look, quantile_interval
from orchestrator.analysis.sequential.observations import Observation, Pairing, Series, series
from orchestrator.errors import CampaignError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

Outcome = Literal["lower", "higher", "alike", "undecided"]
"""Values of a pair's first point beside those of its second."""


@dataclass(frozen=True, slots=True)
class Until:
    """Wanted precision of each point.

    Parameters
    ----------
    width
        Largest width of the interval ÷ its middle, such as 0.02.
    confidence
        Probability that the intervals of a point cover its quantile at all looks.
    at_least, at_most
        Runs of a point at the first and at the last look.
    quantile
        0.5 for the median.
    """

    width: float
    confidence: float = CONFIDENCE
    at_least: int = 5
    at_most: int = 60
    quantile: float = 0.5

    def __post_init__(self) -> None:
        _check("width", self.width, self.width > 0)
        _check("confidence", self.confidence, 0 < self.confidence < 1)
        _check("quantile", self.quantile, 0 < self.quantile < 1)
        _check_looks(self.at_least, self.at_most)


@dataclass(frozen=True, slots=True)
class Decide:
    """Wanted decisions between points.

    Parameters
    ----------
    difference
        Least difference that matters, such as 0.03: the larger value is at least 3 % above the lower one.
    error
        Probability of any wrong decision, over all pairs and looks.
    baseline
        Point with which all others are compared; None compares all pairs.
    at_least, at_most
        Pairs of runs, or runs of each point, at the first and at the last look.
    method, pairing
        Described in `differences` and `observations`.
    best
        Which values are best, where only the best point is asked for: two points are decided then once they
        certainly differ at all, and the other pairs of a point that is certainly not the best are left open.
    """

    difference: float
    error: float = 0.05
    baseline: str | None = None
    at_least: int = 5
    at_most: int = 60
    method: Method = "ranks"
    pairing: Pairing = "block"
    best: Literal["lower", "higher"] | None = None

    def __post_init__(self) -> None:
        _check("difference", self.difference, self.difference > 0)
        _check("error", self.error, 0 < self.error < 1)
        _check_looks(self.at_least, self.at_most)


@dataclass(frozen=True, slots=True)
class Design:
    """Points of a campaign, and when they have runs enough."""

    points: tuple[str, ...]
    until: Until | None = None
    decide: Decide | None = None

    def __post_init__(self) -> None:
        if len(set(self.points)) < len(self.points):
            raise CampaignError("a design names a point twice: give each point a name of its own")
        base = self.decide.baseline if self.decide else None
        if base is not None and base not in self.points:
            raise CampaignError(f"baseline {base} is not among the points {', '.join(self.points)}")

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Pairs of points that are compared."""
        if self.decide is None:
            return []
        if (base := self.decide.baseline) is not None:
            return [(point, base) for point in self.points if point != base]
        return list(itertools.combinations(self.points, 2))

    @property
    def pair_error(self) -> float:
        """Probability of a wrong interval that each pair may use."""
        return self.decide.error / max(len(self.pairs), 1) if self.decide else 0.0


@dataclass(frozen=True, slots=True)
class PairDecision:
    """Two points side by side.

    Parameters
    ----------
    outcome
        ``lower`` or ``higher``: the first point's values are so by at least the asked difference; ``alike``:
        they differ by less than it.
    looks
        Pairs of runs when it was decided; of an undecided pair, all so far.
    estimate, low, high
        Ratio first ÷ second at that look, with its interval; None where there are too few pairs.
    further
        Estimate of the further pairs that would decide; None where it is decided or none can be stated.
    """

    first: str
    second: str
    outcome: Outcome
    looks: int
    estimate: float | None
    low: float | None
    high: float | None
    further: int | None = None


@dataclass(frozen=True, slots=True)
class PointDecision:
    """Precision of a point: `low` to `high` at the first look that was narrow enough, else at the latest.

    Parameters
    ----------
    further
        Estimate of the further runs that would suffice; None where none is needed or none can be stated.
    """

    point: str
    precise: bool
    looks: int
    middle: float | None
    low: float | None
    high: float | None
    further: int | None = None


@dataclass(frozen=True)
class Decisions:
    """State of a campaign after some observations.

    Parameters
    ----------
    needed
        Points that need more runs, in the order of the design.
    exhausted
        Points that have all their runs and are in a question that is still open.
    """

    design: Design
    pairs: tuple[PairDecision, ...]
    points: tuple[PointDecision, ...]
    needed: tuple[str, ...]
    exhausted: tuple[str, ...]

    @cached_property
    def certain(self) -> bool:
        """True when every question has its answer."""
        return not self.needed and not self.exhausted

    @cached_property
    def beaten(self) -> set[str]:
        """Points that are certainly not the best; none where all pairs are asked for."""
        return _beaten(self.design.decide, self.pairs)


def prepare(design: Design) -> None:
    """Find the ranks that `evaluate` needs, which takes seconds for hundreds of looks, and keep them."""
    if (asked := design.decide) is not None:
        ranks_of(asked.method, design.pair_error / 2, asked.at_least, asked.at_most)


def evaluate(design: Design, observations: Sequence[Observation]) -> Decisions:
    """Return what is decided.

    A function of the values in their registered order alone: called again after a restart, or later with more
    observations, it never takes back a decision.

    Raises
    ------
    CampaignError
        If an observation has a value that is not above 0, or does not fit the design.
    """
    runs = series(observations, design.points)
    pairs, points = [], []
    if design.decide is not None:
        error = design.pair_error
        pairs = [_pair(design.decide, error, pair, runs) for pair in design.pairs]
    if (asked := design.until) is not None:
        points = [_point(asked, point, runs[point].known[: asked.at_most]) for point in design.points]
    limits = _limits(design, pairs, points)
    needed = {point: None for point in design.points if runs[point].known.size < limits.get(point, 0)}
    exhausted = [point for point in design.points if point in limits and point not in needed]
    return Decisions(design, tuple(pairs), tuple(points), tuple(needed), tuple(exhausted))


def path(design: Design, observations: Sequence[Observation], first: str, second: str) -> list[Look]:
    """Return the interval of the ratio of two points, first ÷ second, at every look so far, for a figure."""
    if design.decide is None:
        raise CampaignError("a design without `decide` compares no points")
    asked, runs = design.decide, series(observations, design.points)
    return difference_path(
        runs[first],
        runs[second],
        asked.at_least,
        asked.at_most,
        error=design.pair_error,
        method=asked.method,
        pairing=asked.pairing,
    )


def _limits(
    design: Design, pairs: Sequence[PairDecision], points: Sequence[PointDecision]
) -> dict[str, float]:
    """Return the runs after which an open point cannot be decided any more, by open point."""
    found: dict[str, float] = {}
    if (asked := design.decide) is not None:
        beaten = _beaten(asked, pairs)
        for pair in pairs:
            if beaten & {pair.first, pair.second}:
                continue
            # By node a run may wait for its pair, and a block may lack a value: pairs are counted, not runs.
            limit = math.inf if pair.looks < asked.at_most else 0.0
            for point in (pair.first, pair.second) if pair.outcome == "undecided" else ():
                found[point] = max(limit, found.get(point, 0.0))
    if design.until is not None:
        for one in points:
            if not one.precise:
                found[one.point] = max(design.until.at_most, found.get(one.point, 0.0))
    return found


def _beaten(asked: Decide | None, pairs: Sequence[PairDecision]) -> set[str]:
    """Return the points that are certainly not the best; none where all pairs are asked for."""
    if asked is None or asked.best is None:
        return set()
    decided = [pair for pair in pairs if pair.outcome in ("lower", "higher")]
    return {pair.second if pair.outcome == asked.best else pair.first for pair in decided}


def _pair(asked: Decide, error: float, pair: tuple[str, str], runs: Mapping[str, Series]) -> PairDecision:
    one, two = runs[pair[0]], runs[pair[1]]
    blocks = max(one.logs.size, two.logs.size)
    if asked.method != "unpaired":  # a run whose block waits for the other point changes nothing yet
        blocks = min(one.logs.size, two.logs.size)
    nodes = (one.nodes[:blocks], two.nodes[:blocks]) if asked.pairing == "node" else ((), ())
    logs = one.logs[:blocks], two.logs[:blocks]
    kept = _kept_pair(asked, error, pair)
    if (values := hash((logs[0].tobytes(), logs[1].tobytes(), nodes))) == kept.values and kept.decision:
        return kept.decision  # most pairs have no new value since the last look
    first, second = (Series(mine, names) for mine, names in zip(logs, nodes, strict=True))
    kept.decision, kept.values = _decided(asked, error, pair, first, second, kept), values
    return kept.decision


def _decided(
    asked: Decide, error: float, pair: tuple[str, str], first: Series, second: Series, kept: _KeptPair
) -> PairDecision:
    one, two = compared(first, second, asked.method, asked.pairing)
    one, two = one[: asked.at_most], two[: asked.at_most]
    kept.progress = progress = _progress(asked, error, one, two, kept.progress)
    look = progress.look
    rank = int(ranks_of(asked.method, error / 2, asked.at_least, asked.at_most)[look])
    found = difference(asked.method, one[:look], two[:look], rank)
    further = _further(look, found, asked) if progress.outcome == "undecided" else None
    return PairDecision(
        *pair, progress.outcome, look, ratio(found.middle), ratio(found.low), ratio(found.high), further
    )


class _Progress(NamedTuple):
    """Outcome of a pair with its look, and how many entries are not above and not below both limits and 0.

    `values` is the hash of the values up to the look.
    """

    outcome: Outcome = "undecided"
    look: int = 0
    counts: tuple[int, ...] = (0,) * 6
    values: int = hash((b"", b""))


@dataclass(slots=True)
class _KeptPair:
    """The last decision on a pair, with a hash of the values that it rests on."""

    progress: _Progress = field(default_factory=_Progress)
    values: int = 0
    decision: PairDecision | None = None


@lru_cache(maxsize=16_384)
def _kept_pair(asked: Decide, error: float, pair: tuple[str, str]) -> _KeptPair:  # noqa: ARG001
    """Return where the last decision on a pair is kept: some hundred bytes, whatever the number of runs."""
    return _KeptPair()


def _progress(asked: Decide, error: float, one: Numbers, two: Numbers, known: _Progress) -> _Progress:
    """Return the outcome after some values, from the known one where that is of the first of them."""
    if known.look > one.size or known.values != _hash(one[: known.look], two[: known.look]):
        known = _Progress()
    outcome, look, counts = known.outcome, known.look, list(known.counts)
    ranks = ranks_of(asked.method, error / 2, asked.at_least, asked.at_most)
    matters = math.log1p(asked.difference)
    while outcome == "undecided" and look < one.size:
        look += 1
        new = latest_entries(asked.method, one[:look], two[:look])
        added = (new <= matters, new <= -matters, new >= matters, new >= -matters, new <= 0, new >= 0)
        counts = [known + int(np.count_nonzero(more)) for known, more in zip(counts, added, strict=True)]
        outcome = _outcome(asked, [count < ranks[look] for count in counts])
    return _Progress(outcome, look, tuple(counts), _hash(one[:look], two[:look]))


def _outcome(asked: Decide, outside: Sequence[bool]) -> Outcome:
    """Return what an interval says that is above or below the limits and 0."""
    above, above_minus, below, below_minus, above_zero, below_zero = outside
    higher, lower = (above, below_minus) if asked.best is None else (above_zero, below_zero)
    if higher or lower:
        return "higher" if higher else "lower"
    return "alike" if above_minus and below else "undecided"


def _hash(one: Numbers, two: Numbers) -> int:
    return hash((one.tobytes(), two.tobytes()))


def _further(look: int, found: Difference, asked: Decide) -> int | None:
    """Return the further pairs after which the interval, whose width falls with √n, leaves a limit out."""
    if found.middle is None or found.low is None or found.high is None:
        return None
    size, matters = abs(found.middle), math.log1p(asked.difference)
    room = abs(size - matters) if asked.best is None else max(size, matters - size)
    reach = max(found.middle - found.low, found.high - found.middle)
    return further_looks(look, reach, room)


@dataclass(slots=True)
class _KeptPoint:
    """The last decision on a point, with a hash of the values that it rests on."""

    values: int = hash(b"")
    decision: PointDecision | None = None


@lru_cache(maxsize=16_384)
def _kept_point(asked: Until, point: str) -> _KeptPoint:  # noqa: ARG001
    return _KeptPoint()


def _point(asked: Until, point: str, logs: Numbers) -> PointDecision:
    """Return the precision at the first look that was narrow enough, else at the latest."""
    kept = _kept_point(asked, point)
    found, looked = kept.decision, kept.decision.looks if kept.decision else 0
    if looked > logs.size or kept.values != hash(logs[:looked].tobytes()):
        found, looked = None, 0
    while found is None or (not found.precise and looked < logs.size):
        looked = min(max(looked + 1, asked.at_least), logs.size)
        found = _precise(asked, point, np.exp(logs[:looked]))
    kept.decision, kept.values = found, hash(logs[:looked].tobytes())
    return found


def _precise(asked: Until, point: str, values: Numbers) -> PointDecision:
    n = values.size
    found = quantile_interval(values, asked.at_least, asked.at_most, asked.confidence, asked.quantile)
    middle = float(np.quantile(values, asked.quantile)) if n else None
    if middle is None or found.low is None or found.high is None:
        return PointDecision(point, False, n, middle, found.low, found.high)
    width = (found.high - found.low) / middle
    if width <= asked.width:
        return PointDecision(point, True, n, middle, found.low, found.high)
    further = math.ceil(n * (width / asked.width) ** 2) - n
    return PointDecision(point, False, n, middle, found.low, found.high, max(1, further))


def _check_looks(at_least: int, at_most: int) -> None:
    _check("at_least", at_least, at_least >= 1)
    if at_most < at_least:
        raise CampaignError(f"at_most: {at_most} is less than at_least: {at_least}")
    if at_most > MOST_LOOKS:
        raise CampaignError(f"at_most: {at_most:,} is more than {MOST_LOOKS:,}: look at fewer runs")


def _check(name: str, value: float, fits: bool) -> None:
    if not fits:
        raise CampaignError(f"{name}: {value:g} is out of range: shares lie between 0 and 1, counts from 1")
