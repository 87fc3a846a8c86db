"""`orchestrator serve` as a process: what it prints, its event streams, and how it ends."""

from __future__ import annotations

import http.client
import signal
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from orchestrator.serve.server import listening
from tests.orchestrator.cli.command_line import CommandLine
from tests.orchestrator.serve.made_ledger import fill, finish, serving


@contextmanager
def opened(address: str, path: str = "/", **headers: str) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection(
        str(urlsplit(address).hostname), urlsplit(address).port, timeout=60
    )
    with closing(connection):
        connection.request("GET", path, headers=headers)
        with connection.getresponse() as answer:
            yield answer


def event(stream: http.client.HTTPResponse) -> str:
    """Return the next event of a stream that is no comment."""
    lines: list[str] = []
    while True:
        line = stream.readline().decode()
        assert line, "the stream has ended"
        if line != "\n":
            lines.append(line)
        elif lines != [":\n"]:
            return "".join(lines)
        else:
            lines = []


def test_streams_follow_the_ledger_until_the_server_ends(sqlite_url: str, tmp_path: Path) -> None:
    number = fill(sqlite_url)
    with serving(sqlite_url, tmp_path) as (process, address), ExitStack() as stack:
        streams = [stack.enter_context(opened(address, "/campaigns/toy/live")) for _ in range(3)]
        for stream in streams:
            assert stream.headers["content-type"] == "text/event-stream; charset=utf-8"
            first = event(stream)
            assert first.startswith("event: progress\n")
            assert "20 of 260 done" in first
        finish(sqlite_url, number, 11)
        for stream in streams:
            while "21 of 260 done" not in event(stream):
                assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        for stream in streams:
            stream.read()
    assert (tmp_path / "serve.err").read_text() == ""


def test_a_token_is_in_the_printed_address_alone(sqlite_url: str, tmp_path: Path) -> None:
    fill(sqlite_url)
    with serving(sqlite_url, tmp_path, "--host", "0.0.0.0") as (process, address):
        token = urlsplit(address).query.removeprefix("token=")
        assert len(token) >= 43
        here = f"http://127.0.0.1:{urlsplit(address).port}/"
        with opened(here) as refused, opened(here, f"/?token={token}") as let_in:
            assert (refused.status, let_in.status) == (401, 200)
        with opened(here, "/metrics", Authorization=f"Bearer {token}") as metrics:
            assert b"orchestrator_ledger_up 1.0" in metrics.read()
        seen = psutil.Process(process.pid)
        assert token not in " ".join(seen.cmdline()) + str(seen.environ())
        with opened(here, f"/campaigns/toy/live?token={token}") as welcome:
            assert b"event:" not in welcome.read()
        with opened(here, "/campaigns/toy/live", Authorization=f"Bearer {token}") as stream:
            assert event(stream).startswith("event: progress\n")
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0
    assert (tmp_path / "serve.err").read_text() == ""


@pytest.fixture(scope="session")
def run() -> CommandLine:
    return CommandLine()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ledger", "nothing.sqlite"], "no ledger at "),
        (["--host", "nowhere.invalid"], "--host nowhere.invalid: "),
        (["--port", "70000"], "should be less than or equal to 65535"),
        (["--token-file", "missing/token"], "missing/token: No such file or directory"),
        (["--token-file", "."], ".: Is a directory"),
    ],
)
def test_what_cannot_be_served_is_one_line(
    words: list[str], message: str, sqlite_url: str, run: CommandLine, tmp_path: Path
) -> None:
    ledger = () if "--ledger" in words else ("--ledger", sqlite_url)
    done = run("serve", "--port", "0", *words, *ledger, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_port_of_another_program_is_one_line(sqlite_url: str, run: CommandLine, tmp_path: Path) -> None:
    with listening("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        done = run("serve", "--port", port, "--ledger", sqlite_url, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"error: 127.0.0.1 port {port}: Address already in use; name another --port\n"
