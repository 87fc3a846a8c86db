"""Tensors of PyTorch that ranks average in the memory where they are: the host's, or that of GPUs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

_KEPT = 4
"""Vectors whose memory is kept: two for each of two types, as results may be held until the next exchange."""
_OWN_REFERENCES = 2
"""References to memory that no result shares: of the kept vector, and of the one that counts."""


class TorchMeans:
    """Means of tensors over all ranks, with one exchange for each type among the tensors of a call.

    Tensors of a type are packed into one vector, of which the results are parts. Its memory is used again
    once nothing refers to it, as that of `HostMeans`.

    Parameters
    ----------
    size
        Number of ranks.
    add
        Replaces a vector by the sum over all ranks.
    """

    def __init__(self, size: int, add: Callable[[Any], None]) -> None:
        self._size, self._add = size, add
        self._memory: list[Any] = []

    def of_tensors(self, tensors: Sequence[Any]) -> list[Any]:
        """Return the mean of each tensor; every rank gives the same shapes and types in the same order.

        Raises
        ------
        TypeError
            If one does not hold floating-point numbers.
        """
        import torch

        for tensor in tensors:
            if not tensor.is_floating_point():
                kind = str(tensor.dtype).removeprefix("torch.")
                raise TypeError(f"ranks average floating-point numbers, not {kind}")
        means: dict[int, Any] = {}
        for dtype, device in dict.fromkeys((tensor.dtype, tensor.device) for tensor in tensors):
            places = [
                place for place, one in enumerate(tensors) if (one.dtype, one.device) == (dtype, device)
            ]
            lengths = [tensors[place].numel() for place in places]
            vector = self._vector(dtype, device, sum(lengths))
            for place, part in zip(places, vector.split(lengths), strict=True):
                means[place] = part.view(tensors[place].shape)
                torch.div(tensors[place].detach(), self._size, out=means[place])
            self._add(vector)
        return [means[place] for place in range(len(tensors))]

    def _vector(self, dtype: Any, device: Any, length: int) -> Any:
        """Return a vector, in memory of an earlier exchange if none of its results is left."""
        import torch

        for vector in self._memory:
            known = (vector.dtype, vector.device, len(vector)) == (dtype, device, length)
            storage = vector.untyped_storage()
            if known and torch._C._storage_Use_Count(storage._cdata) == _OWN_REFERENCES:
                return vector
        vector = torch.empty(length, dtype=dtype, device=device)
        self._memory = [vector, *self._memory[: _KEPT - 1]]
        return vector
