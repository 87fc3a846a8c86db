"""Forecasts beside campaigns that are evaluated one by one."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from orchestrator.analysis.sequential.boundaries import Method
from orchestrator.analysis.sequential.decisions import Decide, Design, Until, evaluate
from orchestrator.analysis.sequential.forecast import (
    Spread,
    first_decided,
    fixed_design,
    forecast_decide,
    forecast_table,
    forecast_until,
)
from orchestrator.analysis.sequential.observations import Observation
from orchestrator.errors import CampaignError


@pytest.mark.parametrize("method", ["ranks", "signs", "unpaired"])
def test_campaigns_side_by_side_end_as_single_ones(method: Method) -> None:
    asked = Decide(0.03, at_most=30, method=method)
    random = np.random.default_rng(1)
    first, second = random.normal(0, 0.02, (2, 12, 30))
    first[6:] += math.log1p(0.08)
    ends = first_decided(first, second, asked, 1)
    for campaign in range(12):
        runs = [
            Observation(point, block, "n", float(np.exp(values[campaign, block])))
            for block in range(30)
            for point, values in (("a", first), ("b", second))
        ]
        (pair,) = evaluate(Design(("a", "b"), decide=asked), runs).pairs
        assert ends[campaign] == (0 if pair.outcome == "undecided" else pair.looks)
    assert (ends > 0).sum() >= 6


def test_less_spread_and_larger_differences_take_fewer_runs() -> None:
    wide, narrow = Spread.of_median(100, 3), Spread.of_median(100, 1)
    assert narrow.sigma == pytest.approx(0.0148, rel=0.01)
    table = forecast_table(Decide(0.03), wide)
    assert [one.wanted for one in table] == [0.015, 0.03, 0.06, 0.12]
    assert [one.runs for one in table] == sorted((one.runs for one in table), reverse=True)
    assert table[-1].decided == 1.0
    assert table[0].decided < 0.5
    assert forecast_until(Until(0.03), narrow).runs < forecast_until(Until(0.03), wide).runs
    assert len(forecast_table(Until(0.02), wide)) == 4


def test_a_forecast_states_node_hours_and_the_fixed_design() -> None:
    spread = Spread.of_values(np.random.default_rng(2).lognormal(4, 0.03, 400).tolist())
    found = forecast_decide(Decide(0.03, at_most=45), 1, spread, true_difference=0.06)
    assert found.fixed is not None
    assert found.runs < 0.75 * found.fixed
    assert found.decided > 0.95
    assert found.runs <= found.runs_90 <= 45
    assert forecast_decide(Decide(0.03), 1, spread, true_difference=0.03).fixed is None


@pytest.mark.parametrize("method", ["ranks", "unpaired"])
def test_a_decision_is_beside_the_fixed_design_that_would_have_made_it(method: Method) -> None:
    design = Design(("a", "b"), decide=Decide(0.03, method=method))
    logs = np.random.default_rng(3).normal((math.log1p(0.06), 0.0), 0.03, (60, 2))
    runs = [
        Observation(point, block, "n", float(np.exp(logs[block, k])))
        for block in range(60)
        for k, point in enumerate(("a", "b"))
    ]
    (pair,) = evaluate(design, runs).pairs
    # (1.96 + 1.645)²·2·0.03² ÷ (ln 1.06 − ln 1.03)²·π ÷ 3 = 29.7; the difference that was seen is not 6 %.
    assert pair.looks < 35
    assert fixed_design(design, runs, replace(pair, estimate=1.06)) == pytest.approx(30, abs=12)
    assert fixed_design(design, runs, replace(pair, estimate=1.03)) is None
    assert fixed_design(design, runs[:6], pair) is None
    assert fixed_design(Design(("a", "b")), runs, pair) is None


def test_a_spread_needs_values_above_0() -> None:
    with pytest.raises(CampaignError, match="needs 5 values above 0"):
        Spread.of_values([1.0, 2.0])
    with pytest.raises(CampaignError, match="needs 5 values above 0"):
        Spread.of_values([1.0, 2.0, 3.0, 4.0, -1.0])
    with pytest.raises(CampaignError, match="must be above 0"):
        Spread.of_median(0.0, 1.0)
