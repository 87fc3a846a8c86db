"""A web server on the loopback interface that cuts, redirects and refuses as a test asks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONTENT = bytes(range(256)) * 2000


class FileServer(ThreadingHTTPServer):
    """Serves `CONTENT` under every path, and keeps what was asked.

    Parameters of a test are attributes: `cuts` has the bytes after which each next answer ends early,
    `statuses` the refusals before the first answer.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.content = CONTENT
        self.version = '"1"'
        self.cuts: list[int] = []
        self.statuses: list[int] = []
        self.ranges = True
        self.states_length = True
        self.heeds_versions = True
        self.more_headers: dict[str, str] = {}
        self.redirects: dict[str, str] = {}
        self.asked: list[tuple[str, str | None]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: FileServer

    def do_GET(self) -> None:
        own, wanted = self.server, self.headers.get("Range")
        own.asked.append((self.path, wanted))
        if own.statuses:
            self.send_error(own.statuses.pop(0))
            return
        if self.path in own.redirects:
            self.send_response(302)
            self.send_header("Location", own.redirects[self.path])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        other = self.headers.get("If-Range", own.version) != own.version and own.heeds_versions
        if other or not own.ranges:
            wanted = None
        begin = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
        if wanted and begin >= len(own.content):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(own.content)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = own.content[begin:]
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {begin}-{len(own.content) - 1}/{len(own.content)}")
        if own.states_length:
            self.send_header("Content-Length", str(len(body)))
        if own.version:
            self.send_header("ETag", own.version)
        for name, value in own.more_headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: own.cuts.pop(0)] if own.cuts else body)

    def log_message(self, *args: object) -> None:
        """Print nothing."""


@contextmanager
def serving() -> Iterator[FileServer]:
    """Serve on a thread for the length of the block."""
    with FileServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
