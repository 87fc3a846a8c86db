"""Rulebooks on the command line, and campaigns that follow other ones than CORAL-2."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db.ledger import Ledger
from db.states import InstanceState
from orchestrator.cli.exit_codes import UNMET
from orchestrator.rulebooks import registry
from tests.db import rows
from tests.db.rows import T0, attempt, report

SECOND = 1_000_000


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that runs a command and returns what it prints."""
    from orchestrator.cli import main

    def run(*words: str) -> str:
        monkeypatch.setattr("sys.argv", ["orchestrator", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert ended.value.code in (0, None), printed.err
        return printed.out

    return run


def ledger_of(url: str, rulebook: str, run_class: str, text: str = "") -> None:
    """Fill a ledger with three accepted instances of a toy, two of them at once."""
    with Ledger(url) as ledger:
        benchmark = rows.benchmark(
            "toy", 3, workload="tests.toys.behave", quality_metric="score", quality_target=0.0
        )
        campaign = replace(rows.campaign(), rulebook=rulebook, run_class=run_class)
        campaign = replace(campaign, campaign_yaml=text) if text else campaign
        number = ledger.register(campaign, [benchmark], rows.planned(3, "toy"))
        rows.begin(ledger, number)
        for k, (start, stop) in enumerate([(0, 10), (5, 25), (30, 36)]):
            new = attempt(k)
            ledger.submit(number, 1, [new])
            times = {"run_start_us": T0 + start * SECOND, "run_stop_us": T0 + stop * SECOND}
            values = {
                "fom_seconds": float(stop - start),
                "accuracy": 0.2 * k,
                "metrics": (("loss", 1.0 + k, ""),),
            }
            ledger.record(number, [report(new.token, "succeeded", InstanceState.DONE, **times, **values)])


def test_rulebooks_are_listed(command: Any) -> None:
    assert [one["name"] for one in json.loads(command("rulebook", "list", "--json"))] == list(
        registry.names()
    )
    table = command("rulebook", "list")
    assert all(name in table for name in registry.names())


@pytest.mark.parametrize("name", ["coral2", "hpcai500", "mlperf_hpc", "none", "recipe"])
def test_a_rulebook_is_shown(name: str, command: Any) -> None:
    book = registry.load(name)
    text = command("rulebook", "show", name)
    assert book.source in text
    assert all(rule in text and sentence in text for rule, sentence in book.sentences.items())
    data = json.loads(command("rulebook", "show", name, "--json"))
    assert data["rules"] == book.sentences
    assert data["run_classes"] == list(book.run_classes)
    assert set(data["benchmarks"]) == set(book.workloads())


def test_a_workload_shows_what_rulebooks_demand(command: Any) -> None:
    text = command("workload", "show", "p1b1")
    assert "quality target, coral2: pearson_correlation >= 0.7808" in text
    assert "at least 100" in text
    assert "coral2" not in command("workload", "show", "p1b1", "--rulebook", "none")
    data = json.loads(command("workload", "show", "p1b1", "--json"))["rulebooks"]
    assert list(data) == ["coral2"]
    assert data["coral2"]["parameters"]["epochs"] == "at least 100"
    assert data["coral2"]["data"]["features"] == "at least 60483"


def test_a_workloads_own_rules_are_shown(command: Any) -> None:
    data = json.loads(command("workload", "show", "tests/toys/external/old_keras.yaml", "--json"))
    assert data["rulebooks"]["own"]["target"] == "correlation >= 0.5"
    assert data["rulebooks"]["own"]["parameters"] == {"epochs": "at least 3"}


def test_a_campaign_of_no_suite(sqlite_url: str, command: Any) -> None:
    ledger_of(sqlite_url, "none", "ensemble")
    data = json.loads(command("fom", "toy", "--json", "--ledger", sqlite_url))
    assert set(data) == {"rulebook", "benchmarks", "makespan", "other_campaigns", "evidence"}
    [one] = data["benchmarks"]
    assert (one["planned"], one["accepted"], one["exhausted"]) == (3, 3, 0)
    assert (one["median_seconds"], one["longest_seconds"]) == (10.0, 20.0)
    assert (one["lowest_accuracy"], one["median_accuracy"]) == (0.0, 0.2)
    assert (one["peak_overlap"], one["makespan_seconds"], one["instances_per_hour"]) == (2, 36.0, 300.0)
    text = command("fom", "toy", "--ledger", sqlite_url)
    assert "what was measured, rulebook none" in text
    assert not {"reportable", "CORAL", "group", "FOM"} & set(text.replace(",", " ").split())
    assert "toy: slots: 3 accepted instances did not prove their slot" in text
    rules = command("fom", "toy", "--rules", "--ledger", sqlite_url)
    assert "pass  quality: lowest score is 0, target 0" in rules
    assert "instances_per_hour: 3 ÷ 36 s × 3600" in rules or "toy: 3 ÷ 36 s × 3600" in rules


def test_a_campaign_of_mlperf_hpc(sqlite_url: str, command: Any) -> None:
    ledger_of(sqlite_url, "mlperf_hpc", "open")
    [one] = json.loads(command("fom", "toy", "--json", "--ledger", sqlite_url))["benchmarks"]
    assert (one["converged_models"], one["models_per_minute"], one["reportable"]) == (3, 5.0, False)
    text = command("fom", "toy", "--ledger", sqlite_url)
    assert "suite: tests.toys.behave is not a benchmark of MLPerf HPC" in text
    assert "n/a   time to solution" in command("fom", "toy", "--rules", "--ledger", sqlite_url)


def test_a_recipe_that_is_not_met_decides_the_exit_code(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    metrics = "{score: {at_least: 0.3}, loss: {at_most: 9}, run_seconds: {}, other: {}}"
    recipe = f"{{recipe: r, workload: tests.toys.behave, metrics: {metrics}}}"
    ledger_of(sqlite_url, "recipe", "recipe", f"benchmarks: [{{name: toy, recipe: {recipe}}}]")
    from orchestrator.cli import main

    monkeypatch.setattr("sys.argv", ["orchestrator", "fom", "toy", "--json", "--ledger", sqlite_url])
    with pytest.raises(SystemExit) as ended:
        main()
    [one] = json.loads(capsys.readouterr().out)["benchmarks"]
    assert ended.value.code == UNMET
    assert (one["score"], one["loss"], one["run_seconds"], one["other"]) == (0.0, 3.0, 10.0, None)
    assert (one["metrics_passed"], one["reportable"]) == (1, False)
    worst = "score failed: the worst of 3 instances has 0, the recipe says at least 0.3; 2 of them miss it"
    assert worst in one["reasons"]


def test_runs_ranks_and_seeds_reach_the_rulebook(sqlite_url: str) -> None:
    from orchestrator.analysis.verdict.evidence import measurements

    ledger_of(sqlite_url, "none", "ensemble")
    with Ledger(sqlite_url) as ledger:
        [found] = measurements(ledger, ledger.campaign("toy"), every_run=True)
    assert found.slots.ranks == {1}
    assert found.distinct_seeds
    assert found.states == {"done": 3}
    assert found.runs is not None
    assert found.runs.fom_seconds.tolist() == [10.0, 20.0, 6.0]


def test_a_campaign_is_judged_by_an_installed_packages_rulebook(
    sqlite_url: str, command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "example_plugin"))
    ledger_of(sqlite_url, "hour", "standard")
    assert "hour" in command("rulebook", "list")
    [one] = json.loads(command("fom", "toy", "--json", "--ledger", sqlite_url))["benchmarks"]
    assert (one["trainings"], one["arithmetic"], one["reportable"]) == (0, "0 of 3", False)


def test_an_unknown_rulebook_is_one_line_with_the_nearest_name() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "orchestrator", "rulebook", "show", "mlperf"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert shown.returncode == 1
    assert shown.stderr == "error: no rulebook 'mlperf'; did you mean mlperf_hpc?\n"
