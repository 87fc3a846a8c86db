from __future__ import annotations

import pytest

from workloads.imagenet.resnet50.schedule import Schedule

EIGHT = Schedule(learning_rate=0.0125, momentum=0.9, ranks=8, steps_per_epoch=100)


@pytest.mark.parametrize(
    ("step", "rate"),
    [
        (0, 0.0125 * (0.01 * 7 / 5 + 1)),  # one hundredth of an epoch has passed after the first step
        (99, 0.0125 * (1 * 7 / 5 + 1)),
        (249, 0.0125 * (2.5 * 7 / 5 + 1)),
        (499, 0.1),
        (500, 0.1),
        (2999, 0.1),
        (3000, 0.01),
        (5999, 0.01),
        (6000, 0.001),
        (7999, 0.001),
        (8000, 0.0001),
        (9000, 0.0001),
    ],
)
def test_the_rate_rises_for_five_epochs_and_drops_thrice(step, rate):
    assert EIGHT.rate(step) == pytest.approx(rate, rel=1e-12)


def test_one_rank_has_nothing_to_rise_to():
    one = Schedule(learning_rate=0.0125, momentum=0.9, ranks=1, steps_per_epoch=10)
    assert {one.rate(step) for step in range(300)} == {0.0125}


def test_without_warm_up_the_plateau_comes_at_once():
    sudden = Schedule(learning_rate=0.0125, momentum=0.9, ranks=4, steps_per_epoch=10, warmup_epochs=0)
    assert sudden.rate(0) == 0.05
    assert sudden.momentum_of(0) == 0.9


def test_momentum_follows_the_rate_in_the_step_where_it_changes():
    first = 0.0125 * (0.01 * 7 / 5 + 1)
    second = 0.0125 * (0.02 * 7 / 5 + 1)
    assert EIGHT.momentum_of(0) == pytest.approx(0.9 * first / 0.1, rel=1e-12)
    assert EIGHT.momentum_of(1) == pytest.approx(0.9 * second / first, rel=1e-12)
    assert EIGHT.momentum_of(500) == pytest.approx(0.9, rel=1e-12)
    assert EIGHT.momentum_of(3000) == pytest.approx(0.09, rel=1e-12)
    assert EIGHT.momentum_of(3001) == 0.9


def test_no_rate_at_all_is_a_schedule_too():
    still = Schedule(learning_rate=0.0, momentum=0.9, ranks=2, steps_per_epoch=10)
    assert (still.rate(3), still.momentum_of(3)) == (0.0, 0.9)
