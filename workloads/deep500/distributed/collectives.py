"""Exchanges vectors between ranks: the operations that the schemes need, counted as they are called."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any


class Collectives:
    """The operations of one rank alone, and the base of those that communicate.

    Every rank calls the same operations in the same order, apart from `send` and `receive`, which are between
    rank 0 and one other rank and may be called from several threads of rank 0. Vectors are of the library
    that trains.

    Parameters
    ----------
    rank, size
        Of this process, among those of the instance.
    """

    over_sockets = True
    """True where all that ranks exchange goes over sockets, whose bytes the kernel counts."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank, self.size = rank, size
        self.handed_bytes = 0
        """Bytes of the vectors that this rank gave to operations, without those that it received."""
        self._counting = threading.Lock()

    def hand(self, vector: Any, copies: int = 1) -> None:
        """Count a vector that is given to an operation."""
        with self._counting:
            self.handed_bytes += copies * vector_bytes(vector)

    def hand_parts(self, parts: Sequence[Any]) -> None:
        """Count the parts of an `exchange`, without the part of this rank."""
        for rank, part in enumerate(parts):
            self.hand(part, copies=int(rank != self.rank))

    def all_reduce_mean(self, vector: Any) -> Any:
        """Return the mean over all ranks."""
        return vector

    def gather(self, vector: Any) -> list[Any] | None:
        """Return on rank 0 the vectors of all ranks, in rank order; None on the others."""
        return [vector]

    def broadcast(self, vector: Any) -> Any:
        """Return the vector of rank 0; the others give one of the same length."""
        return vector

    def neighbours(self, vector: Any) -> tuple[Any, Any]:  # noqa: ARG002
        """Return the vectors of the ranks before and after this one in a ring."""
        raise RuntimeError("a rank alone has no neighbours")

    def send(self, vector: Any, peer: int) -> None:  # noqa: ARG002
        """Send a vector from rank 0, or to it."""
        raise RuntimeError("a rank alone has no other rank")

    def receive(self, like: Any, peer: int) -> Any:  # noqa: ARG002
        """Return a vector from rank 0, or of another on rank 0, of the length and type of `like`."""
        raise RuntimeError("a rank alone has no other rank")

    def exchange(self, parts: Sequence[Any], lengths: Sequence[int] | None = None) -> list[Any]:  # noqa: ARG002
        """Give each rank its part, in rank order, and return the parts of all ranks for this one.

        Parameters
        ----------
        parts
            NumPy vectors of bytes, of any lengths.
        lengths
            Bytes that each rank sends here, if they are known.
        """
        return list(parts)

    def gather_objects(self, value: Any) -> list[Any]:
        """Return the JSON-ready values of all ranks, in rank order, on every rank."""
        return [value]

    def describe(self) -> dict[str, Any]:
        """Return what is known of the library that joins the ranks, for the result."""
        return {}

    def close(self) -> None:
        """Leave the other ranks, once all have come here."""


def vector_bytes(vector: Any) -> int:
    """Return the bytes of a vector of NumPy, TensorFlow or PyTorch."""
    size = getattr(vector.dtype, "itemsize", None) or vector.dtype.size
    return int(vector.shape[0]) * int(size)


def expected_bytes(scheme: str, vector: int, ranks: int, steps: int = 1, local_steps: int = 1) -> float:
    """Return the bytes that a rank sends in a step, the mean over ranks and steps, without what frames them.

    A parameter server receives a vector from each other rank and sends it one. A ring all-reduce sends
    2(n − 1)/n vectors from each of n ranks. Each neighbour gets one vector.

    Parameters
    ----------
    scheme
        One of `workloads.deep500.distributed.schemes.SCHEMES`.
    vector
        Bytes of the vector of all parameters.
    steps, local_steps
        Steps of a rank, and of ``model_averaging`` those from one averaging to the next.
    """
    if scheme == "neighbour_exchange":
        return 2.0 * vector
    share = 2.0 * vector * (ranks - 1) / ranks
    return share * (steps // local_steps) / steps if scheme == "model_averaging" else share
