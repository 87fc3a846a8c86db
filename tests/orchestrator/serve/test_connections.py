"""Clients that say nothing, or the same thing twice, take the pages from nobody."""

from __future__ import annotations

import logging
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from orchestrator.serve.connections import REQUEST_SECONDS, FewLines
from tests.orchestrator.serve.made_ledger import fill, serving
from tests.orchestrator.serve.test_server import opened

MANY = 1_000


@pytest.fixture
def place(sqlite_url: str, tmp_path: Path) -> Iterator[tuple[psutil.Process, tuple[str, int], str]]:
    fill(sqlite_url)
    with serving(sqlite_url, tmp_path) as (process, address):
        parts = urlsplit(address)
        yield psutil.Process(process.pid), (str(parts.hostname), int(parts.port or 0)), address
    assert (tmp_path / "serve.err").stat().st_size < 20_000


@pytest.fixture
def many_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * MANY), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def connected(where: tuple[str, int], *sent: bytes) -> socket.socket:
    made = socket.create_connection(where, timeout=60)
    for one in sent:
        made.sendall(one)
    return made


def ended(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.usefixtures("many_files")
def test_the_pages_are_served_beside_a_thousand_silent_connections(
    place: tuple[psutil.Process, tuple[str, int], str],
) -> None:
    process, where, address = place
    process.rlimit(psutil.RLIMIT_NOFILE, (256, 256))
    with ExitStack() as stack:
        for _ in range(MANY):
            stack.enter_context(connected(where))
        with opened(address) as answer:
            assert answer.status == 200
        assert process.num_fds() < 256


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"GET / HTTP/1.1\r\nX-A: "])
def test_a_request_that_never_ends_is_ended(
    place: tuple[psutil.Process, tuple[str, int], str], begun: bytes
) -> None:
    with connected(place[1], begun) as connection:
        connection.settimeout(6 * REQUEST_SECONDS)
        assert ended(connection)


def test_a_length_that_is_said_twice_is_refused(place: tuple[psutil.Process, tuple[str, int], str]) -> None:
    twice = b"Host: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    with connected(place[1], b"GET / HTTP/1.1\r\n", twice) as connection:
        assert connection.recv(12) == b"HTTP/1.1 400"


def test_lines_of_a_log_are_limited_in_each_minute() -> None:
    now = 0.0
    few = FewLines(lambda: now)
    lines = [logging.makeLogRecord({"msg": "line %d", "args": (number,)}) for number in range(1001)]
    assert sum(map(few.filter, lines[:1000])) == 20
    now = 61.0
    assert few.filter(lines[1000])
    assert lines[1000].getMessage() == "line 1000 (980 lines before were left out)"
