"""Collective operations of the ranks of one instance, and checks that their weights agree.

Several processes that train one model communicate over Horovod. Its wrappers for Keras do not support
Keras 3, so only its collective operations are used. A single process does not import Horovod.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from workloads.context import Context
from workloads.description import DataError
from workloads.runtime.horovod_timeline import Recording

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


class RankLost(RuntimeError):  # noqa: N818  it names what happened, as the report prints it
    """Another rank of this instance ended or no longer answers."""


class RanksDiffer(RuntimeError):  # noqa: N818
    """The ranks hold different weights where they must hold the same."""


class Ranks:
    """All ranks of this instance, seen from one of them; every rank makes the same calls in order.

    Parameters
    ----------
    context
        Gives rank and size. Where the size is 1, Horovod is neither imported nor started.

    Raises
    ------
    RuntimeError
        If Horovod is not installed, or was started with another rank or size.
    """

    def __init__(self, context: Context) -> None:
        self.rank, self.size = context.rank, context.size
        self.sync_checks = 0
        self._horovod: Any = None
        if self.size > 1:
            self._horovod = _start(self.rank, self.size)

    def describe(self) -> dict[str, Any]:
        """Return what is known of the library that joins the ranks, for the result."""
        if self._horovod is None:
            return {}
        import horovod

        return {
            "horovod_version": horovod.__version__,
            "horovod_gloo": bool(self._horovod.gloo_enabled()),
            "horovod_nccl": bool(self._horovod.nccl_built()),
        }

    def record_timeline(self, path: Path | None) -> Recording:
        """Record when the ranks communicate, on rank 0 and if a file is given."""
        return Recording(self._horovod, path if self.rank == 0 else None)

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Turn what Horovod raises when another rank dies into one clear error.

        Raises
        ------
        RankLost
            If a collective operation failed.
        """
        try:
            yield
        except Exception as error:  # TensorFlow has several types for it, and their text alone tells
            if self.size == 1 or isinstance(error, DataError) or "Horovod" not in str(error):
                raise
            raise RankLost(
                f"another rank of this instance ended or stopped answering, so rank {self.rank} of "
                f"{self.size} cannot go on; look for the cause in the other ranks' errors"
            ) from None

    def all_reduce_mean(self, tensors: Sequence[Any]) -> list[Any]:
        """Return the mean over all ranks of each tensor; also inside a compiled function."""
        if self._horovod is None:
            return list(tensors)
        return list(self._horovod.grouped_allreduce(list(tensors), op=self._horovod.Average))

    def all_reduce_sum(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum over all ranks of each number."""
        if self._horovod is None:
            return values
        import tensorflow as tf

        total: NDArray[np.float64] = self._horovod.allreduce(
            tf.constant(values), op=self._horovod.Sum
        ).numpy()
        return total

    def all_gather_rows(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rows of all ranks in rank order; a rank may have none."""
        if self._horovod is None:
            return rows
        import tensorflow as tf

        gathered: NDArray[np.float64] = self._horovod.allgather(tf.constant(rows)).numpy()
        return gathered

    def broadcast(self, variables: Sequence[Any], root: int = 0) -> None:
        """Give every rank the values that the variables of rank `root` have."""
        if self._horovod is not None:
            self._horovod.broadcast_variables(list(variables), root_rank=root)

    def all_gather_object(self, make: Callable[[], Any]) -> list[Any]:
        """Call `make` on every rank and return what each made, JSON-ready data, in rank order.

        Raises
        ------
        DataError
            On every rank, if `make` raised it on one of them.
        """
        if self._horovod is None:
            return [make()]
        try:
            message = {"value": make()}
        except DataError as error:
            message = {"error": str(error)}
        import numpy as np
        import tensorflow as tf

        sent = np.frombuffer(json.dumps(message).encode(), np.uint8)
        lengths = self._horovod.allgather(tf.constant([len(sent)], tf.int64)).numpy()
        joined = self._horovod.allgather(tf.constant(sent)).numpy().tobytes()
        messages, begin = [], 0
        for length in lengths.tolist():
            messages.append(json.loads(joined[begin : begin + length]))
            begin += length
        for message in messages:
            if "error" in message:
                raise DataError(message["error"])
        return [message["value"] for message in messages]

    def broadcast_object(self, make: Callable[[], Any]) -> Any:
        """Call `make` on rank 0 alone and return on every rank what it made, JSON-ready data.

        Raises
        ------
        DataError
            On every rank, if `make` raised it.
        """
        return self.all_gather_object(lambda: make() if self.rank == 0 else None)[0]

    def assert_in_sync(self, variables: Sequence[Any], moment: str) -> str:
        """Return the digest of the variables' values once it is known to be every rank's.

        Parameters
        ----------
        variables
            Compared by name, shape and every bit.
        moment
            When this is, for the error.

        Raises
        ------
        RanksDiffer
            Naming the ranks that differ from rank 0.
        """
        digests = self.all_gather_object(lambda: digest(variables))
        different = [str(rank) for rank, other in enumerate(digests) if other != digests[0]]
        if different:
            raise RanksDiffer(
                f"{moment}: rank {', '.join(different)} of {self.size} and rank 0 have different weights"
            )
        self.sync_checks += 1
        return str(digests[0])


def digest(variables: Sequence[Any]) -> str:
    """Return a digest of names, shapes and values."""
    import numpy as np

    state = hashlib.blake2b(digest_size=16)
    for variable in variables:
        values = np.ascontiguousarray(variable.numpy())
        state.update(f"{variable.name} {values.dtype} {values.shape}".encode())
        state.update(values.view(np.uint8).data if values.ndim else values.tobytes())
    return state.hexdigest()


def _start(rank: int, size: int) -> Any:
    try:
        import horovod.tensorflow as horovod
    except ImportError as error:
        raise RuntimeError(
            f"an instance of {size} ranks needs Horovod, which cannot be imported here ({error}); "
            "build it with `uv pip install '.[horovod]'`, or run the benchmark with one rank"
        ) from error
    horovod.init()
    if (horovod.rank(), horovod.size()) != (rank, size):
        raise RuntimeError(
            f"this process is rank {rank} of {size}, but Horovod was started as rank {horovod.rank()} of "
            f"{horovod.size()}; check the HOROVOD_ variables of its environment"
        )
    return horovod
