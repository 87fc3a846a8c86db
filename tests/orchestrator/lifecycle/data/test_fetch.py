"""Fetching the files of a data set, unpacking archives, and comparing files with checksums."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.catalog.data_sources import DataSource, SourceFile
from orchestrator.lifecycle.data.fetch import address, chosen, fetch, listed, unpack
from orchestrator.lifecycle.data.files import make_data
from orchestrator.lifecycle.data.recorded import RECORD, compare, published_facts, read_record, record
from tests.orchestrator.lifecycle.data.file_server import CONTENT, FileServer, serving
from workloads.description import DataError
from workloads.modules import workload

SHA256 = hashlib.sha256(CONTENT).hexdigest()
KNOWN = SourceFile(name="a.csv", bytes=len(CONTENT), sha256=SHA256)
OPEN = SourceFile(name="b.csv", stated_size="1 MB")
ARCHIVE = SourceFile(name="all.tgz", unpack=("*.csv",))


def source(*files: SourceFile, base: str = "http://127.0.0.1/", account: str = "") -> DataSource:
    return DataSource(
        workloads=("toy",), source="Doe, 2020", licence="none", base=base, account=account, files=files
    )


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    monkeypatch.delenv("http_proxy", raising=False)
    with serving() as found:
        yield found


def packed(*members: tuple[str, bytes] | tarfile.TarInfo) -> bytes:
    """Return a tar archive."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
                continue
            entry = tarfile.TarInfo(member[0])
            entry.size = len(member[1])
            archive.addfile(entry, io.BytesIO(member[1]))
    return content.getvalue()


def states(folder: Path, *files: SourceFile) -> dict[str, str]:
    return {file.name: file.state for file in compare(folder, source(*files))}


def test_files_are_fetched_once(server: FileServer, tmp_path: Path) -> None:
    data, folder = source(KNOWN, OPEN, base=server.url), tmp_path / "new" / "toy"
    assert fetch(data, data.files, folder) == ["a.csv", "b.csv"]
    assert [path for path, _ in server.asked] == ["/a.csv", "/b.csv"]
    assert fetch(data, data.files, folder) == []
    assert len(server.asked) == 2
    assert states(folder, KNOWN, OPEN) == {"a.csv": "as published", "b.csv": "as recorded"}


def test_a_file_that_is_there_and_differs_is_not_replaced(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("mine")
    data = source(KNOWN, base=server.url)
    with pytest.raises(DataError, match=r"a\.csv: is there, and is not as published: 4 bytes, 512,000 are"):
        fetch(data, data.files, tmp_path)
    assert (tmp_path / "a.csv").read_text() == "mine"
    assert server.asked == []


def test_archives_are_unpacked_once_and_removed(server: FileServer, tmp_path: Path) -> None:
    server.content = packed(("deep/x.csv", b"1\n"), ("deep/note.txt", b"no"), ("y.csv", b"2\n"))
    data = source(ARCHIVE, base=server.url)
    assert fetch(data, data.files, tmp_path) == ["all.tgz"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [RECORD, "x.csv", "y.csv"]
    assert read_record(tmp_path)["x.csv"].origin == "from all.tgz, no checksum published"
    assert fetch(data, data.files, tmp_path) == []
    (tmp_path / "y.csv").unlink()
    assert states(tmp_path, ARCHIVE) == {"x.csv": "as recorded", "y.csv": "missing"}
    assert fetch(data, data.files, tmp_path) == ["all.tgz"]


def test_no_member_of_an_archive_leaves_the_directory(tmp_path: Path) -> None:
    link = tarfile.TarInfo("link.csv")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    archive, folder = tmp_path / "all.tgz", tmp_path / "data"
    archive.write_bytes(packed(("../../x.csv", b"1"), ("/y.csv", b"2"), link))
    folder.mkdir()
    assert unpack(archive, folder, ("*.csv",)) == ["x.csv", "y.csv"]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["all.tgz", "data", "x.csv", "y.csv"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (packed(("a.txt", b"1")), r"has no file called \*\.csv"),
        (packed(("a/x.csv", b"1"), ("b/x.csv", b"2")), r"has x\.csv twice"),
        (packed(("x.csv", CONTENT))[:500], "is damaged"),
        (b"no archive", "is damaged"),
    ],
    ids=["other files", "a name twice", "cut short", "no archive"],
)
def test_wrong_archives_are_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "all.tgz").write_bytes(content)
    with pytest.raises(DataError, match=said):
        unpack(tmp_path / "all.tgz", tmp_path, ("*.csv",))


def test_what_cannot_be_fetched_is_said(server: FileServer, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a\.csv and b\.csv need an account at ours\.example"):
        fetch(source(KNOWN, OPEN, base="", account="ours.example"), [KNOWN, OPEN], tmp_path)
    assert fetch(source(KNOWN, base="", account="x"), [KNOWN], tmp_path, server.url) == ["a.csv"]
    make_data(workload("p3b1"), tmp_path / "made", {})
    with pytest.raises(DataError, match="holds synthetic files"):
        fetch(source(KNOWN), [KNOWN], tmp_path / "made")
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be made"):
        fetch(source(KNOWN), [KNOWN], tmp_path / "file")


def test_files_are_chosen_by_name_and_pattern() -> None:
    data = source(KNOWN, OPEN, ARCHIVE)
    assert chosen(data, []) == [KNOWN, OPEN, ARCHIVE]
    assert chosen(data, ["*.csv"]) == [KNOWN, OPEN]
    with pytest.raises(DataError, match=r"called c\.csv; did you mean [ab]\.csv\?; see --list"):
        chosen(data, ["c.csv"])
    assert address(data, KNOWN) == "http://127.0.0.1/a.csv"
    assert address(data, KNOWN, "http://mirror/x") == "http://mirror/x/a.csv"
    assert [(row["size"], row["checksum"]) for row in listed(data, data.files)] == [
        ("512,000 bytes", "SHA-256"),
        ("about 1 MB", "not stated"),
        ("not stated", "not stated"),
    ]


def test_recorded_files_that_change_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(CONTENT)
    (tmp_path / "b.csv").write_text("1\n")
    (tmp_path / "c.csv").write_text("2\n")
    assert states(tmp_path, KNOWN, OPEN) == {
        "a.csv": "as published",
        "b.csv": "not known",
        "c.csv": "not known",
    }
    record(tmp_path, ["b.csv", "c.csv"])
    (tmp_path / "a.csv").write_bytes(CONTENT[:-1] + b"x")
    (tmp_path / "b.csv").write_text("3\n")
    record(tmp_path, ["b.csv", "c.csv"])  # the first entry stays
    found = compare(tmp_path, source(KNOWN, OPEN))
    assert [(file.state, file.wrong) for file in found] == [
        ("differs", True),
        ("changed", True),
        ("as recorded", False),
    ]
    assert "is published" in found[0].note
    assert compare(tmp_path, None)[0].state == "not known"


@pytest.mark.parametrize("text", ["{", "[]", '{"a": 1}', '{"a": {"sha": "1"}}'])
def test_a_damaged_record_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / RECORD).write_text(text)
    with pytest.raises(DataError, match=r"cannot be read: .*; remove it, and record anew"):
        compare(tmp_path, None)


def test_a_record_is_plain_json(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(CONTENT)
    record(tmp_path, ["a.csv"], "by hand")
    entry = json.loads((tmp_path / RECORD).read_text())["a.csv"]
    assert (entry["sha256"], entry["origin"]) == (SHA256, "by hand")


def test_only_whole_agreement_makes_the_published_data_set() -> None:
    data = source(KNOWN, OPEN)
    assert published_facts({"a.csv": SHA256}, data) == {"published": "Doe, 2020"}
    assert published_facts({"a.csv": SHA256, "b.csv": "1"}, data) == {"published": ""}
    assert published_facts({}, data) == {"published": ""}
    assert published_facts({"a.csv": "1", "b.csv": "1"}, data) == {
        "published": "Doe, 2020",
        "unlike_published": "a.csv",
    }
    assert published_facts({"a.csv": SHA256}, None) == {}


def test_an_archive_replaces_no_file_of_the_user(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("mine")
    server.content = packed(("x.csv", b"1\n"))
    with pytest.raises(DataError, match=r"x\.csv: is there, and would be replaced by that of all\.tgz"):
        fetch(source(ARCHIVE, base=server.url), [ARCHIVE], tmp_path)
    assert (tmp_path / "x.csv").read_text() == "mine"


def test_what_is_in_the_place_of_a_file_is_not_replaced(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "a.csv").symlink_to(tmp_path / "nowhere")
    (tmp_path / "b.csv").mkdir()
    for file, why in ((KNOWN, "a link to a file that is not there"), (OPEN, "a folder")):
        with pytest.raises(DataError, match=rf"{file.name}: is {why}; move it away"):
            fetch(source(file, base=server.url), [file], tmp_path)
    assert server.asked == []
