"""Sorts waiting instances by the slots that they need: those of first attempts, or larger ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from db.records import Pending
from orchestrator.driver.queue.pending import PendingQueue, by_benchmark
from orchestrator.planning.plan import Plan
from orchestrator.planning.stage import Stage
from orchestrator.protocol.report import OUT_OF_MEMORY


class MemoryLevels:
    """Levels of memory of a campaign's instances: how many larger slots they have had need of.

    Attributes
    ----------
    waiting
        Instances that wait, by level and benchmark.
    queues
        All that hand them out.
    """

    def __init__(self, plan: Plan, pending: Iterable[Pending] = ()) -> None:
        self._highest = {one.name: len(one.larger) for one in plan.benchmarks}
        self.queues: list[PendingQueue] = []
        levels: list[list[Pending]] = [[] for _ in range(max(self._highest.values(), default=0) + 1)]
        for one in pending:
            if one.benchmark in self._highest:
                levels[self.of(one)].append(one)
        self.waiting = [by_benchmark(self._highest, members) for members in levels]

    def of(self, one: Pending) -> int:
        """Return the level of an instance's next attempt."""
        return min(one.out_of_memory, self._highest[one.benchmark])

    def follow(self, plan: Plan) -> None:
        """Go on with the larger slots that another plan has for the same benchmarks."""
        self._highest = {one.name: len(one.larger) for one in plan.benchmarks}
        for _ in range(len(self.waiting), max(self._highest.values(), default=0) + 1):
            self.waiting.append(by_benchmark(self._highest, ()))
        for level, queues in enumerate(self.waiting):
            for name, queue in queues.items():
                if level > (highest := self._highest[name]):
                    self.waiting[highest][name].extend(queue)
                    queue.clear()

    def of_stage(self, stage: Stage) -> dict[str, deque[Pending]]:
        """Return the waiting instances that a stage's slots are for, by benchmark."""
        return {one.name: self.waiting[stage.memory_level][one.name] for one in stage.benchmarks}

    def queues_of(self, benchmark: str) -> list[deque[Pending]]:
        """Return the waiting instances of a benchmark, of each level."""
        return [level[benchmark] for level in self.waiting]

    def serve(self, queue: PendingQueue) -> None:
        """Note a queue; one of larger slots takes instances from those of smaller ones."""
        self.queues.append(queue)

    def requeue(self, queue: PendingQueue, one: Pending, reason: str | None, *, last: bool) -> None:
        """Let an instance of a queue wait again: for a larger slot where it ended for lack of memory.

        It waits for another pool where that of the queue was removed.
        """
        if reason == OUT_OF_MEMORY:
            one = replace(one, out_of_memory=one.out_of_memory + 1)
        level = self.of(one)
        if queue.memory_level != level or one.benchmark not in queue.served:
            served = (other for other in self.queues if one.benchmark in other.served)
            queue = next((other for other in served if other.memory_level == level), queue)
        queue.requeue(one, last=last)

    def add(self, pending: Sequence[Pending]) -> None:
        """Let instances that are planned again wait, each in the queues of its level."""
        waiting = {one.instance_id for one in pending}
        for queue in self.queues:
            queue.remove(waiting)
            queue.add(one for one in pending if self.of(one) == queue.memory_level)
