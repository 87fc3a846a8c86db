"""Every page names commands, options, modules and files that exist."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from typing import Any

import click
import pytest
import typer.main
from click.testing import CliRunner

from orchestrator.cli import app
from orchestrator.planning.campaign_reading import parse_campaign
from tests.readmes.pages import PACKAGE_INDEX, PAGES, ROOT, SITE, block, code, found, of_the_site

CLI: Any = typer.main.get_command(app)


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """Return the command that the first words name, and the other words."""
    command, rest = CLI, list(words)
    while hasattr(command, "commands"):
        command = command.commands[rest.pop(0)]
    return command, rest


COMMANDS = [
    (page, shlex.split(line.split(" > ")[0], comments=True))
    for page, text in PAGES.items()
    for line in re.findall(r"^orchestrator ([a-z].*)$", code(text), re.MULTILINE)
]
INLINE = [
    (page, text.removeprefix("orchestrator "))
    for page, text in found(r"`([^`\n]+)`")
    if " --" in text and text.removeprefix("orchestrator ").split()[0] in CLI.commands
]


@pytest.mark.parametrize(
    ("page", "words"), COMMANDS, ids=lambda one: one if isinstance(one, str) else " ".join(one)
)
def test_commands_parse(page: str, words: list[str]) -> None:
    command, rest = command_of(words)
    command.make_context("x", rest, parent=click.Context(CLI))  # raises if an argument or option is wrong


@pytest.mark.parametrize("words", sorted({tuple(w.split(" -")[0].split()) for _, w in INLINE} | {("plan",)}))
def test_options_in_the_text_exist(words: tuple[str, ...]) -> None:
    named = {
        option
        for _, text in INLINE
        if tuple(text.split(" -")[0].split()) == words
        for option in re.findall(r"(?<!\S)--[a-z-]+", text)
    }
    command, _ = command_of(list(words))
    known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {"--help"}
    assert named <= known


@pytest.mark.parametrize("folder", ["db", "notebooks", "orchestrator", "sites", "workloads"])
def test_commands_named_in_files_and_messages_exist(folder: str) -> None:
    """Templates, shipped campaigns and messages name commands by today's spelling."""
    known = CLI.commands
    files = [
        file for file in (ROOT / folder).rglob("*") if file.suffix in {".py", ".yaml", ".ipynb", ".html"}
    ]
    named = {
        (str(file.relative_to(ROOT)), *words)
        for file in files
        for words in re.findall(
            r"`orchestrator ([a-z]+)(?: ([a-z]+))?",
            re.sub(r"\s+(# )?", " ", file.read_text(encoding="utf-8")),
        )
    }
    wrong = {
        one
        for one in named
        if one[1] not in known or (one[2] and one[2] not in getattr(known[one[1]], "commands", {one[2]: ""}))
    }
    assert not wrong


def test_every_command_of_the_pages_has_help() -> None:
    for names in sorted({tuple(words[: len(words) - len(command_of(words)[1])]) for _, words in COMMANDS}):
        assert CliRunner().invoke(CLI, [*names, "--help"]).exit_code == 0, names


@pytest.mark.parametrize(("page", "target"), found(r"^    make ([a-z-]+)"))
def test_make_targets_exist(page: str, target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize(("page", "link"), found(r"\]\(([^)\s]+)\)"))
def test_links_lead_to_files_and_titles(page: str, link: str) -> None:
    file, _, anchor = link.partition("#")
    target = (ROOT / page).parent / file if file else ROOT / page
    assert target.is_file()
    if anchor:
        titles = re.findall(r"^#+ (.+)$", target.read_text(), re.MULTILINE)
        assert anchor in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize(("page", "path"), found(r"`((?:\w+/)+\w+\.py)`"))
def test_modules_in_the_text_exist(page: str, path: str) -> None:
    assert any((folder / path).is_file() for folder in ((ROOT / page).parent, ROOT, ROOT / "orchestrator"))


PYTHON = [
    (page, text)
    for page, whole in PAGES.items()
    for text in re.findall(r"^```python\n(.*?)^```", whole, re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize(("page", "text"), PYTHON)
def test_python_imports_are_there(page: str, text: str) -> None:
    imports = [node for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert imports
    names: dict[str, Any] = {}
    exec(compile(ast.Module(imports, []), page, "exec"), names)
    assert {alias.asname or alias.name for node in imports for alias in node.names} <= set(names)


@pytest.mark.parametrize("page", [page for page in PAGES if "](#" in PAGES[page] and not of_the_site(page)])
def test_tables_of_contents_are_whole(page: str) -> None:
    listed = re.findall(r"^- \[(.+)\]\(#.+\)$", PAGES[page], re.MULTILINE)
    assert listed == re.findall(r"^## (.+)$", PAGES[page], re.MULTILINE)


def test_the_door_is_short_and_leads_to_every_page() -> None:
    assert len(PAGES["README.md"].splitlines()) <= 120
    others = {page for page in PAGES if not of_the_site(page)} - {"README.md"}
    assert others <= set(re.findall(r"\]\(([^)#]+)\)", PAGES["README.md"]))


def test_the_page_of_the_package_index_is_the_readme_without_relative_links() -> None:
    page = PAGES[PACKAGE_INDEX]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["readme"] == PACKAGE_INDEX
    assert "](" not in page
    assert page.partition("\nFour suites")[0] in PAGES["README.md"]


def test_every_page_of_the_site_is_linked_from_the_orchestrators() -> None:
    page = PAGES["orchestrator/README.md"]
    assert len(page.splitlines()) <= 150
    linked = {f"orchestrator/{link}" for link in re.findall(r"\]\((docs/pages/[^)#]+)\)", page)}
    assert linked == {page for page in PAGES if page.startswith(SITE)}


def test_the_example_campaign_is_right() -> None:
    assert len(parse_campaign(block(PAGES["README.md"], "yaml"), "x").benchmarks) == 2
