"""Verdicts of CORAL-2 on whole suites, however incomplete."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.rulebooks.accepted_facts import GuaranteedOverlap
from orchestrator.rulebooks.coral2.reference import reference
from orchestrator.rulebooks.coral2.rulebook import judge
from tests.orchestrator.rulebooks.test_coral2_verdict import measured, suite


def test_a_number_that_breaks_a_rule_is_still_shown_all_the_way_up() -> None:
    verdict = judge(suite(p1b1={"accuracy__lowest": 0.5, "accuracy__below_target": 1}))
    candle = verdict.groups[0]
    assert candle["fom"] == 1.0
    assert not candle.reportable
    assert candle.reasons == ("p1b1 is not reportable",)
    assert verdict["overall"] == pytest.approx((5 * 1 + 1 * 1 + 2 * 1 + 5 * 10) / 13)
    assert not verdict.reportable


@given(st.sets(st.sampled_from(sorted(reference().benchmarks))))
def test_absent_members_are_listed_and_nothing_is_computed_without_them(absent: set[str]) -> None:
    verdict = judge([item for item in suite() if item.workload not in absent])
    for group in verdict.groups:
        assert group.missing == tuple(name for name in group.members if name in absent)
        assert (group["fom"] is None) == bool(group.missing)
        assert group.reportable == (not group.missing)
    assert (verdict["overall"] is None) == bool(absent)
    assert verdict.reportable == (not absent)


def test_an_empty_campaign_has_no_figure() -> None:
    verdict = judge([])
    assert (verdict.benchmarks, verdict["overall"], verdict.reportable) == ((), None, False)
    assert len(verdict.reasons) == 4


def test_two_benchmarks_of_one_workload_are_listed_and_neither_counts() -> None:
    verdict = judge([*suite(), measured("lstm", benchmark="lstm-again", times__max_seconds=0.0001)])
    twice = [fom for fom in verdict.benchmarks if fom.workload == "lstm"]
    assert [fom.benchmark for fom in twice] == ["lstm", "lstm-again"]
    assert all(fom["fom"] is not None and not fom.reportable for fom in twice)
    assert "2 benchmarks of the campaign run lstm" in twice[0].reasons[0]
    [group] = [group for group in verdict.groups if group.name == "lstm"]
    assert (group["fom"], group.missing) == (None, ("lstm",))
    assert verdict["overall"] is None


def test_a_workload_outside_the_suite_is_listed_and_harms_nothing() -> None:
    verdict = judge([*suite(), measured("nt3", times__max_seconds=math.nan)])
    outsider = verdict.benchmarks[-1]
    assert (outsider["fom"], outsider.group, outsider.reportable, outsider["seconds"]) == (
        None,
        None,
        False,
        None,
    )
    assert outsider.reasons == ("nt3 is not a benchmark of CORAL-2",)
    assert verdict.reportable


def test_base_and_optimized_runs_do_not_mix() -> None:
    verdict = judge(suite(p1b1={"run_class": "optimized"}))
    assert all(fom.reportable for fom in verdict.benchmarks)
    assert verdict.groups[0].reasons == ("base and optimized runs are mixed",)
    assert verdict.reasons == ("base and optimized runs are mixed",)
    assert not verdict.reportable


def test_verdict_is_json_and_says_reportable_at_every_level() -> None:
    data = json.loads(json.dumps(judge(suite()).to_dict(), allow_nan=False))
    assert data["rulebook"] == "coral2"
    assert data["reportable"] is True
    assert all(part["reportable"] is True for part in data["benchmarks"] + data["groups"])
    assert {"name", "passed", "reason"} == set(data["benchmarks"][0]["rules"][0])


@pytest.mark.parametrize(
    "changes",
    [
        {"accepted": 14_001},
        {"overlap__concurrent": 14_001},
        {"overlap__concurrent": -1},
        {"overlap__guaranteed": GuaranteedOverlap(overlap=14_001, node="n7", ahead_seconds=(0.0, 0.0))},
        {"overlap__guaranteed": GuaranteedOverlap(overlap=-1, node="n7", ahead_seconds=(0.0, 0.0))},
        {"accuracy__below_target": 14_001},
        {"times__missing": -1},
        {"slots__largest_devices": -1},
    ],
)
def test_measurements_that_contradicts_itself_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="p1b1: "):
        measured("p1b1", **changes)


numbers = st.one_of(st.none(), st.floats())


@given(
    workload=st.sampled_from([*reference().benchmarks, "nt3"]),
    counts=st.lists(st.integers(0, 100), min_size=3, max_size=3).map(sorted),
    seconds=numbers,
    accuracy=numbers,
    share=numbers,
    run_class=st.sampled_from(["base", "optimized"]),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_any_measurements_get_a_verdict_that_is_sound(
    workload: str,
    counts: list[int],
    seconds: float | None,
    accuracy: float | None,
    share: float | None,
    run_class: str,
    flags: tuple[bool, bool, bool],
) -> None:
    item = measured(
        workload,
        overlap__concurrent=counts[0],
        accepted=counts[1],
        planned=counts[2],
        times__max_seconds=seconds,
        accuracy__lowest=accuracy,
        slots__largest_share_of_system=share,
        run_class=run_class,
        distinct_seeds=flags[0],
        slots__devices_used=flags[1],
        data__synthetic=flags[2],
    )
    verdict = judge([item])
    json.dumps(verdict.to_dict(), allow_nan=False)
    [fom] = verdict.benchmarks
    assert fom["fom"] is None or 0 < fom["fom"] < math.inf
    kept = all(rule.passed is not False for rule in fom.rules)
    assert fom.reportable == (fom["fom"] is not None and kept)
    assert all(rule.reason for rule in fom.rules)
    if fom["fom"] is None:
        assert fom.reasons
