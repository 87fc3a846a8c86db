"""Coverage, false decisions and savings of campaigns that stop when the answer is certain, by simulation.

``python -m tests.bench.sequential`` takes about a minute.
"""

from __future__ import annotations

import bisect
import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from orchestrator.analysis.sequential.boundaries import binomial_ranks, ranks_of
from orchestrator.analysis.sequential.decisions import Decide, Design, Until, evaluate
from orchestrator.analysis.sequential.differences import compared, naive
from orchestrator.analysis.sequential.forecast import counts_by_look, first_decided
from orchestrator.analysis.sequential.observations import Observation, Series

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]
Pairs = list[tuple[int, int]]

KINDS = ("normal", "skewed", "heavy tails", "drift", "slow nodes")
CHOSEN = KINDS
"""Kinds of noise that the benchmark simulates; its test takes fewer."""
CAMPAIGNS = 20_000
BLOCKS = 60
NODES = 10
POINTS = 5
SIGMA = 0.03
"""Spread of a run's logarithm; heavy tails and skewed values have about this around their median."""
RUN_SECONDS = 60.0
DRIFT = 0.05
"""Slower in an hour, by share."""
SLOW = 0.15
"""Slower on a slow node, by share; each tenth node is slow."""
DIFFERENCE = 0.03


@dataclass(frozen=True)
class Simulated:
    """Campaigns side by side.

    Parameters
    ----------
    logs, nodes
        Logarithms of values, and numbers of nodes; shape (campaigns, blocks, points).
    """

    logs: Numbers
    nodes: Counts

    def series(self, campaign: int, point: int) -> Series:
        nodes = tuple(map(str, self.nodes[campaign, :, point]))
        return Series(np.ascontiguousarray(self.logs[campaign, :, point]), nodes)


def simulated(
    kind: str,
    effects: tuple[float, ...],
    campaigns: int,
    blocks: int,
    *,
    interleaved: bool = True,
    seed: int = 1,
) -> Simulated:
    """Return campaigns whose points differ by `effects`, logarithms of ratios."""
    random = np.random.default_rng((2017, KINDS.index(kind), seed))
    shape = (campaigns, blocks, len(effects))
    if kind == "skewed":
        noise = np.log1p(1.2 * SIGMA * (random.lognormal(0.0, 0.8, shape) - 1))
    elif kind == "heavy tails":
        noise = SIGMA * random.standard_t(3, shape)
    else:
        noise = SIGMA * random.standard_normal(shape)
    order = random.random(shape).argsort(axis=2)
    position = np.arange(blocks)[:, None] * len(effects) + order
    if not interleaved:  # the order of a file: all runs of a point, then those of the next
        position = np.broadcast_to(np.arange(blocks)[:, None] + blocks * np.arange(len(effects)), shape)
    nodes = random.random((campaigns, blocks, NODES)).argsort(axis=2)[:, :, : len(effects)]
    if kind == "drift":
        noise = noise + np.log1p(DRIFT * position * RUN_SECONDS / 3600)
    if kind == "slow nodes":
        noise = noise + np.where(nodes == 0, math.log1p(SLOW), 0.0)
    return Simulated(noise + np.asarray(effects), nodes)


def point_coverage(found: Simulated, asked: Until) -> float:
    """Return the share of campaigns all of whose intervals cover the median of the runs' mixture."""
    logs = found.logs[:, :, 0]
    level = (1 - asked.confidence) / 2
    ranks = binomial_ranks(asked.quantile, level, asked.at_least, asked.at_most)
    covered = np.ones(len(logs), dtype=bool)
    for n in range(asked.at_least, asked.at_most + 1):
        true = np.quantile(logs[:, :n], asked.quantile)
        covered &= (logs[:, :n] <= true).sum(axis=1) >= ranks[n]
        covered &= (logs[:, :n] >= true).sum(axis=1) >= ranks[n]
    return float(covered.mean())


def missed(found: Simulated, effects: tuple[float, ...], asked: Decide) -> NDArray[np.bool_]:
    """Return which campaigns have an interval of any pair, at any look, that misses the true ratio."""
    pairs = list(itertools.combinations(range(len(effects)), 2))
    if (
        asked.method == "unpaired"
    ):  # it is for runs without blocks: their order tells nothing of the other point
        random = np.random.default_rng(2017)
        found = replace(found, logs=random.permuted(found.logs, axis=1))
    ranks = ranks_of(asked.method, asked.error / len(pairs) / 2, asked.at_least, asked.at_most)
    wrong = np.zeros(len(found.logs), dtype=bool)
    for one, two in pairs:
        true = effects[one] - effects[two]
        first, second = found.logs[:, :, one], found.logs[:, :, two]
        wrong |= (counts_by_look(first, second, true, asked) < ranks).any(axis=1)
        wrong |= (counts_by_look(second, first, -true, asked) < ranks).any(axis=1)
    return wrong


def missed_by_node(found: Simulated, asked: Decide) -> NDArray[np.bool_]:
    """Return which campaigns of two equal points miss at any look, where runs on a node are pairs."""
    ranks = ranks_of(asked.method, asked.error / 2, asked.at_least, asked.at_most)
    wrong = []
    for campaign in range(len(found.logs)):
        ratios, _ = compared(found.series(campaign, 0), found.series(campaign, 1), asked.method, "node")
        means = np.tril(ratios[:, None] + ratios <= 0).sum(axis=1).cumsum()
        others = np.tril(ratios[:, None] + ratios >= 0).sum(axis=1).cumsum()
        bounds = ranks[1 : ratios.size + 1]
        wrong.append(bool(((means < bounds) | (others < bounds)).any()))
    return np.array(wrong)


def fixed_ranks(level: float, at_most: int) -> Counts:
    """Return the ranks of a signed-rank interval for one look at each number of pairs, exactly."""
    chance = np.zeros(at_most * (at_most + 1) // 2 + 1)
    chance[0] = 1.0
    ranks = np.zeros(at_most + 1, dtype=np.int64)
    for n in range(1, at_most + 1):
        more = chance / 2
        more[n:] += chance[:-n] / 2
        chance = more
        ranks[n] = np.searchsorted(np.cumsum(chance), level, side="right")
    return ranks


def fixed_runs(found: Simulated, pairs: Pairs, asked: Decide, share: float) -> int:
    """Return the blocks of a fixed design with which this share of campaigns decides all pairs."""
    ranks = fixed_ranks(asked.error / len(pairs) / 2, asked.at_most)
    matters = math.log1p(asked.difference)
    decided = np.ones((len(found.logs), asked.at_most + 1), dtype=bool)
    for one, two in pairs:
        first, second = found.logs[:, :, one], found.logs[:, :, two]
        above, above_minus = (counts_by_look(first, second, x, asked) < ranks for x in (matters, -matters))
        below, below_minus = (counts_by_look(second, first, x, asked) < ranks for x in (-matters, matters))
        decided &= above | below_minus | (above_minus & below)
    enough = np.flatnonzero(decided.mean(axis=0) >= share)
    if not enough.size:
        raise ValueError(f"{asked.at_most} blocks decide too few campaigns")
    return int(enough[0])


@dataclass(frozen=True)
class Savings:
    """A fixed design, which decides 95 % of the campaigns, beside one that stops; runs of all points."""

    fixed: int
    at_most: int
    decided: float
    saved: float
    saved_quarter: float


def savings(
    kind: str, effects: tuple[float, ...], pairs: Pairs, campaigns: int, longest: int, factor: float
) -> Savings:
    """Return what stopping saves where `at_most` is this factor of the fixed design's blocks.

    The fixed design knows the spread of the campaigns exactly, which no user does.
    """
    found = simulated(kind, effects, campaigns, longest)
    asked = Decide(DIFFERENCE, at_most=longest)
    fixed = fixed_runs(found, pairs, asked, 0.95)
    asked = replace(asked, at_most=min(longest, math.ceil(factor * fixed)))
    runs = np.zeros((campaigns, len(effects)))
    decided = np.ones(campaigns, dtype=bool)
    for one, two in pairs:
        ends = first_decided(found.logs[:, :, one], found.logs[:, :, two], asked, len(pairs))
        decided &= ends > 0
        for point in (one, two):
            runs[:, point] = np.maximum(runs[:, point], np.where(ends > 0, ends, asked.at_most))
    saved = 1 - runs.sum(axis=1) / (fixed * len(effects))
    return Savings(
        fixed, asked.at_most, float(decided.mean()), float(np.median(saved)), float(np.quantile(saved, 0.25))
    )


def naive_bias(kind: str, campaigns: int, *, interleaved: bool) -> tuple[float, float]:
    """Return the mean bias of the naive ratio of two equal points, and the share of intervals that miss 1."""
    found = simulated(kind, (0.0, 0.0), campaigns, BLOCKS, interleaved=interleaved)
    answers = [naive(found.series(one, 0), found.series(one, 1)) for one in range(campaigns)]
    wrong = [one.low is not None and one.high is not None and not one.low <= 1 <= one.high for one in answers]
    return float(np.mean([one.value for one in answers])) - 1, float(np.mean(wrong))


def blocks_until_decided(found: Simulated, asked: Decide) -> Counts:
    """Return the blocks after which each campaign of two points is decided; all of them where it never is."""
    design = Design(("a", "b"), decide=asked)
    blocks = found.logs.shape[1]
    ends = []
    for logs, nodes in zip(found.logs, found.nodes, strict=True):
        seen = [
            Observation(name, block, str(nodes[block, k]), float(np.exp(logs[block, k])))
            for block in range(blocks)
            for k, name in enumerate(design.points)
        ]
        # Later blocks take back no decision, so that halves find the first.
        first = bisect.bisect_left(
            range(blocks), True, key=lambda n: evaluate(design, seen[: 2 * n]).pairs[0].outcome != "undecided"
        )
        ends.append(first)
    return np.array(ends)


def evaluation_seconds(points: int, blocks: int) -> Iterator[float]:
    """Yield the CPU seconds of `evaluate` after each ended instance of the last block of a campaign."""
    names = tuple(f"p{k}" for k in range(points))
    design = Design(names, decide=Decide(DIFFERENCE))
    found = simulated("normal", (0.0,) * points, 1, blocks)
    seen = []
    for block in range(blocks):
        for k, name in enumerate(names):
            value = float(np.exp(found.logs[0, block, k]))
            seen.append(Observation(name, block, str(found.nodes[0, block, k]), value))
            begin = time.process_time()
            evaluate(design, seen)
            if block == blocks - 1:
                yield time.process_time() - begin


def main() -> None:
    """Print a line for each question."""
    asked, until = Decide(DIFFERENCE, at_most=BLOCKS), Until(0.02, at_most=BLOCKS)
    for kind in CHOSEN:
        effects = (0.0, math.log1p(DIFFERENCE))
        found = simulated(kind, effects, CAMPAIGNS, BLOCKS)
        parts = [f"median of a point {point_coverage(found, until):.2%}"]
        for method in ("ranks", "signs", "unpaired"):
            wrong = missed(found, effects, replace(asked, method=method))
            parts.append(f"difference by {method} {1 - wrong.mean():.2%}")
        family = (0.0,) * POINTS
        wrong = missed(simulated(kind, family, CAMPAIGNS, BLOCKS), family, asked)
        print(
            f"sequential {kind}: coverage at all of {BLOCKS} looks, stated 95 %, of {CAMPAIGNS:,} campaigns: "
            f"{'; '.join(parts)}; family of {POINTS} equal points with a wrong interval {wrong.mean():.2%}"
        )
    node = simulated("slow nodes", (0.0, 0.0), max(CAMPAIGNS // 10, 1), BLOCKS)
    print(f"sequential slow nodes, pairs by node: coverage {1 - missed_by_node(node, asked).mean():.2%}")
    twice = math.log1p(2 * DIFFERENCE)
    for kind in ("drift", "slow nodes"):
        found = simulated(kind, (0.0, twice), max(CAMPAIGNS // 100, 1), 2 * BLOCKS)
        needed = [
            np.median(blocks_until_decided(found, Decide(DIFFERENCE, at_most=2 * BLOCKS, pairing=pairing)))
            for pairing in ("block", "node")
        ]
        print(
            f"sequential {kind}, 2 points: decided after {needed[0]:g} blocks, by node {needed[1]:g}, median"
        )
    families: list[tuple[str, tuple[float, ...], Pairs, int]] = [
        ("2 points", (0.0, twice), [(0, 1)], 2 * BLOCKS),
        ("a baseline and 4 faster points", (twice, 0, 0, 0, 0), [(0, k) for k in range(1, 5)], 4 * BLOCKS),
        (
            "10 pairs of 5 points, of which 6 are alike",
            (twice, 0, 0, 0, 0),
            list(itertools.combinations(range(5), 2)),
            4 * BLOCKS,
        ),
    ]
    for kind, (name, effects, pairs, longest), factor in itertools.product(CHOSEN, families, (1.3, 2.0)):
        saved = savings(kind, effects, pairs, max(CAMPAIGNS // 40, 20), longest, factor)
        print(
            f"sequential {kind}, {name}, true difference twice the asked one: fixed design {saved.fixed} "
            f"blocks, at most {saved.at_most}: node-hours saved, median {saved.saved:.0%}, lower quartile "
            f"{saved.saved_quarter:.0%}; {saved.decided:.1%} decided"
        )
    for kind in ("drift", "slow nodes"):
        for interleaved in (False, True):
            bias, wrong_share = naive_bias(kind, max(CAMPAIGNS // 100, 1), interleaved=interleaved)
            print(
                f"sequential {kind}, {'interleaved' if interleaved else 'file'} order, naive answer of two "
                f"equal points: bias {bias:+.2%}, intervals that miss {wrong_share:.1%}"
            )
    taken = np.array(list(evaluation_seconds(10, BLOCKS)))
    print(f"sequential evaluate, {BLOCKS} runs of 10 points: {1e3 * np.median(taken):.2f} ms of CPU, median")


if __name__ == "__main__":
    main()
