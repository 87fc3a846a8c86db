"""`analyze compare --by` on ledgers whose runs are known."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from db.events import EventKind
from db.ledger import Ledger
from orchestrator.cli import app
from orchestrator.driver.queue.order_design import OrderDesign
from orchestrator.planning.stage import PlannedBenchmark
from tests.orchestrator.cli.study_ledger import Outcome, record

SIZES = [64, 128, 256, 512]
WRITTEN = {
    "campaign": "operators",
    "rulebook": "none",
    "benchmarks": [
        {
            "workload": "gemm",
            "timeout": "1 min",
            "matrix": {"m": SIZES, "precision": ["float32", "bfloat16"], "framework": ["auto", "tensorflow"]},
            "repeat": 12,
        }
    ],
}


def ran(point: PlannedBenchmark, index: int) -> Outcome:
    """Draw a run: `auto` takes half the time, is wrong in bfloat16 at 512, and fails once at 256."""
    assert point.point is not None
    axes: dict[str, Any] = dict(point.point.axes)
    draw = random.Random(f"{point.name}/{index}")
    fast = axes["framework"] == "auto"
    if fast and (axes["m"], axes["precision"], index) == (256, "float32", 3):
        return "out of memory"
    wrong = fast and (axes["m"], axes["precision"]) == (512, "bfloat16")
    seconds = axes["m"] ** 3 * 1e-9 * (0.5 if fast else 1.0) * draw.lognormvariate(0, 0.02)
    return {
        "fom_seconds": 1 + seconds,
        "metrics": (
            ("wallclock_seconds", seconds, "s"),
            ("error_over_bound", 40.0 if wrong else 0.1, ""),
            ("flop_per_second", 2 * axes["m"] ** 3 / seconds, "FLOP/s"),
        ),
    }


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("operators")
    record(f"sqlite:///{folder}/ledger.sqlite", folder, WRITTEN, ran)
    return folder


def run(*arguments: str, cwd: Path) -> Result:
    return CliRunner().invoke(
        app, ["analyze", "compare", *arguments, "--ledger", f"sqlite:///{cwd}/ledger.sqlite"]
    )


def test_what_fails_is_first_then_a_summary_then_the_points(place: Path) -> None:
    done = run("operators", "--by", "framework", cwd=place)
    assert done.exit_code == 0, done.output
    failing, summary, table = done.stdout.split("\n\n")
    assert failing.splitlines()[0] == "2 points out of bound or with failed instances"
    assert "gemm[m=512,precision=bfloat16,framework=auto]" in failing.splitlines()[2]
    assert "error_over_bound 40" in failing.splitlines()[2]
    assert "1 out of memory" in failing.splitlines()[3]
    assert summary.startswith("wallclock_seconds of 8 rows of points, lower is better")
    assert summary.splitlines()[2].split() == ["auto", "8", "1", "1", "7", "7", "1"]
    assert "corrected by Holm's method for 7 pairs" in summary
    assert len(table.splitlines()) == 2 + 8
    assert "12 runs) **" in table
    assert " !" in table


def test_top_limits_the_rows_and_json_has_all(place: Path) -> None:
    done = run("operators", "--by", "framework", "--top", "2", cwd=place)
    assert done.stdout.rstrip().endswith("and 6 more rows; --top 8 prints all")
    done = run("operators", "--by", "framework", "--top", "0", "--json", cwd=place)
    found = json.loads(done.stdout)
    assert len(found["rows"]) == 8
    assert found["rows"][0]["cells"][0]["figure"]["low"] < found["rows"][0]["cells"][0]["figure"]["high"]


def test_a_metric_and_a_benchmark_can_be_chosen(place: Path) -> None:
    done = run(
        "operators", "--by", "precision", "--metric", "flop_per_second",
        "--benchmark", "gemm", "--json", cwd=place,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert (found["better"], found["values"]) == ("higher", ["float32", "bfloat16"])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["operators", "--by", "frame"], 1, "no point has 'frame'; did you mean framework"),
        (["operators", "--by", "k"], 1, "all points have k 4096; they differ in framework, m, precision"),
        (["operators", "--by", "framework", "--metric", "x"], 1, "no accepted run has the metric 'x'"),
        (["operators", "--by", "framework", "--benchmark", "nt3"], 1, "nt3"),
        (["nothing", "--by", "framework"], 1, "nothing"),
        (["operators", "operators", "--by", "framework"], 2, "name one campaign"),
        (["--by", "framework"], 2, "name one campaign"),
        (["operators", "--by", "framework", "--fail-if-slower", "3%"], 2, "--fail-if-slower"),
        (["operators", "--metric", "time"], 2, "give --by AXIS"),
        (["operators", "--difference", "3%"], 2, "give --by AXIS"),
        (["operators", "--by", "framework", "--difference", "much"], 2, "must be a share above 0"),
        (["operators", "--by", "framework", "--difference", "0"], 2, "lies between 0 and 1"),
        (
            ["operators", "--by", "framework", "--difference", "3%", "--error", "1"],
            2,
            "1 would be 100 %: write 1 %",
        ),
        (["operators", "--by", "framework", "--top", "-1"], 2, "--top"),
    ],
)
def test_bad_input_is_an_error_with_advice(
    place: Path, arguments: list[str], code: int, message: str
) -> None:
    done = run(*arguments, cwd=place)
    assert done.exit_code == code
    assert message in " ".join((str(done.exception) if code == 1 else done.output).split())


def test_certain_differences_are_stated_with_their_least_size(place: Path) -> None:
    done = run("operators", "--by", "framework", "--difference", "10%", cwd=place)
    assert done.exit_code == 0, done.output
    told = done.stdout[done.stdout.index("for differences of at least 10 %, at every look:") :]
    lines = told.splitlines()
    certain = [
        one for one in lines if one.startswith("  framework auto is certainly faster than framework tensor")
    ]
    assert len(certain) == 7  # of 8 rows, as one has a point that is out of its bound
    assert all(float(one.split("at least ")[1].split(" %")[0]) >= 10 for one in certain)
    assert "at most 5 % of such tables have any wrong line" in told


def test_a_difference_too_small_to_see_is_undecided_or_alike(place: Path) -> None:
    words = ("operators", "--by", "precision", "--benchmark", "gemm", "--difference", "20%", "--json")
    found = json.loads(run(*words, cwd=place).stdout)["certain"]
    outcomes = [pair["outcome"] for row in found["rows"] for pair in row["pairs"]]
    assert (found["difference"], found["error"]) == (0.2, 0.05)
    assert "alike" in outcomes
    assert not {"lower", "higher"} & set(outcomes)  # the precision changes no time


def test_looks_wait_for_instances_in_their_order(tmp_path: Path) -> None:
    def running(point: PlannedBenchmark, index: int) -> Outcome:
        draw = random.Random(f"{point.name}/{index}").lognormvariate(0, 0.02)
        return {"fom_seconds": draw} if index not in (7, 9) else None if index == 7 else "crash"

    record(f"sqlite:///{tmp_path}/ledger.sqlite", tmp_path, WRITTEN, running)
    done = run("operators", "--by", "framework", "--difference", "1%", "--json", cwd=tmp_path)
    pairs = [pair for row in json.loads(done.stdout)["certain"]["rows"] for pair in row["pairs"]]
    assert {pair["looks"] for pair in pairs} == {7}  # of 10 values that are there


def test_too_few_instances_say_what_to_do(tmp_path: Path) -> None:
    few = WRITTEN | {"benchmarks": [{**WRITTEN["benchmarks"][0], "repeat": 4}]}  # type: ignore[dict-item]
    record(f"sqlite:///{tmp_path}/ledger.sqlite", tmp_path, few, ran)
    done = run("operators", "--by", "framework", "--difference", "10%", cwd=tmp_path)
    assert "no two points have 5 instances each" in str(done.exception)


def test_runs_of_a_registered_block_are_pairs_which_no_drift_biases(tmp_path: Path) -> None:
    def drifting(point: PlannedBenchmark, index: int) -> Outcome:
        assert point.point is not None
        shift = 1.05 if dict(point.point.axes)["framework"] == "auto" else 1.0
        draw = random.Random(f"{point.name}/{index}").lognormvariate(0, 0.005)
        return {"fom_seconds": 1.0, "metrics": (("wallclock_seconds", shift * draw * 2.0**index, "s"),)}

    written = WRITTEN | {
        "order": "interleaved",
        "benchmarks": [{**WRITTEN["benchmarks"][0], "matrix": {"framework": ["auto", "tensorflow"]}}],  # type: ignore[dict-item]
    }
    url = f"sqlite:///{tmp_path}/ledger.sqlite"
    number = record(url, tmp_path, written, drifting)
    words = ("operators", "--by", "framework", "--difference", "1%", "--json")
    [alone] = json.loads(run(*words, cwd=tmp_path).stdout)["certain"]["rows"]
    assert [pair["outcome"] for pair in alone["pairs"]] == ["undecided"]
    names = ["gemm[framework=auto]", "gemm[framework=tensorflow]"]
    design = OrderDesign("interleaved", 2017, dict.fromkeys(names, 1), dict.fromkeys(names, ""))
    with Ledger.open(url) as book:
        book.note(number, EventKind.ORDER_REGISTERED, "registered", data=design.facts())
    found = json.loads(run(*words, cwd=tmp_path).stdout)["certain"]
    [pair] = found["rows"][0]["pairs"]
    assert pair["outcome"] == "higher"
    assert 1.01 <= pair["low"] <= 1.05 <= pair["high"]
    assert "a pair" in found["notes"][1]
