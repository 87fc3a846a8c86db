"""A data set is known by the content of its files, which are read once."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from orchestrator.lifecycle.data import hashes
from orchestrator.lifecycle.data.hashes import data_set_facts, describe, place_facts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "train" / "a").mkdir(parents=True)
    (folder / "train" / "a" / "1.JPEG").write_bytes(b"one")
    (folder / "labels.csv").write_bytes(b"0,1\n")
    (folder / ".hidden").write_bytes(b"left out")
    return folder


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return tmp_path / "user" / "hashes.json"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_every_file_of_a_small_set_is_hashed(folder: Path, memory: Path) -> None:
    facts = data_set_facts(folder, memory)
    assert facts["files_sha256"] == {"labels.csv": sha256(b"0,1\n"), "train/a/1.JPEG": sha256(b"one")}
    lines = f"{sha256(b'0,1' + os.linesep.encode())} 4 labels.csv\n{sha256(b'one')} 3 train/a/1.JPEG\n"
    assert facts["sha256"] == sha256(lines.encode())
    assert (facts["path"], facts["files"], facts["bytes"]) == (str(folder), 2, 7)
    assert facts["hashed"] == "all files"
    assert describe(facts).endswith(f"2 files, 0 MB, SHA-256 {facts['sha256']} of all files")


def test_the_same_files_elsewhere_have_the_same_hash_and_others_have_not(folder: Path, memory: Path) -> None:
    before = data_set_facts(folder, memory)
    moved = folder.rename(folder.with_name("elsewhere"))
    assert data_set_facts(moved, memory)["sha256"] == before["sha256"]
    (moved / "labels.csv").write_bytes(b"1,0\n")
    assert data_set_facts(moved, memory)["sha256"] != before["sha256"]


def test_a_second_campaign_reads_only_what_has_changed(
    folder: Path, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    read = hashes._read

    def recorded(folder: Path, files: Any) -> dict[str, str]:
        reads.extend(file.name for file in files)
        return read(folder, files)

    monkeypatch.setattr(hashes, "_read", recorded)
    first = data_set_facts(folder, memory)
    assert sorted(reads) == ["labels.csv", "train/a/1.JPEG"]
    assert data_set_facts(folder, memory) == first
    assert len(reads) == 2
    kept = (folder / "labels.csv").stat()
    (folder / "labels.csv").write_bytes(b"1,0\n")
    os.utime(folder / "labels.csv", ns=(kept.st_atime_ns, kept.st_mtime_ns))  # as `cp -p` does
    assert data_set_facts(folder, memory)["sha256"] != first["sha256"]
    assert reads[2:] == ["labels.csv"]
    memory.write_text("{")
    data_set_facts(folder, memory)
    assert len(reads) == 5


def test_remembered_hashes_that_were_edited_are_not_taken_for_a_run_that_must_not_be_modified(
    folder: Path, memory: Path
) -> None:
    before = data_set_facts(folder, memory)
    forged = {name: [*stamp, "0" * 64] for name, (*stamp, _) in json.loads(memory.read_text()).items()}
    memory.write_text(json.dumps(forged))
    assert data_set_facts(folder, memory)["sha256"] != before["sha256"]
    assert data_set_facts(folder, memory, anew=True) == before


def test_links_to_files_on_other_file_systems_are_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "scratch"
    other.mkdir()
    (other / "2.JPEG").write_bytes(b"two")
    (folder / "train" / "b").symlink_to(other)
    monkeypatch.setattr(
        hashes, "file_system", lambda path: "tmpfs" if path.is_relative_to(other) else "lustre"
    )
    assert place_facts(folder)["linked_file_systems"] == ["tmpfs"]
    (folder / "train" / "b").unlink()
    assert "linked_file_systems" not in place_facts(folder)
    (folder / "2.JPEG").symlink_to(other / "2.JPEG")
    assert place_facts(folder)["linked_file_systems"] == ["tmpfs"]


def test_hashes_that_cannot_be_kept_are_computed_again(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    unwritable = tmp_path / "file" / "hashes.json"
    assert data_set_facts(folder, unwritable) == data_set_facts(folder, unwritable)


def test_links_are_followed_once_and_what_cannot_be_read_is_named(folder: Path, memory: Path) -> None:
    before = data_set_facts(folder, memory)
    (folder / "train" / "up").symlink_to(folder)
    (folder / "gone").symlink_to(folder / "nosuch")
    assert data_set_facts(folder, memory) == before
    (folder / "locked").symlink_to("/proc/self/mem")  # may be opened, and its first byte not be read
    facts = data_set_facts(folder, memory)
    assert facts["files_sha256"]["locked"].startswith("unreadable: ")
    assert "mem" not in memory.read_text()


@pytest.mark.parametrize("most", [{"most_bytes": 6}, {"most_files": 1}])
def test_a_large_set_is_known_by_its_list_and_a_sample(
    folder: Path, memory: Path, most: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hashes, "_SAMPLE_FILES", 1)
    facts = data_set_facts(folder, memory, **most)
    assert facts["hashed"] == "names, sizes and times of all files, and 1 files"
    assert facts["files_sha256"].keys() == {"labels.csv"}
    (folder / "train" / "a" / "1.JPEG").write_bytes(b"other")
    assert data_set_facts(folder, memory, **most)["sha256"] != facts["sha256"]


def test_what_is_not_read_says_so(folder: Path) -> None:
    facts = place_facts(folder)
    assert facts["hashed"] == "nothing"
    assert describe(facts) == f"{folder} ({facts['file_system']}): data not hashed"


def test_a_long_reading_tells_rate_and_time_left(
    folder: Path, memory: Path, monkeypatch: pytest.MonkeyPatch, info_log: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(hashes, "_PERIOD_SECONDS", 0.005)
    (folder / "large").write_bytes(bytes(64_000_000))
    data_set_facts(folder, memory)
    assert info_log.messages
    assert all(text.startswith(f"hashing {folder}: ") and "MB/s" in text for text in info_log.messages)
