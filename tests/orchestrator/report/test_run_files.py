"""Learning curves and metrics as TensorBoard and MLflow read them."""

from __future__ import annotations

import json
import math
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from db.connection.connect import parse_url
from db.schema import upgrade
from orchestrator.cli import app
from orchestrator.report.recorded_runs import RecordedRun, safe
from orchestrator.report.run_files import write_event_files, write_mlflow
from tests.db.filled import NUMBERS, ODD, fill
from tests.requirements import needs, needs_variable

RUN = RecordedRun(
    "nt3[dropout=0.1]", 7, 1, "t-7.1", "n1", 1_000_000, 9_000_000,
    {"dropout": 0.1, "name": "x\ny", "sizes": [1, 2], "seed": 5},
    {"val_loss": [(1, 0.5), (300, 0.25), (301, math.nan)]},
    {"energy": 3.6e6, "../odd µ": 1e300},
)  # fmt: skip


def test_names_that_differ_in_what_a_file_cannot_have_stay_apart() -> None:
    run = replace(RUN, curves={"a b": [(1, 1.0)], "a_b": [(1, 2.0)], "a/b": [(1, 3.0)], "c d": [(1, 4.0)]})
    assert [points[0][1] for points in run.values.values()][:4] == [1.0, 2.0, 3.0, 4.0]
    assert list(run.values)[1::2][:2] == ["a_b", "c_d"]
    assert len(run.values) == 4 + len(run.metrics)
    assert all(name == safe(name) for name in list(run.values)[:4])


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the URL of a ledger with two campaigns of odd texts and numbers."""
    made = f"sqlite:///{tmp_path_factory.mktemp('ledger')}/ledger.sqlite"
    upgrade(parse_url(made))
    for name in ("toy", "second"):
        fill(made, name)
    return made


def scalars(folder: Path) -> dict[str, list[tuple[int, float, float]]]:
    """Return step, value and time of every point, by tag, as TensorBoard reads them."""
    needs("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    opened = EventAccumulator(str(folder))
    opened.Reload()
    return {
        tag: [(one.step, one.value, one.wall_time) for one in opened.Scalars(tag)]
        for tag in opened.Tags()["scalars"]
    }


def mlflow(folder: Path) -> dict[str, dict[str, Any]]:
    python = needs_variable("READERS_PYTHON", "a Python with mlflow-skinny")
    reader = Path(__file__).with_name("mlflow_reader.py")
    done = subprocess.run([python, reader, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


def export(*words: str) -> Result:
    return CliRunner().invoke(app, ["ledger", "export", *words])


def test_tensorboard_reads_curves_and_metrics(tmp_path: Path) -> None:
    assert write_event_files(tmp_path, "friday", [RUN]) == 1
    found = scalars(tmp_path / "friday/nt3[dropout=0.1]/7")
    assert found.keys() == {"val_loss", "result/energy", "result/.._odd__"}
    assert found["val_loss"][:2] == [(1, 0.5, 9.0), (300, 0.25, 9.0)]
    assert math.isnan(found["val_loss"][2][1])
    assert found["result/energy"] == [(0, 3.6e6, 9.0)]
    assert found["result/.._odd__"][0][1] == math.inf  # a float of 4 bytes ends at 3.4e38


def test_mlflow_reads_runs_parameters_and_histories(tmp_path: Path) -> None:
    assert write_mlflow(tmp_path, "friday", [RUN]) == 1
    [(name, run)] = mlflow(tmp_path).items()
    assert name == "friday/nt3[dropout=0.1]/7"
    assert (run["status"], run["start"], run["end"]) == ("FINISHED", 1000, 9000)
    assert run["params"] == {"dropout": "0.1", "name": r"x\ny", "sizes": "[1, 2]", "seed": "5"}
    assert run["tags"]["node"] == "n1"
    assert run["metrics"]["val_loss"][:2] == [[1, 0.5, 9000], [300, 0.25, 9000]]
    assert math.isnan(run["metrics"]["val_loss"][2][1])
    assert run["metrics"]["result/energy"] == [[0, 3.6e6, 9000]]
    assert run["metrics"]["result/.._odd__"] == [[0, 1e300, 9000]]


def test_the_command_writes_runs_that_succeeded(url: str, tmp_path: Path) -> None:
    folder = tmp_path / "curves"
    words = ("toy", "--format", "tensorboard", "--output", str(folder), "--ledger", url)
    done = export(*words, "--json")
    assert done.exit_code == 0, done.output
    runs = json.loads(done.stdout)["runs"]
    assert runs == {"toy": len(ODD) - 1}  # the first instance failed, and was lost then
    found = scalars(folder / "toy/toy/1")
    assert [one[:2] for one in found["loss"]] == [(1, 0.5), (2, 0.25)]
    assert found["result/fom_seconds"][0][1] == pytest.approx(NUMBERS[1], rel=1e-6)
    again = export(*words)
    assert again.exit_code == 2
    assert "not empty" in again.stderr


def test_all_campaigns_are_experiments_of_one_store(url: str, tmp_path: Path) -> None:
    folder = tmp_path / "mlruns"
    done = export("--format", "mlflow", "--output", str(folder), "--ledger", url)
    assert done.exit_code == 0, done.output
    assert f"2 campaigns, {2 * (len(ODD) - 1)} runs" in done.stdout
    found = mlflow(folder)
    assert len(found) == 2 * (len(ODD) - 1)
    run = found["second/toy/3"]
    assert [one[:2] for one in run["metrics"]["loss"]] == [[1, 0.5], [2, 0.25]]
    assert run["metrics"]["result/fom_seconds"][0][1] == NUMBERS[3]


@pytest.mark.parametrize("name", ["..", ".", "a/b", "/", "\x00", "a\nb", "a:b"])
def test_names_stay_in_their_folder(name: str) -> None:
    for made in (safe(name), safe(name, folder=True)):
        assert "/" not in made
        assert made not in {".", "..", ""}
        assert made.isprintable()


def test_points_of_a_sweep_have_folders_of_their_own() -> None:
    points = ["b[folder=relu+tanh]", "b[folder=relu_tanh]", "b[rate=1e-3,width=2]"]
    assert [safe(one, folder=True) for one in points] == points
