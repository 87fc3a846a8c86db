"""Points whose ranks cannot share the training are refused before anything is made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.plan_checks import check_rank_shares
from orchestrator.planning.slots import NodeFacts
from sites import Site


def planned(matrix: dict[str, Any], **parameters: Any) -> Plan:
    benchmark = {"workload": "nt3", "timeout": 60, "matrix": matrix, "parameters": parameters}
    spec = parse_campaign(
        json.dumps({"campaign": "toy", "rulebook": "none", "benchmarks": [benchmark]}), "toy"
    )
    return make_plan(spec, Site(site="test"), NodeFacts(tuple(range(16)), 8 << 30), Path())


def test_epochs_that_leave_a_remainder_are_refused_unless_a_rank_is_to_take_it() -> None:
    with pytest.raises(CampaignError) as caught:
        check_rank_shares(planned({"ranks": [1, 2, 3]}, epochs=10))
    assert str(caught.value) == (
        "benchmark nt3[ranks=3]: epochs: 10 cannot be divided among 3 ranks; choose 9 or 12, or "
        "epoch_remainder: last_rank"
    )
    check_rank_shares(planned({"ranks": [1, 2, 3]}, epochs=10, epoch_remainder="last_rank"))
    check_rank_shares(planned({"ranks": [1, 2, 3]}, epochs=10, epoch_division="each"))


def test_horovod_joins_ranks_of_tensorflow_only() -> None:
    with pytest.raises(
        CampaignError, match=r"nt3\[ranks=2\]: communication horovod joins ranks of TensorFlow"
    ):
        check_rank_shares(planned({"ranks": [1, 2]}, epochs=2, framework="jax"))
    check_rank_shares(planned({"ranks": [1, 2]}, epochs=2, framework="jax", communication="torch"))


def test_a_timeline_needs_horovod() -> None:
    given = {"workload": "nt3", "timeout": 60, "instances": 1, "timeline": True}
    benchmark = given | {"parameters": {"communication": "torch"}}
    text = json.dumps({"campaign": "toy", "rulebook": "none", "benchmarks": [benchmark]})
    with pytest.raises(CampaignError, match="timeline is recorded by Horovod; remove it, or choose"):
        parse_campaign(text, "toy")


def test_of_many_problems_the_first_have_a_line() -> None:
    with pytest.raises(CampaignError) as caught:
        check_rank_shares(planned({"ranks": "2..16"}, epochs=1))
    lines = str(caught.value).splitlines()
    assert len(lines) == 4
    assert lines[3] == "and 12 more points or benchmarks"
