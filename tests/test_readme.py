"""Every page names commands, options, keys, modules and files that exist."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import click
import pytest
import typer.main
from click.testing import CliRunner

import sites
from orchestrator import launch
from orchestrator.cli import app
from orchestrator.cli.exit_codes import EXIT_CODES
from orchestrator.cli.progress_bar import Progress
from orchestrator.driver.observer import DriverObserver
from orchestrator.driver.progress import ProgressDisplay
from orchestrator.planning.campaign_file import parse_campaign
from orchestrator.protocol.report import Category
from orchestrator.rulebooks import registry
from sites import plugins
from sites.nodes import Gpus, Node, Slot
from sites.schedulers import LAUNCHERS, TYPES, Batch, Lsf, PbsPro, Slurm, Torque
from sites.schema import Heartbeat, Paths, Site
from workloads import modules

ROOT = Path(__file__).parents[1]
PAGES = {
    str(file.relative_to(ROOT)): file.read_text()
    for pattern in ("README.md", "CONTRIBUTING.md", "[!.]*/README.md", "[!.]*/*/README.md")
    for file in sorted(ROOT.glob(pattern))
}
CLI: Any = typer.main.get_command(app)


def found(pattern: str) -> list[tuple[str, str]]:
    """Return each page with each of its matches of a pattern."""
    return [
        (page, match) for page, text in PAGES.items() for match in re.findall(pattern, text, re.MULTILINE)
    ]


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """Return the command that the first words name, and the other words."""
    command, rest = CLI, list(words)
    while hasattr(command, "commands"):
        command = command.commands[rest.pop(0)]
    return command, rest


def section(page: str, title: str) -> str:
    """Return one section of a page."""
    return PAGES[page].partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def first_column(text: str) -> list[str]:
    """Return the names in the first column of a text's tables."""
    cells = re.findall(r"^\| (`[^|]*`) \|", text, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def block(page: str, language: str) -> str:
    """Return the first fenced block of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGES[page], re.MULTILINE | re.DOTALL)[0]


def code(text: str) -> str:
    """Return the indented and fenced lines of a page, without indentation."""
    fenced = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return "\n".join([*re.findall(r"^    (.*)$", text, re.MULTILINE), *fenced])


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
    assert any((folder / path).is_file() for folder in ((ROOT / page).parent, ROOT))


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


def test_the_example_of_a_launch_shows_its_progress() -> None:
    [call] = [
        node
        for node in ast.walk(ast.parse(block("orchestrator/README.md", "python")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "launch"
    ]
    given = {word.arg for word in call.keywords}
    assert "display" in given
    assert given <= set(inspect.signature(launch).parameters)
    assert "Progress" in str(launch.__doc__)
    shown: type[ProgressDisplay] = Progress
    assert {"update"} <= set(dir(shown))


@pytest.mark.parametrize("page", [page for page in PAGES if "](#" in PAGES[page]])
def test_tables_of_contents_are_whole(page: str) -> None:
    listed = re.findall(r"^- \[(.+)\]\(#.+\)$", PAGES[page], re.MULTILINE)
    assert listed == re.findall(r"^## (.+)$", PAGES[page], re.MULTILINE)


def test_the_door_is_short_and_leads_to_every_page() -> None:
    assert len(PAGES["README.md"].splitlines()) < 130
    assert set(PAGES) - {"README.md"} <= set(re.findall(r"\]\(([^)#]+)\)", PAGES["README.md"]))


def test_the_example_campaign_and_site_are_right() -> None:
    assert len(parse_campaign(block("README.md", "yaml"), "x").benchmarks) == 2
    site = sites.parse(block("sites/README.md", "yaml"), Site, "x")
    assert (site.scheduler.type, site.node.gpus and site.node.gpus.count) == ("slurm", 4)


def keys(prefix: str, *models: type[Any]) -> set[str]:
    """Return the keys of models in a file."""
    return {prefix + (field.alias or name) for one in models for name, field in one.model_fields.items()}


def test_every_key_of_a_site_file_has_its_row() -> None:
    page = "sites/README.md"
    top = keys("", Site) - {"paths", "heartbeat"} | keys("paths.", Paths) | keys("heartbeat.", Heartbeat)
    assert set(first_column(section(page, "Top-level keys"))) == top
    batch = keys("", Batch, Slurm, Lsf, PbsPro, Torque) - {"type"}
    assert set(first_column(section(page, "Batch systems"))) == batch
    assert set(first_column(section(page, "Nodes and slots"))) == keys("node.", Node) | keys("slot.", Slot)
    assert set(first_column(section(page, "GPUs").partition("| sharing |")[0])) == keys("", Gpus)
    assert set(first_column(section(page, "Launchers"))) == set(LAUNCHERS)


def test_every_shipped_site_and_batch_system_is_listed() -> None:
    assert set(first_column(section("sites/README.md", "Shipped sites"))) == set(sites.names())
    assert all(f"`{name}`" in section("sites/README.md", "Batch systems") for name in TYPES)


def test_the_levels_are_those_that_are_checked() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [name for layer in contracts[0]["layers"] for name in layer.split(" | ")]
    assert first_column(section("orchestrator/README.md", "Levels")) == layers
    assert all(import_module(f"orchestrator.{name}") for name in layers)


def test_the_tables_of_the_orchestrator_are_whole() -> None:
    page = "orchestrator/README.md"
    hooks = [name for name in vars(DriverObserver) if not name.startswith("_")]
    assert first_column(section(page, "The driver")) == hooks
    assert first_column(section(page, "Failures and retries")) == list(get_args(Category))
    groups = [plugins.SCHEDULERS, plugins.LAUNCHERS, registry.GROUP, modules.GROUP]
    assert first_column(section(page, "Extend it")) == groups
    codes = re.findall(r"^\| (\d) \|", section(page, "Operate campaigns"), re.MULTILINE)
    assert {int(code) for code in codes} == {*EXIT_CODES.values(), 2}  # 2: wrong usage


SITE_MODELS: dict[str, tuple[type[Any], ...]] = {
    "Top-level keys": (Site, Paths, Heartbeat),
    "Batch systems": (Batch, Slurm, Lsf, PbsPro, Torque),
    "Nodes and slots": (Node, Slot),
    "GPUs": (Gpus,),
}


def as_text(default: object) -> str:
    """Return a default as the tables show it, without its unit."""
    if isinstance(default, bool):
        return str(default).lower()
    return f"{default:g}" if isinstance(default, float) else str(default)


@pytest.mark.parametrize("title", SITE_MODELS)
def test_defaults_of_the_site_file_are_true(title: str) -> None:
    text = section("sites/README.md", title).partition("| sharing |")[0]
    rows = re.findall(r"^\| `(?:(\w+)\.)?(\w+)` \| ([^|]*?) ?\| ", text, re.MULTILINE)
    compared = 0
    for owner, name, cell in rows:
        models = [one for one in SITE_MODELS[title] if not owner or one.__name__.lower() == owner]
        field = next(one.model_fields[name] for one in models if name in one.model_fields)
        assert (cell == "required") == field.is_required(), name
        if match := re.fullmatch(r"`([^`{]+)`|(\d+)(?: s)?", cell):
            assert (match[1] or match[2]) == as_text(field.default), name
            compared += 1
    assert compared
