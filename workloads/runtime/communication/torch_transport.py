"""Ranks that communicate over ``torch.distributed``, whichever framework trains.

Tensors of PyTorch are exchanged on the GPUs where they are; those of others through host memory.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from workloads.runtime.communication.host_tensors import call_from_torch
from workloads.runtime.communication.host_transport import HostTransport
from workloads.runtime.communication.torch_group import TorchGroup
from workloads.runtime.communication.torch_tensors import TorchMeans

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PIECE_BYTES = 25e6
"""As the buckets of PyTorch's DistributedDataParallel: while a piece is added, the next is packed."""


class TorchTransport(HostTransport):
    """All ranks of this instance over ``torch.distributed``.

    Raises
    ------
    RuntimeError
        If PyTorch is not installed, or the environment does not say where the rendezvous is.
    RankLost
        If another rank does not come.
    """

    piece_bytes = _PIECE_BYTES

    def __init__(self, rank: int, size: int) -> None:
        super().__init__(size)
        self._group = TorchGroup(rank, size)
        self._torch_means = TorchMeans(size, self._group.add)
        atexit.register(self._group.distributed.destroy_process_group)

    def add(self, vector: NDArray[Any]) -> None:
        self._group.add(_as_tensor(vector))

    def start_sum(self, vector: NDArray[Any]) -> Callable[[], NDArray[Any]]:
        wait = self._group.start_add(_as_tensor(vector))

        def finish() -> NDArray[Any]:
            wait()
            return vector

        return finish

    def share(self, values: NDArray[Any], root: int) -> None:
        self._group.share(_as_tensor(values), root)

    def all_reduce_mean(self, tensors: Sequence[Any]) -> list[Any]:
        import torch

        if not all(map(self._reaches, tensors)):
            return super().all_reduce_mean(tensors)
        if all(one.device.type == "cpu" and one.dtype != torch.bfloat16 for one in tensors):
            return call_from_torch(tensors, self._means.of_arrays)  # NumPy divides faster than PyTorch
        return self._torch_means.of_tensors(tensors)

    def broadcast(self, variables: Sequence[Any], root: int) -> None:
        import torch

        values = [getattr(variable, "value", variable) for variable in variables]
        if not all(map(self._reaches, values)):
            super().broadcast(variables, root)
            return
        for value in values:
            contents = value.detach().reshape(-1)
            self._group.share(contents.view(torch.uint8), root)  # libraries lack some types
            value.detach().copy_(contents.view(value.shape))

    def _reaches(self, tensor: Any) -> bool:
        """Tell whether a tensor is PyTorch's, in memory that the ranks exchange directly."""
        import torch

        return isinstance(tensor, torch.Tensor) and self._group.reaches(tensor)

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
