"""Sorts waiting instances by the slots that they need: those of first attempts, or larger ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from db.records import Pending
from orchestrator.driver.queue.pending import PendingQueue, by_benchmark
from orchestrator.planning.larger_slots import FIRST, Level
from orchestrator.planning.plan import Plan
from orchestrator.planning.stage import PlannedBenchmark, Stage
from orchestrator.protocol.report import OUT_OF_DISK, OUT_OF_MEMORY


class ResourceLevels:
    """Levels of a campaign's instances: how often they ran out of memory and disk, as far as slots grow.

    Attributes
    ----------
    waiting
        Instances that wait, by level and benchmark.
    queues
        All that hand them out.
    """

    def __init__(self, plan: Plan, pending: Iterable[Pending] = ()) -> None:
        self._larger: dict[str, Mapping[Level, PlannedBenchmark]] = {}
        self.queues: list[PendingQueue] = []
        self.waiting: dict[Level, dict[str, deque[Pending]]] = {}
        self.follow(plan)
        for one in pending:
            if one.benchmark in self._larger:
                self.waiting[self.of(one)][one.benchmark].append(one)

    def of(self, one: Pending) -> Level:
        """Return the level of an instance's next attempt."""
        ended = Level(one.out_of_memory, one.out_of_disk)
        return ended.within(self._larger[one.benchmark]) if ended else FIRST

    def follow(self, plan: Plan) -> None:
        """Go on with the larger slots that another plan has for the same benchmarks."""
        self._larger = {one.name: one.larger for one in plan.benchmarks}
        for levels in [(FIRST,), *self._larger.values()]:
            for level in levels:
                self.waiting.setdefault(level, by_benchmark(self._larger, ()))
        for level, queues in self.waiting.items():
            for name, queue in queues.items():
                if level and level not in self._larger[name]:
                    for one in queue:
                        self.waiting[self.of(one)][name].append(one)
                    queue.clear()

    def of_stage(self, stage: Stage) -> dict[str, deque[Pending]]:
        """Return the waiting instances that a stage's slots are for, by benchmark."""
        return {one.name: self.waiting[stage.level][one.name] for one in stage.benchmarks}

    def queues_of(self, benchmark: str) -> list[deque[Pending]]:
        """Return the waiting instances of a benchmark, of each level."""
        return [level[benchmark] for level in self.waiting.values()]

    def serve(self, queue: PendingQueue) -> None:
        """Note a queue; one of larger slots takes instances from those of smaller ones."""
        self.queues.append(queue)

    def requeue(self, queue: PendingQueue, one: Pending, reason: str | None, *, last: bool) -> None:
        """Let an instance of a queue wait again: for a larger slot where it ran out of memory or disk.

        It waits for another pool where that of the queue was removed.
        """
        if reason == OUT_OF_MEMORY:
            one = replace(one, out_of_memory=one.out_of_memory + 1)
        elif reason == OUT_OF_DISK:
            one = replace(one, out_of_disk=one.out_of_disk + 1)
        level = self.of(one)
        if queue.level != level or one.benchmark not in queue.served:
            served = (other for other in self.queues if one.benchmark in other.served)
            queue = next((other for other in served if other.level == level), queue)
        queue.requeue(one, last=last)

    def add(self, pending: Sequence[Pending]) -> None:
        """Let instances that are planned again wait, each in the queues of its level."""
        waiting = {one.instance_id for one in pending}
        for queue in self.queues:
            queue.remove(waiting)
            queue.add(one for one in pending if self.of(one) == queue.level)
