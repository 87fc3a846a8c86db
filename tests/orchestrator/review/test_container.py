"""The file of a package: every changed byte is seen, nothing unsafe is unpacked, nothing is left over."""

from __future__ import annotations

import errno
import hashlib
import os
import socket
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.review.container import MANIFEST, PackageError, new_package
from orchestrator.review.opened import unpack

TEXTS = {
    "a.txt": b"one\n" * 20,
    "campaigns/toy/journals/1/0a/b.journal": bytes(range(100)),
    "empty.json": b"",
}


def written(to: Path) -> Path:
    with new_package(to, lambda _: None) as package:
        for name, content in TEXTS.items():
            package.add(name, content)
        package.add_unlisted(MANIFEST, package.manifest())
    return to


def problems(file: Path, folder: Path) -> list[str]:
    """Return what is found, or the error, in one line."""
    place = folder / hashlib.sha256(os.urandom(8)).hexdigest()
    place.mkdir()
    try:
        return unpack(file, place, lambda _: True, lambda _: None).problems
    except PackageError as error:
        return [str(error)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("whole") / "p.zip")


def test_what_was_written_is_read(whole: Path, tmp_path: Path) -> None:
    opened = unpack(whole, tmp_path, lambda name: name != "a.txt", lambda _: None)
    assert opened.problems == []
    assert opened.root == hashlib.sha256(opened.manifest).hexdigest()
    assert {name for name in TEXTS if (tmp_path / name).exists()} == TEXTS.keys() - {"a.txt"}
    assert len(opened.digests) == 3


def test_equal_contents_make_equal_files(whole: Path, tmp_path: Path) -> None:
    assert written(tmp_path / "other.zip").read_bytes() == whole.read_bytes()


def test_one_changed_byte_anywhere_is_seen(whole: Path, tmp_path: Path) -> None:
    content = whole.read_bytes()
    changed = tmp_path / "changed.zip"
    for place in range(len(content)):
        changed.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        try:
            found = unpack(changed, tmp_path, lambda _: False, lambda _: None).problems
        except PackageError as error:
            found = [str(error)]
        assert found, place
        assert not any("\n" in one for one in found)


@pytest.mark.parametrize("name", [*list(TEXTS)[:2], MANIFEST])
def test_a_changed_byte_of_a_member_is_named_by_the_member(whole: Path, tmp_path: Path, name: str) -> None:
    content = bytearray(whole.read_bytes())
    with zipfile.ZipFile(whole) as archive:
        info = archive.getinfo(name)
    content[info.header_offset + 30 + len(name) + info.compress_size // 2] ^= 0x10
    changed = tmp_path / "changed.zip"
    changed.write_bytes(content)
    assert any(one.startswith(f"{name} ") for one in problems(changed, tmp_path))


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_a_file_that_was_cut_or_grew_is_one_problem(whole: Path, data: st.DataObject) -> None:
    content = whole.read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    changed = whole.with_name("cut.zip")
    changed.write_bytes(content[:place] + data.draw(st.sampled_from([b"", b"\0", content])))
    if changed.read_bytes() != content:
        assert problems(changed, whole.parent)


def remade(whole: Path, to: Path, change: str) -> Path:
    """Write the members with zipfile alone, and one more."""
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(to, "w") as new:
        for info in old.infolist():
            new.writestr(info, old.read(info))
        new.writestr(change, b"more")
    return to


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../out.txt", "would leave its folder"),
        ("/etc/out.txt", "would leave its folder"),
        ("a/../../out.txt", "would leave its folder"),
        ("a\\..\\out.txt", "would leave its folder"),
        ("folder/", "would leave its folder"),
        ("line\nbreak", "would leave its folder"),
        (".", "would leave its folder"),
        ("more.txt", "more.txt was added"),
    ],
)
def test_members_that_do_not_belong(whole: Path, tmp_path: Path, name: str, said: str) -> None:
    found = problems(remade(whole, tmp_path / "more.zip", name), tmp_path)
    assert any(said in one for one in found), found
    assert not any("\n" in one for one in found)
    assert not (tmp_path / "out.txt").exists()


def test_a_member_that_is_there_twice(whole: Path, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        file = remade(whole, tmp_path / "twice.zip", "a.txt")
    [found] = problems(file, tmp_path)
    assert "two members 'a.txt'" in found


def test_a_missing_member_and_a_missing_manifest(whole: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(tmp_path / "less.zip", "w") as new:
        new.writestr(MANIFEST, old.read(MANIFEST))
    assert "a.txt is missing" in problems(tmp_path / "less.zip", tmp_path)
    with zipfile.ZipFile(tmp_path / "bare.zip", "w") as new:
        new.writestr("a.txt", b"")
    assert any(MANIFEST in one for one in problems(tmp_path / "bare.zip", tmp_path))


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(1 << 20))
    content = bytearray(bomb.read_bytes())
    place = content.index(b"PK\1\2") + 24
    content[place : place + 4] = struct.pack("<I", 3 << 30)  # what it says to unpack to
    bomb.write_bytes(content)
    [found] = problems(bomb, tmp_path)
    assert "would unpack to 3,221,225,472" in found


@pytest.mark.parametrize("content", [b"", b"no zip at all", b"PK\3\4" + bytes(40)])
def test_what_is_no_package(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "no.zip").write_bytes(content)
    [found] = problems(tmp_path / "no.zip", tmp_path)
    assert "is no package, or was cut short" in found


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    with (
        pytest.raises(OSError, match="No space left") as caught,
        new_package(tmp_path / "p.zip", print) as package,
    ):
        package.add("a.txt", b"")
        raise OSError(errno.ENOSPC, "No space left on device")
    assert caught.value.filename == str(tmp_path / "p.zip")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / f".p.zip.{socket.gethostname()}-99999999.partial"
    left.write_bytes(b"half")
    other = tmp_path / ".p.zip.otherhost-99999999.partial"
    other.write_bytes(b"half")
    written(tmp_path / "p.zip")
    assert {one.name for one in tmp_path.iterdir()} == {"p.zip", other.name}


def test_a_file_that_is_there_and_a_folder_that_is_not(tmp_path: Path) -> None:
    written(tmp_path / "p.zip")
    with pytest.raises(PackageError, match="is there already"):
        written(tmp_path / "p.zip")
    with pytest.raises(PackageError, match="does not exist"):
        written(tmp_path / "no" / "p.zip")


@pytest.mark.parametrize("name", ["a.txt", "line\nbreak"])
def test_names_that_a_package_cannot_have(tmp_path: Path, name: str) -> None:
    with (
        pytest.raises(PackageError, match="cannot be a file of a package"),
        new_package(tmp_path / "p.zip", lambda _: None) as package,
    ):
        package.add("a.txt", b"")
        package.add(name, b"")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["fifo", "device", "folder"])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "package.zip"
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    else:
        file.mkdir()
    with pytest.raises(PackageError, match="is not a regular file; name the package's file"):
        unpack(file, tmp_path / "to", lambda _: True, lambda _: None)
