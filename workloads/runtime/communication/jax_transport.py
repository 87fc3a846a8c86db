"""Ranks that communicate over JAX's collectives for CPUs, through host memory, whichever framework trains."""

from __future__ import annotations

import os
import pickle
import queue
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from workloads.runtime.communication import RankLost, rank_lost
from workloads.runtime.communication.host_transport import HostTransport
from workloads.runtime.communication.rendezvous_store import RendezvousStore
from workloads.runtime.communication.torch_group import library_reason

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SCOPE, _COORDINATOR, _JOINED = "/jax_distributed", "coordinator", "joined"
_PATIENCE = 10
"""JAX's own timeouts, after which it aborts the process, in timeouts of the rendezvous, which come first."""
_OF_SERVICE_SECONDS = 5.0
"""Rank 0 waits longer, as the end of its service aborts ranks that still wait."""
_OF_RANKS = re.compile("(?i)gloo|coordination|barrier|DEADLINE_EXCEEDED|UNAVAILABLE|ABORTED")
"""Words of errors that tell of another rank."""


class JaxTransport(HostTransport):
    """All ranks of this instance as the processes of one JAX client for CPUs.

    Only devices of this client are shared: a training on JAX sees its own GPUs alone, as without ranks.

    Raises
    ------
    RuntimeError
        If JAX is not installed or already runs, or the environment does not say where the rendezvous is.
    RankLost
        If another rank does not come.
    """

    def __init__(self, rank: int, size: int) -> None:
        super().__init__(size)
        self._rank, self._size = rank, size
        values = RendezvousStore.of_environment(_SCOPE)
        try:
            import jax
            from jax._src import xla_bridge
        except ImportError as error:
            raise RuntimeError(
                f"an instance of {size} ranks needs JAX, which cannot be imported here ({error}); "
                "install the extra `jax`"
            ) from error
        if xla_bridge.backends_are_initialized():
            raise RuntimeError(
                "JAX already runs in this process; ranks join over JAX before it looks for devices"
            )
        if os.environ.get("KERAS_BACKEND") != "jax":  # which then has set both for the slot
            jax.config.update("jax_platforms", "cpu")
            os.environ["PJRT_NPROC"] = "1"
        self._jax = jax
        self._sum, self._sharding = self._connect(values)

    def _connect(self, values: RendezvousStore) -> tuple[Any, Any]:
        """Return a compiled sum over all ranks, and the placement of its argument, one row a rank.

        JAX's coordination service ends with the first sum, by which all ranks have opened their connections:
        later, it would abort every rank of which it loses another, without an error that can be caught.
        """
        from jax._src.lib import _jax

        own, seconds = values.own_address(), values.timeout_seconds
        patience = {"heartbeat_timeout": _PATIENCE * round(seconds)}
        services = []

        def serve() -> bytes:
            address = f"{own}:{_free_port(own)}"
            services.append(_jax.get_distributed_runtime_service(address, self._size, **patience))
            return address.encode()

        # A rank that waited in vain for the service would be aborted, without an error that can be caught.
        address = self._meet(values, _COORDINATOR, serve).decode()
        client = _jax.get_distributed_runtime_client(
            address,
            self._rank,
            init_timeout=_PATIENCE * round(seconds),
            shutdown_on_destruction=False,
            **patience,
        )

        def join() -> tuple[Any, Any]:
            joined = self._join(client, own)
            self._meet(values, _JOINED)  # JAX's own barrier at the end holds Python's lock while it waits
            client.shutdown()
            return joined

        with self._translated():
            joined = _within(seconds + len(services) * _OF_SERVICE_SECONDS, join)
        for service in services:
            service.shutdown()
        return joined

    def _meet(self, values: RendezvousStore, name: str, answer: Callable[[], bytes] = lambda: b"") -> bytes:
        """Return the answer of rank 0, which it makes once all ranks have come here."""
        values.put(f"{name}-{self._rank}", b"here")
        if self._rank == 0:
            for rank in range(self._size):
                values.get(f"{name}-{rank}")
            values.put(name, answer())
        return values.get(name)

    def _join(self, client: Any, own: str) -> tuple[Any, Any]:
        """Connect with all ranks by a first sum."""
        jax = self._jax
        import numpy as np
        from jax._src import xla_bridge
        from jax._src.lib import _jax, xla_client
        from jax.sharding import Mesh, NamedSharding, PartitionSpec

        def make_client() -> Any:
            return xla_client.make_cpu_client(
                distributed_client=client,
                node_id=self._rank,
                num_nodes=self._size,
                collectives=_jax.make_gloo_tcp_collectives(client, hostname=own),
            )

        client.connect()
        xla_bridge.register_backend_factory("cpu", make_client, priority=0, fail_quietly=False)
        first_of_rank = {device.process_index: device for device in reversed(jax.devices("cpu"))}
        mesh = Mesh([first_of_rank[rank] for rank in range(self._size)], ("ranks",))
        each, whole = PartitionSpec("ranks"), PartitionSpec()
        total = jax.jit(
            jax.shard_map(
                lambda row: jax.lax.psum(row[0], "ranks"), mesh=mesh, in_specs=each, out_specs=whole
            )
        )
        sharding = NamedSharding(mesh, each)
        _sum(jax, total, sharding, np.ones(1, np.uint8))
        return total, sharding

    def add(self, vector: NDArray[Any]) -> None:
        import numpy as np

        np.copyto(vector, self.start_sum(vector)())

    def start_sum(self, vector: NDArray[Any]) -> Callable[[], NDArray[Any]]:
        if not vector.size:
            return lambda: vector
        with self._translated():
            total = _sum(self._jax, self._sum, self._sharding, vector)
        return lambda: total

    def share(self, values: NDArray[Any], root: int) -> None:
        import numpy as np

        contents = values.reshape(-1).view(np.uint8)
        if self._rank != root:
            contents[:] = 0
        self.add(contents)

    def all_gather(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        import numpy as np

        sent = np.frombuffer(pickle.dumps(values), np.uint8)
        lengths = np.zeros(self._size, np.int64)
        lengths[self._rank] = len(sent)
        self.add(lengths)
        longest = 1 << int(lengths.max() - 1).bit_length()  # few lengths, as each is compiled
        rows = np.zeros((self._size, longest), np.uint8)
        rows[self._rank, : len(sent)] = sent
        self.add(rows)
        return [pickle.loads(row[:length]) for row, length in zip(rows, lengths, strict=True)]  # noqa: S301  of ranks

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn what JAX raises when another rank ends, which has no type of its own, into `RankLost`."""
        try:
            yield
        except (RuntimeError, ValueError) as error:
            if not _OF_RANKS.search(str(error)):
                raise
            reason = library_reason(str(error).rpartition("failed: ")[2])
            raise rank_lost(self._rank, self._size, reason) from None

    def describe(self) -> dict[str, Any]:
        return {
            "collectives": "jax",
            "collectives_backend": "gloo",
            "jax_version": str(self._jax.__version__),
        }


TRANSPORT = JaxTransport


def _sum(jax: Any, total: Any, sharding: Any, vector: NDArray[Any]) -> NDArray[Any]:
    """Return the sum of an array over all ranks, of 64-bit numbers in 64 bits, which JAX otherwise halves."""
    import numpy as np

    with jax.enable_x64(True):
        rows = jax.make_array_from_process_local_data(sharding, vector[None])
        return np.asarray(total(rows).addressable_data(0))


def _within(seconds: float, join: Callable[[], tuple[Any, Any]]) -> tuple[Any, Any]:
    """Return what `join` returns, in a thread: JAX waits for a rank that stops answering longer, or aborts.

    Raises
    ------
    RankLost
        If it takes longer; its thread is left alone, and ends with the process.
    """
    answers: queue.Queue[tuple[Any, Any] | BaseException] = queue.Queue()

    def answer() -> None:
        try:
            answers.put(join())
        except BaseException as error:  # noqa: BLE001  raised by the thread that waits
            answers.put(error)

    threading.Thread(target=answer, name="join", daemon=True).start()
    try:
        joined = answers.get(timeout=seconds)
    except queue.Empty:
        raise RankLost(
            f"another rank stopped answering while the ranks joined over JAX, for {seconds:g} s; look for "
            "the cause in the other ranks' errors, and for processes that are stopped"
        ) from None
    if isinstance(joined, BaseException):
        raise joined
    return joined


def _free_port(address: str) -> int:
    with socket.socket() as probe:
        probe.bind((address, 0))
        return int(probe.getsockname()[1])
