"""Runs the pages on an address until a signal ends them."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from orchestrator.errors import CampaignError
from orchestrator.serve.access import Access
from orchestrator.serve.app import LedgerPages
from orchestrator.serve.connections import BoundedConnection, limit_logs, most_connections

if TYPE_CHECKING:
    from orchestrator.serve.ledger_source import LedgerSource

_PATIENCE_SECONDS = 5
_BACKLOG = 64  # connections that are accepted at a time


class AddressError(CampaignError):
    """No server can be started at an address."""


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host name or address.

    Raises
    ------
    AddressError
        If the name has no address.
    """
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressError(f"--host {host}: {getattr(error, 'strerror', None) or error}") from error
    return all(ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback for *_, address in found)


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that accepts connections.

    Raises
    ------
    AddressError
        If another program has the port, or this user may not take it.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        problem = (error.strerror or str(error)).partition(" (while ")[0]  # the address is named already
        advice = "; name another --port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else ""
        raise AddressError(f"{host} port {port}: {problem}{advice}") from error
    made.setblocking(False)
    return made


def address_of(opened: socket.socket, host: str) -> str:
    """Return the address of a server's first page, as another program reaches it."""
    name = socket.gethostname() if host in ("", "0.0.0.0", "::") else host  # noqa: S104
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{opened.getsockname()[1]}/"


class _Server(uvicorn.Server):
    """Ends with exit code 0 at SIGINT and SIGTERM, and ends event streams first."""

    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self._stopping = stopping

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        signals = (signal.SIGINT, signal.SIGTERM)
        for one in signals:
            loop.add_signal_handler(one, self._end)
        try:
            yield
        finally:
            for one in signals:
                loop.remove_signal_handler(one)

    def _end(self) -> None:
        self.force_exit = self.should_exit  # the second signal does not wait for answers under way
        self.should_exit = True
        self._stopping.set()


def serve(
    source: LedgerSource,
    opened: socket.socket,
    access: Access,
    ready: Callable[[], None] = lambda: None,
    files: Path | None = None,
) -> None:
    """Serve the pages and the API of a ledger until SIGINT or SIGTERM.

    Parameters
    ----------
    opened
        From `listening`; it is closed at the end.
    ready
        Called when connections are accepted.
    files
        Folder of the campaign files that may be launched; None without a folder.
    """

    async def run() -> None:
        limit_logs()
        made = LedgerPages(source, files)
        config = uvicorn.Config(
            made.app(access),
            http=BoundedConnection,
            limit_concurrency=most_connections() + _BACKLOG,
            backlog=_BACKLOG,
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,  # its lines would have tokens of addresses
            server_header=False,
            timeout_graceful_shutdown=_PATIENCE_SECONDS,
        )
        ready()
        await _Server(config, made.stopping).serve(sockets=[opened])

    try:
        asyncio.run(run())
    finally:
        opened.close()
        source.close()
