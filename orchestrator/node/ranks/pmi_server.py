"""The process management interface (PMI) through which the ranks of one attempt start MPI.

The wire protocol is PMI version 1.1 (MPICH, ``src/pmi/maint/pmi-1.1.txt``), which MPICH and libraries that
descend from it speak, such as Intel MPI: one line for each request and answer, over TCP. So ranks that no
`mpiexec` started have one ``MPI_COMM_WORLD``. Spawning processes and publishing names are not offered.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

_WAITING_CONNECTIONS = 1024
_LONGEST_VALUE = 4096
_MAXES = f"cmd=maxes rc=0 kvsname_max=256 keylen_max=256 vallen_max={_LONGEST_VALUE}"


class PmiServer:
    """The server of one attempt: it listens when constructed and answers once started.

    Parameters
    ----------
    address
        Where it listens.
    size, local_size
        Ranks of the instance, and of each of its nodes.
    """

    def __init__(self, address: str, size: int, local_size: int) -> None:
        self._socket = socket.create_server((address, 0), backlog=_WAITING_CONNECTIONS)
        self._size = size
        # MPICH names shared memory by it, which outlives ranks that were killed.
        self._name = f"ranks_{secrets.token_hex(8)}"
        # Ranks of one node exchange through shared memory: blocks of (first node, nodes, ranks of a node).
        self._values = {"PMI_process_mapping": f"(vector,(0,{size // local_size},{local_size}))"}
        self._at_barrier: set[asyncio.StreamWriter] = set()
        self._connections: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}
        self._thread = threading.Thread(target=self._run, name="pmi", daemon=True)
        self._serving = threading.Event()
        self._over: asyncio.Event | None = None
        self._why: Exception | None = None

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._socket.getsockname()[1])

    def start(self) -> None:
        """Start the thread that answers; raises `OSError` if it cannot."""
        self._thread.start()
        self._serving.wait()
        if self._over is None:
            raise OSError(f"the server through which ranks start MPI cannot start: {self._why}")

    def stop(self) -> None:
        """Stop listening, and end all connections."""
        if self._over is not None:
            with suppress(RuntimeError):  # it has ended by an error
                self._loop.call_soon_threadsafe(self._over.set)
            self._thread.join()
        self._socket.close()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as error:  # noqa: BLE001  such as too many open files, which `start` tells
            self._why = error
        finally:
            self._serving.set()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._attend, sock=self._socket, backlog=_WAITING_CONNECTIONS)
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        self._serving.set()
        await self._over.wait()
        server.close()
        for writer in self._connections:
            writer.transport.abort()  # without waiting for a client that does not read
        if tasks := [task for task in self._connections.values() if task is not None]:
            await asyncio.wait(tasks)

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one rank until it says that it is done, or asks for something that is not offered."""
        with self._connected(writer), suppress(OSError, ValueError):  # a rank that died, which is reported
            while line := await reader.readline():
                request = _parsed(line)
                if request["cmd"] == "barrier_in":
                    self._arrive(writer)
                elif (answer := _ANSWERS.get(request["cmd"])) is not None:
                    writer.write(answer(self, request).encode() + b"\n")
                else:
                    break
                await writer.drain()

    @contextmanager
    def _connected(self, writer: asyncio.StreamWriter) -> Iterator[None]:
        self._connections[writer] = asyncio.current_task()
        try:
            yield
        finally:
            writer.close()
            del self._connections[writer]
            self._at_barrier.discard(writer)

    def _arrive(self, writer: asyncio.StreamWriter) -> None:
        """Let all ranks go on once the last one waits."""
        self._at_barrier.add(writer)
        if len(self._at_barrier) == self._size:
            for waiting in self._at_barrier:
                waiting.write(b"cmd=barrier_out rc=0\n")
            self._at_barrier.clear()

    def _welcome(self, request: Mapping[str, str]) -> str:
        rank = int(request["pmiid"])
        if not 0 <= rank < self._size:
            raise ValueError(f"no rank {rank}")
        return f"cmd=initack rc=0\ncmd=set size={self._size}\ncmd=set rank={rank}\ncmd=set debug=0"

    def _put(self, request: Mapping[str, str]) -> str:
        if len(request["value"]) > _LONGEST_VALUE:
            raise ValueError("value too long")
        self._values[request["key"]] = request["value"]
        return "cmd=put_result rc=0"

    def _get(self, request: Mapping[str, str]) -> str:
        value = self._values.get(request["key"])
        return f"cmd=get_result rc={-1 if value is None else 0} value={'unknown' if value is None else value}"


_ANSWERS: Mapping[str, Callable[[PmiServer, Mapping[str, str]], str]] = {
    "initack": PmiServer._welcome,
    "init": lambda _, __: "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1",
    "get_maxes": lambda _, __: _MAXES,
    "get_appnum": lambda _, __: "cmd=appnum rc=0 appnum=0",
    "get_my_kvsname": lambda server, _: f"cmd=my_kvsname rc=0 kvsname={server._name}",
    "get_universe_size": lambda server, _: f"cmd=universe_size rc=0 size={server._size}",
    "put": PmiServer._put,
    "get": PmiServer._get,
    "finalize": lambda _, __: "cmd=finalize_ack rc=0",
}


def _parsed(line: bytes) -> dict[str, str]:
    """Return the attributes of a request; raises `ValueError` if it is none, or lacks what it needs."""
    request = dict(word.partition("=")[::2] for word in line.decode().split())
    wanted = {"cmd", *_ATTRIBUTES.get(request.get("cmd", ""), ())}
    if missing := wanted - request.keys():
        raise ValueError(f"without {', '.join(sorted(missing))}")
    return request


_ATTRIBUTES = {"initack": ("pmiid",), "put": ("key", "value"), "get": ("key",)}
