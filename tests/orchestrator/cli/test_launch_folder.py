"""Commands work beside folders and files that are named as packages of the project."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness import ROOT

# As after `pip install --editable`: the project's packages are found after all that is on the path.
EDITABLE = f"""
import sys
from importlib.machinery import PathFinder

class Editable:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, [{str(ROOT)!r}]) if path is None else None

sys.meta_path[:] = [one for one in sys.meta_path if "ditable" not in str(one)] + [Editable]
from orchestrator.cli import main
main()
"""
CAMPAIGN = "{campaign: own, benchmarks: [{workload: workloads.mine, instances: 1, timeout: 9}]}"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-P", "-c", EDITABLE, *arguments],
        cwd=folder,
        env=variables | {"COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", ["sites", "db", "workloads", "orchestrator"])
def test_an_empty_folder_named_as_a_package_is_not_imported(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    shown = run(tmp_path, "plan", "demo")
    assert shown.returncode == 0, shown.stderr


def test_a_folder_that_was_removed_is_one_line(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = "import os, sys; os.rmdir(os.getcwd()); from orchestrator.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-P", "-c", code, "--version"], cwd=gone, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr == ("error: the working directory was removed; change to another folder\n")


def test_files_named_as_packages_are_not_imported(tmp_path: Path) -> None:
    for name in ("sites", "db", "workloads", "orchestrator"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('this file is not for import')\n")
    shown = run(tmp_path, "plan", "demo")
    assert shown.returncode == 0, shown.stderr


def test_a_users_module_in_a_folder_of_that_name_is_explained_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "workloads").mkdir()
    (tmp_path / "workloads" / "mine.py").write_text("WORKLOAD = None\n")
    (tmp_path / "own.yaml").write_text(CAMPAIGN)
    shown = run(tmp_path, "plan", "own.yaml")
    assert shown.returncode == 1
    assert "Traceback" not in shown.stderr
    assert f"a package of the orchestrator itself: rename the folder {tmp_path}/workloads" in shown.stderr
