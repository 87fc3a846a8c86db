"""Members of a group beside the others: errors as rare as stated, for any distribution and a few waves."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from orchestrator.analysis.sequential.boundaries import placement_ranks
from orchestrator.analysis.sequential.members import STANDINGS, Among, decision, standings

ASKED = Among(0.05, members=8, false_alarms=0.05, missed=0.05, at_least=2, at_most=8)


def named(logs: np.ndarray, asked: Among = ASKED) -> list[str]:
    return [STANDINGS[one] for one in standings(logs, asked)[0]]


def test_ranks_of_placements_miss_as_often_as_all_placements_say() -> None:
    sizes = (5, 4, 6, 5)
    ranks = placement_ranks(sizes, 0.05, 2, 4)
    missed = [
        any(sum(places[:n]) < ranks[n] for n in range(2, 5))
        for places in itertools.product(*map(range, sizes))
    ]
    assert 0.02 < np.mean(missed) <= 0.05
    assert placement_ranks((16,) * 4, 16.0**-4, 4, 4).tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("draw", ["normal", "standard_cauchy", "exponential"])
def test_a_member_that_is_slower_by_just_the_difference_is_called_so_as_seldom_as_stated(draw: str) -> None:
    random = np.random.default_rng([3, len(draw)])
    asked = replace(ASKED, members=1)
    found = []
    for _ in range(1500):
        logs = 0.02 * getattr(random, draw)(size=(8, 6))
        logs[:, 0] -= math.log1p(asked.difference)
        found.append(standings(logs, asked)[0][0])
    for standing in ("slow", "fine"):
        share = np.mean(np.array(found) == STANDINGS.index(standing))
        assert 0.01 < share < 0.05 + 4 * math.sqrt(0.05 / 1500)


def test_a_slow_member_is_found_and_the_others_are_fine() -> None:
    logs = np.random.default_rng(1).normal(0.0, 0.005, (8, 10))
    logs[:, 3] -= 0.1
    found = standings(logs, ASKED)
    assert named(logs) == ["slow" if k == 3 else "fine" for k in range(10)]
    one = decision(logs, 3, ASKED, found)
    assert (one.standing, one.further) == ("slow", None)
    assert one.looks < 8
    assert one.estimate == pytest.approx(math.exp(-0.1), rel=0.01)
    assert one.high is not None
    assert one.estimate < one.high < 1 / 1.05


def test_later_waves_take_nothing_back() -> None:
    random = np.random.default_rng(5)
    logs = random.normal(0.0, 0.03, (8, 8)) - 0.05 * random.random(8)
    logs[2:4, 5] = np.nan
    known = {}
    for waves in range(9):
        names, looks = named(logs[:waves]), standings(logs[:waves], ASKED)[1]
        for member, (name, look) in enumerate(zip(names, looks.tolist(), strict=True)):
            if name != "undecided":
                assert known.setdefault(member, (name, look)) == (name, look)
    assert known


def test_an_undecided_member_has_an_interval_and_what_would_decide_it() -> None:
    random = np.random.default_rng(2)
    logs = random.normal(0.0, 0.04, (8, 8))
    logs[:, 0] -= 0.02
    found = standings(logs, ASKED)
    one = decision(logs, 0, ASKED, found)
    assert (one.standing, one.looks) == ("undecided", 8)
    assert one.low is not None
    assert one.high is not None
    assert one.low < 1 / 1.05 < one.high
    assert one.further is None or one.further > 0


def test_members_without_values_are_undecided_and_hold_no_other_up() -> None:
    logs = np.random.default_rng(1).normal(0.0, 0.005, (8, 10))
    logs[:, 0] = np.nan
    logs[:3, 1] = np.nan
    found = standings(logs, ASKED)
    assert named(logs) == ["undecided"] + ["fine"] * 9
    assert found[1][0] == 0
    one = decision(logs, 0, ASKED, found)
    assert (one.estimate, one.low, one.high) == (None, None, None)


def test_equal_values_prove_that_members_are_fine_and_no_wave_proves_nothing() -> None:
    assert set(named(np.zeros((8, 10)))) == {"fine"}
    assert set(named(np.empty((0, 4)))) == {"undecided"}
