"""Downloads from a server that cuts connections, refuses, redirects, and sends wrong bytes."""

from __future__ import annotations

import hashlib
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.catalog.data_sources import SourceFile
from orchestrator.lifecycle.data.download import download, fetch_progress, partial_of
from tests.orchestrator.lifecycle.data.file_server import CONTENT, FileServer, serving
from workloads.description import DataError

RIGHT = SourceFile(
    name="a.csv",
    bytes=len(CONTENT),
    md5=hashlib.md5(CONTENT).hexdigest(),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
)
UNKNOWN = SourceFile(name="a.csv")
PROXIES = ("http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    with serving() as found:
        yield found


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "a.csv"


def get(server: FileServer, target: Path, expected: SourceFile = RIGHT, path: str = "/a.csv") -> list[float]:
    """Download, and return the pauses between attempts."""
    pauses: list[float] = []
    download(server.url + path, target, expected, pause=pauses.append)
    return pauses


def refused(server: FileServer, target: Path, expected: SourceFile = RIGHT, path: str = "/a.csv") -> str:
    with pytest.raises(DataError) as caught:
        get(server, target, expected, path)
    assert not target.exists()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def names(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir())


@pytest.mark.parametrize("expected", [RIGHT, UNKNOWN])
def test_the_file_lies_at_its_place_and_nothing_beside_it(
    server: FileServer, target: Path, expected: SourceFile
) -> None:
    assert get(server, target, expected) == []
    assert target.read_bytes() == CONTENT
    assert names(target) == ["a.csv"]


def test_cut_connections_go_on_where_they_ended(server: FileServer, target: Path) -> None:
    server.cuts = [1000, 70_000]
    assert get(server, target) == [1, 1]
    assert target.read_bytes() == CONTENT
    assert server.asked == [
        ("/a.csv", None),
        ("/a.csv", "bytes=1000-"),
        ("/a.csv", "bytes=71000-"),
    ]


def test_a_server_without_ranges_begins_anew(server: FileServer, target: Path) -> None:
    server.ranges, server.cuts = False, [1000]
    get(server, target)
    assert target.read_bytes() == CONTENT


def test_a_file_that_changed_meanwhile_is_fetched_anew(server: FileServer, target: Path) -> None:
    server.cuts = [1000] + 5 * [0]
    refused(server, target, UNKNOWN)
    server.content, server.version = b"x" * 5000, '"2"'
    get(server, target, UNKNOWN)
    assert target.read_bytes() == b"x" * 5000


def test_two_versions_are_never_joined(server: FileServer, target: Path) -> None:
    """The server sends the rest of another version, though it was asked not to."""
    server.cuts, server.heeds_versions = [1000] + 5 * [0], False
    refused(server, target, UNKNOWN)
    server.content, server.version = b"x" * 5000, '"2"'
    get(server, target, UNKNOWN)
    assert target.read_bytes() == b"x" * 5000


def test_an_empty_file_and_one_that_the_server_compressed_are_refused(
    server: FileServer, target: Path
) -> None:
    server.more_headers = {"Content-Encoding": "gzip"}
    assert "the server sends it compressed (gzip)" in refused(server, target, UNKNOWN)
    server.more_headers, server.content = {}, b""
    assert "the server sends an empty file" in refused(server, target, UNKNOWN)
    assert names(target) == []


def test_a_partial_file_of_an_earlier_download_is_completed(server: FileServer, target: Path) -> None:
    partial_of(target).write_bytes(CONTENT[:300])
    get(server, target)
    assert server.asked == [("/a.csv", "bytes=300-")]
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("expected", [RIGHT, UNKNOWN])
def test_a_partial_file_that_is_whole_is_taken(
    server: FileServer, target: Path, expected: SourceFile
) -> None:
    partial_of(target).write_bytes(CONTENT)
    get(server, target, expected)
    assert target.read_bytes() == CONTENT


def test_a_partial_file_longer_than_the_servers_is_fetched_anew(server: FileServer, target: Path) -> None:
    partial_of(target).write_bytes(b"x" * (len(CONTENT) + 1))
    get(server, target)
    assert target.read_bytes() == CONTENT


def test_wrong_bytes_are_refused_and_removed(server: FileServer, target: Path) -> None:
    server.content = b"x" * len(CONTENT)
    said = refused(server, target)
    assert "the content is wrong and was removed: MD5 " in said
    assert names(target) == []
    said = refused(server, target, SourceFile(name="a.csv", sha256=RIGHT.sha256))
    assert "SHA-256" in said or "SHA256" in said


def test_another_size_is_refused_before_it_is_fetched(server: FileServer, target: Path) -> None:
    server.content = CONTENT[:-1]
    assert "the server's file has 511,999 bytes, 512,000 are published" in refused(server, target)
    assert names(target) == []


def test_another_size_that_the_server_does_not_state_is_refused(server: FileServer, target: Path) -> None:
    server.content, server.states_length = CONTENT[:-1], False
    assert "511,999 bytes, 512,000 are published" in refused(server, target)
    assert names(target) == []


def test_redirects_are_followed_and_loops_end(server: FileServer, target: Path) -> None:
    server.redirects = {"/old": "/new", "/a": "/b", "/b": "/a", "/file": "file:///etc/hostname"}
    get(server, target, path="/old")
    assert [path for path, _ in server.asked] == ["/old", "/new"]
    target.unlink()
    assert "302" in refused(server, target, path="/a")
    assert "302" in refused(server, target, path="/file")


def test_a_missing_file_is_asked_for_once(server: FileServer, target: Path) -> None:
    server.statuses = [404]
    assert "the server says 404 Not Found" in refused(server, target)
    assert len(server.asked) == 1


def test_a_busy_server_is_asked_again_a_limited_number_of_times(server: FileServer, target: Path) -> None:
    server.statuses = [503, 500]
    assert get(server, target) == [1, 2]
    target.unlink()
    server.asked, server.statuses = [], [503] * 9
    assert "503 Service Unavailable, 5 times in a row" in refused(server, target)
    assert len(server.asked) == 5


def test_a_server_that_always_cuts_at_one_place_is_given_up(server: FileServer, target: Path) -> None:
    server.ranges, server.cuts = False, [1000] * 9
    said = refused(server, target)
    assert "the connection ended after 1,000 of 512,000 bytes, 5 times in a row" in said
    assert partial_of(target).read_bytes() == CONTENT[:1000]


def test_no_server_is_one_line(server: FileServer, target: Path) -> None:
    with serving() as gone:
        pass
    assert "no connection" in refused(gone, target)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/hostname", "data:,x", "/etc/hostname", "http:///a", "http://[bad/a",
        "http://127.0.0.1:99x/a", "http://127.0.0.1:1/a b",
    ],
)  # fmt: skip
def test_other_addresses_are_refused(target: Path, url: str) -> None:
    with pytest.raises(DataError):
        download(url, target, UNKNOWN, attempts=1)
    assert names(target) == []


def test_a_disk_with_too_little_room_is_named_before(
    server: FileServer, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    assert "0.5 MB are to come, and 0.0 MB are free" in refused(server, target)


def test_a_full_disk_is_one_line(server: FileServer, target: Path) -> None:
    partial_of(target).symlink_to("/dev/full")
    assert "cannot be written: the disk is full" in refused(server, target)


def test_the_proxy_of_the_environment_is_used(
    server: FileServer, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.url)
    download("http://published.example/a.csv", target, RIGHT)
    assert server.asked == [("http://published.example/a.csv", None)]
    assert target.read_bytes() == CONTENT


def test_sigterm_leaves_a_partial_file_that_is_completed(server: FileServer, target: Path) -> None:
    program = (
        "import signal, sys\n"
        "from pathlib import Path\n"
        "from orchestrator.catalog.data_sources import SourceFile\n"
        "from orchestrator.lifecycle.data.download import download\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))\n"
        "def pause(_):\n"
        "    print('waits', flush=True)\n"
        "    signal.pause()\n"
        f"download({server.url + '/a.csv'!r}, Path({str(target)!r}), SourceFile(name='a.csv'), pause=pause)\n"
    )
    server.cuts = [1000]
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waits\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 143
    assert partial_of(target).read_bytes() == CONTENT[:1000]
    get(server, target)
    assert server.asked[-1] == ("/a.csv", "bytes=1000-")
    assert target.read_bytes() == CONTENT


def test_progress_has_rate_and_time_left() -> None:
    assert fetch_progress("a", 600, 500, 1000, 0.0) == "a: 60% of 0.0 MB fetched, 0.0 MB/s"
    said = fetch_progress("a", 300_000_000, 200_000_000, 500_000_000, 10.0)
    assert said == "a: 60% of 500.0 MB fetched, 20.0 MB/s, about 10 s left"
    assert fetch_progress("a", 3_000_000, 3_000_000, None, 1.0) == "a: 3.0 MB fetched, 3.0 MB/s"
