"""`plan --ask` prints what the batch system answers for each stage, and exits with 5 where it refuses."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from orchestrator.cli import app

_SBATCH = """#!/bin/sh
if grep -q -- '--time=12:00:00'; then echo "sbatch: error: too long" >&2; exit 1; fi
echo "sbatch: Job 7 to start at 2026-11-27T12:00:00 using 8 processors on nodes n[1-2]" >&2
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "sbatch").write_text(_SBATCH)
    (tools / "sbatch").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    one = {"workload": "tests.toys.behave", "instances": 4, "timeout": 60}
    content = {"campaign": "friday", "rulebook": "none", "benchmarks": [one]}
    (tmp_path / "friday.yaml").write_text(json.dumps(content))
    scheduler = {"type": "slurm", "walltime": "6 h", "nodes_per_block": 2, "max_blocks": 2}
    node = {"cores": "0-1", "memory": "4 GiB"}
    pools: dict[str, Any] = {
        name: {"scheduler": {"partition": name}, "node": node, "slot": {"cores": cores}}
        for name, cores in (("one", 1), ("two", 2))
    }
    site = {"site": "ours", "scheduler": scheduler, "interface": "lo", "pools": pools}
    (tmp_path / "ours.yaml").write_text(json.dumps(site))


def plan(*options: str, site: str = "ours.yaml") -> Any:
    return CliRunner().invoke(app, ["plan", "friday.yaml", "--site", site, "--ask", *options])


def test_each_stage_has_its_answer() -> None:
    ended = plan()
    assert ended.exit_code == 0, ended.output
    shown = " ".join(ended.stdout.split())
    assert (
        "stage 1, one.c1: one of 2 blocks, 2 nodes for 6 h 00 min: Job 7 to start at 2026-11-27T12:00"
        in shown
    )


def test_a_refused_stage_has_its_exit_code_in_json_too() -> None:
    both = ("--set", "behave.spread=true", "--set", "site.pools.two.scheduler.walltime=12h")
    ended = plan(*both)
    assert ended.exit_code == 5, ended.output
    shown = " ".join(ended.stdout.split())
    assert "stage 2, two.c2: one of 2 blocks, 2 nodes for 12 h 00 min: refused: error: too long" in shown
    ended = plan(*both, "--json")
    assert ended.exit_code == 5
    first, second = json.loads(ended.stdout)["stages"]
    assert (first["accepted"], second["accepted"], second["words"]) == (True, False, "error: too long")


def test_the_ends_of_ranges_are_asked_for() -> None:
    pool = "site.pools.one.scheduler"
    ended = plan(*("--set", f"{pool}.walltime=1h..12h", "--set", f"{pool}.nodes_per_block=1..2"), "--json")
    assert ended.exit_code == 5, ended.output
    answers = [
        (one["nodes_per_block"], one["walltime_seconds"], one["accepted"])
        for one in json.loads(ended.stdout)["stages"]
    ]
    assert answers == [(2, 43200, False), (2, 3600, True), (1, 43200, False), (1, 3600, True)]


def test_what_cannot_be_asked_says_so(tmp_path: Path) -> None:
    text = json.loads((tmp_path / "ours.yaml").read_text())
    text["scheduler"]["type"] = "lsf"
    for pool in text["pools"].values():
        pool["scheduler"] = {}
    (tmp_path / "lsf.yaml").write_text(json.dumps(text))
    ended = plan(site="lsf.yaml")
    assert ended.exit_code == 0, ended.output
    assert "not known: LSF has no command that tells this" in " ".join(ended.stdout.split())
    assert "has no batch system: nothing is submitted" in plan(site="local").stdout
