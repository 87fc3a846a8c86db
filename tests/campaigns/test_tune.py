"""Slot shapes of this machine compared by real trainings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sites import load
from tests.harness import CampaignSandbox

pytestmark = pytest.mark.slow


def test_two_cores_are_tuned_by_real_trainings_and_the_command_again_runs_none(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    changes = ["lstm.steps=20", "lstm.timeout=10min"]  # a loaded machine takes long to import TensorFlow
    words = [
        "workload",
        "tune",
        "lstm",
        "--site",
        "site.yaml",
        "--from",
        "demo",
        "--waves",
        "1",
        "--at-most",
        "1",
    ]
    words += [word for one in changes for word in ("--set", one)]
    ended = place.run(*words, "--json", seconds=600)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    found = json.loads(ended.stdout)
    assert [(one["instances"], one["slot"]) for one in found["points"]] == [
        (1, {"cores": 2}),
        (2, {"cores": 1}),
    ]
    assert all(one["nodes"] + one["partial"] >= 1 and one["missing"] == {} for one in found["points"])
    assert all(one["peak_bytes"] > 1 << 24 for one in found["points"])
    assert found["points"][0]["nodes"] == 1  # one instance always fills its slot
    best = found["recommended"]
    assert best["instances"] * best["peak_bytes"] <= found["memory_limit_bytes"]
    assert found["held_node_hours"] > 0
    assert found["planned_node_hours"] == pytest.approx(2 * 10 / 3600)
    assert (found["unfinished"], found["outcome"]) == ("", "complete")
    again = place.run(*words, "--json", "--output", "tuned.yaml", "--figures", "curve.svg")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == found | {"outcome": None}
    assert load(str(tmp_path / "tuned.yaml"))[0].slots["lstm"].cores == best["cores"]
    assert (tmp_path / "curve.svg").is_file()
    assert place.run("analyze", "study", "tune-lstm-test").returncode == 0
