"""Collective operations of the ranks of one instance, and checks that their weights agree.

Several processes that train one model communicate over the library that the parameter ``communication``
names. A single process imports none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from workloads.context import Context
from workloads.description import DataError
from workloads.runtime.communication import RankLost, Transport, join, rank_lost
from workloads.runtime.horovod_timeline import Recording

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


class RanksDiffer(RuntimeError):  # noqa: N818
    """The ranks hold different weights where they must hold the same."""


class Ranks:
    """All ranks of this instance, seen from one of them; every rank makes the same calls in order.

    Parameters
    ----------
    context
        Gives rank and size.
    communication
        Name of the library that joins several ranks, of `workloads.runtime.communication.NAMES`.
    gradient_precision
        Type in which `all_reduce_gradients` exchanges.

    Raises
    ------
    RuntimeError
        If the library is not installed, or was started with another rank or size.
    """

    def __init__(
        self, context: Context, communication: str = "horovod", gradient_precision: str = "float32"
    ) -> None:
        self.rank, self.size = context.rank, context.size
        self.gradient_precision = gradient_precision
        self.sync_checks = 0
        self._transport: Transport | None = join(communication, context) if self.size > 1 else None

    def describe(self) -> dict[str, Any]:
        """Return what is known of the library that joins the ranks, for the result."""
        return {} if self._transport is None else self._transport.describe()

    def record_timeline(self, path: Path | None) -> Recording:
        """Record when the ranks communicate, on rank 0 and if a file is given."""
        if self._transport is None:
            return Recording(None, None)
        return self._transport.record_timeline(path if self.rank == 0 else None)

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Turn what the library raises when another rank dies into one clear error.

        Raises
        ------
        RankLost
            If a collective operation failed.
        """
        try:
            yield
        except (RankLost, DataError):
            raise
        except Exception as error:
            if self._transport is None or not self._transport.tells_of_lost_rank(error):
                raise
            raise rank_lost(self.rank, self.size) from None

    def all_reduce_mean(self, tensors: Sequence[Any]) -> list[Any]:
        """Return the mean over all ranks of each tensor; also inside a compiled function."""
        return list(tensors) if self._transport is None else self._transport.all_reduce_mean(tensors)

    def all_reduce_gradients(self, gradients: Sequence[Any]) -> list[Any]:
        """Return the means of gradients over all ranks, exchanged in `gradient_precision`."""
        if self._transport is None or self.gradient_precision == "float32":
            return self.all_reduce_mean(gradients)
        import keras

        cast = keras.ops.cast
        means = self.all_reduce_mean([cast(gradient, self.gradient_precision) for gradient in gradients])
        return [cast(mean, gradient.dtype) for mean, gradient in zip(means, gradients, strict=True)]

    def all_reduce_sum(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum over all ranks of each number."""
        return values if self._transport is None else self._transport.all_reduce_sum(values)

    def all_gather_rows(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rows of all ranks in rank order; a rank may have none."""
        if self._transport is None:
            return rows
        import numpy as np

        return np.concatenate(self._transport.all_gather(rows))

    def broadcast(self, variables: Sequence[Any], root: int = 0) -> None:
        """Give every rank the values that the variables of rank `root` have."""
        if self._transport is not None:
            self._transport.broadcast(variables, root)

    def all_gather_object(self, make: Callable[[], Any]) -> list[Any]:
        """Call `make` on every rank and return what each made, JSON-ready data, in rank order.

        Raises
        ------
        DataError
            On every rank, if `make` raised it on one of them.
        """
        if self._transport is None:
            return [make()]
        try:
            message = {"value": make()}
        except DataError as error:
            message = {"error": str(error)}
        import numpy as np

        sent = np.frombuffer(json.dumps(message).encode(), np.uint8)
        messages = [json.loads(received.tobytes()) for received in self._transport.all_gather(sent)]
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
