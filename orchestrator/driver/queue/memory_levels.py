"""Sorts waiting instances by the slots that they need: those of first attempts, or larger ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from db.records import Pending
from orchestrator.driver.queue.pending import PendingQueue, by_benchmark
from orchestrator.planning.plan import Plan
from orchestrator.protocol.report import OUT_OF_MEMORY


class MemoryLevels:
    """Levels of memory of a campaign's instances: how many larger slots they have had need of.

    Attributes
    ----------
    waiting
        Instances that wait, by level and benchmark.
    """

    def __init__(self, plan: Plan, pending: Iterable[Pending] = ()) -> None:
        self._highest = {one.name: len(one.larger) for one in plan.benchmarks}
        self._all: list[PendingQueue] = []
        self._queues: dict[tuple[str, int], PendingQueue] = {}
        levels: list[list[Pending]] = [[] for _ in range(max(self._highest.values(), default=0) + 1)]
        for one in pending:
            if one.benchmark in self._highest:
                levels[self.of(one)].append(one)
        self.waiting = [by_benchmark(self._highest, members) for members in levels]

    def of(self, one: Pending) -> int:
        """Return the level of an instance's next attempt."""
        return min(one.out_of_memory, self._highest[one.benchmark])

    def queues_of(self, benchmark: str) -> list[deque[Pending]]:
        """Return the waiting instances of a benchmark, of each level."""
        return [level[benchmark] for level in self.waiting]

    def serve(self, queue: PendingQueue) -> None:
        """Note a queue; one of larger slots takes instances from those of smaller ones."""
        self._all.append(queue)
        for benchmark in queue.served if queue.memory_level else ():
            self._queues[benchmark, queue.memory_level] = queue

    def requeue(self, queue: PendingQueue, one: Pending, reason: str | None, *, last: bool) -> None:
        """Let an instance of a queue wait again, for a larger slot where it ended for lack of memory."""
        if reason == OUT_OF_MEMORY:
            one = replace(one, out_of_memory=one.out_of_memory + 1)
            queue = self._queues.get((one.benchmark, self.of(one)), queue)
        queue.requeue(one, last=last)

    def add(self, pending: Sequence[Pending]) -> None:
        """Let instances that are planned again wait, each in the queues of its level."""
        waiting = {one.instance_id for one in pending}
        for queue in self._all:
            queue.remove(waiting)
            queue.add(one for one in pending if self.of(one) == queue.memory_level)
