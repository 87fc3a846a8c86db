"""Registered benchmarks that are not what their campaign file asks for are named."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any

import pytest

from db.records import Campaign
from db.rows import Benchmark
from orchestrator.catalog.registry import describe
from orchestrator.planning.campaign_file import parse_campaign
from orchestrator.planning.placement import shape_of
from orchestrator.planning.plan import shape_facts
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


def row() -> Campaign:
    return Campaign(
        campaign_id=1, name="toy", uid="u", campaign_yaml=TEXT, campaign_sha256="", site_name="made",
        site_yaml=SITE, site_sha256="", rulebook="none", run_class="ensemble", run_directory="/runs/toy",
        data_path="/data", created_us=1, outcome="complete", stop_request=None, lease_owner=None,
        lease_expires_us=None,
    )  # fmt: skip


def benchmark(**parameters: Any) -> Benchmark:
    [one] = parse_campaign(TEXT, "test").benchmarks
    resolved = describe(WORKLOAD).resolve({**one.parameters, **parameters})
    site = Site.model_validate({"site": "made", "node": {"cores": "0-3", "memory": "8 GiB"}})
    return Benchmark(
        campaign_id=1, benchmark="behave", workload=WORKLOAD, instances=2, parameters=json.dumps(resolved),
        slot=json.dumps(shape_facts(shape_of(site.slot))), timeout_seconds=60.0, quality_metric="score",
        quality_target=None,
    )  # fmt: skip


def test_what_was_registered_as_asked_for() -> None:
    assert text_differences(row(), [benchmark()], same_code=True) == ([], [])


@pytest.mark.parametrize("same_code", [True, False])
def test_a_parameter_that_the_file_gives(same_code: bool) -> None:
    found, _ = text_differences(row(), [benchmark(seconds=0.1)], same_code=same_code)
    assert any("seconds is registered as 0.1, its campaign file says 0.5" in one for one in found)


def test_a_default_may_differ_under_other_code_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestrator.review.registered_text._needs_more", lambda _: False)
    changed = [benchmark(megabytes=7)]
    [finding] = text_differences(row(), changed, same_code=True)[0]
    assert "megabytes was 7" in finding
    assert text_differences(row(), changed, same_code=False) == ([], [finding])


def test_another_number_of_instances() -> None:
    found, _ = text_differences(row(), [replace(benchmark(), instances=1)], same_code=True)
    assert found == ["benchmark behave: 1 instances are registered, its campaign file says 2"]


def test_nothing_that_a_package_names_is_imported() -> None:
    text = json.dumps({"campaign": "toy", "benchmarks": [{"workload": "antigravity.evil", "instances": 2}]})
    named = replace(benchmark(), benchmark="evil", workload="antigravity.evil")
    assert text_differences(replace(row(), campaign_yaml=text), [named], same_code=True) == ([], [])
    assert "antigravity" not in sys.modules


def test_other_workloads_and_benchmarks() -> None:
    other = replace(benchmark(), workload="tests.toys.other")
    assert "runs tests.toys.other" in text_differences(row(), [other], same_code=True)[0][0]
    more = [benchmark(), replace(benchmark(), benchmark="more")]
    assert text_differences(row(), more, same_code=True)[0] == ["benchmark more is not in its campaign file"]
    assert "has no row" in text_differences(row(), [], same_code=True)[0][0]


def test_a_text_that_cannot_be_read_is_said() -> None:
    found, notes = text_differences(replace(row(), campaign_yaml="["), [benchmark()], same_code=True)
    assert found == []
    assert "cannot be compared" in notes[0]
