"""Campaigns that name workloads by path: found from anywhere, and never another file than was planned."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from orchestrator.catalog import registry
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.campaign_reading import load_campaign, parse_campaign
from orchestrator.planning.pinned_workloads import with_pinned_files
from orchestrator.planning.plan import NodeFacts, make_plan
from sites import Site
from tests.harness import ROOT

TOY = ROOT / "tests" / "toys" / "external" / "modern.yaml"
NODE = NodeFacts((0, 1), 1 << 33)


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "elsewhere").mkdir()
    shutil.copy(TOY, tmp_path / "scripts" / "my script.yaml")
    monkeypatch.chdir(tmp_path)


def test_paths_become_absolute_and_pinned_and_nothing_else_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (
        "# über\n"
        "campaign: toy\n"
        "base: &base {instances: 1, timeout: 60}\n"
        "benchmarks:\n"
        "  - {<<: *base, workload: &w scripts/my script.yaml}   # mine\n"
        "  - {<<: *base, workload: *w, name: two}\n"
        "  - workload: './scripts/my script.yaml'\n"
        "    name: three\n"
        "    parameters: {steps: 3}\n"
        "  - {<<: *base, workload: lstm}"
    )
    after = with_pinned_files(before)
    digest = hashlib.sha256(TOY.read_bytes()).hexdigest()
    pinned = json.dumps(f"{tmp_path}/scripts/my script.yaml#sha256={digest}")
    body, _, comment = after.partition("\n# Workload file ")
    assert body == before.replace("'./scripts/my script.yaml'", pinned).replace(
        "scripts/my script.yaml}", f"{pinned}}}"
    )
    # The exact content is kept with the campaign.
    kept = comment.splitlines()[1:]
    assert [line.removeprefix("#").removeprefix("   ") for line in kept] == [
        *TOY.read_text().splitlines(),
        "",
    ]
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert with_pinned_files(after) == after


def test_a_campaign_is_loaded_with_pinned_paths_and_planned_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"workload": "scripts/my script.yaml", "instances": 2, "timeout": 60, "parameters": {"steps": 5}}
    Path("c.yaml").write_text(json.dumps({"campaign": "toy", "benchmarks": [row]}))
    spec, text = load_campaign("c.yaml")
    (benchmark,) = spec.benchmarks
    assert benchmark.name == "my script"
    assert benchmark.workload.startswith(f"{tmp_path}/scripts/my script.yaml#sha256=")
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = parse_campaign(text, "the ledger")
    assert again == spec
    planned = make_plan(again, Site(site="test"), NODE, Path("/data")).benchmarks[0]
    assert planned.row().workload == planned.module == benchmark.workload
    assert planned.parameters == {"learning_rate": 0.1, "steps": 5}
    assert registry.describe(planned.module).name == "modern"
    # Changed afterwards: what has run can still be judged, nothing more runs.
    (tmp_path / "scripts" / "my script.yaml").write_text(TOY.read_text() + "\n")
    assert parse_campaign(text, "the ledger") == spec
    with pytest.raises(CampaignError, match=r"benchmark my script: workload file .* has changed since"):
        make_plan(again, Site(site="test"), NODE, Path("/data"))


def test_a_campaign_made_in_python_is_pinned_when_it_is_planned(tmp_path: Path) -> None:
    row = {"workload": "scripts/my script.yaml", "instances": 1, "timeout": 60}
    spec = CampaignFile.model_validate({"campaign": "toy", "benchmarks": [row]})
    module = make_plan(spec, Site(site="test"), NODE, Path("/data")).benchmarks[0].module
    assert module.startswith(f"{tmp_path}/scripts/my script.yaml#sha256=")


def test_what_is_wrong_is_one_line_with_both_files(tmp_path: Path) -> None:
    row = {"workload": "scripts/none.yaml", "instances": 1, "timeout": 60}
    Path("c.yaml").write_text(json.dumps({"campaign": "toy", "benchmarks": [row]}))
    with pytest.raises(CampaignError) as caught:
        load_campaign("c.yaml")
    message = f"c.yaml: line 1: benchmarks.0: workload file {tmp_path}/scripts/none.yaml does not exist"
    assert str(caught.value) == message


def test_paths_count_from_the_file_that_names_them_and_else_from_where_it_is_launched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"workload": "my script.yaml", "instances": 1, "timeout": 60}
    shutil.copy(TOY, tmp_path / "my script.yaml")
    content = json.dumps({"campaign": "toy", "benchmarks": [row]})
    (tmp_path / "scripts" / "c.yaml").write_text(content)
    (tmp_path / "elsewhere" / "c.yaml").write_text(content)
    (tmp_path / "elsewhere" / "all.yaml").write_text("include: ../scripts/c.yaml\ngrace_period: 3\n")
    places = {"scripts/c": "scripts", "elsewhere/c": "", "elsewhere/all": "scripts"}
    for file, folder in places.items():
        spec, text = load_campaign(f"{file}.yaml")
        workload = spec.benchmarks[0].workload
        assert workload.partition("#")[0] == str(tmp_path / folder / "my script.yaml"), file
        assert parse_campaign(text, "the ledger") == spec
    spec, _ = load_campaign("scripts/c.yaml", ["my script.workload=my script.yaml"])
    assert spec.benchmarks[0].workload.startswith(f"{tmp_path}/my script.yaml#")
    (tmp_path / "my script.yaml").unlink()
    with pytest.raises(CampaignError) as caught:
        load_campaign("elsewhere/c.yaml")
    assert str(caught.value) == (
        "elsewhere/c.yaml: line 1: workload file my script.yaml does not exist, "
        f"neither in {tmp_path}/elsewhere, where it is named, nor in {tmp_path}, the working directory"
    )
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert load_campaign("../scripts/c.yaml")[0].benchmarks[0].workload.startswith(f"{tmp_path}/")


def test_two_problems_of_a_workload_file_are_two_lines(tmp_path: Path) -> None:
    Path("bad.yaml").write_text(TOY.read_text().replace("title:", "tilte:").replace("fom_time:", "fom_tmie:"))
    row = {"workload": "bad.yaml", "instances": 1, "timeout": 60}
    Path("c.yaml").write_text(json.dumps({"campaign": "toy", "benchmarks": [row]}))
    with pytest.raises(CampaignError) as caught:
        load_campaign("c.yaml")
    start = f"c.yaml: line 1: benchmarks.0: {tmp_path}/bad.yaml: line"
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    assert all(line.startswith(start) and "; did you mean " in line for line in lines)


def test_line_breaks_of_every_kind_stay_inside_the_comment() -> None:
    content = TOY.read_text().replace("\n", "\r\n") + "# a\rsizes: {a: 1}\n"
    Path("odd.yaml").write_bytes(content.encode())
    benchmarks = "benchmarks: [{workload: odd.yaml, instances: 1, timeout: 9}]\n"
    text = with_pinned_files(f"campaign: toy\n{benchmarks}")
    assert "odd.yaml#sha256=" in text
    assert parse_campaign(text, "x").benchmarks[0].name == "odd"
    assert registry.describe("odd.yaml").data is None
