"""Runs in the registered order, and their pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from orchestrator.analysis.sequential.observations import Observation, paired, series
from orchestrator.errors import CampaignError


def seen(point: str, *values: tuple[int, str, float | None]) -> list[Observation]:
    return [Observation(point, block, node, value) for block, node, value in values]


def test_a_look_ends_before_the_first_block_that_waits() -> None:
    runs = series(seen("a", (3, "n1", 8.0), (1, "n1", None), (0, "n2", 1.0)), ["a", "b"])
    assert runs["a"].nodes == ("n2", "n1")
    assert runs["a"].logs[0] == 0.0
    assert math.isnan(runs["a"].logs[1])
    assert runs["a"].known.tolist() == [0.0]
    assert runs["b"].logs.size == 0


@pytest.mark.parametrize(
    ("observations", "message"),
    [
        (seen("c", (0, "n", 1.0)), "point c is not of this design: its points are a, b"),
        (seen("a", (0, "n", 1.0), (0, "m", 1.0)), "point a has two runs in block 0"),
        (seen("a", (0, "n", 0.0)), "point a, block 0: 0.0 is not a number above 0"),
        (seen("a", (0, "n", math.nan)), "nan is not a number above 0"),
    ],
)
def test_a_wrong_observation_is_refused(observations: list[Observation], message: str) -> None:
    with pytest.raises(CampaignError, match=message):
        series(observations, ["a", "b"])


def test_runs_of_a_block_are_a_pair() -> None:
    a = seen("a", (0, "n", 2.0), (1, "n", None), (2, "n", 8.0), (3, "n", 1.0))
    b = seen("b", (0, "m", 1.0), (1, "m", 1.0), (2, "m", 2.0))
    runs = series(a + b, ["a", "b"])
    assert paired(runs["a"], runs["b"], "block") == pytest.approx(np.log([2.0, 4.0]))


def test_runs_of_a_node_are_a_pair_as_soon_as_both_are_known() -> None:
    a = seen("a", (0, "n", 2.0), (1, "m", 9.0), (2, "n", 5.0))
    b = seen("b", (0, "m", 3.0), (1, "n", 4.0), (2, "m", None))
    runs = series(a + b, ["a", "b"])
    # Block 1: a's run on m meets b's of block 0, and b's run on n meets a's of block 0.
    assert np.exp(paired(runs["a"], runs["b"], "node")) == pytest.approx([3.0, 0.5])
    assert np.exp(paired(runs["b"], runs["a"], "node")) == pytest.approx([2.0, 1 / 3])
