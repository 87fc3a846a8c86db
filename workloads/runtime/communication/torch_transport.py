"""Ranks that communicate over ``torch.distributed``, through host memory, whichever framework trains."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING, Any

from workloads.runtime.communication.host_transport import HostTransport
from workloads.runtime.communication.torch_group import TorchGroup

if TYPE_CHECKING:
    from numpy.typing import NDArray


class TorchTransport(HostTransport):
    """All ranks of this instance over ``torch.distributed``.

    Raises
    ------
    RuntimeError
        If PyTorch is not installed, or the environment does not say where the rendezvous is.
    RankLost
        If another rank does not come.
    """

    def __init__(self, rank: int, size: int) -> None:
        super().__init__(size)
        self._group = TorchGroup(rank, size)
        atexit.register(self._group.distributed.destroy_process_group)

    def add(self, vector: NDArray[Any]) -> None:
        with self._group.translated():
            self._group.distributed.all_reduce(_as_tensor(vector))

    def share(self, values: NDArray[Any], root: int) -> None:
        with self._group.translated():
            self._group.distributed.broadcast(_as_tensor(values), root)

    def all_gather(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        return self._group.gather_objects(values)

    def describe(self) -> dict[str, Any]:
        return self._group.describe()


TRANSPORT = TorchTransport


def _as_tensor(array: NDArray[Any]) -> Any:
    """Return a tensor in the memory of an array."""
    import torch

    if array.dtype.name == "bfloat16":  # which PyTorch takes from NumPy as bits alone
        return torch.from_numpy(array.view("int16")).view(torch.bfloat16)
    return torch.from_numpy(array)
