"""Sweeps on the command line: planned, listed, and named by label or by sweep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from db.errors import LedgerError
from db.events import EventKind
from db.ledger import Ledger
from orchestrator.cli import app
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_reading import load_campaign
from orchestrator.planning.plan import make_plan
from orchestrator.planning.slots import NodeFacts
from sites import Site
from tests.orchestrator.simulation.campaign import register

CAMPAIGN: dict[str, Any] = {
    "campaign": "toy",
    "rulebook": "none",
    "benchmarks": [
        {
            "workload": "tests.toys.behave",
            "name": "nt3",
            "matrix": {
                "megabytes": [1, 2],
                "seconds": [0.5, 1],
                "derive": {"expected_runtime": "megabytes * 30"},
            },
            "repeat": 3,
            "timeout": "1 h",
        },
        {"workload": "tests.toys.behave", "name": "plain", "instances": 1, "timeout": 60},
    ],
}
LABEL = "nt3[megabytes=2,seconds=0.5]"


@pytest.fixture(autouse=True)
def _campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "toy.yaml"
    file.write_text(json.dumps(CAMPAIGN))
    made = make_plan(load_campaign(file)[0], Site(site="test"), NodeFacts((0, 1), 8 << 30), tmp_path)
    with Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite") as book:
        register(book, made, tmp_path)


def said(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, list(words))
    if isinstance(done.exception, LedgerError | CampaignError):
        raise done.exception
    assert done.exit_code == code, done.output
    return done.output


def test_plan_lists_points_with_slots_and_cost_in_their_order() -> None:
    text = said("plan", "toy.yaml")
    head, table = text.split("sweep nt3: 4 points in the order in which they run")
    assert "nt3 (4 points)" in head
    rows = [line.split() for line in table.strip().splitlines()]
    assert rows[0] == ["megabytes", "seconds", "slot", "at", "once", "instances", "expected", "node-hours"]
    assert [row[:3] for row in rows[1:5]] == [
        ["2", "0.5", "c1"],  # the longest first
        ["2", "1", "c1"],
        ["1", "0.5", "c1"],
        ["1", "1", "c1"],
    ]


def test_the_cost_of_a_study_whose_runtimes_are_not_known_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROJECT", "a")
    text = said("plan", "candle-p1-weak", "--site", "summit")
    [row] = [line for line in text.partition("sweep nt3")[2].splitlines() if line.startswith("   96")][:1]
    assert row.split()[-2:] == ["≤", "80"]  # 16 nodes for three times 1 h 40 min: one at a time
    assert "in all at most 29,460.0 node-hours, if every instance runs until its timeout once" in text


@pytest.mark.parametrize(
    ("name", "largest", "instances", "benchmarks"),
    [
        ("strong", "n64-r384-", 180, ("nt3", "p1b1_parallel", "p1b2", "p1b3")),
        ("weak", "n512-r3072-", 144, ("nt3", "p1b1_parallel", "p1b2")),
    ],
)
def test_the_studys_own_scales_run_in_a_simulation(
    name: str, largest: str, instances: int, benchmarks: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROJECT", "a")
    settings = [word for one in benchmarks for word in ("--set", f"{one}.expected_runtime=10min")]
    text = said("plan", f"candle-p1-{name}", "--site", "summit", "--simulate", *settings)
    assert largest in text
    assert f"{instances} of {instances} instances" in text


def test_plan_states_one_reason_for_all_points() -> None:
    text = said("plan", "toy.yaml").replace("\n", " ")
    assert "nt3 (4 points)" in text
    Path("toy.yaml").write_text(json.dumps(CAMPAIGN | {"rulebook": "coral2"}))
    text = said("plan", "toy.yaml")
    assert text.count("nt3 (4 points): a point of sweep nt3, which is no run of the suite") == 1


def test_status_has_a_row_for_a_sweep_or_for_each_of_its_points() -> None:
    assert "nt3 (4 points)" in said("status", "toy")
    points = said("status", "toy", "--benchmark", "nt3")
    assert points.count("nt3[megabytes=") == 4
    assert "plain" not in points
    found = json.loads(said("status", "toy", "--json", "--benchmark", LABEL))
    assert found["benchmarks"] == {LABEL: {"planned": 3}}
    assert len(found["sweeps"]["nt3"]) == 4
    with pytest.raises(LedgerError, match=r"no benchmark or sweep 'nt4'; did you mean nt3"):
        said("status", "toy", "--benchmark", "nt4")
    assert said("status", "--benchmark", "nt3").count("nt3[megabytes=") == 4  # of the last campaign


def test_instances_are_chosen_by_label_and_by_sweep() -> None:
    for name, number in (("nt3", 12), (LABEL, 3), ("plain", 1)):
        rows = json.loads(said("instance", "list", "toy", "--benchmark", name, "--json"))
        assert len(rows) == number
    assert rows[0]["sweep"] is None
    [row, *_] = json.loads(said("instance", "list", "toy", "--benchmark", LABEL, "--json"))
    assert (row["sweep"], row["megabytes"], row["seconds"]) == ("nt3", 2, 0.5)


def test_an_instance_of_a_point_is_shown_with_its_axes() -> None:
    assert "point of sweep nt3: megabytes 2, seconds 0.5" in said("instance", "show", "toy", f"{LABEL}/2")
    found = json.loads(said("instance", "show", "toy", f"{LABEL}/2", "--json"))
    assert (found["sweep"], found["axes"]) == ("nt3", {"megabytes": 2.0, "seconds": 0.5})
    with pytest.raises(LedgerError, match=r"no instance 'nt3\[megabytes=2\]/2'; write benchmark/number"):
        said("instance", "show", "toy", "nt3[megabytes=2]/2")


def test_the_data_of_a_sweep_are_named_once(tmp_path: Path) -> None:
    with Ledger(f"sqlite:///{tmp_path}/ledger.sqlite") as book:
        number = book.campaign("toy").campaign_id
        book.note(number, EventKind.DATA_READ, "read", subject="nt3", data={"path": "/data/nt3"})
    assert json.loads(said("instance", "show", "toy", f"{LABEL}/0", "--json"))["data"] == {
        "path": "/data/nt3"
    }
    assert "data" not in json.loads(said("instance", "show", "toy", "plain/0", "--json"))
    assert list(json.loads(said("fom", "toy", "--json"))["data"]) == ["nt3"]


def test_the_shipped_sweep_runs_in_a_simulation() -> None:
    found = json.loads(said("plan", "sweep-demo", "--json"))
    names = [one["name"] for stage in found["stages"] for one in stage["benchmarks"]]
    assert len(names) == 5
    assert "alexnet[batch_size=16,width_divisor=8]" in names
    images = {
        one["parameters"]["steps"] * one["parameters"]["batch_size"]
        for stage in found["stages"]
        for one in stage["benchmarks"]
    }
    assert images == {64}
    assert "10 of 10 instances" in said("plan", "sweep-demo", "--simulate")
