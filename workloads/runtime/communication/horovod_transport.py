"""Ranks that communicate over Horovod.

Its wrappers for Keras do not support Keras 3, so only its collective operations are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workloads.runtime.horovod_timeline import Recording

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


class HorovodTransport:
    """All ranks of this instance over Horovod, which is started here; tensors are TensorFlow's.

    Raises
    ------
    RuntimeError
        If Horovod is not installed, or was started with another rank or size.
    """

    def __init__(self, rank: int, size: int) -> None:
        try:
            import horovod.tensorflow as horovod
        except ImportError as error:
            raise RuntimeError(
                f"an instance of {size} ranks needs Horovod, which cannot be imported here ({error}); "
                "build it with `uv pip install '.[horovod]'`, choose communication: torch, mpi or jax, or "
                "run the benchmark with one rank"
            ) from error
        horovod.init()
        if (horovod.rank(), horovod.size()) != (rank, size):
            raise RuntimeError(
                f"this process is rank {rank} of {size}, but Horovod was started as rank {horovod.rank()} of "
                f"{horovod.size()}; check the HOROVOD_ variables of its environment"
            )
        self._horovod = horovod

    def all_reduce_mean(self, tensors: Sequence[Any]) -> list[Any]:
        return list(self._horovod.grouped_allreduce(list(tensors), op=self._horovod.Average))

    def all_reduce_sum(self, values: NDArray[Any]) -> NDArray[Any]:
        import tensorflow as tf

        total: NDArray[Any] = self._horovod.allreduce(tf.constant(values), op=self._horovod.Sum).numpy()
        return total

    def all_gather(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        import numpy as np
        import tensorflow as tf

        lengths = self._horovod.allgather(tf.constant([len(values)], tf.int64)).numpy()
        joined = self._horovod.allgather(tf.constant(values)).numpy()
        return np.split(joined, np.cumsum(lengths)[:-1])

    def broadcast(self, variables: Sequence[Any], root: int) -> None:
        self._horovod.broadcast_variables(list(variables), root_rank=root)

    def record_timeline(self, path: Path | None) -> Recording:
        return Recording(self._horovod, path)

    def describe(self) -> dict[str, Any]:
        import horovod

        return {
            "horovod_version": horovod.__version__,
            "horovod_gloo": bool(self._horovod.gloo_enabled()),
            "horovod_nccl": bool(self._horovod.nccl_built()),
        }

    def tells_of_lost_rank(self, error: Exception) -> bool:
        return "Horovod" in str(error)  # TensorFlow has several types for it, and their text alone tells


TRANSPORT = HorovodTransport
