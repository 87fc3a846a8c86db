"""The journal gives back what was written, or says that it cannot; it never gives back something else."""

from __future__ import annotations

import errno
import json
import os
import stat
import tempfile
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.chain import GENESIS, chain_after
from orchestrator.rundir.journal import Tail, append, decode, decode_report, encode
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.packed_reader import lines
from tests import messages
from tests.orchestrator.protocol.strategies import attempt_reports, json_values

contents = st.dictionaries(st.text(), json_values, max_size=6)


def whole(number: int = 0) -> AttemptReport:
    return messages.report(f"t{number}", result={"fom_seconds": 1.5 + number})


def line_of(number: int = 0) -> bytes:
    return encode(whole(number).to_json())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "1"
    folder.mkdir()
    return folder / "w.journal"


# -- lines -----------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(contents)
def test_a_line_gives_back_its_report(report: dict[str, Any]) -> None:
    line = encode(report)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1  # whatever stands in a text, a report is one line
    assert line.isascii()
    assert decode(line[:-1]) == report


@settings(max_examples=50, deadline=None)
@given(contents, st.data())
def test_a_line_with_one_wrong_bit_gives_back_nothing(report: dict[str, Any], data: st.DataObject) -> None:
    line = encode(report)[:-1]
    bit = data.draw(st.integers(0, 8 * len(line) - 1))
    damaged = bytearray(line)
    damaged[bit // 8] ^= 1 << bit % 8
    assert decode(bytes(damaged)) is None


def test_every_single_bit_counts() -> None:
    line = line_of()[:-1]
    for bit in range(8 * len(line)):
        damaged = bytearray(line)
        damaged[bit // 8] ^= 1 << bit % 8
        assert decode(bytes(damaged)) is None


@settings(max_examples=50, deadline=None)
@given(contents, st.data())
def test_a_line_that_was_cut_gives_back_nothing(report: dict[str, Any], data: st.DataObject) -> None:
    line = encode(report)[:-1]
    start = data.draw(st.integers(0, len(line)))
    stop = data.draw(st.integers(start, len(line)))
    if (start, stop) != (0, len(line)):
        assert decode(line[start:stop]) is None


@given(st.binary(max_size=60) | st.sampled_from([b"", b" ", b"00000000", b"00000000 ", b"00000000 {}"]))
def test_no_bytes_make_reading_fail(line: bytes) -> None:
    assert decode(line) is None


@pytest.mark.parametrize(
    "content", [b"", b"[1]", b"5", b"null", b'"x"', b"{", b"\xff", b"{'a': 1}", b"[" * 9]
)
def test_a_right_checksum_over_no_report_gives_back_nothing(content: bytes) -> None:
    assert decode(b"%08x %s" % (zlib.crc32(content), content)) is None


NOT_A_REPORT = {
    "no token": {"state": "failed", "at_us": 5},
    "no state": {"token": "t", "at_us": 5},
    "an unknown state": {"token": "t", "state": "finished", "at_us": 5},
    "a token that is no text": {"token": 5, "state": "failed", "at_us": 5},
    "no time": {"token": "t", "state": "failed"},
    "a result that is a list": {"token": "t", "state": "succeeded", "at_us": 5, "result": [1]},
}


@pytest.mark.parametrize("content", NOT_A_REPORT.values(), ids=NOT_A_REPORT)
def test_a_whole_line_with_an_unreadable_report_counts_as_damaged(
    content: dict[str, Any], file: Path, tmp_path: Path
) -> None:
    line = encode(content)
    assert decode(line[:-1]) == content
    assert decode_report(line[:-1]) is None
    file.write_bytes(line_of(0) + line + line_of(1))
    assert list(lines(tmp_path)) == [
        (file, line_of(0), whole(0)),
        (file, line, None),
        (file, line_of(1), whole(1)),
    ]
    assert list(Tail(tmp_path).read()) == [whole(0), whole(1)]


# -- files -----------------------------------------------------------------------------------


def test_reports_come_back_in_order(file: Path, tmp_path: Path) -> None:
    for number in range(5):
        append(file, whole(number))
    assert list(Tail(tmp_path).read()) == [whole(number) for number in range(5)]


def test_a_torn_last_line_waits_and_is_left_out_once_another_follows(file: Path, tmp_path: Path) -> None:
    """A node that lost power mid-line; then the worker starts again and appends to the same file."""
    append(file, whole(0))
    torn = line_of(1)[:25]
    with file.open("ab") as stream:
        stream.write(torn)
    tail = Tail(tmp_path)
    assert list(tail.read()) == [whole(0)]

    append(file, whole(2))
    assert list(tail.read()) == [whole(2)]
    first = encode(whole(0).to_json(), GENESIS)
    chain = chain_after(chain_after(GENESIS, first.rstrip()), torn)
    assert file.read_bytes() == first + torn + b"\n" + encode(whole(2).to_json(), chain)
    assert list(tail.read()) == []


def test_a_line_that_was_only_slow_is_read_when_it_is_whole(file: Path, tmp_path: Path) -> None:
    line = line_of(1)
    tail = Tail(tmp_path)
    for piece in range(0, len(line), 7):
        with file.open("ab") as stream:
            stream.write(line[piece : piece + 7])
        found = list(tail.read())
        assert found == ([whole(1)] if piece + 7 >= len(line) else [])


def test_a_damaged_line_in_the_middle_is_skipped(file: Path, tmp_path: Path) -> None:
    for number in range(3):
        append(file, whole(number))
    content = bytearray(file.read_bytes())
    content[content.index(b"\n") + 20] ^= 0x10
    file.write_bytes(content)
    assert list(Tail(tmp_path).read()) == [whole(0), whole(2)]


@pytest.mark.parametrize(
    "hole", [b"\0" * 40 + b"\n", b"\n\n", b"garbage\n", b"\r\r\n", b"00000000\n", b"\xff\xfe\n"]
)
def test_what_is_no_line_does_not_stop_the_rest(file: Path, tmp_path: Path, hole: bytes) -> None:
    append(file, whole(0))
    with file.open("ab") as stream:
        stream.write(hole)
    append(file, whole(1))
    assert list(Tail(tmp_path).read()) == [whole(0), whole(1)]


def test_a_carriage_return_in_a_text_does_not_split_its_line(file: Path, tmp_path: Path) -> None:
    report = replace(whole(), failure_message="a\rb\r\nc\x0b\x0c\x1c\x85\u2028d")
    append(file, report)
    assert list(Tail(tmp_path).read()) == [report]


def test_each_line_is_read_once_while_files_grow_and_appear(tmp_path: Path) -> None:
    tail = Tail(tmp_path / "journals")
    assert list(tail.read()) == []  # not even the folder is there yet
    files = [
        tmp_path / "journals" / session / name for session, name in (("1", "a.journal"), ("2", "b.journal"))
    ]
    seen: list[str] = []
    for number in range(12):
        file = files[number // 3 % 2]
        file.parent.mkdir(parents=True, exist_ok=True)
        append(file, whole(number))
        if number % 2:
            seen += [report.token for report in tail.read()]
    assert sorted(seen) == sorted(f"t{number}" for number in range(12))
    assert list(tail.read()) == []


def test_journals_of_one_session_are_found_as_well(file: Path, tmp_path: Path) -> None:
    append(file, whole())
    assert list(Tail(tmp_path).read()) == list(Tail(tmp_path / "1").read()) == [whole()]


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "notes.txt").write_bytes(line_of())
    assert list(Tail(tmp_path).read()) == []


@settings(max_examples=15, deadline=None)
@given(st.lists(attempt_reports, max_size=8), st.lists(st.integers(0, 7), max_size=4))
def test_whatever_is_appended_is_read(written: list[AttemptReport], reads: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        journal, tail, found = Path(folder) / "w.journal", Tail(Path(folder)), []
        for position, report in enumerate(written):
            append(journal, report)
            if position in reads:
                found += list(tail.read())
        found += list(tail.read())
        assert found == written


def test_a_line_that_cannot_be_written_is_an_error_not_silence(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(file, whole(0))

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        append(file, whole(1))


def refused(monkeypatch: pytest.MonkeyPatch, number: int, *, of_folders: bool) -> None:
    """Let flushing fail, of folders or of files."""
    flush = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode) == of_folders:
            raise OSError(number, os.strerror(number))
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP, errno.EBADF])
def test_a_file_system_that_flushes_no_folders_takes_reports(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    refused(monkeypatch, number, of_folders=True)
    append(file, whole())
    assert list(Tail(tmp_path).read()) == [whole()]


@pytest.mark.parametrize(
    ("number", "of_folders"),
    [(errno.EIO, True), (errno.ENOSPC, True), (errno.EIO, False), (errno.EINVAL, False)],
)
def test_any_other_flush_that_fails_is_an_error(
    file: Path, monkeypatch: pytest.MonkeyPatch, number: int, of_folders: bool
) -> None:
    refused(monkeypatch, number, of_folders=of_folders)
    with pytest.raises(OSError, match=os.strerror(number)):
        append(file, whole())


def test_a_write_cut_short_is_carried_on(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    append(file, whole(0))
    append(file, whole(1))
    assert list(Tail(tmp_path).read()) == [whole(0), whole(1)]


def test_a_folder_that_cannot_be_read_is_asked_again_and_never_taken_for_empty(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(file, whole(0))
    tail, scandir = Tail(tmp_path), os.scandir

    def stumble(folder: str | Path) -> Any:
        if Path(folder) == file.parent:
            raise OSError(errno.EIO, "Input/output error")
        return scandir(folder)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", stumble)
        assert list(tail.read()) == []
        with pytest.raises(OSError, match="Input/output"):
            list(lines(tmp_path))
    assert list(tail.read()) == [whole(0)]
    assert [report for _, _, report in lines(tmp_path)] == [whole(0)]


def test_workers_of_many_nodes_share_folders_evenly(tmp_path: Path) -> None:
    files = {
        RunDirectory(tmp_path).journal(1, f"node{k:05d}", f"c1-0-node{k:05d}-0-77") for k in range(14_000)
    }
    folders = Counter(file.parent for file in files)
    assert len(files) == 14_000
    assert len(folders) <= 256
    assert max(folders.values()) < 1000
    assert {folder.parent for folder in folders} == {tmp_path / "journals" / "1"}


def test_no_file_stays_open(file: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for number in range(20):
        append(file, whole(number))
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_person_can_read_a_line() -> None:
    checksum, content = line_of().split(b" ", 1)
    assert int(checksum, 16) == zlib.crc32(content.rstrip(b"\n"))
    assert AttemptReport.from_json(json.loads(content)) == whole()
