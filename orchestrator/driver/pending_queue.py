"""Instances that wait for a slot, in the order of their benchmarks."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from db.records import Pending


class PendingQueue:
    """Hands out waiting instances by benchmark; a benchmark may be deferred or paused.

    Parameters
    ----------
    benchmarks
        Names, in the order in which their instances start.
    paused
        Names of benchmarks of which none starts; the set may change.
    """

    def __init__(
        self,
        benchmarks: Sequence[str] = (),
        pending: Iterable[Pending] = (),
        paused: AbstractSet[str] = frozenset(),
    ) -> None:
        self._paused = paused
        self._queues: dict[str, deque[Pending]] = {name: deque() for name in benchmarks}
        self._deferred: dict[str, float] = {}
        self.add(pending)

    def __len__(self) -> int:
        """Return how many wait, deferred or not; those of paused benchmarks do not count."""
        return sum(len(queue) for name, queue in self._queues.items() if name not in self._paused)

    @property
    def held_back(self) -> int:
        """How many wait of paused benchmarks."""
        return sum(len(self._queues[name]) for name in self._paused if name in self._queues)

    @property
    def benchmarks(self) -> list[str]:
        """Benchmarks with instances that wait, deferred or not."""
        return [name for name, queue in self._queues.items() if queue and name not in self._paused]

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
            ready = name not in self._paused and self._deferred.get(name, now) <= now
            if queue and ready and (among is None or name in among):
                yield name

    def pop(self, benchmark: str) -> Pending:
        """Return the next instance of a benchmark."""
        return self._queues[benchmark].popleft()

    def requeue(self, one: Pending, *, last: bool = False) -> None:
        """Let an instance wait again, before all others of its benchmark or after them."""
        queue = self._queues[one.benchmark]
        (queue.append if last else queue.appendleft)(one)

    def remove(self, instances: AbstractSet[int]) -> None:
        """Hand out none of these instances."""
        for name, queue in self._queues.items():
            if instances and queue:
                self._queues[name] = deque(one for one in queue if one.instance_id not in instances)

    def add(self, pending: Iterable[Pending]) -> None:
        """Let those of these instances wait, after all others, whose benchmark is here."""
        for one in pending:
            if one.benchmark in self._queues:
                self._queues[one.benchmark].append(one)
