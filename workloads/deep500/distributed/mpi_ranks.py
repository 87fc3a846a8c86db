"""The schemes' operations over MPI, for vectors of TensorFlow or PyTorch, through host memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from workloads.context import Context
from workloads.deep500.distributed.collectives import Collectives
from workloads.runtime.communication.mpi_world import MpiWorld

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TO_RIGHT, _TO_LEFT, _BETWEEN_TWO = 1, 2, 3


class MpiRanks(Collectives):
    """All ranks of this instance over MPI; those of a node exchange through shared memory.

    Parameters
    ----------
    context
        Gives rank and size, of which there are two or more.
    fetch, place
        A vector as a NumPy array, and the vector of a NumPy array, as `learners.Learner` has them.

    Raises
    ------
    RuntimeError
        If mpi4py or an MPI library is not installed, or the library does not join the ranks.
    """

    over_sockets = False

    def __init__(
        self,
        context: Context,
        fetch: Callable[[Any], NDArray[Any]],
        place: Callable[[NDArray[Any]], Any],
    ) -> None:
        super().__init__(context.rank, context.size)
        self._fetch, self._place = fetch, place
        self._world = MpiWorld(context.rank, context.size)
        self._mpi, self._ranks = self._world.mpi, self._world.ranks

    def all_reduce_mean(self, vector: Any) -> Any:
        import numpy as np

        self.hand(vector)
        own = self._on_host(vector)
        total = np.empty_like(own)
        with self._world.translated():
            self._ranks.Allreduce(own, total)
        return self._place(total / self.size)

    def gather(self, vector: Any) -> list[Any] | None:
        import numpy as np

        self.hand(vector)
        own = self._on_host(vector)
        parts = np.empty((self.size, len(own)), own.dtype) if self.rank == 0 else None
        with self._world.translated():
            self._ranks.Gather(own, parts, 0)
        return None if parts is None else [self._place(part) for part in parts]

    def broadcast(self, vector: Any) -> Any:
        import numpy as np

        if self.rank == 0:
            self.hand(vector)
        values = np.array(self._on_host(vector))  # a copy, which this changes
        with self._world.translated():
            self._ranks.Bcast(values, 0)
        return self._place(values)

    def neighbours(self, vector: Any) -> tuple[Any, Any]:
        import numpy as np

        left, right = (self.rank - 1) % self.size, (self.rank + 1) % self.size
        own = self._on_host(vector)
        before, after = np.empty_like(own), np.empty_like(own)
        self.hand(vector, copies=2)
        with self._world.translated():
            self._mpi.Request.Waitall(
                [
                    self._ranks.Isend(own, right, _TO_RIGHT),
                    self._ranks.Isend(own, left, _TO_LEFT),
                    self._ranks.Irecv(before, left, _TO_RIGHT),
                    self._ranks.Irecv(after, right, _TO_LEFT),
                ]
            )
        return self._place(before), self._place(after)

    def send(self, vector: Any, peer: int) -> None:
        self.hand(vector)
        with self._world.translated():
            self._ranks.Send(self._on_host(vector), peer, _BETWEEN_TWO)

    def receive(self, like: Any, peer: int) -> Any:
        import numpy as np

        received = np.empty_like(self._on_host(like))
        with self._world.translated():
            self._ranks.Recv(received, peer, _BETWEEN_TWO)
        return self._place(received)

    def exchange(self, parts: Sequence[Any], lengths: Sequence[int] | None = None) -> list[Any]:
        import numpy as np

        self.hand_parts(parts)
        own = [len(part) for part in parts]
        with self._world.translated():
            lengths = list(self._ranks.alltoall(own) if lengths is None else lengths)
            received = np.empty(sum(lengths), np.uint8)
            given = np.concatenate(parts)
            self._ranks.Alltoallv([given, own], [received, lengths])
        return np.split(received, list(accumulate(lengths))[:-1])

    def gather_objects(self, value: Any) -> list[Any]:
        with self._world.translated():
            gathered: list[Any] = self._ranks.allgather(value)
        return gathered

    def describe(self) -> dict[str, Any]:
        return self._world.describe()

    def _on_host(self, vector: Any) -> NDArray[Any]:
        import numpy as np

        return np.ascontiguousarray(self._fetch(vector))
