"""Building a list: what is refused leaves everything as it was, and nothing that was listed goes away."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from orchestrator.listing import building
from orchestrator.listing.building import Built
from orchestrator.listing.errors import ListingError
from orchestrator.listing.log import Action
from orchestrator.listing.rows import read_row
from tests.orchestrator.listing.conftest import Packages
from tests.orchestrator.listing.made_lists import built, tree
from tests.orchestrator.review.packages import repacked


def refused(folder: Path, site: Path, **wanted: str) -> str:
    """Return why a build fails, which must leave everything as it was."""
    before = tree(site.parent)
    with pytest.raises((ListingError, OSError)) as error:
        built(folder, site, **wanted)
    assert tree(site.parent) == before
    assert "\n" not in str(error.value)
    return str(error.value)


def changes(done: Built) -> list[tuple[str, str]]:
    return [(entry.action.value, entry.root) for entry in done.new]


def test_a_site_has_page_list_log_and_packages(packages: Packages, tmp_path: Path) -> None:
    done = built(packages.into(tmp_path / "in", "first", "other"), tmp_path / "site")
    first, other = done.rows
    assert changes(done) == [("added", first.root), ("added", other.root)]
    names = {"index.html", "list.json", "list.js", "log.jsonl"}
    assert tree(done.site).keys() == names | {f"packages/{one.root}.zip" for one in done.rows}
    assert (done.site / f"packages/{first.root}.zip").read_bytes() == packages.first.read_bytes()
    assert {file.name for file in tmp_path.iterdir()} == {"in", "site"}


def test_a_rebuild_continues_the_log_and_keeps_every_row(
    packages: Packages, site: Path, tmp_path: Path
) -> None:
    log = (site / "log.jsonl").read_bytes()
    done = built(packages.into(tmp_path / "more", "again"), site)
    assert len(done.rows) == 3
    first, other, again = done.rows
    assert changes(done) == [("added", again.root), ("superseded", first.root)]
    assert done.new[1].by == again.root
    longer = (site / "log.jsonl").read_bytes()
    assert longer.startswith(log)
    assert longer.count(b"\n") == 4
    nothing = built(tmp_path / "more", site)
    assert nothing.new == []
    assert nothing.notes == [f"again.zip is listed already, as {again.root[:12]}"]
    assert (site / "log.jsonl").read_bytes() == longer
    withdrawn = built(tmp_path / "more", site, withdraw=other.root[:10], because="another <machine>")
    assert changes(withdrawn) == [("withdrawn", other.root)]
    page = (site / "index.html").read_text()
    assert page.count('class="struck"') == 2
    assert "another &lt;machine&gt;" in page
    assert "was withdrawn" in refused(tmp_path / "more", site, withdraw=other.root, because="again")
    assert built(packages.into(tmp_path / "more", "other"), site).new == []  # stays withdrawn


def test_two_files_of_the_same_package_make_one_row(packages: Packages, tmp_path: Path) -> None:
    folder = packages.into(tmp_path / "in", "first")
    shutil.copyfile(packages.first, folder / "<img src=x>.zip")
    done = built(folder, tmp_path / "site")
    assert len(done.rows) == 1
    assert done.notes == [f"first.zip is listed already, as {done.rows[0].root[:12]}"]
    assert len(list((tmp_path / "site/packages").iterdir())) == 1


@pytest.mark.parametrize("listed", [False, True])
def test_a_package_that_does_not_verify_is_refused_by_name(
    packages: Packages, tmp_path: Path, listed: bool
) -> None:
    folder, site = packages.into(tmp_path / "in", "first"), tmp_path / "site"
    if listed:
        built(folder, site)
    content = bytearray(packages.other.read_bytes())
    content[content.index(b"rows/attempts.csv") + 60] ^= 1
    (folder / "z.zip").write_bytes(content)
    assert refused(folder, site).startswith("z.zip is refused: ")
    repacked(packages.other, folder / "a.zip", lambda one: one.update({"package.json": b'{"format": 99}'}))
    said = refused(folder, site)
    assert said.startswith("a.zip is refused: ")
    assert "it is of format 99" in said
    (folder / "0.zip").mkdir()
    assert refused(folder, site) == "0.zip is refused: it is not a regular file; nothing was changed"
    (folder / "0.zip").rmdir()
    (folder / "0.zip").write_text("text")
    assert refused(folder, site).startswith("0.zip is refused: it is no package, or was cut short")


def test_what_is_no_site_is_left_alone(packages: Packages, tmp_path: Path) -> None:
    folder, mine = packages.into(tmp_path / "in", "first"), tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("words")
    assert "is no site of a list" in refused(folder, mine)
    assert "is no site of a list" in refused(folder, folder)
    (tmp_path / "file").write_text("text")
    assert "is no site of a list" in refused(folder, tmp_path / "file")
    assert "does not exist; make it first" in refused(folder, tmp_path / "no" / "site")
    assert "is no folder" in refused(tmp_path / "nothing", tmp_path / "site")
    (tmp_path / "empty").mkdir()
    assert "has no packages" in refused(tmp_path / "empty", tmp_path / "site")
    assert len(built(folder, tmp_path / "empty").rows) == 1  # an empty folder is as good as a new one


def test_an_edited_log_is_refused(packages: Packages, site: Path, tmp_path: Path) -> None:
    folder, log = tmp_path / "in", site / "log.jsonl"
    first, second = log.read_bytes().splitlines(keepends=True)
    for content, said in (
        (first + second[:-1], "line 2 was cut short"),
        (first.replace(b"20", b"19", 1) + second, "line 2 does not follow"),
        (first + second.replace(b'"at": "20', b'"at": "19'), "line 2 was edited"),
        (first, "line 2 was removed"),
    ):
        log.write_bytes(content)
        assert said in refused(folder, site)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"format": 1}',
        b'{"format": 9}',
        b'{"format": 1, "rows": [{}], "log": {}, "pyodide": {}}',
    ],
)
def test_a_broken_list_is_refused(site: Path, tmp_path: Path, content: bytes) -> None:
    (site / "list.json").write_bytes(content)
    refused(tmp_path / "in", site)


def test_only_a_listed_package_can_be_withdrawn(site: Path, tmp_path: Path) -> None:
    for given in ("0" * 64, "", "12"):
        if given:
            assert "names 0 packages" in refused(tmp_path / "in", site, withdraw=given, because="x")


def test_a_struck_package_that_is_damaged_keeps_its_row(
    packages: Packages, site: Path, tmp_path: Path
) -> None:
    row, _ = read_row(packages.first)
    assert row is not None
    file = site / f"packages/{row.root}.zip"
    whole = file.read_bytes()
    file.write_bytes(whole[:-9])
    assert f"the listed package {row.root[:12]} does not verify" in refused(tmp_path / "in", site)
    file.write_bytes(whole)
    built(tmp_path / "in", site, withdraw=row.root, because="wrong")
    file.write_bytes(whole[:-9])
    shutil.rmtree(tmp_path / "in")
    (tmp_path / "in").mkdir()
    done = built(tmp_path / "in", site)
    assert done.rows[0].root == row.root
    assert "does not verify" in done.notes[0]


def test_a_full_disk_leaves_the_site_as_it_was(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "first.zip")

    monkeypatch.setattr(building.shutil, "copyfile", full)
    assert f"No space left on device: '{site}'" in refused(tmp_path / "in", site)


def test_a_site_that_another_process_changed_is_not_replaced(
    packages: Packages, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = building.read_row

    def meanwhile(file: Path, **options: object) -> object:
        if file.name == "new":
            (site / "log.jsonl").write_bytes(b"other\n")
        return real(file, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(building, "read_row", meanwhile)
    with pytest.raises(ListingError, match="changed by another process"):
        built(packages.into(tmp_path / "in", "again"), site)
    assert (site / "log.jsonl").read_bytes() == b"other\n"


def test_a_newer_package_supersedes_whatever_came_first() -> None:
    from tests.orchestrator.listing.made_lists import AT, log_of, row

    rows = [row(1, uids=("u",), ended_us=9), row(2, uids=("u",), ended_us=5), row(3)]
    log = log_of(*(one.root for one in rows))
    [entry] = building._superseded(rows, log, AT)
    assert (entry.action, entry.root, entry.by) == (Action.SUPERSEDED, rows[1].root, rows[0].root)
    assert list(building._superseded(rows, log.continued([entry]), AT)) == []
