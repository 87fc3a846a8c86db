"""Ranks that a library joins by arrays in host memory: the operations that such libraries have in common."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from workloads.runtime.communication.host_tensors import HostMeans
from workloads.runtime.horovod_timeline import Recording

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


class HostTransport(ABC):
    """Operations of a `Transport` on arrays in host memory, whichever framework trains.

    Parameters
    ----------
    size
        Number of ranks.

    Attributes
    ----------
    piece_bytes
        Tensors are averaged in pieces of so many bytes.
    """

    piece_bytes: float = math.inf

    def __init__(self, size: int) -> None:
        self._means = HostMeans(size, self.start_sum, self.piece_bytes)

    @abstractmethod
    def add(self, vector: NDArray[Any]) -> None:
        """Replace an array by the sum over all ranks."""

    def start_sum(self, vector: NDArray[Any]) -> Callable[[], NDArray[Any]]:
        """Begin to add a vector over all ranks; the returned function waits for the sum.

        The sum lies in the memory of the vector, or in memory of its own.
        """
        self.add(vector)
        return lambda: vector

    @abstractmethod
    def share(self, values: NDArray[Any], root: int) -> None:
        """Replace an array by that of rank `root`."""

    def all_reduce_mean(self, tensors: Sequence[Any]) -> list[Any]:
        return self._means.of_tensors(tensors)

    def all_reduce_sum(self, values: NDArray[Any]) -> NDArray[Any]:
        import numpy as np

        total = np.array(values, order="C")  # a copy, which this changes
        self.add(total)
        return total

    def broadcast(self, variables: Sequence[Any], root: int) -> None:
        import numpy as np

        for variable in variables:
            values = np.array(variable.numpy(), order="C")  # a copy, which this changes
            self.share(values, root)
            variable.assign(values)

    def record_timeline(self, path: Path | None) -> Recording:  # noqa: ARG002
        return Recording(None, None)

    def tells_of_lost_rank(self, error: Exception) -> bool:
        return "RankLost" in str(error)  # TensorFlow turns what a function of Python raises into text
