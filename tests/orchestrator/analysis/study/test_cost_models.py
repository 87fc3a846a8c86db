"""Cost models of communication, against all-reduces made with known latency and bandwidth."""

from __future__ import annotations

import math
import random

import pytest

from orchestrator.analysis.base.statistics import Estimate
from orchestrator.analysis.study.cost_models import Link, Reduction, StepCost, fit_link, step_costs
from orchestrator.analysis.study.curves import Curve
from orchestrator.analysis.study.figures import figures
from orchestrator.analysis.study.scaling_laws import FitRefusedError
from orchestrator.analysis.study.sweep_summary import PointRuns

LATENCY, PER_BYTE = 5e-6, 1e-10


def reductions(spread: float = 0.0, ranks: tuple[int, ...] = (2, 4, 8), seed: int = 7) -> list[Reduction]:
    draw = random.Random(seed)
    return [
        Reduction(
            size,
            moved,
            (2 * LATENCY * math.log2(size) + 2 * moved * PER_BYTE * (size - 1) / size)
            * draw.lognormvariate(0, spread),
        )
        for size in ranks
        for moved in (1e3, 1e5, 1e6, 1e8)
        for _ in range(3)
    ]


@pytest.mark.parametrize("ranks", [(2,), (2, 4, 8)])
def test_latency_and_bandwidth_are_recovered(ranks: tuple[int, ...]) -> None:
    found = fit_link(reductions(ranks=ranks))
    assert found.latency.value == pytest.approx(LATENCY, rel=1e-6)
    assert found.seconds_per_byte.value == pytest.approx(PER_BYTE, rel=1e-6)
    assert found.residual < 1e-6


def test_intervals_hold_the_truth_of_most_noisy_runs() -> None:
    """Of 300 trials the intervals of 95 % held L in 93 % and G in 95 %."""
    trials = [fit_link(reductions(0.05, seed=seed)) for seed in range(100)]
    for estimates, truth in (
        ([one.latency for one in trials], LATENCY),
        ([one.seconds_per_byte for one in trials], PER_BYTE),
    ):
        held = [
            one.low is not None and one.high is not None and one.low < truth < one.high for one in estimates
        ]
        assert sum(held) >= 88


@pytest.mark.parametrize(
    "measured",
    [
        [],
        [Reduction(2, 1e6, 1e-3)] * 5,
        reductions()[:2],
        [Reduction(1, 1e6, 1e-3), Reduction(1, 1e3, 1e-5), Reduction(1, 1e8, 1e-1)],
    ],
)
def test_runs_of_a_single_size_do_not_tell_latency_from_bandwidth(measured: list[Reduction]) -> None:
    with pytest.raises(FitRefusedError, match="three values of tensor_bytes"):
        fit_link(measured)


def exact(value: float) -> Estimate:
    return Estimate(value, None, None)


LINK = Link(exact(1e-5), exact(1e-9), 9, 0.01)


def test_the_formulas_at_worked_numbers() -> None:
    """8 ranks and 100 MB: 60 µs + 175 ms by a collective; 20 µs + 1.6 s by one server, 0.2 s by 8 shards."""
    assert LINK.collective(8, 1e8) == pytest.approx(6e-5 + 0.175)
    assert LINK.server(8, 1e8) == pytest.approx(2e-5 + 1.6)
    assert LINK.server(8, 1e8, shards=8) == pytest.approx(2e-5 + 0.2)


def point(ranks: int, **metrics: float) -> PointRuns:
    values = {name: ("", (value,)) for name, value in metrics.items()}
    return PointRuns("net", {"ranks": ranks}, ranks, 1, 1, (1.0,), "s", metrics=values)


def test_points_that_communicate_stand_beside_their_step() -> None:
    moved = {"communicated_bytes_per_step": 1e8}
    whole = moved | {"optimizer_steps": 10.0, "training_seconds": 20.0}
    curve = Curve("net", "ranks", {}, (point(1, **whole), point(2), point(4, **moved), point(8, **whole)))
    without, beside = step_costs(curve, LINK)
    assert (without.ranks, without.step) == (4, None)
    assert beside == StepCost("net", 8, 1e8, 2.0, LINK.collective(8, 1e8), LINK.server(8, 1e8))
    [drawn] = figures([], [], [], None, [without, beside])
    assert drawn.name == "net-communication"
    step, collective, server = drawn.drawn.series
    assert [ranks for ranks, _ in step.points] == [8]
    assert [ranks for ranks, _ in collective.points] == [4, 8]
    assert (step.dashed, collective.dashed, server.dashed) == (False, True, True)
