"""Instances that wait for a slot, in an order that was drawn for the campaign."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Container, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Protocol

from db.records import Pending
from orchestrator.driver.queue.order_design import OrderDesign
from orchestrator.driver.queue.pending import PendingQueue

_LOOK_AHEAD = 32  # instances of a block among which a node's is chosen
_Head = tuple[int, int, int, int, str]


class Balance(Protocol):
    """Runs of each point by node; `observers.node_balance.NodeBalance` implements it."""

    def runs(self, pool: str) -> tuple[Counter[str], int] | None:
        """Return how often the node that was freed first ran each point, and the number of nodes."""

    def take(self, pool: str) -> None:
        """Forget the free slot of the node that was freed first."""


class OrderedQueue(PendingQueue):
    """Hands out waiting instances block by block.

    An instance waits until all of earlier blocks were handed out. Within an interleaved block the node whose
    slot is free gets a point that it ran least, of the next `_LOOK_AHEAD`. What failed, and runs again, comes
    after all others.

    Parameters
    ----------
    waiting, paused, pool, held
        As for `PendingQueue`.
    design
        The registered order.
    balance
        What ran on which node; shared with the queues of other stages.
    retries_soon
        Whether what failed runs again after the next block, instead of after all others: looks at the
        campaign wait for it.
    """

    one_at_a_time = True

    def __init__(
        self,
        waiting: Mapping[str, deque[Pending]],
        paused: AbstractSet[str],
        pool: str,
        design: OrderDesign,
        balance: Balance,
        *,
        retries_soon: bool = False,
        held: AbstractSet[str] = frozenset(),
    ) -> None:
        super().__init__(waiting, paused, pool, held=held)
        self._design = design
        self._balance = balance
        self._retries_soon = retries_soon and design.order == "interleaved"
        self._last: set[int] = set()
        self._later: dict[int, int] = {}  # blocks of retries by instance
        self._reached = 0  # latest block of which an instance was handed out
        self._heap: list[_Head] = []
        self.serve(waiting)

    def serve(self, waiting: Mapping[str, deque[Pending]]) -> None:
        """Hand out these instances from now on, in the registered order."""
        super().serve(waiting)
        for queue in waiting.values():
            self._sort(queue)
        self._heap = []

    def _sort(self, queue: deque[Pending]) -> None:
        ordered = sorted(queue, key=self._key)
        queue.clear()
        queue.extend(ordered)

    def _key(self, one: Pending) -> tuple[int, int, int, int]:
        late = one.instance_id in self._last
        block, *draws = self._design.place(one.benchmark, one.benchmark_index)
        return late, max(block, self._later.get(one.instance_id, 0)), draws[0], draws[1]

    def _head(self, benchmark: str) -> _Head:
        return (*self._key(self._queues[benchmark][0]), benchmark)

    def _fill_heap(self) -> None:
        """Make the heap anew: queues that pools share change without a notice to each of them."""
        self._heap = [self._head(name) for name, queue in self._queues.items() if queue]
        heapq.heapify(self._heap)

    def _take_head(self) -> _Head | None:
        """Return the first waiting instance's place and benchmark, taken from the heap."""
        while self._heap:
            found = heapq.heappop(self._heap)
            if not self._queues[found[-1]]:
                continue
            now = self._head(found[-1])
            if now <= found:
                return now
            heapq.heappush(self._heap, now)
        return None

    def ready(self, now: float, among: Container[str] | None = None) -> Iterator[str]:
        """Yield the benchmark whose instance is next; nothing where that has to wait."""
        if self.pool_paused or not any(self._queues.values()):
            return
        found = self._next(now, among)
        if found is None:
            self._fill_heap()
            found = self._next(now, among)
        if found is not None:
            yield found

    def _next(self, now: float, among: Container[str] | None) -> str | None:
        seen: dict[str, _Head] = {}
        wanted = self._balance.runs(self.pool) if self._design.order == "interleaved" else None
        first: _Head | None = None
        found: tuple[int, str] | None = None
        while (
            len(seen) < _LOOK_AHEAD + len(self._paused) + len(self._held)
            and (head := self._take_head()) is not None
        ):
            name = head[-1]
            again = name in seen
            seen[name] = head
            if again or not self._may_start(name):
                continue
            first = first or head
            if head[:3] != first[:3]:  # of a later block or wave
                break
            waits = self._deferred.get(name, now) > now
            if not waits and (among is None or name in among):
                runs = wanted[0][name] if wanted else 0
                if found is None or runs < found[0]:
                    found = runs, name
                if not wanted or runs <= (head[1] - 1) // max(1, wanted[1]):
                    break
            elif self._design.order == "shuffled":
                break
        for head in seen.values():
            heapq.heappush(self._heap, head)
        return found[1] if found else None

    def pop(self, benchmark: str) -> Pending:
        """Return the next instance of a benchmark."""
        self._balance.take(self.pool)
        return super().pop(benchmark)

    def _note_head(self, benchmark: str) -> None:
        if self._queues[benchmark]:
            heapq.heappush(self._heap, self._head(benchmark))

    def requeue(self, one: Pending, *, last: bool = False) -> None:
        """Let an instance wait again: at its place, or after all others."""
        if last and self._retries_soon:
            self._later[one.instance_id] = self._reached + 2
        elif last:
            self._last.add(one.instance_id)
        super().requeue(one, last=last)
        if self._retries_soon:
            self._sort(self._queues[one.benchmark])
        self._note_head(one.benchmark)

    def add(self, pending: Iterable[Pending]) -> None:
        """Let those of these instances wait at their places whose benchmark is here."""
        names = set()
        for one in pending:
            if one.benchmark in self._queues:
                self._queues[one.benchmark].append(one)
                names.add(one.benchmark)
        for name in names:
            self._sort(self._queues[name])
            self._note_head(name)

    def deviation(self, one: Pending) -> str | None:
        """Return how handing out an instance now deviates from the order; None if it does not."""
        block = self._design.block(one.benchmark, one.benchmark_index)
        self._reached = max(block, self._reached)
        label = f"{one.benchmark}/{one.benchmark_index}"
        if one.attempts:
            return (
                f"{label} of block {block} is handed out again, attempt {one.attempts + 1}, "
                f"beside block {self._reached}"
            )
        if block < self._reached:
            return f"{label} of block {block} is handed out after instances of block {self._reached}"
        return None
