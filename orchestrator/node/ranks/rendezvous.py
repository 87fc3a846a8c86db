"""Where the ranks of one attempt find each other: a key-value store over HTTP for Gloo, and PMI for MPI.

A rank puts its address under ``/scope/key`` and polls for those of the others. Gloo and MPI send no
credentials, so both listen on one address only, serve one attempt, and end with it.
"""

from __future__ import annotations

import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from orchestrator.node.ranks.pmi_server import PmiServer

_VALUE_LIMIT = 1 << 20
_WAITING_CONNECTIONS = 1024


class Rendezvous(ThreadingHTTPServer):
    """The store of one attempt: it listens when constructed and answers once started.

    Construct it before the ranks are started, and start it after them: starting a process while
    other threads run is not safe.

    Parameters
    ----------
    address
        Where it listens.
    size, local_size
        Ranks of the instance, and of each of its nodes.
    """

    daemon_threads = True
    request_queue_size = _WAITING_CONNECTIONS

    def __init__(self, size: int, local_size: int, address: str = "127.0.0.1") -> None:
        self._pmi = PmiServer(address, size, local_size)
        super().__init__((address, 0), _Handler)
        self.values: dict[str, bytes] = {}
        self._thread = threading.Thread(target=self.serve_forever, name="rendezvous", daemon=True)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.server_address[1])

    @property
    def pmi_port(self) -> int:
        """The port on which MPI asks."""
        return self._pmi.port

    def start(self) -> None:
        """Start the threads that answer."""
        self._pmi.start()
        self._thread.start()

    def stop(self) -> None:
        """Stop listening."""
        if self._thread.is_alive():
            self.shutdown()
            self._thread.join()  # the next attempt of this supervisor is forked without threads
        self._pmi.stop()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a rank that died in the middle of a request; its exit is reported."""


class _Handler(BaseHTTPRequestHandler):
    server: Rendezvous

    def do_GET(self) -> None:
        """Send a value, or 404 while there is none."""
        value = self.server.values.get(self.path)
        self._answer(HTTPStatus.NOT_FOUND if value is None else HTTPStatus.OK, value or b"")

    def do_PUT(self) -> None:
        """Keep a value."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _VALUE_LIMIT:
            self._answer(HTTPStatus.BAD_REQUEST)
            return
        self.server.values[self.path] = self.rfile.read(int(length))
        self._answer(HTTPStatus.OK)

    def do_DELETE(self) -> None:
        """Forget a value, or everything below a scope."""
        for key in [key for key in self.server.values if f"{key}/".startswith(f"{self.path.rstrip('/')}/")]:
            self.server.values.pop(key, None)
        self._answer(HTTPStatus.OK)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing."""

    def _answer(self, status: HTTPStatus, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
