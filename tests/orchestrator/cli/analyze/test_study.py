"""`analyze study` on ledgers whose runs are known."""

from __future__ import annotations

import csv
import io
import json
import random
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from db.errors import LedgerError
from db.ledger import Ledger
from db.reader import Reader
from db.states import Action
from db.writing.requests import Request
from db.writing.superseding import Missed
from orchestrator.analysis.study.sweep_runs import sweep_runs
from orchestrator.cli import app
from orchestrator.errors import CampaignError
from orchestrator.planning.stage import PlannedBenchmark
from tests.orchestrator.cli.study_ledger import Outcome, record

RANKS = [1, 2, 4, 8, 16]
LOADERS = {"pandas": 60.0, "pandas_chunked": 12.0}
NT3 = {"workload": "nt3", "timeout": "1 h", "slot": {"cores": 1}}
URL = "sqlite:///ledger.sqlite"


def ran(point: PlannedBenchmark, index: int) -> Outcome:
    """Draw a run of a training with 10 s of serial work and 800 s of work divided among its ranks."""
    assert point.point is not None
    axes: dict[str, Any] = dict(point.point.axes)
    draw = random.Random(f"{point.name}/{index}")
    ranks, load = axes.get("ranks", 1), LOADERS[axes.get("loader", "pandas")]
    if axes.get("batch_size", 0) >= 50:
        return "out of memory"
    if ranks == 16 and index > 3:
        return None
    train = (10 + 800 / ranks) * draw.lognormvariate(0, 0.01)
    slowest = [("load_seconds_of_slowest_rank", load + 1, "s")] if ranks > 1 else []
    if ranks > 1:
        slowest += [("timeline_allreduce_share", 0.01 * ranks, ""), ("timeline_allreduce_seconds", 2.0, "s")]
    return {
        "fom_seconds": train + load,
        "accuracy": 0.99 - 0.01 * ranks,
        "metrics": (
            ("load_seconds", load, "s"),
            *slowest,
            ("train_seconds", train, "s"),
            ("train_file_seconds", load * 0.8, "s"),
            ("epochs_run", 48 // ranks, ""),
            ("median_epoch_seconds", train / (48 // ranks), "s"),
            ("energy_joules", 300.0 * train * ranks, "J"),
            ("power_mean_watts", 300.0 * ranks, "W"),
            ("gpu_energy_joules", 200.0 * train * ranks, "J"),
        ),
    }


def reduced(point: PlannedBenchmark, index: int) -> Outcome:
    """Return an all-reduce of 2 ranks over a link of 10 µs and 1 GB/s."""
    if point.workload.name != "allreduce":
        found = ran(point, index)
        assert isinstance(found, dict)
        measured = (("communicated_bytes_per_step", 1e8, "B"), ("optimizer_steps", 10.0, ""))
        return found | {"metrics": (*found["metrics"], *measured, ("training_seconds", 20.0, "s"))}
    seconds = 2e-5 + float(point.parameters["tensor_bytes"]) * 1e-9
    return {"fom_seconds": 1.0, "metrics": (("allreduce_seconds", seconds, "s"),)}


def campaign(name: str, *benchmarks: dict[str, Any]) -> dict[str, Any]:
    return {"campaign": name, "rulebook": "none", "benchmarks": list(benchmarks)}


STRONG = NT3 | {"matrix": {"ranks": RANKS}, "repeat": 6, "parameters": {"epochs": 48, "loader": "pandas"}}
LOADING = NT3 | {"name": "größe", "matrix": {"loader": list(LOADERS)}, "repeat": 6}
BATCH = NT3 | {"name": "batch", "matrix": {"batch_size": [20, 60]}, "parameters": {"loader": "pandas"}}
WEAK = STRONG | {"name": "weak", "parameters": {"epochs": 8, "epoch_division": "each", "loader": "pandas"}}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    url = f"sqlite:///{folder}/ledger.sqlite"
    record(url, folder, campaign("toy", STRONG, LOADING, BATCH, WEAK), ran)
    record(url, folder, campaign("new", LOADING | {"matrix": {"loader": ["pandas"]}}), faster)
    record(url, folder, campaign("none", NT3 | {"instances": 1}), lambda *_: None)
    record(url, folder, campaign("alone", NT3 | {"matrix": {"ranks": [1]}}), lambda *_: None)
    return folder


def faster(point: PlannedBenchmark, index: int) -> Outcome:
    found = ran(point, index)
    assert isinstance(found, dict)
    return found | {"fom_seconds": found["fom_seconds"] / 2}


@pytest.fixture(autouse=True)
def _there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


def study(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["analyze", "study", *words])
    if isinstance(done.exception, LedgerError | CampaignError):
        raise done.exception
    assert done.exit_code == code, done.output
    return done.output


def facts(*words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(study(*words, "--json"))
    return found


def line(text: str, *begin: str) -> list[str]:
    return next(words for one in text.splitlines() if (words := one.split())[: len(begin)] == list(begin))


def test_each_point_has_its_median_interval_scaling_and_metrics() -> None:
    points = facts("toy", "--benchmark", "nt3")["points"]
    assert [one["axes"]["ranks"] for one in points] == RANKS
    one, sixteen = points[0], points[-1]
    assert one["interval"][0] <= one["median"] <= one["interval"][1]
    assert one["note"] == ""
    assert sixteen["note"] == "no interval below 6 runs; 2 of 6 missing: 2 not run yet"
    assert sixteen["speed_up"] == pytest.approx(870 / 120, rel=0.02)
    assert sixteen["efficiency"] == pytest.approx(870 / 120 / 16, rel=0.02)
    assert sixteen["flatness"] is None
    assert (one["metrics"]["load_seconds"]["value"], sixteen["metrics"]["load_seconds"]["value"]) == (60, 61)


def test_weak_scaling_has_flatness_and_no_law_of_divided_work() -> None:
    found = facts("toy", "--benchmark", "weak")
    assert [one["speed_up"] for one in found["points"]] == [None] * 5
    assert found["points"][0]["flatness"] == 1
    assert [fit["law"] for fit in found["laws"][0]["fits"]] == ["constant + communication"]
    assert found["laws"][0]["refused"] == {
        "Amdahl": "every rank has as much work at every size (weak scaling)"
    }
    assert "flatness" in study("toy", "--benchmark", "weak", "--table", "time")


def test_tables_are_those_that_the_ledger_has_metrics_for() -> None:
    text = study("toy", "--benchmark", "nt3")
    assert "nt3: seconds of each phase, on its slowest rank" in text
    assert line(text, "ranks", "runs", "load")[2:6] == ["load", "s", "train", "s"]
    assert "nt3: power and energy" in text
    assert "power per rank W" in text
    assert facts("toy", "--benchmark", "nt3[ranks=4]")["points"][0]["metrics"]["power_per_rank_watts"] == {
        "value": 300.0,
        "low": 300.0,
        "high": 300.0,
    }
    assert "nt3: reading each file" in text
    assert "timeline allreduce share" in text
    assert "nt3: operations of Horovod" in text
    assert "allreduce" not in study("toy", "--benchmark", "größe")
    assert study("toy", "--benchmark", "nt3", "--table", "accuracy").startswith(
        "nt3: accuracy and test loss\n"
    )


def test_failures_are_named_by_their_verdict() -> None:
    points = facts("toy", "--benchmark", "batch")["points"]
    assert [one["note"] for one in points] == ["one run", "no run; 1 of 1 missing: 1 out of memory"]
    assert points[1]["missing"] == {"out of memory": 1}


def test_loaders_stand_side_by_side_with_their_improvement() -> None:
    found = [one for one in facts("toy")["side_by_side"] if one["sweep"] == "größe"]
    assert [one["figure"] for one in found] == ["time", "load_seconds", "accuracy"]
    load = found[1]
    assert load["medians"] == LOADERS
    assert load["improvement"]["pandas_chunked"] == {"value": 80.0, "low": 80.0, "high": 80.0}
    assert found[2]["improvement"] == {}
    assert "größe: loader side by side, percent less than pandas" in study("toy", "--table", "choices")


def test_laws_are_fitted_and_predict_sizes_that_were_not_run() -> None:
    found = facts("toy", "--benchmark", "nt3", "--predict", "384", "--predict", "8")["laws"]
    assert [fit["law"] for fit in found[0]["fits"]] == ["Amdahl", "Amdahl + communication"]
    fit = found[0]["fits"][0]
    assert fit["coefficients"]["divided"] == pytest.approx(800, rel=0.02)
    assert fit["coefficients"]["serial"] == pytest.approx(70, rel=0.05)
    [far, near] = fit["predictions"]
    assert far["predicted"] is True
    assert far["time"]["low"] < 70 + 800 / 384 < far["time"]["high"]
    text = study("toy", "--benchmark", "nt3", "--predict", "384", "--predict", "8", "--table", "laws")
    assert "prediction, not run" in text
    assert "prediction beside runs of this size" in text
    assert near["size"] == 8


def test_laws_are_refused_with_a_reason_where_sizes_are_few() -> None:
    text = study("toy", "--benchmark", "nt3[ranks=4]", "--table", "time", "--table", "laws")
    assert "not fitted" not in text  # one size is no curve
    [laws] = facts("new", "--benchmark", "größe")["laws"] or [None]
    assert laws is None


def test_the_size_at_which_accuracy_breaks_is_named() -> None:
    text = study("toy", "--benchmark", "nt3", "--table", "accuracy", "--threshold", "0.93")
    assert text.endswith(
        "nt3: accuracy falls below 0.93 at ranks 8 (6 epochs on each rank): 0.91; "
        "the last that reaches it is ranks 4\n"
    )
    assert "at every size that ran" in study("toy", "--benchmark", "nt3", "--threshold", "0.5")
    assert "no size before it reaches it" in study("toy", "--benchmark", "nt3", "--threshold", "2")


def test_accuracy_breaks_over_epochs_too(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/ledger.sqlite"
    over = NT3 | {"matrix": {"epochs": [2, 8, 4], "batch_size": [10, 20]}}

    def outcome(point: PlannedBenchmark, index: int) -> Outcome:
        assert point.point is not None
        return {"fom_seconds": 1.0, "accuracy": 0.5 + 0.05 * float(point.point.axes["epochs"])}  # type: ignore[arg-type]

    record(url, tmp_path, campaign("toy", over), outcome)
    text = study("toy", "--ledger", url, "--threshold", "0.65", "--figures", str(tmp_path / "plots"))
    for batch in (10, 20):
        assert (
            f"nt3[batch_size={batch}]: accuracy falls below 0.65 at epochs 2: 0.6; "
            "the last that reaches it is epochs 4\n"
        ) in text
    assert [file.name for file in (tmp_path / "plots").iterdir()] == ["nt3-accuracy.svg"]
    with pytest.raises(CampaignError, match="several numbers of ranks or nodes to predict from"):
        study("toy", "--ledger", url, "--predict", "4")


def test_published_measurements_stand_beside_ours() -> None:
    found = facts("toy", "--against", "Summit")
    assert "ICPP 2019" in found["source"]
    beside = {
        (one["published"]["figure"], str(one["published"]["where"]), one["benchmark"]): one
        for one in found["published"]
    }
    loading = beside["train_file_seconds", "{'loader': 'pandas_chunked'}", "größe[loader=pandas_chunked]"]
    assert loading["ratio"] == pytest.approx(12 * 0.8 / 14.30)
    failed = [one for one in found["published"] if one["published"]["failure"]]
    assert [(one["benchmark"], one["outcome"]) for one in failed] == [
        ("batch[batch_size=60]", "1 out of memory")
    ]
    assert all(one["published"]["workload"] == "nt3" for one in found["published"])
    text = study("toy", "--against", "theta", "--table", "time")
    assert "13.84" in text  # NT3's training file, improved loading


def test_a_campaign_is_compared_with_another() -> None:
    [time_of, load, energy] = facts("new", "--compare", "toy")["improvements"]
    assert (time_of["benchmark"], time_of["figure"]) == ("größe[loader=pandas]", "time")
    assert time_of["percent"]["value"] == pytest.approx(50, abs=2)
    assert time_of["percent"]["low"] <= time_of["percent"]["value"] <= time_of["percent"]["high"]
    assert load["percent"]["value"] == 0
    assert energy["unit"] == "J"
    with pytest.raises(CampaignError, match="new and alone have no point with runs in common"):
        study("new", "--compare", "alone")
    with pytest.raises(LedgerError, match="no campaign"):
        study("new", "--compare", "other")


def test_cost_models_predict_the_communication_of_a_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"workload": "allreduce", "timeout": "1 h", "slot": {"cores": 1, "ranks": 2}}
    sizes |= {"matrix": {"tensor_bytes": [1024, 1048576, 67108864]}}
    nets = NT3 | {"matrix": {"ranks": [1, 2, 4]}, "parameters": {"loader": "pandas"}}
    record(f"sqlite:///{tmp_path}/ledger.sqlite", tmp_path, campaign("links", sizes), reduced)
    record(f"sqlite:///{tmp_path}/ledger.sqlite", tmp_path, campaign("nets", nets), reduced)
    monkeypatch.chdir(tmp_path)
    text = study("nets", "--cost-model", "links", "--table", "time", "--figures", "plots")
    assert line(text, "nt3", "4") == ["nt3", "4", "100", "2", "0.15004", "0.80002"]
    assert "L 1.0000e-05" in text
    assert (tmp_path / "plots" / "nt3-communication.svg").exists()
    found = facts("nets", "--cost-model", "links")
    assert found["link"]["seconds_per_byte"]["value"] == pytest.approx(1e-9)
    assert [one["ranks"] for one in found["communication_costs"]] == [2, 4]
    with pytest.raises(CampaignError, match="campaign nets: 0 all-reduces do not tell"):
        study("nets", "--cost-model", "nets")


def test_csv_has_a_row_for_a_point_with_every_metric() -> None:
    rows = list(csv.DictReader(io.StringIO(study("toy", "--csv"))))
    assert len(rows) == 14
    assert rows[0]["sweep"] == "nt3"
    assert float(rows[0]["train_file_seconds"]) == 48
    assert rows[0]["train_file_seconds_low"] == "48.0"
    assert {row["loader"] for row in rows} == {"", *LOADERS}


def test_figures_are_the_same_every_time(tmp_path: Path) -> None:
    for name in ("a", "b/c"):
        study("toy", "--figures", str(tmp_path / name), "--predict", "64", "--threshold", "0.9")
    drawn = {file.name: file.read_text() for file in (tmp_path / "a").iterdir()}
    assert drawn == {file.name: file.read_text() for file in (tmp_path / "b" / "c").iterdir()}
    assert set(drawn) >= {
        "nt3-time.svg", "nt3-timeline_allreduce_share.svg",
        "nt3-efficiency.svg", "nt3-phases.svg", "nt3-accuracy.svg", "nt3-energy_joules.svg",
        "nt3-median_epoch_seconds.svg", "weak-flatness.svg", "größe-load_seconds-by-loader.svg",
    }  # fmt: skip
    for text in drawn.values():
        assert ET.fromstring(text).tag.endswith("svg")
        assert "nan" not in text
    assert "nt3: Amdahl (prediction)" in drawn["nt3-time.svg"]
    assert "threshold 0.9" in drawn["nt3-accuracy.svg"]


def test_what_cannot_be_done_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(CampaignError, match="has the axis rank; there are ranks, loader, batch_size"):
        study("toy", "--by", "rank")
    with pytest.raises(CampaignError, match="campaign none has no sweep"):
        study("none")
    with pytest.raises(CampaignError, match="no published measurements of 'titan'; there are summit, theta"):
        study("toy", "--against", "titan")
    (tmp_path / "file").write_text("")
    with pytest.raises(CampaignError, match="cannot be written: "):
        study("toy", "--figures", str(tmp_path / "file"))
    assert "no table 'times'" in study("toy", "--table", "times", code=2)
    assert "--threshold" in study("toy", "--threshold", "nan", code=2)
    for wrong in ("0", "-4", "1e3", "99999999999"):
        assert "--predict" in study("toy", "--predict", wrong, code=2)
    study("toy", "--csv", "--json", code=2)


def test_a_campaign_without_runs_says_so() -> None:
    assert "no run; 1 of 1 missing: 1 not run yet" in study("alone", "--table", "time")
    with pytest.raises(CampaignError, match="several numbers of ranks, nodes or epochs"):
        study("alone", "--threshold", "0.9")
    [point] = facts("alone")["points"]
    assert (point["median"], point["runs"], point["accepted"]) == (None, 0, 0)
    header, row = study("alone", "--csv").splitlines()
    assert header.startswith("sweep,ranks,points,planned,runs,unit,median,accepted")
    assert row.startswith("nt3,1.0,1,1,0,s,,0.0")


def test_superseded_and_cancelled_instances_do_not_count(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/ledger.sqlite"
    few = STRONG | {"matrix": {"ranks": [1, 16]}}
    number = record(url, tmp_path, campaign("toy", few), ran)
    with Ledger(url) as book:
        missed = Missed(0, "nt3[ranks=1]/0", 0.9)
        book.supersede(number, "nt3[ranks=1]", [missed], book.campaign("toy").lease_owner)
        book.request(number, Request(Action.CANCEL, "nt3", ((11, 11),)), "test", dead="me")
    [one, sixteen] = facts("toy", "--ledger", url)["points"]
    assert (one["runs"], one["missing"]) == (5, {"not run yet": 1})
    assert (sixteen["planned"], sixteen["runs"], sixteen["missing"]) == (5, 4, {"not run yet": 1})


def test_a_run_from_a_checkpoint_has_no_time(tmp_path: Path) -> None:
    def outcome(point: PlannedBenchmark, index: int) -> Outcome:
        found = ran(point, index)
        assert isinstance(found, dict)
        if index == 0:
            found["metrics"] += (("resumed_from_epoch", 3, ""),)
        return found | ({"fom_seconds": None} if index == 1 else {})

    url = f"sqlite:///{tmp_path}/ledger.sqlite"
    record(url, tmp_path, campaign("toy", LOADING | {"matrix": {"loader": ["pandas"]}}), outcome)
    [point] = facts("toy", "--ledger", url)["points"]
    assert point["note"] == (
        "no interval below 6 runs; 2 of 6 missing: 1 resumed from a checkpoint, 1 without a time"
    )


def test_a_large_study_is_answered_in_moments(tmp_path: Path) -> None:
    matrix = {"ranks": "1..20", "batch_size": "1..10"}
    url = f"sqlite:///{tmp_path}/ledger.sqlite"
    record(url, tmp_path, campaign("large", NT3 | {"matrix": matrix, "repeat": 10}), ran_large)
    begin = time.process_time()
    found = facts("large", "--ledger", url, "--predict", "384")
    assert len(found["points"]) == 200
    assert len(found["laws"]) == 10
    print(f"{time.process_time() - begin:.2f} s of CPU time")


def ran_large(point: PlannedBenchmark, index: int) -> Outcome:
    found = ran_of(point.point.axes["ranks"] if point.point else 1, index)
    return {**found, "metrics": tuple((f"metric_{k}_seconds", 1.0 + k, "s") for k in range(20))}


def ran_of(ranks: Any, index: int) -> dict[str, Any]:
    draw = random.Random(f"{ranks}/{index}")
    return {"fom_seconds": (1 + 100 / float(ranks)) * draw.lognormvariate(0, 0.02), "accuracy": 0.9}


def test_power_and_energy_of_the_gpus_of_a_rank(place: Path) -> None:
    with Reader(f"sqlite:///{place}/ledger.sqlite") as reader:
        four = next(point for point in sweep_runs(reader, "toy", "nt3") if point.ranks == 4)
    assert four.metrics["gpu_power_per_rank_watts"][1] == pytest.approx([200.0] * 6)
    energies = four.metrics["gpu_energy_per_rank_joules"][1]
    assert energies == pytest.approx([200.0 * train for train in four.metrics["train_seconds"][1]])
