"""The orchestrator's page lists its levels, hooks, failures, entry points and exit codes."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from importlib import import_module
from typing import get_args

from orchestrator import launch
from orchestrator.cli.exit_codes import EXIT_CODES, SLOWER
from orchestrator.cli.terminal.progress_bar import Progress
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.progress import ProgressDisplay
from orchestrator.protocol.report import Category
from orchestrator.rulebooks import recipe_file, registry
from sites.schedulers import LAUNCHER_GROUP, SCHEDULER_GROUP
from tests.readmes.pages import PAGES, ROOT, SITE, block, first_column, section
from workloads import modules

PAGE = "orchestrator/README.md"
LAUNCH = f"{SITE}operate/launch-and-resume.md"


def test_the_example_of_a_launch_shows_its_progress() -> None:
    [call] = [
        node
        for node in ast.walk(ast.parse(block(PAGES[f"{SITE}python-api/use.md"], "python")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "launch"
    ]
    given = {word.arg for word in call.keywords}
    assert "display" in given
    assert given <= set(inspect.signature(launch).parameters)
    assert "Progress" in str(launch.__doc__)
    shown: type[ProgressDisplay] = Progress
    assert {"update"} <= set(dir(shown))


def test_the_levels_are_those_that_are_checked() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [name for layer in contracts[0]["layers"] for name in layer.split(" | ")]
    assert first_column(section(PAGE, "Levels")) == layers
    assert all(import_module(f"orchestrator.{name}") for name in layers)


def test_the_tables_of_the_orchestrator_are_whole() -> None:
    hooks = [name for name in vars(DriverObserver) if not name.startswith("_")]
    assert first_column(section(PAGE, "The driver")) == hooks
    assert first_column(PAGES[f"{SITE}operate/faults-and-what-they-cost.md"]) == list(get_args(Category))
    groups = [SCHEDULER_GROUP, LAUNCHER_GROUP, registry.GROUP, recipe_file.GROUP, modules.GROUP]
    assert first_column(PAGES[f"{SITE}develop/extend-it.md"]) == groups
    codes = re.findall(r"^\| (\d) \|", section(LAUNCH, "Exit codes"), re.MULTILINE)
    assert {int(code) for code in codes} == {*EXIT_CODES.values(), 2, SLOWER}  # 2: wrong usage
