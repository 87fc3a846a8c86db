"""Two packers at once, where the file system has no locks: none removes what is nowhere else."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrator.rundir import journal, packed_writer
from orchestrator.rundir.packed_reader import read_log
from orchestrator.rundir.packed_writer import count_files, pack_files
from tests.orchestrator.lifecycle.ending.test_compaction import LOGS, grown, names, report, told, worker


def meddle(monkeypatch: pytest.MonkeyPatch, function: str, act: Callable[[], object]) -> None:
    """Have another process act once, just after a step of the packer, on a file system without locks."""

    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    step, left = getattr(packed_writer, function), [1]

    def then(*arguments: object) -> Any:
        found = step(*arguments)
        if left:
            left.pop()
            act()
        return found

    monkeypatch.setattr(fcntl, "flock", no_locks)
    monkeypatch.setattr(packed_writer, function, then)


@pytest.mark.parametrize("kind", ["journals", "logs"])
def test_nothing_is_removed_if_what_was_written_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    folder = grown(tmp_path)
    shutil.rmtree(folder / ("logs" if kind == "journals" else "journals"))
    shutil.rmtree(folder / "parsl")
    before = {name: (folder / name).read_bytes() for name in names(folder)}

    def remove() -> None:
        [file] = folder.rglob("*.partial")
        file.unlink()

    meddle(monkeypatch, "_compare", remove)
    [problem] = pack_files(folder, [1]).problems
    assert problem == f"{folder}/{kind}/1: No such file or directory"
    assert {name: (folder / name).read_bytes() for name in names(folder)} == before


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(
    "function", ["_identity", "_take_over", "segments_of", "journal_files", "_flush", "_compare"]
)
def test_two_packers_without_locks_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, late: bool
) -> None:
    """One packs all while the other is at it; a line may come late in between."""
    folder = grown(tmp_path)
    pack_files(folder, [1, 2])
    for number in range(6):
        again = worker(folder, number, 1 + number // 4)
        journal.append(again, report(400 + number))
    expected = told(folder)

    def other() -> None:
        if late:
            journal.append(worker(folder, 3), report(300))
            last = worker(folder, 3).read_bytes().splitlines(keepends=True)[-1]
            expected.append((worker(folder, 3), last, report(300)))
        assert pack_files(folder, [1, 2]).problems == ()

    meddle(monkeypatch, function, other)
    pack_files(folder, [1, 2])
    assert told(folder) == sorted(expected, key=lambda line: line[:2])
    assert {name: read_log(folder / name) for name in LOGS} == LOGS
    assert pack_files(folder, [1, 2]).problems == ()
    assert told(folder) == sorted(expected, key=lambda line: line[:2])
    assert count_files(folder) == 5


def test_a_pack_that_was_replaced_at_once_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = grown(tmp_path)
    expected = told(folder)
    target = folder / "journals" / "1.zip"

    def replace_it() -> None:
        other = target.with_name("other")
        zipfile.ZipFile(other, "w").close()
        other.replace(target)

    meddle(monkeypatch, "sync_folder", replace_it)
    [problem] = pack_files(folder, [1]).problems
    assert problem == f"{folder}/journals/1: another process has just replaced {target}"
    assert told(folder) == expected
