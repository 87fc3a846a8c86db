from __future__ import annotations

import math

import pytest

from workloads.imagenet.resnet50_v15.schedule import Schedule

EIGHT = {
    "learning_rate": 0.256, "momentum": 0.875, "images_per_step": 8 * 128, "steps_per_epoch": 100,
    "epochs": 90,
}  # fmt: skip


@pytest.mark.parametrize(
    ("step", "share"),
    [
        (0, 0.0),
        (1, 1 / 800),
        (400, 0.5),
        (799, 799 / 800),
        (800, 0.5 * (1 + math.cos(math.pi * 8 / 90))),  # the cosine began with the warm-up
        (4500, 0.5),
        (8999, 0.5 * (1 - math.cos(math.pi / 9000))),
    ],
)
def test_the_rate_rises_from_nothing_and_follows_the_cosine_of_the_whole_training(step, share):
    assert Schedule(**EIGHT).rate(step) == pytest.approx(1.024 * share, rel=1e-9)
    assert Schedule(**EIGHT).momentum_of(step) == 0.875


@pytest.mark.parametrize(
    ("step", "rate"),
    [(799, 0.256 * 4 * 799 / 800), (800, 1.024), (2999, 1.024), (3000, 0.1024), (8500, 0.001024)],
)
def test_the_other_policy_drops_to_a_tenth(step, rate):
    assert Schedule(**EIGHT, policy="steps").rate(step) == pytest.approx(rate, rel=1e-9)


def test_without_warm_up_it_begins_at_the_peak():
    assert Schedule(**EIGHT | {"images_per_step": 256}, warmup_epochs=0).rate(0) == 0.256
