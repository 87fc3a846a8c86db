"""A package of an HPC AI500 campaign gives its Valid FLOPS again, and names what was changed in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrator.protocol.report import Metric, TrainingResult
from orchestrator.review.verification import verify
from tests.orchestrator.review.packages import (
    Members,
    edited,
    findings,
    packaged,
    repacked,
    simulated_campaign,
)

IMAGES, LOADING, TOP_1, WATTS = 90.0 * 1_281_167, 5.0, 77.0, 400.0
TRAINING = {"workload": "resnet50_v15", "timeout": "2 h", "matrix": {"ranks": [1, 2]}, "repeat": 4}
CEILING = {"workload": "gemm", "timeout": "2 h", "instances": 1}


def measured(fom_seconds: float, **_: Any) -> TrainingResult:
    """Return what a training of `fom_seconds` would report."""
    values = {
        "training_seconds": fom_seconds - LOADING,
        "load_seconds": LOADING,
        "samples_seen": IMAGES,
        "epochs_run": 90.0,
        "power_mean_watts": WATTS,
    }
    metrics = tuple(Metric(name, value) for name, value in values.items())
    return TrainingResult(fom_seconds=fom_seconds, accuracy=TOP_1, metrics=metrics)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the package of trainings on 1 and 2 ranks and a ceiling, with failures and a killed driver."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("orchestrator.simulation.attempt.TrainingResult", measured)
        url = simulated_campaign(
            tmp_path_factory.mktemp("campaign"),
            [TRAINING, CEILING],
            rulebook="hpcai500",
            crash_at=14,
            site_text=True,
        )
    return packaged(url, tmp_path_factory.mktemp("package") / "toy.zip").file


def test_it_verifies(whole: Path) -> None:
    found = verify(whole)
    assert found.findings == []
    assert found.verdict is not None
    one, two, gemm = found.verdict["benchmarks"]
    assert [one["benchmark"], two["benchmark"]] == ["resnet50_v15[ranks=1]", "resnet50_v15[ranks=2]"]
    assert gemm["reportable"] is None
    for training in (one, two):
        seconds = training["mean_training_seconds"]
        assert training["vflops"] == pytest.approx(IMAGES / seconds * 23e9 * (TOP_1 / 76.3) ** 5)
        assert training["vflops_per_watt"] == pytest.approx(training["vflops"] / WATTS)
        assert training["reportable"] is False
    assert len(found.verdict["rankings"]) == 1


def shorter_trainings(content: Members) -> None:
    """Halve the training seconds among the metrics."""

    def halve(row: dict[str, str]) -> None:
        if row["name"] == "training_seconds":
            row["value"] = repr(float(row["value"]) / 2)

    content["rows/metrics.csv"] = edited(content["rows/metrics.csv"], halve)


def fewer_repeats(content: Members) -> None:
    """Ask for three repeats in the suite's constants."""
    name, asked = "rulebook/hpcai500/reference.yaml", b"{text: 10, table: 5}"
    assert asked in content[name]
    content[name] = content[name].replace(asked, b"{text: 3, table: 3}")


def better_verdict(content: Members) -> None:
    verdict = json.loads(content["verdict.json"])
    verdict["benchmarks"][0]["vflops"] *= 2
    content["verdict.json"] = json.dumps(verdict).encode()


def other_order(content: Members) -> None:
    verdict = json.loads(content["verdict.json"])
    verdict["rankings"][0]["benchmarks"].reverse()
    content["verdict.json"] = json.dumps(verdict).encode()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (shorter_trainings, "another metric training_seconds than its journal"),
        (fewer_repeats, "the rulebook's files are not those of version"),
        (better_verdict, "benchmarks[resnet50_v15[ranks=1]].vflops: the package states"),
        (other_order, "verdict: rankings[0].benchmarks"),
    ],
)
def test_a_better_figure_is_named(
    whole: Path, tmp_path: Path, change: Callable[[Members], None], named: str
) -> None:
    found = findings(repacked(whole, tmp_path / "changed.zip", change))
    assert any(named in one for one in found), found
