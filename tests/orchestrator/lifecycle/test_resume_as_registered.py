"""A resume runs what is registered, whatever today's code would resolve."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

import orchestrator
from db.ledger import Ledger
from db.reader import Reader
from db.records import NewCampaign
from orchestrator import ResumeOptions
from orchestrator.errors import CampaignError, EngineError
from orchestrator.planning.campaign_reading import load_campaign
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.site_facts import node_facts
from orchestrator.planning.stage import PlannedBenchmark, Stage
from sites import load
from tests.db import rows
from tests.toys import behave
from workloads.description import Parameter

CAMPAIGN = """
campaign: toy
benchmarks:
  - {workload: tests.toys.behave, instances: 4, timeout: 60, parameters: {seconds: 0.5}}
"""


class Registered:
    """A campaign in a ledger, of which nothing ran yet."""

    def __init__(self, folder: Path, content: str = CAMPAIGN) -> None:
        self.url = f"sqlite:///{folder}/ledger.sqlite"
        (folder / "toy.yaml").write_text(content)
        (folder / "toy").mkdir()
        spec, spec_text = load_campaign(folder / "toy.yaml")
        site, site_text = load("local")
        plan = make_plan(spec, site, node_facts(site), folder)
        with Ledger.open(self.url) as book:
            book.register(
                NewCampaign(
                    "toy", "uid", spec_text, "local", site_text, "coral2", "base", str(folder / "toy"), "data"
                ),
                [one.row() for one in plan.benchmarks],
                plan.instances(),
            )
        self.plan: Plan = plan

    def resumed(self, **options: Any) -> PlannedBenchmark:
        """Return the benchmark as a resume runs it."""
        stages: list[Stage] = []

        def make_engine(_site: object, stage: Stage, *_: object) -> Any:
            stages.append(stage)
            raise EngineError("seen enough")

        with pytest.raises(EngineError, match="seen enough"):
            orchestrator.resume("toy", ResumeOptions(ledger=self.url, **options), make_engine=make_engine)
        return stages[0].benchmarks[0]

    def force(self, statement: str) -> None:
        with rows.raw(self.url) as connection:
            assert connection.execute(text(statement)).rowcount == 1

    def events(self) -> list[tuple[str, Any]]:
        with Reader(self.url) as reader:
            number = reader.campaign("toy").campaign_id
            found = reader.events(number, kinds=["code_changed"])
            return [(one.message, one.data) for one in found]


@pytest.fixture
def toy(tmp_path: Path) -> Registered:
    return Registered(tmp_path)


def other_defaults(monkeypatch: pytest.MonkeyPatch, *parameters: Parameter, drop: str = "") -> None:
    """Give the workload other defaults, further parameters, or fewer."""
    changed = {one.name: one for one in parameters}
    own = [changed.pop(one.name, one) for one in behave.WORKLOAD.parameters if one.name != drop]
    workload = replace(behave.WORKLOAD, parameters=(*own, *changed.values()))
    monkeypatch.setattr(behave, "WORKLOAD", workload)


def test_every_public_name_is_there() -> None:
    assert all(getattr(orchestrator, name) is not None for name in orchestrator.__all__)


def test_the_same_code_resolves_the_same(toy: Registered) -> None:
    benchmark = toy.resumed()
    [planned] = toy.plan.benchmarks
    assert benchmark == planned
    assert toy.events() == []


SWEPT = """
campaign: toy
benchmarks:
  - workload: tests.toys.behave
    matrix: {seconds: [0.5, 1], megabytes: 1..10, derive: {timeout: 60 * megabytes}}
    repeat: 2
    timeout: 60
"""


def test_points_of_a_sweep_are_resumed_as_they_were_launched(tmp_path: Path) -> None:
    toy = Registered(tmp_path, SWEPT)
    assert toy.resumed() == toy.plan.stages[0].benchmarks[0]
    assert toy.resumed().name == "behave[seconds=0.5,megabytes=10]"  # the longest first


def test_points_that_differ_are_refused_in_a_few_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy = Registered(tmp_path, SWEPT)
    other_defaults(monkeypatch, Parameter("behaviour", "hang", "what to do"))
    with pytest.raises(CampaignError) as caught:
        orchestrator.resume("toy", ResumeOptions(ledger=toy.url))
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("benchmark behave[seconds=0.5,megabytes=1] is registered otherwise")
    assert lines[8:] == ["and 12 more benchmarks"]


def test_another_default_is_refused_in_one_line(toy: Registered, monkeypatch: pytest.MonkeyPatch) -> None:
    other_defaults(monkeypatch, Parameter("megabytes", 50, "memory", minimum=0))
    with pytest.raises(CampaignError) as caught:
        orchestrator.resume("toy", ResumeOptions(ledger=toy.url))
    assert str(caught.value) == (
        "benchmark behave is registered otherwise than today's code resolves it: megabytes was 0, and is 50 "
        "today; install the code of the launch, or go on as registered with --allow-changed-code"
    )


def test_what_is_registered_runs_under_other_defaults(
    toy: Registered, monkeypatch: pytest.MonkeyPatch
) -> None:
    other_defaults(monkeypatch, Parameter("megabytes", 50, "memory", minimum=0))
    assert toy.resumed(allow_changed_code=True).parameters == toy.plan.benchmarks[0].parameters
    what = "megabytes was 0, and is 50 today"
    [(message, data)] = toy.events()
    assert message == f"benchmark behave goes on as registered, under code that resolves it otherwise: {what}"
    assert data == {"benchmark": "behave", "differences": what}


def test_parameters_that_came_or_went(toy: Registered, monkeypatch: pytest.MonkeyPatch) -> None:
    other_defaults(monkeypatch, Parameter("colour", "red", "new"), drop="megabytes")
    with pytest.raises(
        CampaignError, match="megabytes was 0, and today's code does not know it, colour was not"
    ):
        orchestrator.resume("toy", ResumeOptions(ledger=toy.url))
    parameters = toy.resumed(allow_changed_code=True).parameters
    assert parameters["colour"] == "red"
    assert "megabytes" not in parameters
    assert parameters["seconds"] == 0.5


def test_a_parameter_that_the_file_names_and_the_code_lost_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy = Registered(tmp_path)
    other_defaults(monkeypatch, Parameter("second", 1.0, "renamed"), drop="seconds")
    for allow in (False, True):
        with pytest.raises(CampaignError) as caught:
            orchestrator.resume("toy", ResumeOptions(ledger=toy.url, allow_changed_code=allow))
        problem, advice = str(caught.value).splitlines()
        assert problem.endswith("has no parameter 'seconds'; did you mean second?")
        assert "install the code that ran it (`orchestrator instance show toy` names it)" in advice
        assert "even with --allow-changed-code" in advice


def test_timeout_slot_and_instances_are_those_of_the_ledger(toy: Registered) -> None:
    slot = json.dumps(json.loads(toy.plan.benchmarks[0].row().slot) | {"memory_bytes": 2**28})
    toy.force(f"UPDATE benchmarks SET timeout_seconds = 90, slot = '{slot}'")
    with pytest.raises(
        CampaignError, match=r"timeout was 90 s, and is 60 s today, slot.memory_bytes was 268435456"
    ):
        orchestrator.resume("toy", ResumeOptions(ledger=toy.url))
    benchmark = toy.resumed(allow_changed_code=True)
    assert benchmark.timeout_seconds == 90
    assert benchmark.shape.memory_bytes == 2**28
    assert benchmark.instances == 4


def test_a_campaign_that_fills_the_site_keeps_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy = Registered(tmp_path, CAMPAIGN.replace("instances: 4", "instances: fill x2"))
    [planned] = toy.plan.benchmarks
    width = toy.plan.stages[0].width
    assert planned.instances == 2 * width
    with Reader(toy.url) as reader:
        [row] = reader.benchmarks(reader.campaign("toy").campaign_id)
        assert row.instances == 2 * width
    monkeypatch.setattr("orchestrator.planning.placement.width_of", lambda *_: width + 5)  # another machine
    assert toy.resumed().instances == 2 * width
