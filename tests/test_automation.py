"""Hooks of pre-commit and jobs of the code host run what `make` runs."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from tests.harness import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
HOOKS: list[dict[str, Any]] = [
    hook
    for repository in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    for hook in repository["hooks"]
]
JOBS: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/tests.yaml").read_text())["jobs"]
ENTRIES = [str(hook["entry"]) for hook in HOOKS]
STEPS = [str(step["run"]) for job in JOBS.values() for step in job["steps"] if "run" in step]


def recipe(target: str) -> list[str]:
    """Return the commands of a target of the Makefile, as they are typed without make."""
    [lines] = re.findall(rf"^{target}:.*\n((?:\t.+\n)+)", MAKEFILE, re.MULTILINE)
    return [line.strip().replace("$(BIN)", ".venv/bin") for line in lines.splitlines()]


@pytest.mark.parametrize("command", [one for one in ENTRIES + STEPS if one.startswith("make ")])
def test_their_make_targets_exist(command: str) -> None:
    for target in command.split()[1:]:
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)


def test_hooks_run_the_commands_of_make_lint() -> None:
    given = [entry.replace(" --force-exclude", "") for entry in ENTRIES if entry.startswith(".venv")]
    assert given == [line.removesuffix(" .") for line in recipe("lint")]


def test_jobs_run_scripts_that_are_there() -> None:
    scripts = [command for command in STEPS if command.startswith(".ci/")]
    assert scripts
    assert all((ROOT / script).is_file() for script in scripts)
