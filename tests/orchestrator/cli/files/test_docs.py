"""`docs` lists pages, prints a page as it stands, and names the page that was meant."""

from __future__ import annotations

import io
import webbrowser
from pathlib import Path

import pytest
from rich.console import Console

from orchestrator.cli.files import docs
from orchestrator.docs import terminal
from orchestrator.docs.__main__ import PAGES, slug
from tests.harness import ROOT
from tests.orchestrator.cli.command_line import CommandLine

SITE = {f"{slug(chapter)}/{slug(title)}" for chapter, titles in PAGES.items() for title in titles}


def test_every_page_of_the_folder_is_on_the_site() -> None:
    folder = ROOT / "orchestrator/docs/pages"
    assert {one.relative_to(folder).with_suffix("").as_posix() for one in folder.glob("*/*.md")} <= SITE


def test_pages_are_listed_with_their_titles(run: CommandLine, tmp_path: Path) -> None:
    for words in (("docs",), ("docs", "--list")):
        lines = run(*words, cwd=tmp_path).stdout.splitlines()
        assert {line.split()[0] for line in lines} == SITE
        assert any(line.split() == ["operate/tune", "Tune"] for line in lines)
        assert max(map(len, lines)) <= 80


def test_readmes_and_the_reference_are_pages_too() -> None:
    assert terminal.text("reference/exit-codes").startswith("# Exit codes")
    assert terminal.text("reference/the-ledger").startswith("# ")
    assert "Valid FLOPS" in terminal.text("suites/hpc-ai500")
    names = terminal.text("python-api/names")
    assert ":::" not in names
    assert "## launch\n\n```text\nRegister a campaign" in names


def test_an_installed_package_has_the_pages_of_its_own_files(tmp_path: Path) -> None:
    page = tmp_path / "orchestrator/docs/pages/operate/tune.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Tune\n")
    found = terminal.titles(tmp_path)
    assert "operate/tune" in found
    assert "reference/commands" in found
    assert "develop/contribute" not in found
    assert terminal.text("operate/tune", tmp_path) == "# Tune\n"


def test_a_terminal_cuts_no_cell_and_shows_no_path_of_a_link() -> None:
    written = io.StringIO()
    page = docs._rendered("| a | b |\n| - | - |\n| " + "x" * 90 + " | [Tune](../tune.md) |\n")
    Console(width=80, file=written).print(page)
    assert written.getvalue().count("x") == 90
    assert "Tune" in written.getvalue()
    assert "tune.md" not in written.getvalue()


@pytest.mark.parametrize("name", ["tune", "operate/tune", "Tune"])
def test_a_page_in_a_pipe_is_its_file(run: CommandLine, tmp_path: Path, name: str) -> None:
    text = (ROOT / "orchestrator/docs/pages/operate/tune.md").read_text()
    assert run("docs", name, cwd=tmp_path).stdout == text


@pytest.mark.parametrize(
    ("name", "hint"), [("tunes", "did you mean tune?"), ("zzzzzz", "`orchestrator docs --list` names all")]
)
def test_a_wrong_page_is_one_line(
    name: str, hint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from orchestrator.errors import OrchestratorError

    with pytest.raises(OrchestratorError, match="no page has this name") as caught:
        docs.docs(name)
    assert str(caught.value).endswith(hint)


def test_names_are_completed_with_and_without_their_chapter() -> None:
    assert docs.complete_page("tun") == ["tune"]
    assert docs.complete_page("operate/tun") == ["operate/tune"]


def test_the_built_site_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from orchestrator.errors import OrchestratorError

    monkeypatch.setattr(docs, "_BUILT", (tmp_path / "none", tmp_path / "index.html"))
    with pytest.raises(OrchestratorError, match="`make docs`"):
        docs.docs(opened=True)
    (tmp_path / "index.html").write_text("built")
    asked: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: asked.append(address) or True)
    docs.docs(opened=True)
    assert asked == [(tmp_path / "index.html").as_uri()]
    assert capsys.readouterr().out == f"{tmp_path / 'index.html'}\n"
