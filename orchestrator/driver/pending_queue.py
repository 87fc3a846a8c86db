"""Instances that wait for a slot, in the order of their benchmarks."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Container, Iterable, Iterator, Sequence

from db.records import Pending


class PendingQueue:
    """Hands out waiting instances, longest benchmark first; a benchmark may be deferred for a while.

    Parameters
    ----------
    benchmarks
        Names, in the order in which their instances start.
    """

    def __init__(self, benchmarks: Sequence[str] = (), pending: Iterable[Pending] = ()) -> None:
        self._names = list(benchmarks)
        self._places = {name: place for place, name in enumerate(benchmarks)}
        self._queues: dict[str, deque[Pending]] = {name: deque() for name in benchmarks}
        self._deferred: dict[str, float] = {}
        self._number = 0
        for one in pending:
            if one.benchmark in self._queues:
                self._queues[one.benchmark].append(one)
                self._number += 1
        self._waiting = [place for place, name in enumerate(self._names) if self._queues[name]]
        """Places of the benchmarks with instances that wait, ascending: a sweep has thousands without."""

    def __len__(self) -> int:
        """Return how many wait, deferred or not."""
        return self._number

    @property
    def benchmarks(self) -> list[str]:
        """Benchmarks with instances that wait, deferred or not."""
        return [self._names[place] for place in self._waiting]

    def count(self, benchmark: str) -> int:
        """Return how many instances of a benchmark wait, deferred or not."""
        return len(self._queues[benchmark])

    def defer(self, benchmark: str, until: float) -> None:
        """Hand out no instance of a benchmark before a time."""
        self._deferred[benchmark] = until

    def resume_all(self) -> None:
        """Defer no benchmark any longer."""
        self._deferred.clear()

    def ready_count(self, now: float, among: Container[str] | None = None) -> int:
        """Return how many may start now, of all benchmarks or of some."""
        return sum(len(self._queues[name]) for name in self._ready(now, among))

    def next_benchmark(self, now: float, among: Container[str] | None = None) -> str | None:
        """Return the benchmark, of all or of some, whose instances are next; None if none may start now."""
        return next(self._ready(now, among), None)

    def _ready(self, now: float, among: Container[str] | None) -> Iterator[str]:
        """Yield the benchmarks whose instances may start now."""
        for place in self._waiting:
            name = self._names[place]
            if (among is None or name in among) and self._deferred.get(name, now) <= now:
                yield name

    def pop(self, benchmark: str) -> Pending:
        """Return the next instance of a benchmark."""
        queue = self._queues[benchmark]
        one = queue.popleft()
        self._number -= 1
        if not queue:
            del self._waiting[bisect_left(self._waiting, self._places[benchmark])]
        return one

    def requeue(self, one: Pending, *, last: bool = False) -> None:
        """Let an instance wait again, before all others of its benchmark or after them."""
        queue = self._queues[one.benchmark]
        if not queue:
            insort(self._waiting, self._places[one.benchmark])
        (queue.append if last else queue.appendleft)(one)
        self._number += 1
