"""The hash chain of a journal: missing, changed, moved and added lines; kills and packings are no fault."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.chain import GENESIS, Head, carried_chain, chain_after, chain_of_end
from orchestrator.rundir.chain_check import check_chain
from orchestrator.rundir.journal import Tail, append, encode
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.packed_reader import journals
from orchestrator.rundir.packed_writer import pack_files
from tests.messages import report

NUMBER = 6


def reported(number: int, **changes: Any) -> AttemptReport:
    return report(f"t{number}", "succeeded", at_us=5, slot_index=number, **changes)


def written(file: Path, numbers: range = range(NUMBER)) -> list[bytes]:
    for number in numbers:
        append(file, reported(number))
    return file.read_bytes().splitlines(keepends=True)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = RunDirectory(tmp_path).journal(1, "n1", "w")
    found.parent.mkdir(parents=True)
    return found


def test_every_line_carries_the_chain_of_all_before_it(file: Path) -> None:
    chain = GENESIS
    for line in written(file):
        assert carried_chain(line.rstrip()) == chain
        chain = chain_after(chain, line.rstrip())
    assert check_chain([file.read_bytes()]).head == Head(NUMBER, chain)


@pytest.mark.parametrize("number", range(NUMBER - 1))
def test_a_line_that_is_removed_is_found(file: Path, number: int) -> None:
    lines = written(file)
    del lines[number]
    [problem] = check_chain([b"".join(lines)]).problems
    assert problem.startswith(f"line {number + 1} ")


def test_the_last_line_is_held_by_the_head_that_the_ledger_has(file: Path) -> None:
    lines = written(file)
    head = check_chain([b"".join(lines)]).head
    assert check_chain([b"".join(lines[:-1])]).problems == []
    [problem] = check_chain([b"".join(lines[:-1])], [head]).problems
    assert problem == "it has 5 lines, and the ledger has the hash of 6"
    changed = b"".join([*lines[:-1], lines[-1].replace(b"t5", b"t6")])
    [problem] = check_chain([changed], [head]).problems
    assert "its first 6 lines are not what" in problem


def test_moved_and_added_lines_are_found(file: Path) -> None:
    lines = written(file)
    assert check_chain([b"".join([lines[1], lines[0], *lines[2:]])]).problems
    assert check_chain([b"".join([*lines, lines[0]])]).problems
    added = encode(reported(9).to_json())
    assert check_chain([b"".join([*lines, added])]).problems == [
        "line 7 is not part of its chain: it was added later"
    ]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_changed_byte_of_any_line_is_found(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    file = tmp_path_factory.mktemp("run") / "w.journal"
    content = bytearray(b"".join(written(file)))
    head = check_chain([bytes(content)]).head
    place = data.draw(st.integers(0, len(content) - 2))  # but for the newline at the end
    content[place] ^= data.draw(st.integers(1, 255))
    assert check_chain([bytes(content)], [head]).problems


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(0, 400)), max_size=8))
def test_a_journal_of_killed_processes_has_no_problem(
    tmp_path_factory: pytest.TempPathFactory, kills: list[int | None]
) -> None:
    """Between whole lines stands what processes wrote that were killed after so many bytes."""
    file = tmp_path_factory.mktemp("run") / "w.journal"
    for number, kill in enumerate(kills):
        append(file, reported(number))
        if kill is not None:
            line = encode(reported(100).to_json(), check_chain([file.read_bytes()]).head.chain)
            with file.open("ab") as stream:
                stream.write(line[:kill].rstrip(b"\n"))
    content = file.read_bytes() if file.exists() else b""
    assert check_chain([content]).problems == []
    tail = Tail(file.parent)
    assert len(list(tail.read())) >= len(kills)
    whole = content[: content.rfind(b"\n") + 1]
    assert tail.new_heads().get("w.journal", Head()) == check_chain([whole]).head
    assert tail.new_heads() == {}


def test_a_long_torn_line_is_read_to_its_beginning(file: Path) -> None:
    written(file, range(2))
    with file.open("ab") as stream:
        stream.write(b"x" * 300_000)
    append(file, reported(2))
    assert check_chain([file.read_bytes()]).problems == []
    descriptor = os.open(file, os.O_RDONLY)
    try:
        assert chain_of_end(descriptor, file.stat().st_size) == check_chain([file.read_bytes()]).head.chain
    finally:
        os.close(descriptor)


def test_lines_without_a_chain_are_not_part_of_it(file: Path) -> None:
    content = b"".join(encode(reported(number).to_json()) for number in range(3))
    problems = check_chain([content]).problems
    assert problems == [f"line {number} is not part of its chain: it was added later" for number in (1, 2, 3)]


@pytest.mark.parametrize("late", ["to the packed file", "to a new file"])
def test_packed_journals_keep_their_chain(file: Path, tmp_path: Path, late: str) -> None:
    content = b"".join(written(file))
    head = check_chain([content]).head
    pack_files(tmp_path, [1])
    assert not file.exists()
    file.parent.mkdir(parents=True)
    if late == "to the packed file":  # its worker still had the file of before the packing
        file.write_bytes(content)
    written(file, range(10, 12))
    for _ in range(2):
        [(path, pieces)] = journals(tmp_path / "journals")
        checked = check_chain(pieces, [head])
        assert (checked.problems, checked.head.lines, len(checked.beyond)) == ([], NUMBER + 2, 2)
        assert path == file.relative_to(tmp_path / "journals").as_posix()
        pack_files(tmp_path, [1])


def test_a_repeated_report_is_proven_by_the_first_one(file: Path) -> None:
    head = check_chain([b"".join(written(file))]).head
    written(file, range(2))
    assert check_chain([file.read_bytes()], [head]).beyond == []


def test_a_damaged_archive_and_no_journals(tmp_path: Path) -> None:
    assert list(journals(tmp_path / "none")) == []
    (tmp_path / "1.zip").write_bytes(b"no zip")
    (tmp_path / "2.zip").mkdir()
    assert list(journals(tmp_path)) == []
