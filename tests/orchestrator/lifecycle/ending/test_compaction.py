"""Packing loses nothing and counts nothing twice, wherever it is interrupted."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir import journal
from orchestrator.rundir.chain import GENESIS
from orchestrator.rundir.journal import decode_report
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.packed_reader import lines, read_log
from orchestrator.rundir.packed_writer import count_files, pack_files
from tests import messages
from tests.harness import ROOT

Line = tuple[Path, bytes, AttemptReport | None]
LOGS = {
    "logs/1/0000/toy-0.1.out": b"",
    "logs/1/0000/toy-0.1.err": b"trouble\n",
    "logs/2/0001/toy-300.2.err": b"x\0",
}
PARSL = {"parsl/1/000/c1/interchange.log": b"i", "parsl/1/000/c1/block-0/ab/manager.log": b"m" * 5000}
KEYS = {"parsl/1/000/c1/certificates/server.key_secret": b"secret"}


def report(number: int) -> AttemptReport:
    return messages.report(f"t{number}", slot_index=number)


def line_of(number: int) -> bytes:
    """Return the first line of a journal."""
    return journal.encode(report(number).to_json(), GENESIS)


def worker(folder: Path, number: int, session: int = 1) -> Path:
    return RunDirectory(folder).journal(session, f"node{number}", f"c1-0-node{number}-0-{number}")


def grown(folder: Path) -> Path:
    """Make what a campaign leaves: journals, one with a torn end and one with a damaged line, logs, keys."""
    for number in range(6):
        file = worker(folder, number, 1 + number // 4)
        file.parent.mkdir(parents=True, exist_ok=True)
        journal.append(file, report(number))
        journal.append(file, report(100 + number))
    with worker(folder, 1).open("ab") as stream:
        stream.write(line_of(201)[:30])
    damaged = bytearray(worker(folder, 2).read_bytes())
    damaged[20] ^= 1
    worker(folder, 2).write_bytes(damaged)
    for name, content in (LOGS | PARSL | KEYS).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def told(folder: Path) -> list[Line]:
    """Return all lines of all journals, in one order."""
    return sorted(lines(folder / "journals"), key=lambda line: line[:2])


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


# -- nothing is lost -------------------------------------------------------------------------


def test_a_campaign_becomes_a_handful_of_files(tmp_path: Path) -> None:
    folder = grown(tmp_path)
    before = told(folder)
    done = pack_files(folder, [1, 2])
    assert (done.before, done.after, done.problems) == (12, 5, ())
    assert names(folder) == {
        "journals/1.zip",
        "journals/2.zip",
        "logs/1.zip",
        "logs/2.zip",
        "parsl/1.zip",
    }
    assert told(folder) == before
    assert {name: read_log(folder / name) for name in LOGS} == LOGS
    with zipfile.ZipFile(folder / "parsl" / "1.zip") as archive:  # and no private key in it
        assert {f"parsl/1/{name}": archive.read(name) for name in archive.namelist()} == PARSL
    assert not (folder / "journals" / "1").exists()


def test_other_files_among_the_journals_are_left_alone(tmp_path: Path) -> None:
    folder = grown(tmp_path)
    before = told(folder)
    for name in (".nfs0001", "notes", "notes.txt", "1.zip.host-1-0a.partial"):
        (folder / "journals" / name).write_bytes(b"no journal\n")
    assert told(folder) == before
    pack_files(folder, [1, 2])
    assert told(folder) == before


def test_what_is_packed_stays_as_it_is(tmp_path: Path) -> None:
    folder = grown(tmp_path)
    pack_files(folder, [1, 2])
    before = {name: (folder / name).stat().st_mtime_ns for name in names(folder)}
    done = pack_files(folder, [1, 2])
    assert (done.before, done.after, done.problems) == (5, 5, ())
    assert {name: (folder / name).stat().st_mtime_ns for name in names(folder)} == before


def test_a_session_that_was_not_named_is_left_alone(tmp_path: Path) -> None:
    folder = grown(tmp_path)
    before = names(folder)
    pack_files(folder, [2])
    assert before - names(folder) == {n for n in before if n.startswith(("journals/2/", "logs/2/"))}


def test_a_log_that_is_nowhere_is_none(tmp_path: Path) -> None:
    assert read_log(tmp_path / "logs" / "1" / "0000" / "toy-0.1.err") is None
    folder = grown(tmp_path)
    pack_files(folder, [1])
    assert read_log(folder / "logs" / "1" / "0000" / "toy-9.1.err") is None
    (folder / "logs" / "1.zip").write_bytes(b"no zip")
    assert read_log(folder / "logs" / "1" / "0000" / "toy-0.1.err") is None


def test_a_damaged_line_is_told_with_its_place_before_and_after(tmp_path: Path) -> None:
    folder = grown(tmp_path)
    pack_files(folder, [1, 2])
    [(file, line, _)] = [
        one for one in lines(folder / "journals") if one[2] is None and one[1].endswith(b"\n")
    ]
    assert file == worker(folder, 2)
    assert journal.decode_report(bytes([*line[:20], line[20] ^ 1, *line[21:-1]])) == report(2)


def test_a_member_that_is_damaged_costs_no_other_lines_and_is_not_packed_again(tmp_path: Path) -> None:
    folder = grown(tmp_path)
    pack_files(folder, [1, 2])
    target = folder / "journals" / "2.zip"
    with zipfile.ZipFile(target) as archive:
        _, second = archive.infolist()
    content = bytearray(target.read_bytes())
    content[second.header_offset - 5] ^= 1  # in the data of the first
    target.write_bytes(content)
    damaged = [(file, line) for file, line, one in told(folder) if one is None and file == target]
    assert len(damaged) == 1
    assert damaged[0][1].endswith(b"\n")
    found = {one.token for _, _, one in told(folder) if one}
    with zipfile.ZipFile(target) as archive:
        whole = [decode_report(line) for line in archive.read(second).splitlines()]
    assert {one.token for one in whole if one} <= found
    journal.append(worker(folder, 9, 2), report(9))
    assert len(pack_files(folder, [2]).problems) == 1
    assert [one for one in told(folder) if one[2] == report(9)] == [
        (worker(folder, 9, 2), line_of(9), report(9))
    ]
    assert target.read_bytes() == content


def test_an_archive_that_was_cut_is_told_and_not_written_on(tmp_path: Path) -> None:
    folder = grown(tmp_path)
    pack_files(folder, [1, 2])
    target = folder / "journals" / "2.zip"
    target.write_bytes(target.read_bytes()[:-5])
    journal.append(worker(folder, 9, 2), report(9))
    assert pack_files(folder, [2]).problems == (f"{folder}/journals/2: File is not a zip file",)
    assert (worker(folder, 9, 2), line_of(9), report(9)) in told(folder)
    assert (target, b"File is not a zip file\n", None) in told(folder)


pieces = st.lists(
    st.sampled_from(["whole", "damaged", "torn", "noise", "blank"]) | st.binary(min_size=1, max_size=20),
    max_size=6,
)


def written(kinds: list[str | bytes], serial: Iterator[int]) -> bytes:
    """Return the content of a journal; no two pieces of all are the same."""
    content = b""
    for kind in kinds:
        number = next(serial)
        line = line_of(number)
        if isinstance(kind, bytes):
            content += b"%d" % number + kind
        else:
            content += {
                "whole": line,
                "damaged": line.replace(b"succeeded", b"succeedde"),
                "torn": line[:-7],
                "noise": b"\0\r%d\r\n" % number,
                "blank": b"\n\n%d" % number,
            }[kind]
    return content


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(pieces, min_size=3, max_size=3), min_size=1, max_size=3))
def test_any_journals_come_back_byte_by_byte(rounds: list[list[list[str | bytes]]]) -> None:
    """Each round is what workers wrote after the packing before, to files of the same names."""
    serial = iter(range(10_000))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        expected: dict[Path, bytes] = {}
        read: list[Line] = []
        for contents in rounds:
            for number, kinds in enumerate(contents):
                file = worker(folder, number)
                content = written(kinds, serial)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
                expected[file] = expected.get(file, b"") + content
            read = told(folder)
            assert pack_files(folder, [1]).problems == ()
            assert told(folder) == read
        found: dict[Path, bytes] = {}
        target = folder / "journals" / "1.zip"
        if target.exists():
            with zipfile.ZipFile(target) as archive:
                for name in archive.namelist():
                    file = folder / "journals" / "1" / name.partition("/")[2]
                    found[file] = found.get(file, b"") + archive.read(name)
        assert found == {file: content for file, content in expected.items() if content}


def test_logs_of_many_instances_are_a_few_hundred_to_a_folder(tmp_path: Path) -> None:
    folders = Counter(RunDirectory(tmp_path).instance_logs(1, instance) for instance in range(14_000))
    assert len(folders) < 1000
    assert 2 * max(folders.values()) < 1000  # two logs of each


# -- late and twice --------------------------------------------------------------------------


def test_a_line_that_comes_late_is_read_and_taken_by_the_next_packing(tmp_path: Path) -> None:
    folder = grown(tmp_path)
    before = told(folder)
    pack_files(folder, [1, 2])
    journal.append(worker(folder, 3), report(300))  # its folder is gone
    late = (worker(folder, 3), line_of(300), report(300))
    assert told(folder) == sorted([*before, late], key=lambda line: line[:2])
    assert pack_files(folder, [1, 2]).after == 5
    assert told(folder) == sorted([*before, late], key=lambda line: line[:2])


def test_no_folder_is_made_for_a_campaign_that_was_removed(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        journal.append(worker(tmp_path / "gone", 1), report(1))
    assert list(tmp_path.iterdir()) == []


def test_a_journal_that_grows_while_it_is_packed_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = grown(tmp_path)
    expected = len(told(folder)) + 1
    replace_file = Path.replace

    def and_write(path: Path, target: Path) -> Path:
        if target == folder / "journals" / "1.zip":
            journal.append(worker(folder, 0), report(300))
        return replace_file(path, target)

    monkeypatch.setattr(Path, "replace", and_write)
    assert pack_files(folder, [1, 2]).problems == ()
    monkeypatch.undo()
    assert worker(folder, 0).exists()
    for after in (6, 5, 5):
        assert len(told(folder)) == expected
        assert count_files(folder) == after
        pack_files(folder, [1, 2])


def test_what_is_packed_while_it_is_read_is_read_once(tmp_path: Path) -> None:
    folder = grown(tmp_path)
    expected = told(folder)
    for steps in range(len(expected)):
        place = tmp_path / "copies" / str(steps)
        shutil.copytree(folder, place, ignore=shutil.ignore_patterns("copies"))
        reading = lines(place / "journals")
        found = [next(reading) for _ in range(steps)]
        pack_files(place, [1, 2])
        found += reading
        assert sorted((line for _, line, _ in found)) == sorted(line for _, line, _ in expected)


def die_before(step: int, folder: Path) -> None:
    """Kill this process before its so-manieth step from now on with files below a folder."""
    left = step

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event in ("open", "os.rename", "os.remove", "os.rmdir") and str(arguments[0]).startswith(
            str(folder)
        ):
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def survive_kills(place: Path) -> None:
    """Kill packers before each of their steps in turn; in between, and after the next, all can be read."""
    template = grown(place / "template")
    expected = [(file.relative_to(template), line, one) for file, line, one in told(template)]
    steps = 0
    while True:
        folder = place / str(steps)
        shutil.copytree(template, folder)
        pid = os.fork()
        if pid == 0:
            die_before(steps, folder)
            pack_files(folder, [1, 2])
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        for _ in range(2):
            assert [(file.relative_to(folder), line, one) for file, line, one in told(folder)] == expected, (
                steps
            )
            assert {name: read_log(folder / name) for name in LOGS} == LOGS, steps
            pack_files(folder, [1, 2])
        assert count_files(folder) == 5, (steps, names(folder))
        shutil.rmtree(folder)
        if not os.WIFSIGNALED(status):
            break
        steps += 1
    print(steps)


def test_a_packer_that_is_killed_anywhere_loses_nothing(tmp_path: Path) -> None:
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, pathlib\n"
            "from tests.orchestrator.lifecycle.ending.test_compaction import survive_kills\n"
            "survive_kills(pathlib.Path(sys.argv[1]))",
            str(tmp_path),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 40  # so many steps there were


# -- a full disk -----------------------------------------------------------------------------


@contextmanager
def no_big_files(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("size", [0, 100, 200])
def test_what_cannot_be_written_stays_as_it_was(tmp_path: Path, size: int) -> None:
    folder = grown(tmp_path)
    contents = {name: (folder / name).read_bytes() for name in names(folder) if name not in KEYS}
    with no_big_files(size):
        done = pack_files(folder, [1])
    assert len(done.problems) >= 1
    assert all("File too large" in problem for problem in done.problems)
    assert {name: (folder / name).read_bytes() for name in names(folder) if name not in KEYS} == contents
