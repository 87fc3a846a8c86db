"""Seeded distributions of durations and faults of a simulated campaign."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType

from orchestrator.protocol.order import AttemptOrder


@dataclass(frozen=True, slots=True)
class SimulatedRun:
    """How long an attempt takes and how it ends if nothing interferes.

    Parameters
    ----------
    ready_seconds
        From its start to the end of its imports, where it waits at the start barrier if there is one.
    run_seconds
        From there to its end.
    exit_code
        Of its process; with 0 it has a result.
    hangs
        Whether it and its supervisor stop for ever once it is ready.
    out_of_memory
        Whether its supervisor ends it, as it uses more memory than its slot has.
    """

    ready_seconds: float
    run_seconds: float
    exit_code: int = 0
    hangs: bool = False
    out_of_memory: bool = False


_NO_RUNS: Mapping[str, Sequence[tuple[float, float]]] = MappingProxyType({})
_NO_AGES: Mapping[tuple[str, int], float] = MappingProxyType({})
_DRAWS = 50
"""How often an expected duration is drawn until it is longer than an attempt's age."""
_TAIL_SHARE, _LEAST_TAIL = 10, 5
"""The tail of a distribution is estimated from the longest of so many runs, and from so many at least."""
_SHORTEST_TAIL = 0.01
"""Least mean logarithm in Hill's estimate: equal times would give no exponent."""
_LONE_EXPONENT = 2.0
"""Exponent where a single run is known."""
RunSampler = Callable[[AttemptOrder], SimulatedRun]
"""Returns how the attempt of an order goes."""


@dataclass(frozen=True, slots=True)
class FaultModel:
    """Distributions; each draw depends on the seed and on what it is for, not on what came before.

    Parameters
    ----------
    seed
        Random seed.
    spread
        Sigma of the lognormal distribution of durations around what is expected.
    stragglers, tail, max_straggler_factor
        Share of attempts that take longer, exponent of the Pareto distribution of the factor, and its limit.
    failures, failures_of
        Share of attempts that end with an exit code; of benchmarks for which another is known.
    ready_seconds
        Median time from process start to ready.
    node_hours_to_failure
        Mean time between failures of a node; None for nodes that never fail.
    partition_share
        Share of node failures that are network partitions: the node's attempts run on and still report.
    late
        Share of results that arrive up to 60 s after they are in the journal.
    queue_seconds
        Median time that a block waits in the batch system's queue.
    queue_waits
        Seconds that blocks of a pool wait, from which each draws its own instead.
    pool_seconds
        Longest time between the start of a block and the first order on its nodes.
    """

    seed: int = 0
    spread: float = 0.05
    stragglers: float = 0.01
    tail: float = 2.0
    max_straggler_factor: float = 5.0
    failures: float = 0.0
    failures_of: Mapping[str, float] = field(default_factory=dict)
    ready_seconds: float = 5.0
    node_hours_to_failure: float | None = None
    partition_share: float = 0.5
    late: float = 0.0
    queue_seconds: float = 0.0
    queue_waits: Mapping[str, Sequence[float]] = field(default_factory=dict)
    pool_seconds: float = 10.0

    def random(self, *what: object) -> Random:
        """Return a random generator for one purpose; others do not advance it."""
        return Random("/".join(map(str, (self.seed, *what))))  # noqa: S311  no secret depends on it

    def sampler(
        self,
        expected: Mapping[str, float],
        runs: Mapping[str, Sequence[tuple[float, float]]] = _NO_RUNS,
        ages: Mapping[tuple[str, int], float] = _NO_AGES,
    ) -> RunSampler:
        """Return a sampler of attempts.

        Parameters
        ----------
        expected
            Seconds of each benchmark from ready to end.
        runs
            Seconds until ready, and from there to the end, of runs from which a benchmark's attempts are
            drawn instead.
        ages
            Seconds that attempts have run before the simulation begins, by label and number: each takes what
            is left of a run that is longer. Beside k runs that are, it is the longest in 1 of k + 1 cases.
        """
        totals = {name: sorted(map(sum, runs.get(name, ()))) for name in {_benchmark(one) for one, _ in ages}}

        def sample(order: AttemptOrder) -> SimulatedRun:
            random, benchmark = self.random(order.label, order.attempt), _benchmark(order.label)
            age = ages.get((order.label, order.attempt))
            if age is None:
                ready, seconds = whole(benchmark, random)
            else:
                ready, seconds = 0.0, rest(benchmark, age, random)
            if random.random() < self.failures_of.get(benchmark, self.failures):
                return SimulatedRun(ready, seconds * random.random(), exit_code=1)
            return SimulatedRun(ready, seconds)

        def rest(benchmark: str, age: float, random: Random) -> float:
            if totals[benchmark]:
                return _left(totals[benchmark], age, random)
            for _ in range(_DRAWS):
                if (left := sum(whole(benchmark, random)) - age) > 0:
                    return left
            return age * (random.paretovariate(self.tail) - 1)

        def whole(benchmark: str, random: Random) -> tuple[float, float]:
            if benchmark in runs:
                return random.choice(runs[benchmark])
            seconds = expected[benchmark] * self._about_one(random)
            if random.random() < self.stragglers:
                seconds *= min(self.max_straggler_factor, random.paretovariate(self.tail))
            return self.ready_seconds * self._about_one(random), seconds

        return sample

    def queue(self, block: str, pool: str, waited: float = 0.0) -> float:
        """Return how much longer a block of a pool waits in the queue that has waited for some seconds.

        A block that has waited longer than any before waits about as long again.
        """
        random = self.random("queue", block)
        if waits := self.queue_waits.get(pool):
            longer = [one - waited for one in waits if one > waited]
            if longer or not waited:
                return random.choice(longer or waits)
        usual = waited or self.queue_seconds
        return usual * math.exp(random.gauss(0.0, 1.0))

    def pool(self, node: str) -> float:
        """Return how long a node takes from its block's start to its first order."""
        return self.pool_seconds * self.random("pool", node).random()

    def failure(self, node: str, nodes: int) -> float:
        """Return when one of the nodes of a pool fails, in seconds after its start."""
        if self.node_hours_to_failure is None:
            return math.inf
        return self.random("failure", node).expovariate(nodes / (3600 * self.node_hours_to_failure))

    def delay(self, order: AttemptOrder) -> float:
        """Return how much later than usual a result comes."""
        if not self.late:
            return 0.0
        random = self.random("late", order.label, order.attempt)
        return random.uniform(0.0, 60.0) if random.random() < self.late else 0.0

    def _about_one(self, random: Random) -> float:
        return random.lognormvariate(0.0, self.spread)


def _benchmark(label: str) -> str:
    return label.rpartition("/")[0]


def _left(ordered: Sequence[float], age: float, random: Random) -> float:
    """Return how long an attempt of an age still takes, by runs of these seconds, the shortest first.

    Beside k runs that took longer it takes longer than all of them in 1 of k + 1 cases.
    """
    longer = ordered[bisect_right(ordered, age) :]
    if random.random() * (len(longer) + 1) >= 1:
        return random.choice(longer) - age
    known = ordered if longer else [*ordered, age]
    return known[-1] * random.paretovariate(_tail_exponent(known)) - age


def _tail_exponent(ordered: Sequence[float]) -> float:
    """Return the exponent of a Pareto distribution for what is beyond the longest of some times.

    It is B. M. Hill's estimate (Annals of Statistics 3, 1975) from the longest tenth.
    """
    if len(ordered) == 1:
        return _LONE_EXPONENT
    most = max(len(ordered) // _TAIL_SHARE, min(_LEAST_TAIL, len(ordered) - 1))
    least = ordered[-most - 1]
    mean = sum(math.log(one / least) for one in ordered[-most:]) / most
    return 1 / max(mean, _SHORTEST_TAIL)
