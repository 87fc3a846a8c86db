"""Errors and savings over simulated campaigns; ``python -m tests.bench.sequential`` has more of them."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from orchestrator.analysis.sequential.boundaries import Method, ranks_of
from orchestrator.analysis.sequential.decisions import Decide, Until
from orchestrator.analysis.sequential.forecast import counts_by_look
from tests.bench.sequential import (
    DIFFERENCE,
    KINDS,
    Numbers,
    blocks_until_decided,
    missed,
    missed_by_node,
    naive_bias,
    point_coverage,
    savings,
    simulated,
)

ASKED = Decide(DIFFERENCE)


@pytest.mark.parametrize("method", ["ranks", "signs", "unpaired"])
def test_intervals_of_a_difference_cover_it_at_all_looks(method: Method) -> None:
    effects = (0.0, math.log1p(DIFFERENCE))
    wrong = [
        missed(simulated(kind, effects, 2_000, 60), effects, replace(ASKED, method=method)) for kind in KINDS
    ]
    assert np.mean(wrong) <= 0.055
    assert np.mean(wrong, axis=1).max() <= 0.065  # three standard errors of 2,000 campaigns


def test_signs_cover_the_median_of_ratios_where_one_point_alone_has_stragglers() -> None:
    random = np.random.default_rng(1)

    def drawn(campaigns: int) -> tuple[Numbers, Numbers]:
        late = (random.random((campaigns, 60)) < 0.2) * math.log(1.2)
        return 0.03 * random.standard_normal((campaigns, 60)) + late, 0.03 * random.standard_normal(
            (campaigns, 60)
        )

    one, two = drawn(20_000)
    true = float(np.median(one - two))
    one, two = drawn(2_000)
    wrong = {}
    for method in ("signs", "ranks"):
        asked = replace(ASKED, method=method)
        ranks = ranks_of(asked.method, 0.025, asked.at_least, asked.at_most)
        low, high = counts_by_look(one, two, true, asked), counts_by_look(two, one, -true, asked)
        wrong[method] = ((low < ranks) | (high < ranks)).any(axis=1).mean()
    assert wrong["signs"] <= 0.06
    assert wrong["ranks"] > 0.07  # its ratio is another


def test_intervals_of_a_point_cover_its_median_at_all_looks() -> None:
    covered = [point_coverage(simulated(kind, (0.0,), 2_000, 60), Until(0.02)) for kind in KINDS]
    assert np.mean(covered) >= 0.945
    assert min(covered) >= 0.935


def test_a_family_of_equal_points_is_wrong_as_seldom_as_stated() -> None:
    equal = (0.0,) * 5
    wrong = [missed(simulated(kind, equal, 400, 60), equal, ASKED) for kind in KINDS]
    assert 0.02 < np.mean(wrong) <= 0.055


def test_pairs_by_node_cover_where_nodes_differ() -> None:
    assert missed_by_node(simulated("slow nodes", (0.0, 0.0), 500, 60), ASKED).mean() <= 0.06


def test_pairs_by_node_need_fewer_blocks_where_nodes_differ() -> None:
    found = simulated("slow nodes", (0.0, math.log1p(2 * DIFFERENCE)), 40, 120)
    asked = Decide(DIFFERENCE, at_most=120)
    by_block = np.median(blocks_until_decided(found, asked))
    by_node = np.median(blocks_until_decided(found, replace(asked, pairing="node")))
    assert by_node < 0.9 * by_block


@pytest.mark.parametrize("kind", KINDS)
def test_stopping_saves_two_fifths_of_the_node_hours(kind: str) -> None:
    found = savings(kind, (0.0, math.log1p(2 * DIFFERENCE)), [(0, 1)], 2_000, 110, 1.3)
    assert found.saved >= 0.4
    assert found.decided >= 0.94  # as many as the fixed design, within two standard errors


def test_the_order_of_a_file_biases_the_naive_answer_under_drift() -> None:
    bias, wrong = naive_bias("drift", 40, interleaved=False)
    assert bias == pytest.approx(-0.05, abs=0.01)
    assert wrong > 0.9
    bias, wrong = naive_bias("drift", 40, interleaved=True)
    assert abs(bias) < 0.005
    assert wrong < 0.2


def test_simulated_orders_hold_every_position_once() -> None:
    for interleaved, kind in itertools.product((True, False), KINDS):
        found = simulated(kind, (0.0, 1.0), 3, 4, interleaved=interleaved)
        assert found.logs.shape == found.nodes.shape == (3, 4, 2)
        assert (found.nodes[:, :, 0] != found.nodes[:, :, 1]).all()
