"""The schemes' operations over ``torch.distributed``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workloads.context import Context
from workloads.deep500.distributed.collectives import Collectives
from workloads.runtime.communication.torch_group import TorchGroup

_TO_RIGHT, _TO_LEFT = 1, 2


class TorchRanks(Collectives):
    """All ranks of this instance over ``torch.distributed``.

    Means and broadcasts of vectors on GPUs are NCCL's where it joins the GPUs; all else is Gloo's, through
    host memory.

    Parameters
    ----------
    context
        Gives rank and size, of which there are two or more.

    Raises
    ------
    RuntimeError
        If the environment does not say where the rendezvous is.
    RankLost
        If another rank does not come.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context.rank, context.size)
        self._group = TorchGroup(context.rank, context.size)
        import torch

        self._torch, self._distributed = torch, self._group.distributed
        self.over_sockets = not self._group.joins_gpus

    def all_reduce_mean(self, vector: Any) -> Any:
        self.hand(vector)
        total = self._copied(vector)
        self._group.add(total)
        return (total / self.size).to(vector.device)

    def gather(self, vector: Any) -> list[Any] | None:
        self.hand(vector)
        own = self._on_host(vector)
        parts = [self._torch.empty_like(own) for _ in range(self.size)] if self.rank == 0 else None
        with self._group.translated():
            self._distributed.gather(own, parts, dst=0)
        return parts and [part.to(vector.device) for part in parts]

    def broadcast(self, vector: Any) -> Any:
        if self.rank == 0:
            self.hand(vector)
        own = self._copied(vector)
        self._group.share(own, 0)
        return own.to(vector.device)

    def neighbours(self, vector: Any) -> tuple[Any, Any]:
        left, right = (self.rank - 1) % self.size, (self.rank + 1) % self.size
        own = self._on_host(vector)
        before, after = self._torch.empty_like(own), self._torch.empty_like(own)
        self.hand(vector, copies=2)
        with self._group.translated():
            begun = [
                self._distributed.isend(own, right, tag=_TO_RIGHT),
                self._distributed.isend(own, left, tag=_TO_LEFT),
                self._distributed.irecv(before, left, tag=_TO_RIGHT),
                self._distributed.irecv(after, right, tag=_TO_LEFT),
            ]
            for one in begun:
                one.wait()
        return before.to(vector.device), after.to(vector.device)

    def send(self, vector: Any, peer: int) -> None:
        self.hand(vector)
        with self._group.translated():
            self._distributed.send(self._on_host(vector), peer)

    def receive(self, like: Any, peer: int) -> Any:
        received = self._torch.empty_like(self._on_host(like))
        with self._group.translated():
            self._distributed.recv(received, peer)
        return received.to(like.device)

    def exchange(self, parts: Sequence[Any], lengths: Sequence[int] | None = None) -> list[Any]:
        torch = self._torch
        self.hand_parts(parts)
        own = [len(part) for part in parts]
        with self._group.translated():
            if lengths is None:
                others = torch.empty(self.size, dtype=torch.int64)
                self._distributed.all_to_all_single(others, torch.tensor(own))
                lengths = others.tolist()
            received = torch.empty(sum(lengths), dtype=torch.uint8)
            given = torch.cat([torch.from_numpy(part) for part in parts])
            self._distributed.all_to_all_single(received, given, list(lengths), own)
        return [part.numpy() for part in received.split(list(lengths))]

    def gather_objects(self, value: Any) -> list[Any]:
        return self._group.gather_objects(value)

    def describe(self) -> dict[str, Any]:
        return self._group.describe()

    def close(self) -> None:
        with self._group.translated():
            self._distributed.barrier()
        self._distributed.destroy_process_group()

    def _copied(self, vector: Any) -> Any:
        """Return a copy that the ranks can exchange: where the vector is, or else in host memory."""
        own = vector.detach() if self._group.reaches(vector) else vector.detach().cpu()
        return own.clone(memory_format=self._torch.contiguous_format)

    def _on_host(self, vector: Any) -> Any:
        return vector.detach().cpu().contiguous()
