"""Scaling laws, against run times drawn from known ones."""

from __future__ import annotations

import math
import random

import pytest

from orchestrator.analysis.study.scaling_laws import LAWS, WEAK_LAWS, FitRefusedError, Run, fit

SIZES = (1, 6, 12, 24, 48)
TRUTH = {
    "Amdahl": {"serial": 20.0, "divided": 1000.0},
    "Amdahl + communication": {"serial": 20.0, "divided": 1000.0, "logarithmic": 3.0, "linear": 0.4},
    "constant + communication": {"serial": 100.0, "logarithmic": 4.0, "linear": 0.5},
}
ALL_LAWS = {**LAWS, **WEAK_LAWS}


def time_at(law: str, size: int) -> float:
    terms = {"serial": 1.0, "divided": 1 / size, "logarithmic": math.log2(size), "linear": size}
    return sum(value * terms[name] for name, value in TRUTH[law].items())


def runs(law: str, spread: float, draw: random.Random, repeats: int = 3) -> list[Run]:
    return [
        (size, time_at(law, size) * draw.lognormvariate(0, spread)) for size in SIZES for _ in range(repeats)
    ]


@pytest.mark.parametrize("law", ALL_LAWS)
def test_without_noise_the_true_coefficients_are_found(law: str) -> None:
    found = fit(law, ALL_LAWS[law], runs(law, 0.0, random.Random(1), 1), [384])
    assert found.coefficients == pytest.approx(TRUTH[law], rel=1e-4)
    assert found.residual < 1e-5
    assert found.predictions[0].time.value == pytest.approx(time_at(law, 384), rel=1e-4)
    assert found.at(12) == pytest.approx(time_at(law, 12), rel=1e-4)


@pytest.mark.parametrize("law", ALL_LAWS)
def test_intervals_of_predictions_cover_runs_at_that_size(law: str) -> None:
    draw = random.Random(2017)
    covered, rounds = 0, 200
    for _ in range(rounds):
        found = fit(law, ALL_LAWS[law], runs(law, 0.03, draw), [384])
        low, high = found.predictions[0].time.low, found.predictions[0].time.high
        assert low is not None
        assert high is not None
        covered += low <= time_at(law, 384) * draw.lognormvariate(0, 0.03) <= high
    # Binomial (200, 0.95) is below 178 once in 10,000 times.
    assert covered >= 178


def test_a_coefficient_and_the_spread_are_found_within_their_errors() -> None:
    draw = random.Random(5)
    found = [fit("Amdahl", LAWS["Amdahl"], runs("Amdahl", 0.02, draw, 5)) for _ in range(200)]
    inside = sum(abs(one.coefficients["divided"] - 1000) <= 2.07 * one.errors["divided"] for one in found)
    assert inside >= 180
    assert sum(one.residual for one in found) / 200 == pytest.approx(0.02, rel=0.05)
    assert found[0].serial_share == pytest.approx(20 / 1020, rel=0.1)
    assert found[0].formula == "s + w/N"


def test_a_term_that_the_runs_lack_is_not_negative() -> None:
    found = fit(
        "Amdahl + communication",
        LAWS["Amdahl + communication"],
        runs("Amdahl", 0.02, random.Random(3)),
        [96],
    )
    assert all(value >= 0 for value in found.coefficients.values())
    [one] = found.predictions
    assert one.time.low is not None
    assert one.time.low <= time_at("Amdahl", 96)


@pytest.mark.parametrize(("law", "least"), [("Amdahl", 3), ("Amdahl + communication", 5)])
def test_too_few_sizes_are_refused_with_the_number_needed(law: str, least: int) -> None:
    few = [(size, 1.0 + 1 / size) for size in SIZES[: least - 1] for _ in range(10)]
    with pytest.raises(
        FitRefusedError, match=f"{least - 1} sizes; its {least - 1} terms need {least} or more"
    ):
        fit(law, LAWS[law], few)


def test_times_that_are_all_alike_are_fitted() -> None:
    found = fit("Amdahl", LAWS["Amdahl"], [(size, 5.0) for size in SIZES], [10**9])
    assert found.at(100) == pytest.approx(5.0)
    assert found.to_dict()["predictions"][0]["predicted"] is True
