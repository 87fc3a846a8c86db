"""The batch grows by what the rate would decay, as far as the images allow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloads.deep500.training.schedules import SCHEDULES, Schedule

IMAGES = 50_000


def of(kind, epoch, images=IMAGES, batch=128, factor=5):
    return Schedule(kind, batch, 0.1, 60, factor).of_epoch(epoch, images)


@pytest.mark.parametrize(
    ("kind", "epochs", "batch", "rate"),
    [
        ("constant", (1, 60, 61, 500), 128, 0.1),
        ("decaying_rate", (1, 60), 128, 0.1),
        ("decaying_rate", (61, 120), 128, 0.02),
        ("decaying_rate", (121, 180), 128, 0.004),
        ("growing_batch", (1, 60), 128, 0.1),
        ("growing_batch", (61, 120), 640, 0.1),
        ("growing_batch", (121, 180), 3200, 0.1),
        ("growing_batch", (181, 240), 3200, 0.02),
    ],
)
def test_the_schedules_of_the_paper(kind, epochs, batch, rate):
    for epoch in epochs:
        assert of(kind, epoch) == (batch, pytest.approx(rate))


@given(
    epoch=st.integers(1, 1000),
    images=st.integers(1, 10**7),
    batch=st.integers(1, 10**4),
    factor=st.integers(2, 9),
)
def test_the_noise_is_the_same_with_either(epoch, images, batch, factor):
    decayed, grown = (of(kind, epoch, images, batch, factor) for kind in SCHEDULES[1:])
    assert grown[1] / grown[0] == pytest.approx(decayed[1] / decayed[0])
    assert grown[0] == batch or grown[0] <= images / 10
