"""Seeded distributions of durations and faults of a simulated campaign."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
_TAIL_SHARE, _LEAST_TAIL = 10, 5
"""The tail of a distribution is estimated from the longest of so many runs, and from so many at least."""
_SHORTEST_TAIL = 0.01
"""Mean of the logarithms of times by the shortest of the tail at the least."""
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

        def sample(order: AttemptOrder) -> SimulatedRun:
            random = self.random(order.label, order.attempt)
            benchmark = order.label.rpartition("/")[0]
            if (age := ages.get((order.label, order.attempt))) is None:
                return draw(benchmark, random)
            known = sorted(map(sum, runs.get(benchmark, ())))
            longer = len(known) - bisect_right(known, age)
            if random.random() * (longer + 1) >= 1 or not known:
                for _ in range(_DRAWS):
                    run = draw(benchmark, random)
                    if (left := run.ready_seconds + run.run_seconds - age) > 0:
                        return replace(run, ready_seconds=0.0, run_seconds=left)
            longest = max([age, *known[-1:]])
            if longer == 0:
                known.append(age)
            exponent = _tail_exponent(known) if len(known) > 1 else self.tail
            return SimulatedRun(0.0, longest * random.paretovariate(exponent) - age)

        def draw(benchmark: str, random: Random) -> SimulatedRun:
            if benchmark in runs:
                ready, seconds = random.choice(runs[benchmark])
            else:
                seconds = expected[benchmark] * self._about_one(random)
                if random.random() < self.stragglers:
                    seconds *= min(self.max_straggler_factor, random.paretovariate(self.tail))
                ready = self.ready_seconds * self._about_one(random)
            if random.random() < self.failures_of.get(benchmark, self.failures):
                return SimulatedRun(ready, seconds * random.random(), exit_code=1)
            return SimulatedRun(ready, seconds)

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


def _tail_exponent(ordered: Sequence[float]) -> float:
    """Return the exponent of a Pareto distribution for what is beyond the longest of some times.

    It is B. M. Hill's estimate (Annals of Statistics 3, 1975) from the longest tenth.
    """
    most = max(len(ordered) // _TAIL_SHARE, min(_LEAST_TAIL, len(ordered) - 1))
    least = ordered[-most - 1]
    mean = sum(math.log(one / least) for one in ordered[-most:]) / most
    return 1 / max(mean, _SHORTEST_TAIL)
