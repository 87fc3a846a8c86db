"""The schemes' operations over ``torch.distributed`` with Gloo.

The ranks find each other through the key-value store that the supervisor already runs for Horovod's Gloo, and
on the same network interface, so that no further port is chosen or opened for it.
"""

from __future__ import annotations

import http.client
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from workloads.context import Context
from workloads.deep500.distributed.collectives import Collectives
from workloads.runtime.collectives import RankLost

_SCOPE = "/torch_distributed"
_POLL_SECONDS = 0.02
_ANSWER_SECONDS = 60
_OK, _NOT_FOUND = 200, 404
_TO_RIGHT, _TO_LEFT = 1, 2
_STORE = ("HOROVOD_GLOO_RENDEZVOUS_ADDR", "HOROVOD_GLOO_RENDEZVOUS_PORT", "HOROVOD_GLOO_IFACE")


class RendezvousStore:
    """The supervisor's key-value store over HTTP.

    Parameters
    ----------
    address, port
        Where it listens.
    timeout_seconds
        How long `get` waits for a key.
    """

    def __init__(self, address: str, port: int, timeout_seconds: float) -> None:
        self._address, self._port, self._timeout_seconds = address, port, timeout_seconds

    def put(self, key: str, value: bytes) -> None:
        """Keep a value."""
        self._ask("PUT", key, value)

    def get(self, key: str) -> bytes:
        """Return a value once another rank has put it.

        Raises
        ------
        RankLost
            If that takes longer than the timeout.
        """
        end = time.monotonic() + self._timeout_seconds
        while (value := self._ask("GET", key)) is None:
            if time.monotonic() >= end:
                raise RankLost(
                    f"another rank did not come to the rendezvous within {self._timeout_seconds:g} s; look "
                    "for the cause in the other ranks' errors"
                )
            time.sleep(_POLL_SECONDS)
        return value

    def _ask(self, method: str, key: str, value: bytes | None = None) -> bytes | None:
        connection = http.client.HTTPConnection(self._address, self._port, timeout=_ANSWER_SECONDS)
        try:
            connection.request(method, f"{_SCOPE}/{quote(key, safe='')}", body=value)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        if answer.status not in (_OK, _NOT_FOUND):
            raise RuntimeError(f"the rendezvous answered {method} of {key} with {answer.status}")
        return body if answer.status == _OK else None


class TorchRanks(Collectives):
    """All ranks of this instance over ``torch.distributed``; vectors travel through host memory.

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
        missing = [name for name in _STORE if not os.environ.get(name)]
        if missing:
            raise RuntimeError(f"{', '.join(missing)} not set: the supervisor sets them for several ranks")
        address, port, interface = (os.environ[name] for name in _STORE)
        seconds = float(os.environ.get("HOROVOD_GLOO_TIMEOUT_SECONDS", "120"))
        os.environ["GLOO_SOCKET_IFNAME"] = interface
        import torch
        import torch.distributed as distributed

        self._torch, self._distributed = torch, distributed
        store = _torch_store(RendezvousStore(address, int(port), seconds))
        with self._translated():
            distributed.init_process_group(
                "gloo", store=store, rank=self.rank, world_size=self.size, timeout=timedelta(seconds=seconds)
            )

    def all_reduce_mean(self, vector: Any) -> Any:
        self.hand(vector)
        total = self._on_host(vector).clone()
        with self._translated():
            self._distributed.all_reduce(total)
        return (total / self.size).to(vector.device)

    def gather(self, vector: Any) -> list[Any] | None:
        self.hand(vector)
        own = self._on_host(vector)
        parts = [self._torch.empty_like(own) for _ in range(self.size)] if self.rank == 0 else None
        with self._translated():
            self._distributed.gather(own, parts, dst=0)
        return parts and [part.to(vector.device) for part in parts]

    def broadcast(self, vector: Any) -> Any:
        if self.rank == 0:
            self.hand(vector)
        own = self._on_host(vector).clone()
        with self._translated():
            self._distributed.broadcast(own, 0)
        return own.to(vector.device)

    def neighbours(self, vector: Any) -> tuple[Any, Any]:
        left, right = (self.rank - 1) % self.size, (self.rank + 1) % self.size
        own = self._on_host(vector)
        before, after = self._torch.empty_like(own), self._torch.empty_like(own)
        self.hand(vector, copies=2)
        with self._translated():
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
        with self._translated():
            self._distributed.send(self._on_host(vector), peer)

    def receive(self, like: Any, peer: int) -> Any:
        received = self._torch.empty_like(self._on_host(like))
        with self._translated():
            self._distributed.recv(received, peer)
        return received.to(like.device)

    def exchange(self, parts: Sequence[Any], lengths: Sequence[int] | None = None) -> list[Any]:
        torch = self._torch
        self.hand_parts(parts)
        own = [len(part) for part in parts]
        with self._translated():
            if lengths is None:
                others = torch.empty(self.size, dtype=torch.int64)
                self._distributed.all_to_all_single(others, torch.tensor(own))
                lengths = others.tolist()
            received = torch.empty(sum(lengths), dtype=torch.uint8)
            given = torch.cat([torch.from_numpy(part) for part in parts])
            self._distributed.all_to_all_single(received, given, list(lengths), own)
        return [part.numpy() for part in received.split(list(lengths))]

    def gather_objects(self, value: Any) -> list[Any]:
        gathered: list[Any] = [None] * self.size
        with self._translated():
            self._distributed.all_gather_object(gathered, value)
        return gathered

    def describe(self) -> dict[str, Any]:
        return {"collectives": "torch.distributed", "collectives_backend": self._distributed.get_backend()}

    def close(self) -> None:
        with self._translated():
            self._distributed.barrier()
        self._distributed.destroy_process_group()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except RankLost:
            raise
        except RuntimeError as error:  # Gloo's errors have no type of their own
            reason = gloo_reason(str(error))
            raise RankLost(
                f"another rank of this instance ended or stopped answering, so rank {self.rank} of "
                f"{self.size} cannot go on; look for the cause in the other ranks' errors ({reason})"
            ) from None

    def _on_host(self, vector: Any) -> Any:
        return vector.detach().cpu().contiguous()


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
