"""`plan` of campaigns that end once they are certain: questions, and what certainty costs."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from orchestrator.cli import app
from orchestrator.planning.stage import PlannedBenchmark
from tests.orchestrator.cli.study_ledger import Outcome, record

ASKING: dict[str, Any] = {
    "campaign": "asking",
    "rulebook": "none",
    "decide": {"compare": "seconds", "difference": "3 %", "at_most": 60},
    "benchmarks": [
        {
            "workload": "tests.toys.behave",
            "name": "toy",
            "timeout": "1 min",
            "expected_runtime": "36 s",
            "share": True,
            "matrix": {"seconds": [1.0, 1.1]},
        }
    ],
}


def plan(folder: Path, written: dict[str, Any], *words: str) -> Result:
    file = folder / "asking.yaml"
    file.write_text(json.dumps(written))
    return CliRunner().invoke(app, ["plan", str(file), "--site", "local", *words])


def test_it_says_what_is_asked_and_how_to_learn_the_cost(tmp_path: Path) -> None:
    done = plan(tmp_path, ASKING)
    assert done.exit_code == 0, done.output
    assert "compared by seconds: points end once it is certain which of them differ by 3 %" in done.output
    assert "`--spread 2%` or `--like CAMPAIGN`" in done.output


def test_certainty_against_cost_from_a_guess(tmp_path: Path) -> None:
    done = plan(tmp_path, ASKING, "--spread", "2%", "--json")
    [table] = json.loads(done.stdout)["certainty"]
    assert (table["pairs"], table["points"], table["at_most"]) == (1, 2, 60)
    assert table["sigma"] == pytest.approx(0.02, rel=0.02)
    runs = [row["expected"]["runs"] for row in table["rows"]]
    assert runs == sorted(runs, reverse=True)
    asked = table["rows"][1]
    assert asked["wanted"] == 0.03
    assert asked["twice"]["runs"] < asked["expected"]["fixed"]
    assert asked["expected"]["decided"] > 0.9
    shown = plan(tmp_path, ASKING, "--spread", "2%").output
    assert all(len(line) <= 80 for line in shown.splitlines() if "%  " in line)


def test_certainty_against_cost_from_an_earlier_campaign(tmp_path: Path) -> None:
    def ran(point: PlannedBenchmark, index: int) -> Outcome:
        draw = random.Random(f"{point.name}/{index}").lognormvariate(0, 0.05)
        return {"fom_seconds": 7.0 * draw}

    url = f"sqlite:///{tmp_path}/ledger.sqlite"
    record(url, tmp_path, ASKING | {"campaign": "earlier"}, ran)
    done = plan(tmp_path, ASKING, "--like", "earlier", "--ledger", url, "--json")
    [table] = json.loads(done.stdout)["certainty"]
    assert table["sigma"] == pytest.approx(0.05, rel=0.3)


def test_a_width_has_its_own_table(tmp_path: Path) -> None:
    written = {key: value for key, value in ASKING.items() if key != "decide"}
    done = plan(tmp_path, written | {"until": {"width": "3 %", "at_most": 60}}, "--spread", "2%")
    assert "2 points, confidence 95 %, at most 60 runs" in done.output
    assert "width" in done.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--spread", "wide"], "must be a share above 0"),
        (["--spread", "2%", "--like", "earlier"], "give one of both"),
    ],
)
def test_wrong_options_are_named(tmp_path: Path, words: list[str], said: str) -> None:
    done = plan(tmp_path, ASKING, *words)
    assert done.exit_code != 0
    assert said in done.output


def test_a_campaign_without_questions_has_no_such_cost(tmp_path: Path) -> None:
    written = {key: value for key, value in ASKING.items() if key != "decide"}
    done = plan(tmp_path, written, "--spread", "2%")
    assert "neither `until` nor `decide`" in str(done.exception)


def test_a_simulation_says_the_cost_of_certainty_too(tmp_path: Path) -> None:
    done = plan(tmp_path, ASKING, "--simulate", "--spread", "2%")
    assert done.exit_code == 0, done.output
    assert "the simulation runs all instances" in done.output
    assert "fixed design" in done.output
    facts = json.loads(plan(tmp_path, ASKING, "--simulate", "--spread", "2%", "--json").stdout)
    assert facts["certainty"][0]["at_most"] == 60
