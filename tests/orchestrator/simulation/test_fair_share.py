"""Recent use of users, and the priority that follows from it."""

from __future__ import annotations

import math

import pytest

from tests.orchestrator.simulation.fair_share import RecentUse, fair_share


def test_half_of_a_use_is_forgotten_in_each_half_life() -> None:
    use = RecentUse(half_life=1e6)
    for user, begin in (("early", 0.0), ("late", 1e6)):
        use.change(user, 5, begin)
        use.change(user, -5, begin + 100.0)
    early, late = use.relative("early", 1e6 + 100.0), use.relative("late", 1e6 + 100.0)
    assert late / early == pytest.approx(2.0, rel=1e-3)
    assert early + late == pytest.approx(2.0)  # the mean is 1
    assert use.relative("early", 5e6) == pytest.approx(early)  # all forget alike


def test_use_counts_while_it_goes_on() -> None:
    use = RecentUse(half_life=10.0)
    use.change("ended", 1, 0.0)
    use.change("ended", -1, 10.0)
    use.change("runs", 1, 10.0)
    # Each second of use decays on its own: both sums are integrals over ten seconds.
    assert use.relative("runs", 20.0) / use.relative("ended", 20.0) == pytest.approx(2.0)
    assert use.relative("runs", 1e4) == pytest.approx(2.0)


def test_a_past_is_as_if_nodes_had_been_held_for_ever() -> None:
    past, lived = RecentUse(10.0, {"often": 3.0, "seldom": 1.0}), RecentUse(10.0)
    assert past.relative("often", 0.0) == pytest.approx(1.5)
    for user, nodes in (("often", 3), ("seldom", 1)):
        lived.change(user, nodes, -1e4)
        lived.change(user, -nodes, 0.0)
    for use in (past, lived):
        use.change("new", 2, 0.0)
        use.change("new", -2, 5.0)
    for user in ("often", "seldom", "new"):
        assert past.relative(user, 5.0) == pytest.approx(lived.relative(user, 5.0))


def test_without_use_all_are_alike() -> None:
    use = RecentUse(half_life=10.0)
    assert use.relative("new", 5.0) == 0.0
    assert fair_share(0.0, 0.0) == 1.0


def test_priority_falls_with_use_and_grows_with_age() -> None:
    assert fair_share(0.0, 2.0) == 0.25
    assert fair_share(7 * 86_400.0, 2.0) == 0.5 == fair_share(math.inf, 2.0)
