"""`until`, `decide` and `budget` of campaign files: what they fill in, and what is refused in one line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.questions import compared_rows

POINT = {"workload": "tests.toys.behave", "name": "toy", "timeout": 60}
SWEEP = POINT | {"matrix": {"seconds": [1.0, 2.0], "megabytes": [0, 1]}}


def campaign(*benchmarks: dict[str, Any], **keys: Any) -> CampaignFile:
    return parse_campaign(
        json.dumps({"campaign": "toy", "rulebook": "none", "benchmarks": benchmarks, **keys}), "toy.yaml"
    )


def refused(*benchmarks: dict[str, Any], **keys: Any) -> str:
    with pytest.raises(CampaignError) as caught:
        campaign(*benchmarks, **keys)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_points_have_the_instances_of_the_last_look_in_interleaved_order() -> None:
    spec = campaign(SWEEP, until={"width": "2 %", "at_most": 40})
    assert spec.order == "interleaved"
    assert [one.instances for one in spec.benchmarks] == [40] * 4
    assert spec.until is not None
    assert (spec.until.width, spec.until.confidence, spec.until.at_least) == (0.02, 0.95, 5)


def test_a_benchmark_keeps_the_instances_that_it_states() -> None:
    spec = campaign(POINT | {"instances": 50}, until={"width": 0.02, "at_most": 40})
    assert spec.benchmarks[0].instances == 50


def test_rows_differ_in_the_compared_axis_alone() -> None:
    spec = campaign(SWEEP, decide={"compare": "megabytes", "difference": "3%", "at_most": 20})
    assert spec.decide is not None
    rows = compared_rows(spec.decide, spec.asked)
    assert {row.label: list(row.points) for row in rows} == {
        "toy, seconds 1.0": ["0", "1"],
        "toy, seconds 2.0": ["0", "1"],
    }


def test_benchmarks_are_compared_by_name_and_a_baseline_may_be_a_number() -> None:
    two = [POINT | {"name": name} for name in ("a", "b", "c")]
    spec = campaign(*two, decide={"compare": "benchmark", "difference": "3%", "at_most": 9, "baseline": "b"})
    assert spec.decide is not None
    assert list(compared_rows(spec.decide, spec.asked)[0].points) == ["a", "b", "c"]
    by_number = {"compare": "seconds", "difference": "3%", "at_most": 9, "baseline": 1}
    assert campaign(SWEEP, decide=by_number).decide is not None


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"decide": {"compare": "second", "difference": "3%"}}, "did you mean seconds?"),
        ({"decide": {"compare": "seconds"}}, "decide.difference is missing"),
        ({"decide": {"compare": "seconds", "difference": "much"}}, "must be a share above 0, such as 3 %"),
        ({"decide": {"compare": "seconds", "difference": "3%", "error": 1}}, "decide.error"),
        (
            {"decide": {"compare": "seconds", "difference": "3%", "at_most": 9, "baseline": "3.0"}},
            "no point of toy, megabytes 0 has 3.0",
        ),
        ({"until": {"width": "2%", "at_least": 9, "at_most": 8}}, "at_most: 8 is less than at_least: 9"),
        ({"until": {"width": "2%", "at_most": 2000}}, "until.at_most"),
        ({"until": {"width": "2%"}}, "toy[seconds=1,megabytes=0] has 1 instances, and at_least is 5"),
        ({"until": {"width": "2%", "at_most": 9}, "order": "file"}, "order: file has no blocks"),
        ({"until": {"width": "2%", "at_most": 9}, "order": "shuffled"}, "order: shuffled has no blocks"),
        (
            {"decide": {"compare": "seconds", "difference": "3%", "at_most": 10, "error": "0.0001 %"}},
            "10 runs of each point can decide nothing with an error of 1e-06 over 2 pairs: write at_most: 13",
        ),
        (
            {"until": {"width": "2%", "at_most": 5, "confidence": "99.9 %"}},
            "5 runs give no interval of 0.999: write at_most: 11 or more",
        ),
        ({"until": {"width": "2%", "at_most": 9}, "budget": {}}, "states no limit"),
        ({"screen": {"difference": "5%"}}, "write purpose: screening and start: synchronized beside it"),
        ({"screen": {"difference": "5%", "at_most": 2}}, "at_most: 2 is less than at_least: 3"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_write(keys: dict[str, Any], said: str) -> None:
    assert said in refused(SWEEP, **keys)


def test_any_campaign_may_have_a_budget() -> None:
    spec = campaign(POINT | {"instances": 5}, budget={"node_hours": 3, "walltime": "2 h"})
    assert spec.budget is not None
    assert (spec.budget.node_hours, spec.budget.walltime) == (3, 7200)


def test_a_row_of_many_points_needs_a_baseline() -> None:
    wide = POINT | {"matrix": {"seconds": [float(number) for number in range(1, 47)]}}
    decide = {"compare": "seconds", "difference": "3%", "at_most": 9}
    assert "compares 46 points with each other, 1,035 pairs; write a baseline" in refused(wide, decide=decide)
    assert campaign(wide, decide={**decide, "baseline": 3}).decide is not None


def test_a_screening_in_waves_asks_for_its_nodes() -> None:
    waves = {"purpose": "screening", "start": "synchronized"}
    asked = campaign(POINT | {"instances": "fill x4"}, screen={"difference": "5%", "at_least": 4}, **waves)
    assert asked.screen is not None
    assert (asked.screen.difference, asked.screen.last, asked.order) == (0.05, 4, "file")


def test_fill_is_no_number_of_looks() -> None:
    said = refused(POINT | {"instances": "fill"}, until={"width": "2%"})
    assert "benchmark toy: until and decide need a number of instances, not fill" in said


@pytest.mark.parametrize(
    ("rulebook", "workload"), [("coral2", "p3b1"), ("hpcai500", "resnet50_v15"), ("mlperf_hpc", "p3b1")]
)
def test_suites_that_fix_their_runs_refuse(rulebook: str, workload: str) -> None:
    one = {"workload": workload, "timeout": 60, "instances": 60}
    said = refused(one, rulebook=rulebook, until={"width": "2 %"})
    assert "until: " in said
    assert "fixes the number of" in said
    assert "rulebook: none" in said
