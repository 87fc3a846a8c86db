"""A training imports the packages of its own environment, whatever the orchestrator's has."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tests.harness import ROOT

pytestmark = pytest.mark.slow

OTHER = "1.0.other"
TRAINING = """
from workloads.context import Result
from workloads.description import Workload

WORKLOAD = Workload(
    name="mine", title="imports", source="this test", entry="mine.train:run", parameters=(), fom_time="run"
)


def run(parameters, context):
    import numpy

    context.start()
    return Result(observed={"numpy": numpy.__version__, "from": numpy.__file__})
"""


def environment(folder: Path) -> tuple[Path, Path]:
    """Make an environment without packages; return its Python, and the folder of its packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    [packages] = (folder / "lib").glob("python3*/site-packages")
    return folder / "bin" / "python", packages


def installed_orchestrator(folder: Path) -> Path:
    """Return the Python of an environment that has this project installed beside all that it needs."""
    python, packages = environment(folder)
    for package in ("orchestrator", "workloads", "db", "sites"):
        shutil.copytree(ROOT / package, packages / package, ignore=shutil.ignore_patterns("__pycache__"))
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if not (packages / path.name).exists() and not path.name.startswith("__editable__"):
            (packages / path.name).symlink_to(path)
    for path in Path(sys.executable).parent.glob("*.py"):  # Parsl's programs, which it starts by their files
        (folder / "bin" / path.name).symlink_to(path)
    return python


def environment_with_another_numpy(folder: Path) -> Path:
    """Return the Python of an environment that has a NumPy of its own, and nothing else."""
    python, packages = environment(folder)
    (packages / "numpy").mkdir()
    (packages / "numpy" / "__init__.py").write_text(f"__version__ = {OTHER!r}\n")
    facts = packages / f"numpy-{OTHER}.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: numpy\nVersion: {OTHER}\n")
    (facts / "RECORD").write_text("numpy/__init__.py,,\n")
    return python


@pytest.mark.parametrize("site", [{}, {"environment": {"PYTHONPATH": "/nowhere"}}])
def test_a_training_imports_the_packages_of_the_sites_interpreter(
    site: dict[str, Any], tmp_path: Path
) -> None:
    """The folder that has an installed orchestrator has its NumPy, too."""
    own, other = installed_orchestrator(tmp_path / "own"), environment_with_another_numpy(tmp_path / "other")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "train.py").write_text(TRAINING)
    cores = str(min(os.sched_getaffinity(0)))
    content = {"site": "test", "node": {"cores": cores}, "interpreter": str(other), **site}
    (tmp_path / "site.yaml").write_text(json.dumps(content))
    campaign = {"campaign": "toy", "benchmarks": [{"workload": "mine.train", "instances": 1, "timeout": 60}]}
    (tmp_path / "toy.yaml").write_text(json.dumps(campaign))
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*words: str) -> str:
        command = [str(own), "-P", "-m", "orchestrator", *words, "--ledger", "ledger.sqlite"]
        done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("launch", "toy.yaml", "--site", "site.yaml")
    [row] = json.loads(run("instance", "list", "toy", "--json"))
    shown = json.loads(run("instance", "show", "toy", "--json"))
    [code] = shown["code"].values()
    assert code["versions numpy"] == OTHER
    assert not [name for name in code if name.startswith(("elsewhere", "prefixes"))]
    assert f"numpy {OTHER}" in run("fom", "toy", "--rules")
    assert row["state"] == "done"
