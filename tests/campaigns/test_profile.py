"""A training of a real campaign is profiled: its kernels are in the ledger, and it does not count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harness import CampaignSandbox
from tests.workloads.runtime.profiling.fake_nsys import write_nsys

pytestmark = pytest.mark.slow


def test_kernels_are_recorded_by_class_and_the_instance_does_not_count(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    benchmark = {
        "workload": "p1b1",
        "instances": 1,
        "timeout": 300,
        "parameters": {"epochs": 3, "batch_size": 20},
        "data": {"directory": "p1b1", "generate": {"train_rows": 200, "test_rows": 40, "features": 500}},
    }
    rows = [benchmark | {"name": "profiled", "profile": {"duration": "60 s"}}]
    rows.append(benchmark | {"name": "late", "profile": {"delay": "4 min"}})
    (tmp_path / "toy.yaml").write_text(
        json.dumps({"campaign": "toy", "rulebook": "none", "benchmarks": rows})
    )
    planned = place.run("plan", "toy.yaml", "--site", "site.yaml")
    assert "  profiled: its kernels are recorded, which takes time" in planned.stdout.splitlines()
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "         orchestrator instance show toy profiled/0 " in ended.stdout
    assert "warning: late: 1 accepted instance recorded no profile" in ended.stdout
    assert place.run("report", "toy", "--output", "toy.html").returncode == 0
    assert "Kernels of recorded runs" in (tmp_path / "toy.html").read_text()
    metrics = dict(place.rows("SELECT name, value FROM metrics WHERE name LIKE 'profile_%'"))
    assert metrics["profile_gemm_percent"] > 20
    assert metrics["profile_convolution_percent"] == 0
    assert "profile_allreduce_percent" not in metrics
    assert sum(value for name, value in metrics.items() if name.endswith("percent")) == pytest.approx(100)
    facts = json.loads(place.run("instance", "show", "toy", "profiled/0", "--profile", "--json").stdout)
    assert facts["kernel_seconds"] == pytest.approx(metrics["profile_kernel_seconds"])
    assert any("MatMul" in one["name"] for one in facts["kernels"][:3])  # the longest first
    seen = {name: json.loads(text) for name, text in place.rows("SELECT benchmark, observed FROM accepted")}
    assert seen["profiled"]["profiled"] == "recorded"
    assert seen["late"]["profiled"] == "not begun"
    judged = json.loads(place.run("fom", "toy", "--json").stdout)["benchmarks"]
    reasons = {one["benchmark"]: one["reasons"] for one in judged}
    text = "the kernels of 1 accepted instance were recorded, which takes time: remove profile"
    assert text in reasons["profiled"]
    assert text not in reasons["late"]  # which was not profiled after all
    shown = place.run("instance", "show", "toy", "late/0", "--profile")
    assert "the run ended before the delay of its profile" in " ".join(shown.stderr.split())


def test_a_training_below_nsys_is_started_fresh_and_its_kernels_are_in_the_ledger(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    path = write_nsys(tmp_path / "bin")
    place.site(node={"cores": "0"}, environment={"PATH": path}, heartbeat={"period": 2, "threshold": 20})
    benchmark = {
        "workload": "tests.workloads.runtime.profiling.until_started",
        "instances": 1,
        "timeout": 300,
        "profile": "nsys",
        "processes": "warm",
    }
    (tmp_path / "toy.yaml").write_text(
        json.dumps({"campaign": "toy", "rulebook": "none", "benchmarks": [benchmark | {"name": "toy"}]})
    )
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    metrics = dict(place.rows("SELECT name, value FROM metrics WHERE name LIKE 'profile_%'"))
    assert metrics["profile_kernel_seconds"] == pytest.approx(12)
    assert metrics["profile_gemm_percent"] == pytest.approx(50)
    [[text]] = place.rows("SELECT observed FROM accepted")
    seen = json.loads(text)
    assert seen["profiled"] == "recorded"
    assert (seen["processes"], seen["fresh_because"]) == ("fresh", "nsys records only what it starts")
    shown = place.run("instance", "show", "toy", "toy/0", "--profile").stdout
    assert "kernels of toy/0, attempt 1, on the GPUs" in shown
    assert " s by nsys" in shown.splitlines()[-1]
    assert "that is little" not in shown
    facts = json.loads(place.run("instance", "show", "toy", "toy/0", "--profile", "--json").stdout)
    assert (facts["profiler"], facts["busy_seconds"]) == ("nsys", None)
