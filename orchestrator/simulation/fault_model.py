"""Seeded distributions of durations and faults of a simulated campaign."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from types import MappingProxyType

from orchestrator.protocol.order import AttemptOrder
from orchestrator.simulation.durations import Durations, Run


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
    out_of_disk
        Whether it fails as its node's own disk is full.
    age
        Seconds that it has run as the simulation begins; the other times are those that are left.
    """

    ready_seconds: float
    run_seconds: float
    exit_code: int = 0
    hangs: bool = False
    out_of_memory: bool = False
    out_of_disk: bool = False
    age: float = 0.0


_NO_RUNS: Mapping[str, Sequence[Run]] = MappingProxyType({})
_NO_AGES: Mapping[tuple[str, int], float] = MappingProxyType({})
_DRAWS = 50
"""How often an expected duration is drawn until it is longer than an attempt's age."""
RunSampler = Callable[[AttemptOrder], SimulatedRun]
"""Returns how the attempt of an order goes."""
RunDrawer = Callable[[str, int], SimulatedRun]
"""Returns how the attempt of a label and number goes."""


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
        Longest time between the start of a block and the first process on its nodes, by which earlier ones
        are measured; here it is that to the first order.
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
        runs: Mapping[str, Sequence[Run]] = _NO_RUNS,
        ages: Mapping[tuple[str, int], float] = _NO_AGES,
    ) -> RunSampler:
        """Return a sampler of attempts; see `runs`."""
        draw = self.runs(expected, runs, ages)
        return lambda order: draw(order.label, order.attempt)

    def runs(
        self,
        expected: Mapping[str, float],
        runs: Mapping[str, Sequence[Run]] = _NO_RUNS,
        ages: Mapping[tuple[str, int], float] = _NO_AGES,
    ) -> RunDrawer:
        """Return what draws attempts by their labels and numbers.

        Parameters
        ----------
        expected
            Seconds of each benchmark from ready to end.
        runs
            Runs from which a benchmark's attempts are drawn instead; with an expected duration, too, what is
            longer than all of them is drawn around that.
        ages
            Seconds that attempts have run as the simulation begins, by label and number: each takes what is
            left of a run that is longer.
        """
        running: dict[str, list[float]] = {}
        for (label, _), age in ages.items():
            running.setdefault(_benchmark(label), []).append(age)

        def stated(benchmark: str, random: Random) -> Run:
            seconds = expected[benchmark] * self._about_one(random)
            if random.random() < self.stragglers:
                seconds *= min(self.max_straggler_factor, random.paretovariate(self.tail))
            return self.ready_seconds * self._about_one(random), seconds

        def beyond(benchmark: str, longest: float, random: Random) -> float:
            for _ in range(_DRAWS):
                if (total := sum(stated(benchmark, random))) > longest:
                    return total
            return longest * random.paretovariate(self.tail)

        known = {
            name: Durations(found, running.get(name, ()), partial(stated, name), partial(beyond, name))
            if name in expected
            else Durations(found, running.get(name, ()))
            for name, found in runs.items()
        }

        def draw(label: str, attempt: int) -> SimulatedRun:
            random, benchmark = self.random(label, attempt), _benchmark(label)
            durations, age = known.get(benchmark), ages.get((label, attempt))
            if age is None:
                ready, seconds = durations.draw(random) if durations else stated(benchmark, random)
            elif durations:
                ready, seconds = 0.0, durations.rest(age, random)
            else:
                ready, seconds = 0.0, beyond(benchmark, age, random) - age
            if random.random() < self.failures_of.get(benchmark, self.failures):
                return SimulatedRun(ready, seconds * random.random(), exit_code=1, age=age or 0.0)
            return SimulatedRun(ready, seconds, age=age or 0.0)

        return draw

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
