"""A check finds every difference between a site and its packages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.listing.checking import check
from orchestrator.listing.errors import ListingError
from tests.orchestrator.listing.made_lists import built


def test_an_honest_site_has_no_findings(site: Path) -> None:
    done = check(site)
    assert (done.findings, done.notes, done.rows) == ([], [], 2)
    (site / "CNAME").write_text("lists.example.org")
    done = check(site)
    assert (done.findings, done.notes) == ([], ["CNAME is no file of a list"])


def replaced(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(site: Path) -> None:
        text = (site / name).read_text()
        assert old in text
        (site / name).write_text(text.replace(old, new))

    return change


def stated(key: str, value: object) -> Callable[[Path], None]:
    """Let the list state something else of its first row."""

    def change(site: Path) -> None:
        content = json.loads((site / "list.json").read_text())
        content["rows"][0][key] = value
        (site / "list.json").write_text(json.dumps(content))

    return change


def one_byte(site: Path) -> None:
    file = min((site / "packages").iterdir())
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def swapped(site: Path) -> None:
    one, other = (site / "packages").iterdir()
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (replaced("index.html", "no figure of merit", "figure of merit 9"), "index.html is not the file"),
        (replaced("list.js", "findings.length === 0", "true"), "list.js is not the file"),
        (lambda site: (site / "list.js").unlink(), "list.js is missing"),
        (stated("machine", "summit"), 'machine: the list states "summit", the package gives'),
        (stated("reportable", True), "reportable: the list states true, the package gives null"),
        (stated("data", {"x": "y"}), 'data: the list states {"x": "y"}, the package gives {}'),
        (one_byte, "toy ("),
        (swapped, "root: the list states"),
        (lambda site: min((site / "packages").iterdir()).unlink(), "its package is missing"),
        (
            replaced("list.json", '"pyodide": {}', '"pyodide": {"a.whl": "1"}'),
            "pyodide/a.whl is not the file",
        ),
        (replaced("list.json", '"version": "', '"version": "0.0.'), "the page was written by version 0.0."),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_difference_is_named(site: Path, change: Callable[[Path], None], said: str) -> None:
    change(site)
    found = check(site).findings
    assert any(said in finding for finding in found), found
    assert not any("\n" in finding for finding in found)


@pytest.mark.parametrize("name", ["log.jsonl", "list.json"])
def test_a_folder_without_log_or_list_is_no_site(site: Path, name: str) -> None:
    (site / name).unlink()
    with pytest.raises(ListingError, match="is no site of a list"):
        check(site)


def test_rows_must_be_those_of_the_log(site: Path) -> None:
    content = json.loads((site / "list.json").read_text())
    del content["rows"][1]
    (site / "list.json").write_text(json.dumps(content))
    with pytest.raises(ListingError, match="other packages"):
        check(site)


def test_a_withdrawn_package_that_no_longer_verifies_is_a_note(site: Path, tmp_path: Path) -> None:
    row = built(tmp_path / "in", site).rows[0]
    built(tmp_path / "in", site, withdraw=row.root, because="wrong")
    file = site / f"packages/{row.root}.zip"
    file.write_bytes(file.read_bytes()[:-9])
    done = check(site)
    assert done.findings == []
    assert "no longer counts, and does not verify" in done.notes[0]
