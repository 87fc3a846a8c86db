"""Ranks as threads of one process, which exchange NumPy vectors."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from workloads.deep500.distributed.collectives import Collectives

_PATIENCE_SECONDS = 60


class Meeting:
    def __init__(self, size: int) -> None:
        self.slots: list[Any] = [None] * size
        self.barrier = threading.Barrier(size, timeout=_PATIENCE_SECONDS)
        self.post = {(one, other): queue.Queue() for one in range(size) for other in range(size)}


class ThreadRank(Collectives):
    def __init__(self, rank: int, meeting: Meeting) -> None:
        super().__init__(rank, len(meeting.slots))
        self.meeting = meeting

    def meet(self, value: Any) -> list[Any]:
        self.meeting.slots[self.rank] = value
        self.meeting.barrier.wait()
        everyones = list(self.meeting.slots)
        self.meeting.barrier.wait()
        return everyones

    def all_reduce_mean(self, vector):
        self.hand(vector)
        return sum(self.meet(vector)) / self.size

    def gather(self, vector):
        self.hand(vector)
        gathered = self.meet(vector)
        return gathered if self.rank == 0 else None

    def broadcast(self, vector):
        if self.rank == 0:
            self.hand(vector)
        return self.meet(vector)[0]

    def neighbours(self, vector):
        self.hand(vector, copies=2)
        gathered = self.meet(vector)
        return gathered[self.rank - 1], gathered[(self.rank + 1) % self.size]

    def send(self, vector, peer):
        self.hand(vector)
        self.meeting.post[self.rank, peer].put(vector)

    def receive(self, like, peer):
        return self.meeting.post[peer, self.rank].get(timeout=_PATIENCE_SECONDS)

    def exchange(self, parts, lengths=None):
        self.hand_parts(parts)
        received = [given[self.rank] for given in self.meet(parts)]
        assert lengths is None or lengths == [len(part) for part in received]
        return received

    def gather_objects(self, value):
        return self.meet(value)


def run_threads(size: int, work: Callable[[Collectives], Any]) -> list[Any]:
    """Return what `work` returned on each rank."""
    meeting = Meeting(size)
    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(lambda rank: work(ThreadRank(rank, meeting)), range(size)))
