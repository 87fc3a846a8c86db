"""Small simulations of screenings, as in their benchmark: errors are as rare as stated, and waves few."""

from __future__ import annotations

import numpy as np
import pytest

from orchestrator.analysis.nodes.scores import FALSE_ALARMS
from orchestrator.screening.options import AT_MOST, WAVES
from tests.bench.screening import KINDS, fixed_waves, screenings, worst_alarms


@pytest.mark.parametrize("kind", KINDS)
def test_a_screening_of_good_nodes_names_none(kind: str) -> None:
    assert not any(one.named for one in screenings(kind, 16, 0.0, 60))


def test_errors_are_bounded_where_the_asked_difference_is_almost_none() -> None:
    """Six or fewer of 200 screenings at 1 % are so in 99.5 % of cases."""
    assert FALSE_ALARMS == 0.01
    assert worst_alarms(16, 200) <= 6 / 200


def test_a_slow_node_is_found_after_about_as_many_waves_as_a_fixed_design_needs() -> None:
    ended = screenings("calm", 16, 0.10, 60)
    assert all(one.named == {0} and one.decided for one in ended)
    waves = [sum(one.waves) / 3 for one in ended]
    assert WAVES <= np.median(waves) < 5
    fixed = fixed_waves("calm", 16, 0.10, 1.0, 60)
    assert fixed is not None
    assert np.median(waves) <= fixed


def test_a_noisy_machine_takes_more_waves_and_leaves_some_nodes_undecided() -> None:
    ended = screenings("noisy", 16, 0.0, 30)
    assert max(max(one.waves) for one in ended) == AT_MOST
    assert not all(one.decided for one in ended)
    assert np.mean([len(one.fine) for one in ended]) > 12
