"""A real campaign of scripts that are not ours: launched, judged, failed, resumed from elsewhere."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.harness import ROOT, CampaignSandbox

pytestmark = pytest.mark.slow


def launch(place: CampaignSandbox, rows: list[dict[str, Any]]) -> Any:
    content = {
        "campaign": "toy",
        "grace_period": 2,
        "retries": {"benchmark": 0, "infrastructure": 0},
        "benchmarks": [{"timeout": 60} | row for row in rows],
    }
    (place.folder / "toy.yaml").write_text(json.dumps(content))
    return place.run("launch", "toy.yaml", "--site", "site.yaml")


def test_scripts_that_are_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    shutil.copytree(ROOT / "tests" / "toys" / "external", tmp_path / "scripts")
    hang = (tmp_path / "scripts" / "modern.yaml").read_text().replace("--random-state", "--random-stat")
    hang = hang.replace("{folder}/modern.py", "{folder}/hang.py")
    (tmp_path / "scripts" / "hang.yaml").write_text(hang)
    (tmp_path / "scripts" / "hang.py").write_text(
        "import signal, subprocess, sys\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('stuck', file=sys.stderr, flush=True)\n"
        "subprocess.run(['sleep', '3600'])\n"
    )
    place = CampaignSandbox(tmp_path)
    ended = launch(
        place,
        [
            {"workload": "scripts/old_keras.yaml", "instances": 3},
            {"workload": "scripts/modern.yaml", "instances": 3},
            {
                "workload": "scripts/old_keras.yaml",
                "name": "broken",
                "instances": 1,
                "parameters": {"flag": "--diverge"},
            },
            {"workload": "scripts/hang.yaml", "instances": 1, "timeout": 3},
        ],
    )
    assert ended.returncode == 3, ended.stderr
    rows = place.rows(
        "SELECT i.benchmark, a.state, a.failure_reason, a.accuracy, a.fom_seconds, a.observed, i.seed, "
        "e.content FROM attempts a "
        "JOIN instances i ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id "
        "LEFT JOIN documents e ON e.sha256 = a.environment_sha256 ORDER BY i.instance_id"
    )
    assert [row[:2] for row in rows] == [
        *[("old_keras", "succeeded")] * 3,
        *[("modern", "succeeded")] * 3,
        ("broken", "failed"),
        ("hang", "timed_out"),
    ]
    for benchmark, _, _, accuracy, seconds, seen, seed, content in rows[:6]:
        facts = json.loads(content) | json.loads(seen)
        assert facts["framework"] == "external"
        assert str(seed) in facts["external"]["command"]
        assert facts["cpuset"] == [facts["cpuset"][0]]  # its own core
        assert accuracy == pytest.approx(0.875 if benchmark == "old_keras" else 1 - 0.9**20, abs=2e-3)
        assert 0 < seconds < 60

    shown = json.loads(place.run("instance", "show", "toy", "broken/0", "--json").stdout)["attempts"][0]
    assert shown["failure_message"] == (
        "the command ended with exit code 1; its output says 'Traceback (most recent call last):'"
    )
    assert "FloatingPointError: loss is nan" in shown["stderr_tail"]
    stuck = json.loads(place.run("instance", "show", "toy", "hang/0", "--json").stdout)["attempts"][0]
    assert stuck["stderr_tail"] == "stuck\n"
    assert place.processes() == []

    judged = json.loads(place.run("fom", "toy", "--json").stdout)
    found = {one["benchmark"]: one for one in judged["benchmarks"]}
    assert found["old_keras"]["accuracy"] == pytest.approx(0.875, abs=2e-3)
    assert found["modern"]["seconds"] > 0
    assert found["modern"]["reasons"] == ["modern is not a benchmark of CORAL-2"]

    # Resumed from another folder, it finds the file; changed, it is refused.
    os.mkdir(tmp_path / "elsewhere")
    place.folder = tmp_path / "elsewhere"
    assert place.run("resume", "toy", "--retry-exhausted").returncode == 3
    assert place.run("fom", "toy").stdout
    script = tmp_path / "scripts" / "old_keras.yaml"
    script.write_text(script.read_text().replace("minimum: 0.5", "minimum: 0.1"))
    refused = place.run("resume", "toy", "--retry-exhausted")
    assert refused.returncode == 1
    assert "has changed since the campaign was registered" in refused.stderr
    assert place.run("fom", "toy").stdout


def test_a_suites_benchmark_run_by_a_script_gets_a_figure_that_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    content = (ROOT / "tests" / "toys" / "external" / "modern.yaml").read_text()
    content = content.replace("name: modern", "name: p1b1").replace("fom_time: batch", "fom_time: run")
    content = content.replace("seconds: {json: result.json, key: timing.mean}", "seconds: run")
    (tmp_path / "scripts" / "p1b1_original.yaml").write_text(content)
    shutil.copy(ROOT / "tests" / "toys" / "external" / "modern.py", tmp_path / "scripts")
    place = CampaignSandbox(tmp_path)
    ended = launch(place, [{"workload": "scripts/p1b1_original.yaml", "instances": 2}])
    assert ended.returncode == 0, ended.stderr
    (judged,) = json.loads(place.run("fom", "toy", "--json").stdout)["benchmarks"]
    assert judged["workload"] == "p1b1"
    assert judged["fom"] > 0
    assert not judged["reportable"]
    assert any(
        "framework: external; an external command proves only" in reason for reason in judged["reasons"]
    )
