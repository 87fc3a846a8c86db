"""Comparisons worked by hand, and what counts as slower."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from orchestrator.analysis.base.statistics import Estimate
from orchestrator.analysis.comparison.campaigns import Change, change, times_of
from orchestrator.report.line_figures import history_svg


def test_a_change_worked_by_hand() -> None:
    """Medians 20 and 10; of the 252 ways to share out ten ranks, two are as extreme."""
    found = change("b", "p1b1", np.array([18.0, 19, 20, 21, 30]), np.array([8.0, 9, 10, 11, 12]), 0.4)
    assert found.median.value == 2.0
    assert found.longest == Estimate(2.5, None, None)  # five runs have no tail
    assert found.probability == pytest.approx(2 / 252)
    assert found.fom == 0.4


@pytest.mark.parametrize(
    ("median", "slower"),
    [
        (Estimate(1.05, 1.01, 1.09), True),
        (Estimate(1.05, 0.99, 1.11), False),  # it may as well be equal
        (Estimate(1.02, 1.01, 1.03), False),  # certainly slower, but not by 3 %
        (Estimate(1.05, None, None), True),  # too few runs for an interval
        (Estimate(0.90, 0.85, 0.95), False),
    ],
)
def test_slower_means_by_more_than_the_share_and_for_certain(median: Estimate, slower: bool) -> None:
    assert Change("b", "x", median, median, 0.5, None).slower(0.03) is slower


def test_equal_campaigns_are_rarely_slower() -> None:
    random = np.random.default_rng(1)
    alarms = sum(
        change("b", "x", random.lognormal(0, 0.05, 40), random.lognormal(0, 0.05, 40), None).slower(0.0)
        for _ in range(200)
    )
    assert alarms <= 12  # 2.5 % of 200 is 5


def test_the_interval_of_the_longest_run_holds_that_of_another_pair() -> None:
    random = np.random.default_rng(2)
    covered = 0
    for _ in range(100):
        one, two, three, four = (random.exponential(1.0, 200) + 10 for _ in range(4))
        found = change("b", "x", one, two, None).longest
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= three.max() / four.max() <= found.high
    assert covered >= 90  # 95 is stated


def test_a_plot_escapes_names_and_describes_each_value() -> None:
    seconds = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    times = [times_of(f"<{k}>", 'a & "b"', "s", k * seconds, None) for k in (1, 2)]
    drawing = ET.fromstring(history_svg(times))
    texts = {one.text for one in drawing.iter("{http://www.w3.org/2000/svg}text")}
    assert {"<1>", "<2>", 'a & "b": median', 'a & "b": longest run', "s"} <= texts
    described = drawing.find("{http://www.w3.org/2000/svg}desc")
    assert described is not None
    stated = 'a & "b" in <2>: median 7 s (95 %: 2 to 12), longest 12 s, 6 runs'
    assert stated in str(described.text)
    assert ET.fromstring(history_svg([])) is not None


def test_a_regression_of_3_percent_fills_a_good_part_of_a_history() -> None:
    """The axis does not begin at 0: labels of the vertical axis are no farther from the times than 5 %."""
    steady = np.linspace(99.9, 100.1, 9)
    times = [times_of(f"week {k}", "p1b1", "s", steady * (1.03 if k == 2 else 1.0), None) for k in (1, 2)]
    drawing = ET.fromstring(history_svg(times))
    texts = [str(one.text) for one in drawing.iter("{http://www.w3.org/2000/svg}text")]
    numbers = [float(text) for text in texts if text.replace(".", "").isdecimal()]
    assert numbers
    assert min(numbers) > 95
    assert max(numbers) < 108
    assert "within 3% of the first" in texts
    assert texts.count("s") == 2
