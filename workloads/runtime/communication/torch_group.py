"""All ranks of an instance as process groups of ``torch.distributed``: of Gloo, and of NCCL for GPUs.

The ranks find each other through the key-value store that the supervisor already runs for Horovod's Gloo, and
on the same network interface, so that no further port is chosen or opened for it. On ROCm, PyTorch gives RCCL
the name ``nccl``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
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
        timeout = timedelta(seconds=values.timeout_seconds)
        with self.translated():
            distributed.init_process_group("gloo", store=store, rank=rank, world_size=size, timeout=timeout)
        self._of_gpus = self._join_gpus(timeout) if os.environ.get("KERAS_BACKEND") == "torch" else None

    def _join_gpus(self, timeout: timedelta) -> Any | None:
        """Return the group of all ranks' GPUs; None unless each rank has a GPU that no other rank has.

        NCCL refuses ranks that share a GPU. An operation that fails or takes longer than the timeout ends the
        rank by PyTorch's watchdog, and a rank that ends has the supervisor end the others.
        """
        gpus = self.gather_objects(own_gpu())
        if None in gpus or len(set(gpus)) < self._size:
            return None
        os.environ.setdefault("NCCL_SOCKET_IFNAME", f"={os.environ['HOROVOD_GLOO_IFACE']}")
        # Otherwise each rank would ask the supervisor's store each second whether another rank has failed.
        os.environ.setdefault("TORCH_NCCL_DUMP_ON_TIMEOUT", "0")
        with self.translated():
            return self.distributed.new_group(backend="nccl", timeout=timeout)

    def describe(self) -> dict[str, Any]:
        """Return facts of the group, for the result."""
        import torch

        facts = {"collectives": "torch.distributed", "torch_version": str(torch.__version__)}
        if self._of_gpus is None:
            return facts | {"collectives_backend": "gloo"}
        return facts | {
            "collectives_backend": "rccl" if torch.version.hip else "nccl",
            "collectives_backend_version": ".".join(map(str, torch.cuda.nccl.version())),
        }

    @property
    def joins_gpus(self) -> bool:
        """True where the ranks exchange tensors on their GPUs, and not through host memory."""
        return self._of_gpus is not None

    def reaches(self, tensor: Any) -> bool:
        """Tell whether the ranks exchange a tensor in the memory where it is."""
        return tensor.device.type == "cpu" or (self.joins_gpus and tensor.device.type == "cuda")

    def add(self, tensor: Any) -> None:
        """Replace a tensor that the group reaches by the sum over all ranks."""
        with self.translated():
            self.distributed.all_reduce(tensor, group=self._group_of(tensor))

    def start_add(self, tensor: Any) -> Callable[[], None]:
        """Begin to replace a tensor by the sum over all ranks; the returned function waits for its end."""
        with self.translated():
            work = self.distributed.all_reduce(tensor, group=self._group_of(tensor), async_op=True)

        def wait() -> None:
            with self.translated():
                work.wait()

        return wait

    def share(self, tensor: Any, root: int) -> None:
        """Replace a tensor that the group reaches by that of rank `root`."""
        with self.translated():
            self.distributed.broadcast(tensor, root, group=self._group_of(tensor))

    def _group_of(self, tensor: Any) -> Any | None:
        return None if tensor.device.type == "cpu" else self._of_gpus

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
            raise rank_lost(self._rank, self._size, library_reason(str(error))) from None


def own_gpu() -> str | None:
    """Return the UUID of this process's first GPU; None where it is no whole GPU or PyTorch does not tell."""
    import torch

    if not torch.cuda.is_available() or os.environ.get("CUDA_VISIBLE_DEVICES", "").startswith("MIG-"):
        return None
    uuid = getattr(torch.cuda.get_device_properties(0), "uuid", None)  # early builds for ROCm have none
    return None if uuid is None else str(uuid)


def library_reason(text: str) -> str:
    """Return what happened, of an error of Gloo or NCCL, without its place in sources and general advice."""
    first = text.partition("\n")[0].partition(". This is typically")[0]
    return re.sub(r"^(\[[^]]*\.(cc|h):\d+\]|NCCL error in: \S+,) ", "", first) or "no reason given"


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
