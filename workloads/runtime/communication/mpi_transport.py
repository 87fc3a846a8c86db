"""Ranks that communicate over MPI, through host memory, whichever framework trains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workloads.runtime.communication.host_tensors import HostMeans
from workloads.runtime.communication.mpi_world import MpiWorld
from workloads.runtime.horovod_timeline import Recording

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_UNKNOWN_TO_MPI = ("float16", "bfloat16")


def start(rank: int, size: int) -> MpiTransport:
    """Join the ranks.

    Raises
    ------
    RuntimeError
        If mpi4py or an MPI library is not installed, or the library does not join the ranks.
    """
    return MpiTransport(rank, size)


class MpiTransport:
    """All ranks of this instance over MPI."""

    def __init__(self, rank: int, size: int) -> None:
        self._size = size
        self._world = MpiWorld(rank, size)
        self._means = HostMeans(size, self._add)

    def all_reduce_mean(self, tensors: Sequence[Any]) -> list[Any]:
        return self._means.of_tensors(tensors)

    def all_reduce_sum(self, values: NDArray[Any]) -> NDArray[Any]:
        import numpy as np

        total = np.array(values, order="C")  # a copy, which this changes
        self._add(total)
        return total

    def all_gather(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        with self._world.translated():
            gathered: list[NDArray[Any]] = self._world.ranks.allgather(values)
        return gathered

    def broadcast(self, variables: Sequence[Any], root: int) -> None:
        import numpy as np

        for variable in variables:
            values = np.array(variable.numpy(), order="C")  # a copy, which this changes
            with self._world.translated():
                self._world.ranks.Bcast(values.reshape(-1).view(np.uint8), root)
            variable.assign(values)

    def record_timeline(self, path: Path | None) -> Recording:  # noqa: ARG002
        return Recording(None, None)

    def describe(self) -> dict[str, Any]:
        return self._world.describe()

    def tells_of_lost_rank(self, error: Exception) -> bool:
        return "RankLost" in str(error)  # TensorFlow turns what a function of Python raises into text

    def _add(self, vector: NDArray[Any]) -> None:
        """Replace a vector by its sum over all ranks."""
        if vector.dtype.name in _UNKNOWN_TO_MPI:
            self._add_parts(vector)
            return
        with self._world.translated():
            self._world.ranks.Allreduce(self._world.mpi.IN_PLACE, vector)

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


def _bits(values: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    return values.view(np.uint16)
