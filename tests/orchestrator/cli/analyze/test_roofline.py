"""`analyze roofline` on ledgers whose runs are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from db.errors import LedgerError
from db.states import RunOutcome
from orchestrator.cli import app
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.session.run_session import RunResult
from orchestrator.planning.stage import PlannedBenchmark
from tests.orchestrator.cli.study_ledger import Outcome, record

SLOT = {"cores": 2}
COMMON = {"timeout": "1 h", "instances": 2, "slot": SLOT}
MICRO = [
    {"workload": "gemm"},
    {"workload": "gemm", "name": "half", "parameters": {"precision": "bfloat16"}},
    {"workload": "triad"},
    {"workload": "read_bandwidth"},
    {"workload": "allreduce", "slot": SLOT | {"ranks": 2}},
]
ALLREDUCE = {"bus_bytes_per_second": 1e8, "algorithm_bytes_per_second": 1e8}
MEASURED: dict[str, dict[str, float]] = {
    "gemm": {"flop_per_second": 1e11, "flop_per_second_lowest": 9e10, "flop_per_second_highest": 1.2e11},
    "half": {"flop_per_second": 4e11},
    "triad": {"bytes_per_second": 2e10},
    "read_bandwidth": {"bytes_per_second": 1e9},
    "allreduce": ALLREDUCE,
    "lstm": {"samples_seen": 100},
    "resnet50": {
        "samples_seen": 1000, "training_flop_per_sample": 24e9, "training_seconds": 480.0,
        "optimizer_steps": 100, "communicated_bytes_per_step": 1e8,
    },
    "resnet50_v15": {"samples_seen": 1000, "training_flop_per_sample": 24e9, "training_seconds": 480.0},
}  # fmt: skip
URL = "sqlite:///ledger.sqlite"


def ran(point: PlannedBenchmark, index: int) -> Outcome:
    name = point.name.removesuffix("$a$_2")
    return {
        "fom_seconds": 1.0 + index,
        "metrics": tuple((metric, value, "") for metric, value in MEASURED[name].items()),
        "environment": {"cpu_model": "CPU Z", "memory": "host"},
        "observed": {
            "precision": str(point.parameters.get("precision", "float64")),
            "foreign_cpu_percent": 8 * index if name == "triad" else 0,
        },
    }


def campaign(name: str, *benchmarks: dict[str, Any], rulebook: str = "none") -> dict[str, Any]:
    return {"campaign": name, "rulebook": rulebook, "benchmarks": [COMMON | one for one in benchmarks]}


def lost(point: PlannedBenchmark, index: int) -> Outcome:
    """Return what `ran` does, but no microbenchmark succeeds."""
    return "out of memory" if point.name in ("gemm", "triad") else ran(point, index)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("roofline")
    url = f"sqlite:///{folder}/ledger.sqlite"
    two = {"workload": "resnet50", "name": "resnet50$a$_2", "slot": SLOT | {"ranks": 2}}
    record(url, folder, campaign("micro", *MICRO), ran)
    record(url, folder, campaign("nets", {"workload": "resnet50"}, two, {"workload": "lstm"}), ran)
    record(url, folder, campaign("both", *MICRO[:3], {"workload": "resnet50"}), ran)
    record(url, folder, campaign("failed", MICRO[0]), lambda *_: "out of memory")
    suite = [{"workload": "resnet50_v15"}, MICRO[0]]
    record(url, folder, campaign("suite", *suite, rulebook="hpcai500"), ran)
    record(url, folder, campaign("bare", suite[0], rulebook="hpcai500"), ran)
    record(url, folder, campaign("ceilings", *MICRO, rulebook="hpcai500"), ran)
    record(url, folder, campaign("lost", *suite, rulebook="hpcai500"), lost)
    return folder


@pytest.fixture(autouse=True)
def _there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


def roofline(*words: str) -> str:
    done = CliRunner().invoke(app, ["analyze", "roofline", *words])
    if isinstance(done.exception, LedgerError | CampaignError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def test_trainings_of_one_campaign_stand_below_the_ceilings_of_another() -> None:
    found = json.loads(roofline("micro", "nets", "--json"))
    assert [(one["kind"], one["precision"]) for one in found["ceilings"]] == [
        ("gemm", "bfloat16"), ("gemm", "float32"), ("triad", ""), ("allreduce", ""),
    ]  # fmt: skip
    assert [one["foreign_cpu_percent"] for one in found["ceilings"]] == [0, 0, 8, 0]  # the most of any run
    one, two, lstm = found["trainings"]
    assert one["flop_per_second"] == pytest.approx(5e10)
    assert one["share_of_peak"] == pytest.approx(0.5)
    assert one["place"] == {"cores": 2, "gpus": 0.0, "machine": "CPU Z"}
    # 1,000 samples in 100 steps of two ranks: 120 GFLOP of a rank by 100 MB.
    assert two["intensity"] == pytest.approx(1200)
    assert two["attainable"] == pytest.approx(1e11)
    assert two["flop_per_second"] == pytest.approx(2.5e10)
    assert lstm["flop_per_second"] is None
    assert lstm["notes"] == ["no run has training_flop_per_sample, training_seconds"]


def test_tables_are_of_one_rank_and_name_what_is_missing() -> None:
    text = roofline("micro", "nets")
    [line] = [one for one in text.splitlines() if one.startswith("nets/resnet50$a$_2")]
    assert line.split() == [
        "nets/resnet50$a$_2",
        "2",
        "float32",
        "2",
        "25",
        "25",
        "1200",
        "100",
        "25",
        "compute",
    ]
    assert "\nnets/lstm: no run has training_flop_per_sample, training_seconds\n" in text
    assert "2 cores, CPU Z" in text
    assert "no trainings; name a campaign with some" in roofline("micro")


@pytest.mark.parametrize("names", [["micro", "nets"], ["micro"]])
def test_the_figure_is_drawn(names: list[str], tmp_path: Path) -> None:
    files = [tmp_path / "a.svg", tmp_path / "b.PNG"]
    for file in files:
        roofline(*names, "--figures", str(file))
    svg = files[0].read_text()
    ET.fromstring(svg)
    assert "Rooflines" in svg
    assert ("nets/resnet50$a$_2, 2 ranks" in svg) == ("nets" in names)
    assert files[1].read_bytes().startswith(b"\x89PNG")
    again = tmp_path / "again.svg"
    roofline(*names, "--figures", str(again))
    assert again.read_text() == svg


@pytest.mark.parametrize("name", ["both", "nets"])
def test_a_report_has_the_rooflines_of_a_campaign_that_measured_ceilings(name: str) -> None:
    done = CliRunner().invoke(app, ["report", name, "--format", "md", "--figures", "figures"])
    assert done.exit_code == 0, done.output
    text = Path(f"{name}.md").read_text()
    assert ("## Rooflines" in text) == (name == "both")
    if name == "both":
        [row] = [line for line in text.splitlines() if line.startswith("| both/resnet50 ")]
        assert [cell.strip() for cell in row.split("|")[5:7]] == ["50", "50"]  # GFLOP/s, % of peak
        assert "Measured ceilings of one rank" in text
        ET.fromstring(Path("figures/roofline.svg").read_text())


def of_campaign(text: str, name: str) -> list[str]:
    """Return the cells of a training's row in the table that ends a figure of merit."""
    table = text.partition("\ntrainings below measured ceilings, one rank of each\n")[2]
    return next((line.split() for line in table.splitlines() if line.startswith(f"{name} ")), [])


STANDS = ["2", "50", "50", "100", "50", "compute"]
"""Runs, GFLOP/s, % of peak, attainable, % of it: 1,000 samples of 24 GFLOP in 480 s below 100 GFLOP/s."""


def test_a_figure_of_merit_ends_with_the_roofline_that_its_rulebook_shows() -> None:
    def fom(*words: str) -> str:
        done = CliRunner().invoke(app, ["fom", *words])
        assert done.exit_code == 0, done.output
        return done.output

    row = of_campaign(fom("suite"), "suite/resnet50_v15")
    assert [cell for cell in row if cell != "-"][3:] == STANDS
    together = fom("bare", "ceilings")  # trainings of one campaign, ceilings of another
    assert of_campaign(together, "bare/resnet50_v15")
    for nothing in (["bare"], ["ceilings"], ["lost"], ["both"]):  # rulebook none shows no roofline
        assert "measured ceilings" not in fom(*nothing)
        assert "roofline" not in json.loads(fom(*nothing, "--json"))
    [ratio] = json.loads(fom("bare", "--json"))["achieved"]
    assert (ratio["shares"], bool(ratio["absent"])) == ({}, True)
    assert "resnet50_v15: no ratio to a theoretical peak: " in fom("bare")
    found = json.loads(fom("suite", "--json"))["roofline"]
    assert found == json.loads(roofline("suite", "--json"))


@pytest.mark.parametrize("name", ["suite", "lost", "both"])
def test_a_launch_ends_with_the_roofline_and_names_what_is_next(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ended = RunResult(name, RunOutcome.COMPLETE, 4, 4, 0, tmp_path, URL)
    monkeypatch.setattr("orchestrator.lifecycle.launch.launch", lambda *_, **__: ended)
    done = CliRunner().invoke(app, ["launch", "any", "--json"])
    assert done.exit_code == 0, done.output
    shown = name == "suite"
    assert ("roofline" in json.loads(done.stdout)) == shown
    text = CliRunner().invoke(app, ["launch", "any"]).output
    row = [cell for cell in of_campaign(text, f"{name}/resnet50_v15") if cell != "-"]
    assert row[3:] == (STANDS if shown else [])
    follow = text[text.index("\nnext ") :]
    assert f"orchestrator report {name}\n" in follow
    assert (f"orchestrator analyze roofline {name} --figures roofline.svg\n" in follow) == shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["nets"],
            r"^no accepted run of gemm, conv, triad or allreduce in nets; launch them .*, then name that",
        ),
        (["failed"], "no accepted run of gemm"),
        (["micro", "micro"], "several different ones"),
        (["gone"], "gone"),
        (["micro", "--figures", "a.pdf"], r"must end in \.svg or \.png"),
        (["micro", "--figures", "no/a.svg"], "no/a.svg: cannot be written: No such file"),
    ],
)
def test_bad_input_is_one_line(words: list[str], message: str) -> None:
    with pytest.raises((CampaignError, LedgerError), match=message) as raised:
        roofline(*words)
    assert "\n" not in str(raised.value)


def test_the_shipped_campaign_is_planned_on_a_large_machine() -> None:
    done = CliRunner().invoke(app, ["plan", "microbenchmarks", "--site", "frontier"])
    assert done.exit_code == 0, done.output
    for name in ("gemm (5 points)", "conv (10 points)", "triad", "read_bandwidth", "allreduce (4 points)"):
        assert f"\n{name} " in done.output
