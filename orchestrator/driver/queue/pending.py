"""Instances that wait for a slot, in the order of their benchmarks."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType

from db.records import Pending
from orchestrator.planning.larger_slots import FIRST, Level


def by_benchmark(benchmarks: Iterable[str], pending: Iterable[Pending]) -> dict[str, deque[Pending]]:
    """Return waiting instances by benchmark; those of other benchmarks are left out."""
    found: dict[str, deque[Pending]] = {name: deque() for name in benchmarks}
    for one in pending:
        if one.benchmark in found:
            found[one.benchmark].append(one)
    return found


def pool_entry(pool: str) -> str:
    """Return how a set of paused names has a pool, as no name of a benchmark is written."""
    return f"/{pool}"


class PendingQueue:
    """Hands out waiting instances by benchmark; a benchmark may be deferred or paused.

    Parameters
    ----------
    waiting
        Instances by benchmark, in the order in which they start; shared with the queues of other pools
        that serve the benchmark.
    paused
        Names of benchmarks of which none starts, and entries of paused pools; the set may change.
    pool
        Pool of the site whose slots they wait for here.
    level
        How often these instances ran out of memory and disk in smaller slots.
    held
        Names of benchmarks whose instances start once a trial is promoted; the set may change.
    """

    one_at_a_time = False
    """True where the next instance may be of another benchmark after each one."""

    def __init__(
        self,
        waiting: Mapping[str, deque[Pending]] = MappingProxyType({}),
        paused: AbstractSet[str] = frozenset(),
        pool: str = "",
        level: Level = FIRST,
        held: AbstractSet[str] = frozenset(),
    ) -> None:
        self.pool = pool
        self._pool_entry = pool_entry(pool)
        self.level = level
        self._paused = paused
        self._held = held
        self._queues = waiting
        self._deferred: dict[str, float] = {}

    def __len__(self) -> int:
        """Return how many wait, deferred or not, and are not held back by a pause or a search."""
        return sum(len(queue) for name, queue in self._queues.items() if self._may_start(name))

    def __bool__(self) -> bool:
        """Return whether any waits; asked of each pool at each turn."""
        return any(queue and self._may_start(name) for name, queue in self._queues.items())

    def _may_start(self, benchmark: str) -> bool:
        return not self.pool_paused and benchmark not in self._paused and benchmark not in self._held

    @property
    def pool_paused(self) -> bool:
        """True while none starts on its pool."""
        return self._pool_entry in self._paused

    @property
    def held_back(self) -> int:
        """How many wait of paused benchmarks, or for a paused pool."""
        if self.pool_paused:
            return sum(map(len, self._queues.values()))
        return sum(len(self._queues[name]) for name in self._paused if name in self._queues)

    @property
    def served(self) -> AbstractSet[str]:
        """Benchmarks whose instances may wait here."""
        return self._queues.keys()

    def serve(self, waiting: Mapping[str, deque[Pending]]) -> None:
        """Hand out these instances from now on; none without any."""
        self._queues = waiting

    @property
    def benchmarks(self) -> list[str]:
        """Benchmarks with instances that wait, deferred or not."""
        return [name for name, queue in self._queues.items() if queue and self._may_start(name)]

    def defer(self, benchmark: str, until: float) -> None:
        """Hand out no instance of a benchmark before a time."""
        self._deferred[benchmark] = until

    def resume_all(self) -> None:
        """Defer no benchmark any longer."""
        self._deferred.clear()

    def count(self, benchmark: str) -> int:
        """Return how many instances of a benchmark wait, deferred or not."""
        return len(self._queues[benchmark])

    def ready_count(self, now: float, among: Container[str] | None = None) -> int:
        """Return how many may start now, of all benchmarks or of some."""
        return sum(len(self._queues[name]) for name in self.ready(now, among))

    def ready(self, now: float, among: Container[str] | None = None) -> Iterator[str]:
        """Yield the benchmarks, of all or of some, whose instances may start now."""
        for name, queue in self._queues.items():
            ready = queue and self._may_start(name) and self._deferred.get(name, now) <= now
            if ready and (among is None or name in among):
                yield name

    def pop(self, benchmark: str) -> Pending:
        """Return the next instance of a benchmark."""
        return self._queues[benchmark].popleft()

    def deviation(self, one: Pending) -> str | None:  # noqa: ARG002
        """Return how handing out an instance now deviates from a drawn order; None without such an order."""
        return None

    def requeue(self, one: Pending, *, last: bool = False) -> None:
        """Let an instance wait again, before all others of its benchmark or after them."""
        queue = self._queues[one.benchmark]
        (queue.append if last else queue.appendleft)(one)

    def remove(self, instances: AbstractSet[int]) -> list[Pending]:
        """Hand out none of these instances; return those that waited."""
        removed: list[Pending] = []
        for queue in self._queues.values() if instances else ():
            kept = [one for one in queue if one.instance_id not in instances]
            if len(kept) < len(queue):
                removed += [one for one in queue if one.instance_id in instances]
                queue.clear()
                queue.extend(kept)
        return removed

    def add(self, pending: Iterable[Pending]) -> None:
        """Let those of these instances wait, after all others, whose benchmark is here."""
        for one in pending:
            if one.benchmark in self._queues:
                self._queues[one.benchmark].append(one)
