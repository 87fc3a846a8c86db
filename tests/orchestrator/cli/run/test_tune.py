"""`workload tune` on ledgers whose runs are known, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from db.ledger import Ledger
from db.reader import Reader
from orchestrator.cli import app
from orchestrator.errors import CampaignError
from orchestrator.planning.stage import PlannedBenchmark
from orchestrator.tuning.options import TuneOptions
from orchestrator.tuning.result import tuned
from sites import load
from tests.db import rows
from tests.db.rows import T0
from tests.orchestrator.cli.study_ledger import Outcome, record

CAMPAIGN = {
    "campaign": "tune-lstm-test",
    "rulebook": "coral2",
    "start": "synchronized",
    "benchmarks": [
        {
            "workload": "lstm",
            "slot": {"nodes": 1, "cores": 1},
            "matrix": {"include": [{"cores": 64}, {"cores": 16}, {"cores": 1}]},
            "instances": "fill x6",
            "timeout": "1 h",
        }
    ],
}
SECONDS = {64: 0.001, 16: 0.002, 1: 0.064}
S = 1_000_000


def test_the_help_fits_a_screen() -> None:
    shown = CliRunner().invoke(app, ["workload", "tune", "--help"], env={"COLUMNS": "80"})
    assert len(shown.output.splitlines()) <= 50


def ran(point: PlannedBenchmark, index: int) -> Outcome:
    """Return a run of a wave that fills the node; one of 64 instances ran out of memory."""
    cores = point.shape.cores
    slots = len(point.slots)
    wave, slot = divmod(index, slots)
    if cores == 1 and wave == 5 and slot == 3:
        return "out of memory"
    begin = T0 + wave * 100 * S
    return {
        "node": "n1",
        "slot_index": slot,
        "run_start_us": begin,
        "run_stop_us": begin + 10 * S,
        "fom_seconds": SECONDS[cores] * (1 + 0.001 * slot + 0.01 * wave),
        "peak_memory_bytes": 1 << 28,
    }


@pytest.fixture(autouse=True)
def _ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ended(record("sqlite:///ledger.sqlite", tmp_path, CAMPAIGN, ran))


def ended(number: int) -> None:
    with Ledger("sqlite:///ledger.sqlite") as book:
        book.end_session(number, 1, "me", "complete")


def output_of(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["workload", "tune", *words])
    if isinstance(done.exception, CampaignError):
        raise done.exception
    assert done.exit_code == code, done.output
    return done.output


REPORT = ("lstm", "--report", "--at-most", "6", "--name", "tune-lstm-test")  # all fills that it has


def test_the_report_names_the_best_slot_with_its_interval() -> None:
    lines = output_of(*REPORT).splitlines()
    rows = [line.split() for line in lines[2:5]]
    assert [row[:3] for row in rows] == [["1", "64", "6"], ["4", "16", "6"], ["64", "1", "5"]]
    assert rows[1][-1] == "best"
    text = "\n".join(lines)
    assert "recommended  4 instances per node, slot {cores: 16}: 0.0001961 (0.0001914 to 0.000201)" in text
    assert "coral2 FOM per node" in text
    assert "1 wave is left out" in text
    assert "the memory of a node is not known, so it bounds nothing" in text


def test_held_node_hours_have_their_price() -> None:
    assert "cost" not in json.loads(output_of(*REPORT, "--json"))
    with rows.raw("sqlite:///ledger.sqlite") as connection:
        priced = "site: local\ncost: {node_hour: 2, currency: EUR}\n"
        connection.exec_driver_sql("UPDATE campaigns SET site_yaml = ?", (priced,))
    with Reader("sqlite:///ledger.sqlite") as reader:
        found = tuned(reader, reader.campaign(REPORT[-1]), TuneOptions(workload="lstm")).to_dict()
    assert found["cost"]["money"] == pytest.approx(2 * found["held_node_hours"])


def test_json_has_every_number() -> None:
    found = json.loads(output_of(*REPORT, "--json"))
    assert found["recommended"]["instances"] == 4
    assert found["recommended"]["slot"] == {"cores": 16}
    assert [one["instances"] for one in found["points"]] == [1, 4, 64]
    assert found["points"][2]["missing"] == {"out of memory": 1}
    assert found["points"][2]["partial"] == 1
    assert found["points"][0]["peak_bytes"] == 1 << 28
    assert found["points"][1]["figure"]["low"] < found["points"][1]["figure"]["value"]


def test_the_plot_and_the_slot_are_written(tmp_path: Path) -> None:
    (tmp_path / "test.yaml").write_text("site: test\nnode: {cores: 0-63, memory: 8 GiB}\n")
    text = output_of(*REPORT, "--figures", "curve.svg", "--output", "tuned.yaml", "--site", "test.yaml")
    assert ET.parse(tmp_path / "curve.svg").getroot().tag.endswith("svg")
    assert load("tuned.yaml")[0].slots["lstm"].cores == 16
    assert text.splitlines()[-1] == "written      tuned.yaml"
    assert "4 per node: 0.0001961" in (tmp_path / "tuned.yaml").read_text()
    output_of(*REPORT, "--output", "tuned.yaml", code=2)
    output_of(*REPORT, "--output", "tuned.yaml", "--force")


@pytest.mark.parametrize("words", [[], ["--site", "local"]])
def test_the_slot_of_one_site_is_not_written_into_a_copy_of_another(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORCHESTRATOR_SITE", "local")
    with pytest.raises(
        CampaignError, match="is of site test, and the copy would be of site local; add --site"
    ):
        output_of(*REPORT, "--output", "tuned.yaml", *words)
    assert not (tmp_path / "tuned.yaml").exists()


def test_an_unfinished_tuning_writes_no_slot(tmp_path: Path) -> None:
    def stopped(point: PlannedBenchmark, index: int) -> Outcome:
        return ran(point, index) if point.shape.cores > 1 else None

    ended(record("sqlite:///ledger.sqlite", tmp_path, CAMPAIGN | {"campaign": "stopped"}, stopped))
    text = output_of("lstm", "--report", "--name", "stopped", "--output", "tuned.yaml")
    assert "recommended  4 instances per node" in text
    assert "not written  tuned.yaml: the tuning is unfinished, 384 instances have not run" in text
    assert not (tmp_path / "tuned.yaml").exists()


def test_a_dry_run_shows_points_and_cost_and_leaves_nothing(tmp_path: Path) -> None:
    site = {"site": "ours", "interface": "lo", "node": {"cores": "0-7", "memory": "8 GiB"}}
    site |= {"scheduler": {"type": "slurm", "walltime": "2 h", "nodes_per_block": 9}}
    (tmp_path / "ours.yaml").write_text(json.dumps(site))
    before = sorted(tmp_path.iterdir())
    text = output_of("lstm", "--site", "ours.yaml", "--from", "demo", "--dry-run", "--waves", "3")
    assert "sweep lstm: 3 points" in text
    assert "4 in all at the most" in text
    assert "node-hours 0.025, if instances take what is expected at every point" in text
    found = json.loads(output_of("lstm", "--site", "ours.yaml", "--dry-run", "--json"))
    assert found["node_hours"] is None
    assert found["most_points"] == 4
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--dry-run", "--report"], "--dry-run measures nothing"),
        (["--force"], "--force is for --output FILE"),
        (["--waves", "0"], "--waves"),
        (["--reserve", "1"], "--reserve"),
        (["--epochs", "0"], "--epochs"),
        (["--output", "/tmp", "--force"], "/tmp is a directory"),
        (["--output", "missing/site.yaml"], "cannot be written in missing"),
        (["--output", "site.txt"], "ends in .yaml"),
        (["--figures", "missing/curve.svg"], "cannot be written in missing"),
    ],
)
def test_options_that_contradict_each_other_are_refused(words: list[str], problem: str) -> None:
    done = CliRunner().invoke(app, ["workload", "tune", "lstm", *words], env={"COLUMNS": "300"})
    assert done.exit_code == 2
    assert problem in done.output


def test_the_campaign_of_another_workload_is_not_gone_on_with() -> None:
    with pytest.raises(CampaignError, match="campaign tune-lstm-test tunes lstm, not p1b1; give"):
        output_of("p1b1", "--name", "tune-lstm-test", "--site", "local")


def test_a_campaign_that_is_no_tuning_is_not_resumed(tmp_path: Path) -> None:
    plain = {"workload": "lstm", "instances": 4, "timeout": "1 h"}
    other = {"campaign": "friday", "rulebook": "none", "benchmarks": [plain]}
    record("sqlite:///other.sqlite", tmp_path, other, lambda *_: "out of memory")
    with pytest.raises(CampaignError, match="campaign friday compares more than slots of one node"):
        output_of("lstm", "--name", "friday", "--site", "local", "--ledger", "sqlite:///other.sqlite")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["lstm", "--epochs", "3"], "lstm has no key or parameter epochs"),
        (["lstm", "--set", "lstm.batch_size=none"], "batch_size"),
        (["lstm", "--name", "a b"], "letters, digits"),
        (["lstm", "--from", "nothing.yaml"], "nothing.yaml does not exist"),
    ],
)
def test_wrong_values_are_one_line(words: list[str], problem: str) -> None:
    with pytest.raises(CampaignError, match=problem) as raised:
        output_of(*words, "--dry-run")
    assert "\n" not in str(raised.value)


def test_a_campaign_without_a_full_node_recommends_nothing(tmp_path: Path) -> None:
    def never(point: PlannedBenchmark, index: int) -> Any:
        return "timeout"

    ended(record("sqlite:///ledger.sqlite", tmp_path, CAMPAIGN | {"campaign": "failed"}, never))
    text = output_of("lstm", "--report", "--name", "failed")
    assert "recommended  nothing yet; `orchestrator status failed` shows where it stands" in text
    assert "dropped      lstm[cores=64]: never filled a node: 6 timeout" in text
    with pytest.raises(CampaignError, match="failed recommends no slot yet"):
        output_of("lstm", "--report", "--name", "failed", "--output", "tuned.yaml")
    with pytest.raises(CampaignError, match="has no full node to draw"):
        output_of("lstm", "--report", "--name", "failed", "--figures", "curve.svg")
