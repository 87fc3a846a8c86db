"""Registered benchmarks that are not what their campaign file asks for are named."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from db.records import CampaignRow
from db.rows import BenchmarkRow
from orchestrator.catalog.registered_description import facts_of
from orchestrator.catalog.registry import describe
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.pinned_workloads import with_pinned_files
from orchestrator.planning.placement import shape_of
from orchestrator.planning.plan import make_plan
from orchestrator.planning.slots import NodeFacts, shape_facts
from orchestrator.review.registered_text import text_differences
from sites import Site

WORKLOAD = "tests.toys.behave"
SITE = "site: made\nnode: {cores: 0-3, memory: 8 GiB}\n"
TEXT = json.dumps(
    {
        "campaign": "toy",
        "benchmarks": [{"workload": WORKLOAD, "instances": 2, "timeout": 60, "parameters": {"seconds": 0.5}}],
    }
)
DOCUMENTS = {"behave": facts_of(WORKLOAD, describe(WORKLOAD))}


def row() -> CampaignRow:
    return CampaignRow(
        campaign_id=1, name="toy", uid="u", campaign_yaml=TEXT, campaign_sha256="", site_name="made",
        site_yaml=SITE, site_sha256="", rulebook="none", run_class="ensemble", run_directory="/runs/toy",
        data_path="/data", created_us=1, outcome="complete", stop_request=None, lease_owner=None,
        lease_expires_us=None,
    )  # fmt: skip


def benchmark(**parameters: Any) -> BenchmarkRow:
    [one] = parse_campaign(TEXT, "test").benchmarks
    resolved = describe(WORKLOAD).resolve({**one.parameters, **parameters})
    site = Site.model_validate({"site": "made", "node": {"cores": "0-3", "memory": "8 GiB"}})
    return BenchmarkRow(
        campaign_id=1, benchmark="behave", workload=WORKLOAD, instances=2, parameters=json.dumps(resolved),
        slot=json.dumps(shape_facts(shape_of(site.slot))), timeout_seconds=60.0, quality_metric="score",
        quality_target=None,
    )  # fmt: skip


def test_what_was_registered_as_asked_for() -> None:
    assert text_differences(row(), [benchmark()], DOCUMENTS, same_code=True) == ([], [])


@pytest.mark.parametrize("same_code", [True, False])
def test_a_parameter_that_the_file_gives(same_code: bool) -> None:
    found, _ = text_differences(row(), [benchmark(seconds=0.1)], DOCUMENTS, same_code=same_code)
    assert any("seconds is registered as 0.1, its campaign file says 0.5" in one for one in found)


def test_a_default_may_differ_under_other_code_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestrator.review.registered_text._needs_more", lambda _: False)
    changed = [benchmark(megabytes=7)]
    [finding] = text_differences(row(), changed, DOCUMENTS, same_code=True)[0]
    assert "megabytes was 7" in finding
    assert text_differences(row(), changed, DOCUMENTS, same_code=False) == ([], [finding])


def test_another_number_of_instances() -> None:
    found, _ = text_differences(row(), [replace(benchmark(), instances=1)], DOCUMENTS, same_code=True)
    assert found == ["benchmark behave: 1 instance is registered, its campaign file says 2"]


def test_nothing_that_a_package_names_is_imported() -> None:
    text = json.dumps({"campaign": "toy", "benchmarks": [{"workload": "antigravity.evil", "instances": 2}]})
    named = replace(benchmark(), benchmark="evil", workload="antigravity.evil")
    assert text_differences(replace(row(), campaign_yaml=text), [named], DOCUMENTS, same_code=True) == (
        [],
        [],
    )
    assert "antigravity" not in sys.modules


def test_other_workloads_and_benchmarks() -> None:
    other = replace(benchmark(), workload="tests.toys.other")
    assert "runs tests.toys.other" in text_differences(row(), [other], DOCUMENTS, same_code=True)[0][0]
    more = [benchmark(), replace(benchmark(), benchmark="more")]
    assert text_differences(row(), more, DOCUMENTS, same_code=True)[0] == [
        "benchmark more is not in its campaign file"
    ]
    assert "has no row" in text_differences(row(), [], DOCUMENTS, same_code=True)[0][0]


def test_a_text_that_cannot_be_read_is_said() -> None:
    found, notes = text_differences(
        replace(row(), campaign_yaml="["), [benchmark()], DOCUMENTS, same_code=True
    )
    assert notes == []
    assert "cannot be compared" in found[0]


ECHO = {
    "name": "echo", "title": "Echo", "source": "here", "fom_time": "run",
    "parameters": {
        "size": {"default": 3, "description": "how much"}, "rate": {"default": 0.5, "description": "fast"},
    },
    "command": {"arguments": ["true"], "accuracy": {"pattern": "acc: (?P<value>[0-9.]+)"}, "seconds": "run"},
}  # fmt: skip


class Sweep:
    """A registered sweep over an external workload, whose file is gone."""

    def __init__(self, folder: Path) -> None:
        file = folder / "echo.yaml"
        file.write_text(json.dumps(ECHO))
        swept = {
            "workload": str(file), "timeout": "1 min", "repeat": 2, "parameters": {"rate": 0.25},
            "matrix": {
                "size": [1, 2], "cores": [1, 2], "derive": {"rate": "size / 8", "timeout": "60 * size"},
            },
        }  # fmt: skip
        text = json.dumps({"campaign": "toy", "rulebook": "none", "benchmarks": [swept]})
        site = Site.model_validate({"site": "made", "node": {"cores": "0-3", "memory": "8 GiB"}})
        node = NodeFacts(tuple(range(4)), 8 << 30, ())
        plan = make_plan(parse_campaign(with_pinned_files(text), "test"), site, node, Path("/nowhere"))
        self.row = replace(row(), campaign_yaml=with_pinned_files(text))
        self.rows = [BenchmarkRow(campaign_id=1, **asdict(one.row())) for one in plan.benchmarks]
        self.documents = {one.name: one.description() for one in plan.benchmarks}
        file.unlink()

    def found(self, rows: Sequence[BenchmarkRow]) -> list[str]:
        found, unknown = text_differences(self.row, rows, self.documents, same_code=True)
        assert unknown == []
        return found


@pytest.fixture
def sweep(tmp_path: Path) -> Sweep:
    return Sweep(tmp_path)


def test_points_of_an_external_workload_are_compared(sweep: Sweep) -> None:
    assert len(sweep.rows) == 4
    assert sweep.found(sweep.rows) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"parameters": '{"rate": 0.125, "size": 9}'}, "size is registered as 9, its campaign file says 1"),
        (
            {"parameters": '{"rate": 0.9, "size": 1}'},
            "rate is registered as 0.9, its campaign file says 0.125",
        ),
        ({"instances": 1}, "1 instance is registered, its campaign file says 2"),
        ({"timeout_seconds": 9.0}, "timeout is registered as 9.0, its campaign file says 60.0"),
        ({"slot": '{"cores": 4}'}, "slot.cores is registered as 4, its campaign file says 1"),
        ({"workload": "/other.yaml"}, "runs /other.yaml"),
        ({"benchmark": "echo[size=7]"}, "benchmark echo[size=7] is not in its campaign file"),
    ],
)
def test_a_point_that_is_registered_otherwise(sweep: Sweep, changes: dict[str, Any], words: str) -> None:
    first, *rest = sweep.rows
    found = sweep.found([replace(first, **changes), *rest])
    assert any(words in one for one in found), found


def test_a_point_that_is_not_there_and_a_sweep_without_a_description(sweep: Sweep) -> None:
    assert "has no row" in sweep.found(sweep.rows[1:])[0]
    sweep.documents = {}
    assert "no description was registered" in sweep.found(sweep.rows)[0]


def test_the_points_of_a_module_are_compared_without_importing_it() -> None:
    text = json.dumps(
        {
            "campaign": "toy",
            "benchmarks": [{"workload": WORKLOAD, "timeout": 60, "matrix": {"megabytes": [1, 2]}}],
        }
    )
    one, two = (
        replace(benchmark(megabytes=size, seconds=0.05), benchmark=f"behave[megabytes={size}]", instances=1)
        for size in (1, 2)
    )
    documents = {point.benchmark: DOCUMENTS["behave"] for point in (one, two)}
    written = replace(row(), campaign_yaml=text)
    assert text_differences(written, [one, two], documents, same_code=True) == ([], [])
    other = replace(two, parameters=one.parameters)
    [found], _ = text_differences(written, [one, other], documents, same_code=True)
    assert "behave[megabytes=2]: megabytes is registered as 1, its campaign file says 2" in found


def test_parameters_that_an_optimizer_chose_are_left_to_its_events() -> None:
    search = {
        "method": "optuna",
        "trials": 2,
        "space": {"megabytes": {"uniform": [1, 9]}},
        "metric": "time",
        "goal": "minimum",
    }
    text = json.dumps(
        {"campaign": "toy", "benchmarks": [{"workload": WORKLOAD, "timeout": 60, "search": search}]}
    )
    chosen = replace(benchmark(megabytes=7, seconds=0.05), benchmark="behave[trial=1]", instances=1)
    given = {name: value for name, value in json.loads(chosen.parameters).items() if name != "megabytes"}
    waiting = replace(chosen, benchmark="behave[trial=2]", parameters=json.dumps(given))
    documents = {one.benchmark: DOCUMENTS["behave"] for one in (chosen, waiting)}
    written = replace(row(), campaign_yaml=text)
    assert text_differences(written, [chosen, waiting], documents, same_code=True) == ([], [])
    other = replace(waiting, parameters=json.dumps(given | {"seconds": 9.0}))
    [found], _ = text_differences(written, [chosen, other], documents, same_code=True)
    assert "behave[trial=2]: seconds is registered as 9.0" in found
