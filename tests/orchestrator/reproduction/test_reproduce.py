"""Reproducing a document: its campaigns, its pages, and the commands."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from db.ledger import Ledger
from db.reader import Reader
from db.states import RunOutcome
from orchestrator.analysis.reproduction.exhibits import Scale
from orchestrator.analysis.reproduction.regenerated import regenerated
from orchestrator.cli import app
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.options import LaunchOptions, PlanOptions, ResumeOptions
from orchestrator.lifecycle.session.run_session import RunResult
from orchestrator.planning.campaign_reading import load_campaign
from orchestrator.planning.stage import PlannedBenchmark
from orchestrator.reproduction import campaigns
from orchestrator.reproduction.campaigns import Part, cost, parts, run
from orchestrator.reproduction.pages import headline, write
from sites.yaml_loader import load
from tests.orchestrator.cli.study_ledger import Outcome, record


def outcome(point: PlannedBenchmark, _: int) -> Outcome:
    """Return a run in which the improved loading takes half of the time."""
    seconds = (10.0 if point.parameters.get("loader") == "pandas" else 5.0) / point.shape.ranks
    metrics = (("train_file_seconds", seconds / 2, "s"), ("load_seconds", seconds / 2, "s"))
    return {"fom_seconds": seconds, "metrics": metrics}


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/ledger.sqlite"
    [part] = parts("candle", "small")
    _, text = load_campaign(part.file, part.overrides)
    record(url, tmp_path, load(text) | {"campaign": part.name}, outcome)
    return url


def test_parts_are_named_after_document_and_scale() -> None:
    [part] = parts("candle", "small", "Table 3")
    assert (part.name, part.file) == ("candle-small-demo", "candle-p1-demo")
    assert [part.name for part in parts("candle", "paper", "table 3")] == ["candle-paper-loading"]


def test_nothing_runs_for_what_nothing_measures() -> None:
    with pytest.raises(CampaignError, match="no campaign measures Figure 1: a diagram"):
        parts("candle", "small", "figure 1")


def test_a_campaign_that_does_not_fit_says_why_and_costs_nothing() -> None:
    part = Part("big", "candle-p1-demo", ("nt3.matrix={ranks: [1, 4096]}",))
    found = cost(part, PlanOptions(site="local"))
    assert "a slot needs" in found.problem
    assert (found.instances, found.node_hours) == (0, None)
    fits = cost(parts("candle", "small")[0], PlanOptions(site="local"))
    assert fits.instances > 10
    assert fits.node_hours_at_most is not None


@pytest.mark.parametrize(
    ("scale", "site"), [("shipped", "slurm"), ("paper", "summit"), ("paper", "frontier")]
)
@pytest.mark.parametrize("document", ["candle", "coral2", "deep500", "hpcai500"])
def test_larger_scales_fit_a_machine(
    document: str, scale: Scale, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SBATCH_ACCOUNT", "a")
    monkeypatch.setenv("PROJECT", "a")
    for part in parts(document, scale):
        found = cost(part, PlanOptions(site=site))
        assert found.problem == ""
        assert found.nodes > 0


class Lifecycle:
    """Stands for launching and resuming: registers a campaign, or ends it, as it is told."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.calls = folder, list[tuple[str, str]]()
        self.outcome = RunOutcome.COMPLETE
        monkeypatch.setattr(campaigns.launch, "launch", self.launch)
        monkeypatch.setattr(campaigns.resume, "resume", self.resume)

    def launch(self, file: str, options: LaunchOptions, **_: Any) -> RunResult:
        assert options.name is not None
        self.calls.append(("launch", options.name))
        return self._result(options.name)

    def resume(self, name: str, _: ResumeOptions, **__: Any) -> RunResult:
        self.calls.append(("resume", name))
        return self._result(name)

    def _result(self, name: str) -> RunResult:
        return RunResult(name, self.outcome, 4, 4, 0, self.folder, "ledger")


@pytest.fixture
def lifecycle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lifecycle:
    return Lifecycle(tmp_path, monkeypatch)


def test_campaigns_are_launched_in_order_until_one_does_not_end(tmp_path: Path, lifecycle: Lifecycle) -> None:
    options = LaunchOptions(ledger=f"sqlite:///{tmp_path}/none.sqlite", site="local")
    made = [Part("first", "demo", ()), Part("second", "demo", ())]
    assert [result and result.outcome for _, result in run(made, options)] == [RunOutcome.COMPLETE] * 2
    lifecycle.outcome = RunOutcome.DRAINED
    assert [part.name for part, _ in run(made, options)] == ["first"]
    assert lifecycle.calls == [("launch", "first"), ("launch", "second"), ("launch", "first")]


def end(url: str, name: str, ended: RunOutcome) -> None:
    with Ledger(url) as book:
        book.end_session(book.campaign(name).campaign_id, 1, "me", ended)


@pytest.mark.parametrize(("ended", "calls"), [(RunOutcome.COMPLETE, 0), (RunOutcome.DRAINED, 1)])
def test_what_has_ended_is_not_run_again(
    ledger: str, lifecycle: Lifecycle, monkeypatch: pytest.MonkeyPatch, ended: RunOutcome, calls: int
) -> None:
    made = parts("candle", "small")
    with Reader(ledger) as reader:
        text = reader.campaign(made[0].name).campaign_yaml
    monkeypatch.setattr(campaigns, "load_campaign", lambda *_: (None, text))
    end(ledger, made[0].name, ended)
    [(part, result)] = run(made, LaunchOptions(ledger=ledger))
    assert (result is None) == (not calls)
    assert lifecycle.calls == [("resume", part.name)] * calls


def test_a_campaign_of_another_text_is_refused(ledger: str, lifecycle: Lifecycle) -> None:
    other = LaunchOptions(ledger=ledger, overrides=("nt3.epochs=9",))
    with pytest.raises(CampaignError, match="candle-small-demo of this ledger was launched by another text"):
        list(run(parts("candle", "small"), other))
    assert lifecycle.calls == []


def test_pages_have_every_table_with_ours_beside(ledger: str, tmp_path: Path) -> None:
    with Reader(ledger) as reader:
        made = regenerated(reader, "candle", ["candle-small-demo"], machine="summit")
    files = {file.name for file in write(made, tmp_path / "page")}
    assert {"index.html", "index.md", "table-3.csv", "figure-11.csv", "figure-11-1.svg"} <= files
    page = (tmp_path / "page" / "index.html").read_text()
    assert headline(made) in page
    with (tmp_path / "page" / "table-3.csv").open() as stream:
        table = list(csv.DictReader(stream))
    first = table[0]
    assert (first["row"], first["column"], first["published"], first["ours"]) == (
        "NT3, training", "pandas", "81.72", "5.0",
    )  # fmt: skip
    assert first["differs"] == "filters=8"
    [largest] = [
        cell
        for one in made.tables
        if one.name == "Figure 11"
        for cell in one.cells
        if cell.column == "largest"
    ]
    assert (largest.published, largest.ours and largest.ours.value) == (67.68, 50.0)
    assert largest.differs


def test_theta_stands_aside_where_summit_is_asked_for(ledger: str) -> None:
    with Reader(ledger) as reader:
        made = regenerated(reader, "candle", ["candle-small-demo"], machine="summit", only="table 4")
        with pytest.raises(CampaignError, match="no published machine 'sumit'; did you mean summit"):
            regenerated(reader, "candle", ["candle-small-demo"], machine="sumit")
    assert [len(table.cells) for table in made.tables] == [0]


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, ["reproduce", *words])


def test_the_list_names_documents_tables_and_figures(said: Callable[..., Result]) -> None:
    listed = json.loads(said("list", "--json").output)
    assert {one["document"] for one in listed} == {"candle", "coral2", "deep500", "hpcai500"}
    text = said("list", "hpcai500").output
    assert "Table 12" in text
    assert "Figure 15" in text


def test_a_plan_says_what_it_costs_here(said: Callable[..., Result]) -> None:
    [one] = json.loads(said("plan", "candle", "--site", "local", "--json").output)
    assert one["campaign"] == "candle-small-demo"
    assert one["node_hours_at_most"] > 0
    assert "candle-small-demo" in said("plan", "candle", "--site", "local").output


def test_a_report_without_campaigns_says_what_to_run(said: Callable[..., Result], ledger: str) -> None:
    missing = said("report", "hpcai500", "--ledger", ledger)
    assert isinstance(missing.exception, CampaignError)
    assert "orchestrator reproduce run hpcai500 --scale small" in str(missing.exception)
    done = said("report", "candle", "--ledger", ledger)
    assert done.exit_code == 0, done.output
    assert Path("candle-small/index.html").is_file()
    only = json.loads(said("report", "candle", "--ledger", ledger, "--only", "Table 3", "--json").output)
    assert [table["name"] for table in only["tables"]] == ["Table 3"]


def test_values_for_one_campaign_are_left_out_of_the_others() -> None:
    demo, kernels = parts("hpcai500", "small")
    given = ["campaign.processes=warm", "gemm.seconds=0.1", "images.epochs=2", "gmm.seconds=1"]
    assert demo.with_given(given)[-3:] == ("campaign.processes=warm", "gemm.seconds=0.1", "gmm.seconds=1")
    assert kernels.with_given(given) == ("campaign.processes=warm", "images.epochs=2", "gmm.seconds=1")
    assert "resnet50_v15" in kernels.elsewhere
