"""Ranks that communicate over MPI, through host memory, whichever framework trains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workloads.runtime.communication.host_transport import HostTransport
from workloads.runtime.communication.mpi_world import MpiWorld

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNKNOWN_TO_MPI = ("float16", "bfloat16")
_PIECE_BYTES = 25e6
"""Pieces of 8 to 32 MB were added in three quarters of the time of a vector of 102 MB; those of 50 MB not."""


class MpiTransport(HostTransport):
    """All ranks of this instance over MPI.

    Raises
    ------
    RuntimeError
        If mpi4py or an MPI library is not installed, or the library does not join the ranks.
    """

    piece_bytes = _PIECE_BYTES

    def __init__(self, rank: int, size: int) -> None:
        super().__init__(size)
        self._size = size
        self._world = MpiWorld(rank, size)

    def add(self, vector: NDArray[Any]) -> None:
        if vector.dtype.name in _UNKNOWN_TO_MPI:
            self._add_parts(vector)
            return
        with self._world.translated():
            self._world.ranks.Allreduce(self._world.mpi.IN_PLACE, vector)

    def share(self, values: NDArray[Any], root: int) -> None:
        import numpy as np

        with self._world.translated():
            self._world.ranks.Bcast(values.reshape(-1).view(np.uint8), root)

    def all_gather(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        with self._world.translated():
            gathered: list[NDArray[Any]] = self._world.ranks.allgather(values)
        return gathered

    def describe(self) -> dict[str, Any]:
        return self._world.describe()

    def _add_parts(self, vector: NDArray[Any]) -> None:
        """Replace a vector in 16 bits, of which each rank adds a part in float32.

        MPI has no such types. A rank sends 2(n − 1)/n vectors, as in a ring, and each sum is rounded once.
        """
        import numpy as np

        part = -(-len(vector) // self._size)
        given = np.zeros((self._size, part), vector.dtype)
        given.reshape(-1)[: len(vector)] = vector
        received, sums = np.empty_like(given), np.empty_like(given)
        with self._world.translated():
            self._world.ranks.Alltoall(_bits(given), _bits(received))
            total = received.astype(np.float32).sum(0).astype(vector.dtype)
            self._world.ranks.Allgather(_bits(total), _bits(sums))
        vector[:] = sums.reshape(-1)[: len(vector)]


TRANSPORT = MpiTransport


def _bits(values: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    return values.view(np.uint16)
