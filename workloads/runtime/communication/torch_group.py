"""All ranks of an instance as a process group of ``torch.distributed`` with Gloo.

The ranks find each other through the key-value store that the supervisor already runs for Horovod's Gloo, and
on the same network interface, so that no further port is chosen or opened for it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from workloads.runtime.communication import RankLost, rank_lost
from workloads.runtime.communication.rendezvous_store import RendezvousStore

_SCOPE = "/torch_distributed"


class TorchGroup:
    """The process group of this instance, started.

    Parameters
    ----------
    rank, size
        Of this process; two ranks or more.

    Raises
    ------
    RuntimeError
        If PyTorch is not installed, or the environment does not say where the rendezvous is.
    RankLost
        If another rank does not come.
    """

    def __init__(self, rank: int, size: int) -> None:
        self._rank, self._size = rank, size
        values = RendezvousStore.of_environment(_SCOPE)
        os.environ["GLOO_SOCKET_IFNAME"] = os.environ["HOROVOD_GLOO_IFACE"]
        try:
            import torch.distributed as distributed
        except ImportError as error:
            raise RuntimeError(
                f"an instance of {size} ranks needs PyTorch, which cannot be imported here "
                f"({error}); install the extra `torch`"
            ) from error
        self.distributed = distributed
        store = _torch_store(values)
        with self.translated():
            distributed.init_process_group(
                "gloo",
                store=store,
                rank=rank,
                world_size=size,
                timeout=timedelta(seconds=values.timeout_seconds),
            )

    def describe(self) -> dict[str, Any]:
        """Return facts of the group, for the result."""
        import torch

        return {
            "collectives": "torch.distributed",
            "collectives_backend": self.distributed.get_backend(),
            "torch_version": str(torch.__version__),
        }

    def gather_objects(self, value: Any) -> list[Any]:
        """Return the values of all ranks, in rank order, on every rank."""
        gathered: list[Any] = [None] * self._size
        with self.translated():
            self.distributed.all_gather_object(gathered, value)
        return gathered

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turn what PyTorch raises when another rank ends into `RankLost`."""
        try:
            yield
        except RankLost:
            raise
        except RuntimeError as error:  # Gloo's errors have no type of their own
            raise rank_lost(self._rank, self._size, gloo_reason(str(error))) from None


def gloo_reason(text: str) -> str:
    """Return what happened, of an error of Gloo, without the place in its sources and its general advice."""
    first = text.partition("\n")[0].partition(". This is typically")[0]
    return re.sub(r"^\[[^]]*\.(cc|h):\d+\] ", "", first) or "no reason given"


def _torch_store(values: RendezvousStore) -> Any:
    """Return the store in the form that PyTorch takes."""
    import torch.distributed as distributed

    class Store(distributed.Store):  # type: ignore[misc]
        def set(self, key: str, value: Any) -> None:
            values.put(key, value.encode() if isinstance(value, str) else bytes(value))

        def get(self, key: str) -> bytes:
            return values.get(key)

        def wait(self, keys: list[str], timeout: timedelta | None = None) -> None:  # noqa: ARG002
            for key in keys:
                values.get(key)

    return Store()
