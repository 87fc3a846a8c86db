"""The schemes' operations over Horovod, for vectors of TensorFlow.

Horovod has no gather and no send: an all-to-all in which all parts but one are empty is a gather, and a
broadcast within a process set of two ranks is a send. Its background thread also negotiates in which order
operations run, which shows in the bytes of the sockets. With process sets, on three ranks or more, that
thread aborts its process when another rank dies, so that it reports no error.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from workloads.context import Context
from workloads.deep500.distributed.collectives import Collectives
from workloads.runtime.collectives import Ranks


class HorovodRanks(Collectives):
    """All ranks of this instance over Horovod.

    Parameters
    ----------
    context
        Gives rank and size, of which there are two or more.
    pairs
        Whether `send` and `receive` are needed.

    Raises
    ------
    RuntimeError
        If Horovod is not installed, or was started with another rank or size.
    """

    def __init__(self, context: Context, *, pairs: bool) -> None:
        super().__init__(context.rank, context.size)
        apart = pairs and self.size > 2
        if apart:
            os.environ["HOROVOD_DYNAMIC_PROCESS_SETS"] = "1"  # read as Horovod starts
        self.joined = Ranks(context)
        import horovod.tensorflow as horovod
        import tensorflow as tf

        self._horovod, self._tf = horovod, tf
        self._pairs = {1: horovod.global_process_set}  # no two process sets may have the same ranks
        if apart:
            self._pairs = {rank: horovod.add_process_set([0, rank]) for rank in range(1, self.size)}

    def all_reduce_mean(self, vector: Any) -> Any:
        self.hand(vector)
        return self.joined.all_reduce_mean([vector])[0]

    def gather(self, vector: Any) -> list[Any] | None:
        self.hand(vector)
        gathered = self._all_to_all(vector, {0: 1})
        return self._tf.split(gathered, self.size) if self.rank == 0 else None

    def broadcast(self, vector: Any) -> Any:
        if self.rank == 0:
            self.hand(vector)
        return self._horovod.broadcast(vector, 0, name="parameters")

    def neighbours(self, vector: Any) -> tuple[Any, Any]:
        left, right = (self.rank - 1) % self.size, (self.rank + 1) % self.size
        self.hand(vector, copies=2)
        if left == right:
            first, second = self._tf.split(
                self._all_to_all(self._tf.concat([vector, vector], 0), {left: 2}), 2
            )
            return first, second
        copies = self._tf.concat([vector, vector], 0)
        lower, upper = self._tf.split(self._all_to_all(copies, {left: 1, right: 1}), 2)  # in rank order
        return (lower, upper) if left < right else (upper, lower)

    def send(self, vector: Any, peer: int) -> None:
        self.hand(vector)
        self._over_pair(vector, peer, self.rank)

    def receive(self, like: Any, peer: int) -> Any:
        return self._over_pair(self._tf.zeros_like(like), peer, peer)

    def exchange(self, parts: Sequence[Any], lengths: Sequence[int] | None = None) -> list[Any]:  # noqa: ARG002
        self.hand_parts(parts)
        splits = self._tf.constant([len(part) for part in parts], self._tf.int32)
        given = self._tf.concat([self._tf.constant(part) for part in parts], 0)
        received, of_ranks = self._horovod.alltoall(given, splits=splits, name="parts")
        return [part.numpy() for part in self._tf.split(received, of_ranks)]

    def gather_objects(self, value: Any) -> list[Any]:
        return self.joined.all_gather_object(lambda: value)

    def describe(self) -> dict[str, Any]:
        return {"collectives": "horovod", **self.joined.describe()}

    def _all_to_all(self, vector: Any, parts: dict[int, int]) -> Any:
        """Send equal parts of a vector to some ranks; return what others sent here, in rank order."""
        part = int(vector.shape[0]) // sum(parts.values())
        splits = self._tf.constant([part * parts.get(rank, 0) for rank in range(self.size)], self._tf.int32)
        return self._horovod.alltoall(vector, splits=splits, name="parts")[0]

    def _over_pair(self, vector: Any, peer: int, root: int) -> Any:
        other = max(self.rank, peer)
        name = f"{'answer' if root == 0 else 'gradient'} of rank {other}"
        return self._horovod.broadcast(vector, root, name=name, process_set=self._pairs[other])
