"""Ranks that communicate over ``torch.distributed``, through host memory, whichever framework trains."""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workloads.runtime.communication.host_tensors import HostMeans
from workloads.runtime.communication.torch_group import TorchGroup
from workloads.runtime.horovod_timeline import Recording

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def start(rank: int, size: int) -> TorchTransport:
    """Join the process group.

    Raises
    ------
    RuntimeError
        If PyTorch is not installed, or the environment does not say where the rendezvous is.
    RankLost
        If another rank does not come.
    """
    return TorchTransport(rank, size)


class TorchTransport:
    """All ranks of this instance over ``torch.distributed``."""

    def __init__(self, rank: int, size: int) -> None:
        self._group = TorchGroup(rank, size)
        self._means = HostMeans(size, self._add)
        atexit.register(self._group.distributed.destroy_process_group)

    def all_reduce_mean(self, tensors: Sequence[Any]) -> list[Any]:
        return self._means.of_tensors(tensors)

    def all_reduce_sum(self, values: NDArray[Any]) -> NDArray[Any]:
        import torch

        total = torch.tensor(values)
        self._reduce(total)
        values_of_all: NDArray[Any] = total.numpy()
        return values_of_all

    def all_gather(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        return self._group.gather_objects(values)

    def broadcast(self, variables: Sequence[Any], root: int) -> None:
        import numpy as np
        import torch

        for variable in variables:
            values = torch.from_numpy(np.array(variable.numpy()))  # a copy, which this changes
            with self._group.translated():
                self._group.distributed.broadcast(values, root)
            variable.assign(values.numpy())

    def record_timeline(self, path: Path | None) -> Recording:  # noqa: ARG002
        return Recording(None, None)

    def describe(self) -> dict[str, Any]:
        return self._group.describe()

    def tells_of_lost_rank(self, error: Exception) -> bool:
        return "RankLost" in str(error)  # TensorFlow turns what a function of Python raises into text

    def _add(self, vector: NDArray[Any]) -> None:
        """Replace a vector by its sum over all ranks."""
        import torch

        bits = vector.dtype.name == "bfloat16"  # which PyTorch takes from NumPy as bits alone
        self._reduce(
            torch.from_numpy(vector.view("int16")).view(torch.bfloat16) if bits else torch.from_numpy(vector)
        )

    def _reduce(self, tensor: Any) -> None:
        with self._group.translated():
            self._group.distributed.all_reduce(tensor)
