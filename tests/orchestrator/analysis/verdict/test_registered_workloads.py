"""A campaign is judged by the workloads that were registered with it, whatever became of their files."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db.connection.connect import parse_url
from db.ledger import Ledger
from db.reader import Reader
from db.schema import upgrade
from db.states import RunOutcome
from db.transfer.export import Export, write
from db.transfer.importer import import_campaigns
from db.transfer.snapshot import Snapshot
from orchestrator.catalog.registered_description import facts_of, workload_of
from orchestrator.catalog.registry import describe, names
from orchestrator.cli.instance.provenance import show_provenance
from orchestrator.rulebooks.model import BenchmarkVerdict, RuleResult, Verdict
from orchestrator.simulation.fault_model import FaultModel
from tests.db import rows
from tests.orchestrator.analysis.judged import fom
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan
from workloads.description import WorkloadError
from workloads.external.reference import pin

EXTERNAL = Path(__file__).parents[3] / "toys" / "external"
MODULE = """
from workloads.description import Parameter, ParameterRule, Workload
WORKLOAD = Workload(
    name="mine", title="", source="", entry="judged_toy.mine:run", fom_time="run",
    parameters=(Parameter("epochs", 3, ""),), own_rules={"epochs": ParameterRule((3,))},
)
def run(parameters, context): ...
"""


def campaign(folder: Path, workload: str) -> str:
    """Run a simulated campaign of a workload and of a toy; return the ledger's URL."""
    plan = made_plan({"name": "own", "workload": workload, "instances": 3}, {"instances": 2}, rulebook="none")
    world = SimulatedCampaign(folder, plan, FaultModel(spread=0.0, stragglers=0.0))
    assert world.run() is RunOutcome.COMPLETE
    world.close()
    return f"sqlite:///{folder}/ledger.sqlite"


def rule(verdict: Verdict, name: str = "description", benchmark: str = "own") -> RuleResult:
    [one] = [one for one in verdict.benchmarks if one.benchmark == benchmark]
    return next(rule for rule in one.rules if rule.name == name)


def elsewhere(url: str, folder: Path) -> str:
    """Move a ledger through an export, as to another machine."""
    other = f"sqlite:///{folder}/other.sqlite"
    upgrade(parse_url(other))
    with Reader(url) as reader, Snapshot(reader) as source:
        write(source, folder / "export", "csv", lambda *_: None)
    import_campaigns(other, Export(folder / "export"), lambda *_: None)
    return other


@pytest.fixture
def script(tmp_path: Path) -> Path:
    folder = tmp_path / "scripts"
    shutil.copytree(EXTERNAL, folder)
    return folder / "modern.yaml"


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file.write_text(file.read_text().replace("minimum: 0.6", "minimum: 0.0")),
        lambda file: file.write_text("nonsense: ["),
        lambda file: file.unlink(),
    ],
    ids=["edited", "broken", "deleted"],
)
def test_a_file_that_changed_later_changes_no_verdict(
    script: Path, tmp_path: Path, change: Callable[[Path], Any]
) -> None:
    url = campaign(tmp_path / "runs", str(script))
    before = fom("toy", url)
    assert rule(before).passed
    assert "target 0.6" in rule(before, "quality").reason
    change(script)
    assert fom("toy", url) == before
    assert fom("toy", elsewhere(url, tmp_path)) == before


def test_a_module_that_is_gone_changes_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "modules" / "judged_toy"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "mine.py").write_text(MODULE)
    with monkeypatch.context() as here:
        here.syspath_prepend(str(folder.parent))
        url = campaign(tmp_path / "runs", "judged_toy.mine")
        before = fom("toy", url)
    for name in ("judged_toy", "judged_toy.mine"):
        sys.modules.pop(name)
    with pytest.raises(WorkloadError, match="no module"):
        describe("judged_toy.mine")
    assert fom("toy", url) == before
    assert rule(before).passed


@pytest.mark.parametrize("name", [*names(), "tests.toys.behave", str(EXTERNAL / "modern.yaml")])
def test_facts_hold_all_that_judging_reads(name: str) -> None:
    workload = describe(name)
    facts = facts_of(name, workload)
    again = workload_of(json.loads(json.dumps(facts)))
    for field in ("name", "fom_time", "timed_units", "accuracy_metric", "own_target", "optimizer_steps"):
        assert getattr(again, field) == getattr(workload, field)
    assert dict(again.own_rules) == dict(workload.own_rules)
    assert dict(again.sizes) == dict(workload.sizes)
    assert (again.data is None) == (workload.data is None)


def test_a_file_that_changes_between_plan_and_launch_is_refused(script: Path) -> None:
    workload = describe(str(script))
    script.write_text(script.read_text() + "\n# more\n")
    with pytest.raises(WorkloadError, match="has changed since it was planned"):
        facts_of(str(script), workload)


def older(url: str, workload: str) -> BenchmarkVerdict:
    """Return the verdict on a campaign that was registered without a description."""
    with Ledger(url) as ledger:
        known = replace(rows.campaign(), rulebook="none", run_class="ensemble")
        ledger.register(known, [rows.benchmark(workload=workload), rows.benchmark("p")], rows.planned(3))
    return fom("toy", url).benchmarks[0]


def test_an_older_campaign_is_judged_by_todays_description_and_says_so(sqlite_url: str, script: Path) -> None:
    verdict = older(sqlite_url, pin(str(script)))
    [found] = [one for one in verdict.rules if one.name == "description"]
    assert (found.passed, "today's" in found.reason) == (None, True)
    script.write_text(script.read_text() + "\n# more\n")
    found = rule(fom("toy", sqlite_url), benchmark="toy")
    assert (found.passed, "has changed since" in found.reason) == (False, True)
    script.unlink()
    found = rule(fom("toy", sqlite_url), benchmark="toy")
    assert (found.passed, "does not exist" in found.reason) == (False, True)
    assert rule(fom("toy", sqlite_url), benchmark="p").passed is None


def test_a_description_that_is_gone_or_of_another_form_fails_its_benchmark_alone(
    script: Path, tmp_path: Path
) -> None:
    url = campaign(tmp_path / "runs", str(script))
    for statement, words in (
        (
            "UPDATE documents SET content = '{\"description\": 1}' WHERE content LIKE '%modern%'",
            "cannot be read",
        ),
        ("DELETE FROM documents WHERE content LIKE '{\"description\": 1}'", "is gone"),
    ):
        with rows.raw(url) as connection:
            assert connection.exec_driver_sql(statement).rowcount == 1
        verdict = fom("toy", url)
        assert rule(verdict).passed is False
        assert words in rule(verdict).reason
        assert rule(verdict, benchmark="behave").passed


def test_show_prints_what_judges(script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = campaign(tmp_path / "runs", str(script))
    script.unlink()
    show_provenance("toy", url, as_json=False)
    out = capsys.readouterr().out
    assert f"workload of own: {script}#sha256=" in out
    assert "    title: A script that writes JSON" in out
    assert "workload of behave: tests.toys.behave" in out
    show_provenance("toy", url, as_json=True)
    shown = json.loads(capsys.readouterr().out)["workloads"]
    assert shown["own"]["description"]["own_target"]["at_least"] == 0.6
