"""Instances that wait for a slot, in the order of their benchmarks."""

from __future__ import annotations

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
        self._queues: dict[str, deque[Pending]] = {name: deque() for name in benchmarks}
        self._deferred: dict[str, float] = {}
        for one in pending:
            if one.benchmark in self._queues:
                self._queues[one.benchmark].append(one)

    def __len__(self) -> int:
        """Return how many wait, deferred or not."""
        return sum(map(len, self._queues.values()))

    @property
    def benchmarks(self) -> list[str]:
        """Benchmarks with instances that wait, deferred or not."""
        return [name for name, queue in self._queues.items() if queue]

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
        return sum(len(self._queues[name]) for name in self._ready(now, among))

    def next_benchmark(self, now: float, among: Container[str] | None = None) -> str | None:
        """Return the benchmark, of all or of some, whose instances are next; None if none may start now."""
        return next(self._ready(now, among), None)

    def _ready(self, now: float, among: Container[str] | None) -> Iterator[str]:
        """Yield the benchmarks whose instances may start now."""
        for name, queue in self._queues.items():
            if queue and (among is None or name in among) and self._deferred.get(name, now) <= now:
                yield name

    def pop(self, benchmark: str) -> Pending:
        """Return the next instance of a benchmark."""
        return self._queues[benchmark].popleft()

    def requeue(self, one: Pending, *, last: bool = False) -> None:
        """Let an instance wait again, before all others of its benchmark or after them."""
        queue = self._queues[one.benchmark]
        (queue.append if last else queue.appendleft)(one)
