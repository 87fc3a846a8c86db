"""False alarms, slow nodes found, and node-minutes of screenings that stop when certain, by simulation.

``python -m tests.bench.screening`` takes some minutes.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orchestrator.analysis.nodes.scores import FALSE_ALARMS
from orchestrator.analysis.nodes.screened import MISSED
from orchestrator.analysis.sequential.members import STANDINGS, Among, standings
from orchestrator.screening.options import AT_MOST, DIFFERENCE, SECONDS, WAVES

Numbers = NDArray[np.float64]

KINDS = ("calm", "noisy", "skewed", "heavy tails", "stragglers", "one noisy node")
CHOSEN = KINDS
"""Kinds of noise that the benchmark simulates; its test takes fewer."""
NODES = (16, 64, 256)
SCREENINGS = 1_000
BENCHMARKS = 3
START_SECONDS = 10.0
FORMER_WAVES = 4
"""Waves of the fixed design that asked for certainty of nothing."""
LONGEST = 40
"""Most waves of a fixed design that is looked for."""
SLOW, FINE = STANDINGS.index("slow"), STANDINGS.index("fine")


def simulated(kind: str, nodes: int, waves: int, slower: float, number: int) -> Numbers:
    """Return logarithms of rates, shape (benchmarks, waves, nodes); the first node is slower in the last one.

    Runs spread by 1 % and nodes by 0.5 %, or both by twice as much; a skewed, heavy or straggling run spreads
    as a calm one around its median.
    """
    random = np.random.default_rng((2017, KINDS.index(kind), nodes, number))
    shape = (BENCHMARKS, waves, nodes)
    factor = 2.0 if kind == "noisy" else 1.0
    effects = random.normal(0.0, 0.005 * factor, (BENCHMARKS, 1, nodes))
    noise = random.normal(0.0, 0.01 * factor, shape)
    if kind == "skewed":
        noise = -random.exponential(0.015, shape)
    elif kind == "heavy tails":
        noise = 0.01 * random.standard_t(2, shape)
    elif kind == "stragglers":
        noise -= np.where(random.random(shape) < 0.02, 0.3 * random.pareto(2.0, shape), 0.0)
    elif kind == "one noisy node":
        noise[:, :, 1] *= 4
    if slower:
        effects[-1, 0, 0] = -math.log1p(slower)
    found: Numbers = effects + noise
    return found


@dataclass(frozen=True)
class Ended:
    """A screening.

    Parameters
    ----------
    waves
        Of each benchmark.
    named, fine, undecided
        Numbers of nodes.
    """

    waves: tuple[int, ...]
    named: frozenset[int]
    fine: frozenset[int]
    undecided: int

    @property
    def decided(self) -> bool:
        """True if every node has its verdict."""
        return not self.undecided


def screening(logs: Numbers, asked: Among) -> Ended:
    """Return how a screening ends whose benchmarks run one after another."""
    nodes = logs.shape[2]
    slow, fine = np.zeros(nodes, dtype=bool), np.ones(nodes, dtype=bool)
    waves = []
    for benchmark in logs:
        found, looks = standings(benchmark, asked)
        needed = np.where((found == SLOW) | (found == FINE), looks, asked.at_most)
        waves.append(max(asked.at_least, int(needed[~slow].max(initial=0))))
        slow |= (found == SLOW) & (looks <= waves[-1])
        fine &= found == FINE
    fine &= ~slow
    named, good = (frozenset(np.flatnonzero(one).tolist()) for one in (slow, fine))
    return Ended(tuple(waves), named, good, nodes - len(named) - len(good))


def asking(nodes: int, waves: tuple[int, int], difference: float = DIFFERENCE) -> Among:
    """Return what `node screen` asks of nodes with one slot each."""
    return Among(difference, nodes * BENCHMARKS, FALSE_ALARMS, MISSED, *waves)


def screenings(
    kind: str,
    nodes: int,
    slower: float,
    number: int,
    *,
    waves: tuple[int, int] = (WAVES, AT_MOST),
    difference: float = DIFFERENCE,
) -> list[Ended]:
    """Return how some screenings end."""
    asked = asking(nodes, waves, difference)
    return [screening(simulated(kind, nodes, waves[1], slower, one), asked) for one in range(number)]


def worst_alarms(nodes: int, number: int, difference: float = 0.001) -> float:
    """Return the share of screenings of equal nodes that name any, where the asked difference is about 0."""
    random = np.random.default_rng((2018, nodes))
    asked = asking(nodes, (WAVES, AT_MOST), difference)
    named = [
        bool(screening(random.normal(0.0, 0.02, (BENCHMARKS, AT_MOST, nodes)), asked).named)
        for _ in range(number)
    ]
    return float(np.mean(named))


def node_minutes(nodes: int, ended: list[Ended], first_look: int = WAVES) -> float:
    """Return the median of the node-minutes of screenings; a wave takes the same whenever it runs."""
    run = SECONDS / (first_look * BENCHMARKS) + START_SECONDS
    return nodes * float(np.median([sum(one.waves) for one in ended])) * run / 60


def fixed_waves(
    kind: str, nodes: int, slower: float, decided: float, number: int, difference: float = DIFFERENCE
) -> int | None:
    """Return the fewest waves of a design with one look that decides as many; None if none does."""
    low, high = 1, LONGEST + 1
    while low < high:
        middle = (low + high) // 2
        found = screenings(kind, nodes, slower, number, waves=(middle, middle), difference=difference)
        enough = float(np.mean([one.decided for one in found])) >= decided
        low, high = (low, middle) if enough else (middle + 1, high)
    return low if low <= LONGEST else None


def line(kind: str, nodes: int, slower: float, difference: float, number: int) -> str:
    """Return what some screenings of one kind found, and took."""
    ended = screenings(kind, nodes, slower, number, difference=difference)
    others = frozenset({0} if slower else ())
    decided = float(np.mean([one.decided for one in ended]))
    parts = [f"false alarms {np.mean([bool(one.named - others) for one in ended]):.2%}"]
    if slower:
        parts.append(f"found {np.mean([0 in one.named for one in ended]):.1%}")
        parts.append(f"called fine {np.mean([0 in one.fine for one in ended]):.1%}")
    parts.append(
        f"all decided {decided:.1%}, undecided nodes {np.mean([one.undecided for one in ended]):.2f}"
    )
    waves = np.array([sum(one.waves) / BENCHMARKS for one in ended])
    parts.append(f"waves {np.median(waves):.1f}, 9 of 10 within {np.quantile(waves, 0.9):.1f}")
    former = SECONDS / (FORMER_WAVES * BENCHMARKS) + START_SECONDS
    fixed = nodes * FORMER_WAVES * BENCHMARKS * former / 60
    parts.append(f"node-minutes {node_minutes(nodes, ended):.0f}, {FORMER_WAVES} fixed waves {fixed:.0f}")
    if decided and slower != difference:
        same = fixed_waves(kind, nodes, slower, decided, min(number, SCREENINGS // 5), difference)
        parts.append(f"fixed waves with one look that decide as many {same or f'over {LONGEST}'}")
    name = f"one {slower:.0%} slower" if slower else "none slow"
    asked = f"asked difference {100 * difference:g} %"
    return f"screening {kind}, {nodes} nodes, {name}, {asked}, {number:,} times: {'; '.join(parts)}"


def main() -> None:
    """Print a line for each question."""
    few = max(SCREENINGS // 5, 1)
    for nodes in NODES:
        print(
            f"screening {nodes} equal nodes, asked difference 0.1 %: {worst_alarms(nodes, SCREENINGS):.2%} "
            f"of {SCREENINGS:,} screenings name any, stated {FALSE_ALARMS:.0%}",
            flush=True,
        )
    for kind, nodes in itertools.product(CHOSEN, NODES):
        print(line(kind, nodes, 0.0, DIFFERENCE, SCREENINGS), flush=True)
        for slower, difference in ((0.10, DIFFERENCE), (0.05, DIFFERENCE), (0.05, DIFFERENCE / 2)):
            print(line(kind, nodes, slower, difference, few), flush=True)


if __name__ == "__main__":
    main()
