"""A parameter server that applies each rank's gradient as it comes, with bounded staleness.

What is asynchronous: a rank sends its gradient and gets the parameters that the server holds then; it does
not wait for the gradients of other ranks, so others change the parameters to which its next gradient belongs.
The bound is that of stale synchronous parallel training: a rank that is more steps ahead of the slowest one
than allowed gets its answer when that one has caught up. With a bound of 0 an answer waits for the gradients
of that step of all ranks; it may hold one of the next step.

The server is on rank 0: one thread for each other rank, while rank 0 trains in its main thread.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from workloads.deep500.distributed.collectives import Collectives


class StaleServer:
    """The parameters, their version, and how far each rank is.

    Parameters
    ----------
    parameters
        Version 0.
    ranks, steps
        Ranks, and steps of each.
    learning_rate
        Of one rank's gradient.
    staleness
        Steps by which a rank may be ahead of the slowest one.
    """

    def __init__(self, parameters: Any, ranks: int, steps: int, learning_rate: float, staleness: int) -> None:
        self.parameters, self.steps = parameters, steps
        self.order: list[tuple[int, int]] = []
        self._learning_rate, self._staleness = learning_rate, staleness
        self._done, self._read = [0] * ranks, [0] * ranks
        self._changed = threading.Condition()
        self._error: BaseException | None = None

    def exchange(self, rank: int, gradient: Any) -> Any:
        """Apply a rank's gradient; return the parameters that it trains on next, once it may go on.

        Raises
        ------
        BaseException
            What `fail` was called with.
        """
        with self._changed:
            self.parameters = self.parameters - self._learning_rate * gradient
            self.order.append((rank, self._read[rank]))
            self._done[rank] += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._error or self._may_continue(rank))
            self._raise()
            self._read[rank] = len(self.order)
            return self.parameters

    def fail(self, error: BaseException) -> None:
        """Let every rank that waits for an answer raise an error."""
        with self._changed:
            self._error = self._error or error
            self._changed.notify_all()

    def finish(self) -> None:
        """Raise what a thread failed with, if one did."""
        with self._changed:
            self._raise()

    def _may_continue(self, rank: int) -> bool:
        return self._done[rank] - min(self._done) <= self._staleness or self._done[rank] == self.steps

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error


@contextmanager
def serve(server: StaleServer, ranks: Collectives) -> Iterator[None]:
    """Answer all other ranks while the body runs; return when each has had its last answer."""

    def answer(rank: int) -> None:
        try:
            for _ in range(server.steps):
                gradient = ranks.receive(server.parameters, rank)
                ranks.send(server.exchange(rank, gradient), rank)
        except BaseException as error:  # noqa: BLE001  raised again in the main thread
            server.fail(error)

    threads = [
        threading.Thread(target=answer, args=(rank,), name=f"server of rank {rank}", daemon=True)
        for rank in range(1, ranks.size)
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    except BaseException as error:
        server.fail(error)
        raise
    for thread in threads:
        thread.join()
    server.finish()


def staleness(order: list[tuple[int, int]]) -> list[int]:
    """Return for each update the number of others that came between its rank's reading and its applying."""
    return [number - version for number, (_, version) in enumerate(order)]


def largest_lead(order: list[tuple[int, int]], ranks: int) -> int:
    """Return the most steps by which a rank was ahead of the slowest one."""
    done, lead = [0] * ranks, 0
    for rank, _ in order:
        done[rank] += 1
        lead = max(lead, done[rank] - min(done))
    return lead
