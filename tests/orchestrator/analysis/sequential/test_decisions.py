"""Decisions of whole designs, and their sentences."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from orchestrator.analysis.sequential.decisions import Decide, Design, Until, evaluate, path
from orchestrator.analysis.sequential.observations import Observation
from orchestrator.analysis.sequential.sentences import pair_sentence, point_sentence
from orchestrator.errors import CampaignError

POINTS = ("a", "b", "c")


def campaign(blocks: int, factors: dict[str, float], sigma: float = 0.01, seed: int = 1) -> list[Observation]:
    random = np.random.default_rng(seed)
    return [
        Observation(point, block, f"n{random.integers(3)}", float(100 * factor * random.lognormal(0, sigma)))
        for block in range(blocks)
        for point, factor in factors.items()
    ]


def test_a_point_that_is_decided_needs_no_more_runs() -> None:
    design = Design(POINTS, decide=Decide(0.03))
    runs = campaign(30, {"a": 1.0, "b": 1.0, "c": 1.2}, sigma=0.02)
    needed = [evaluate(design, runs[: 3 * n]).needed for n in range(31)]
    assert needed[0] == POINTS
    ends = {point: max(n for n in range(31) if point in needed[n]) + 1 for point in POINTS}
    assert ends["c"] < ends["a"] == ends["b"] < 30
    found = evaluate(design, runs)
    assert found.certain
    assert [(one.first, one.second, one.outcome) for one in found.pairs] == [
        ("a", "b", "alike"),
        ("a", "c", "lower"),
        ("b", "c", "lower"),
    ]


def test_later_runs_take_back_no_decision_and_change_no_number() -> None:
    design = Design(POINTS, Until(0.02), Decide(0.03, pairing="node"))
    runs = campaign(60, {"a": 1.0, "b": 1.06, "c": 1.0}, sigma=0.03)
    decided: dict[object, object] = {}
    for n in range(0, 181, 3):
        found = evaluate(design, runs[:n])
        for pair in found.pairs:
            if (pair.first, pair.second) in decided or pair.outcome != "undecided":
                assert decided.setdefault((pair.first, pair.second), pair) == pair
        for point in found.points:
            if point.point in decided or point.precise:
                assert decided.setdefault(point.point, point) == point
    assert decided


@pytest.mark.parametrize("pairing", ["block", "node"])
@pytest.mark.parametrize("method", ["ranks", "signs", "unpaired"])
def test_a_decision_is_that_of_the_path(method: str, pairing: str) -> None:
    design = Design(("a", "b"), decide=Decide(0.03, method=method, pairing=pairing))  # type: ignore[arg-type]
    runs = campaign(60, {"a": 1.08, "b": 1.0}, sigma=0.03)
    (pair,) = evaluate(design, runs).pairs
    assert pair.outcome == "higher"
    first = next(one for one in path(design, runs, "a", "b") if one.low is not None and one.low > 1.03)
    assert (pair.looks, pair.low, pair.high) == (first.look, first.low, first.high)


def test_runs_in_any_order_of_their_ends_decide_alike() -> None:
    design = Design(POINTS, decide=Decide(0.03))
    runs = campaign(20, {"a": 1.0, "b": 1.0, "c": 1.2})
    mixed = [runs[k] for k in np.random.default_rng(1).permutation(len(runs))]
    assert evaluate(design, mixed) == evaluate(design, runs)


def test_an_open_question_without_runs_left_says_how_many_would_answer() -> None:
    design = Design(("a", "b"), Until(0.001, at_most=20), Decide(0.03, at_most=20))
    found = evaluate(design, campaign(20, {"a": 1.0, "b": 1.0}, sigma=0.1))
    assert not found.needed
    assert found.exhausted == ("a", "b")
    assert not found.certain
    (pair,) = found.pairs
    assert pair.further is not None
    assert pair.further > 10
    sentence = pair_sentence(pair, Decide(0.03))
    assert sentence.startswith("undecided between a and b: a ÷ b is between 0.9")
    assert sentence.endswith(f"after 20 pairs of runs; about {pair.further} more would decide")
    assert "not yet 0.1 %" in point_sentence(found.points[0], Until(0.001))


def test_runs_without_values_are_made_up_for() -> None:
    design = Design(("a", "b"), decide=Decide(0.5, at_most=10))
    runs = [Observation(point, block, "n", None) for block in range(12) for point in ("a", "b")]
    assert evaluate(design, runs).needed == ("a", "b")
    assert pair_sentence(evaluate(design, runs).pairs[0], Decide(0.5)) == (
        "undecided between a and b: 0 pairs of runs are too few for an interval"
    )


def test_equal_values_are_alike() -> None:
    design = Design(("a", "b"), Until(0.01), Decide(0.03))
    runs = [Observation(point, block, "n", 3.0) for block in range(15) for point in ("a", "b")]
    found = evaluate(design, runs)
    assert found.certain
    assert pair_sentence(found.pairs[0], Decide(0.03)).startswith("a and b certainly differ by at most 0 %")
    assert point_sentence(found.points[0], Until(0.01)).startswith("a is known within 0 %: 3 to 3 after")


def test_sentences_name_the_better_point_and_the_least_difference() -> None:
    design = Design(("a", "b"), decide=Decide(0.03))
    (pair,) = evaluate(design, campaign(30, {"a": 1.2, "b": 1.0})).pairs
    assert pair.low is not None
    least, runs = f"at least {100 * (pair.low - 1):.3g} %", f"({pair.looks} pairs of runs)"
    assert pair_sentence(pair, Decide(0.03)) == (
        f"b is certainly faster than a, which takes {least} longer {runs}"
    )
    assert pair_sentence(pair, Decide(0.03), "higher") == f"a is certainly better than b, by {least} {runs}"
    assert pair_sentence(pair, Decide(0.03), "lower", time=False) == (
        f"b is certainly better than a, which has {least} more {runs}"
    )
    assert pair_sentence(pair, Decide(0.03), "none") == f"a is certainly higher than b, by {least} {runs}"


def test_a_baseline_is_compared_with_every_other_point() -> None:
    design = Design(POINTS, decide=Decide(0.03, baseline="b"))
    assert design.pairs == [("a", "b"), ("c", "b")]
    assert design.pair_error == 0.025


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Until(0.0), "width: 0 is out of range"),
        (lambda: Until(0.1, confidence=95), "confidence: 95 is out of range"),
        (lambda: Decide(0.03, error=0), "error: 0 is out of range"),
        (lambda: Decide(0.03, at_least=9, at_most=8), "at_most: 8 is less than at_least: 9"),
        (lambda: Until(0.1, at_most=1001), "at_most: 1,001 is more than 1,000"),
        (lambda: Design(("a", "a")), "names a point twice"),
        (
            lambda: Design(("a", "b"), decide=Decide(0.1, baseline="c")),
            "baseline c is not among the points a, b",
        ),
        (lambda: path(Design(("a", "b")), [], "a", "b"), "compares no points"),
    ],
)
def test_a_wrong_question_is_refused(make: object, message: str) -> None:
    with pytest.raises(CampaignError, match=message):
        make()  # type: ignore[operator]


def test_only_the_best_is_asked_for() -> None:
    found = campaign(12, {"a": 1.0, "b": 1.001, "c": 1.2, "d": 1.201})
    points = ("a", "b", "c", "d")
    every = evaluate(Design(points, decide=Decide(0.004, at_most=60)), found)
    assert set(every.needed) == set(points)  # c and d are too near to each other
    best = evaluate(Design(points, decide=Decide(0.004, at_most=60, best="lower")), found)
    assert best.beaten == {"c", "d"}
    assert set(best.needed) == {"a", "b"}
    highest = evaluate(Design(points, decide=Decide(0.004, at_most=60, best="higher")), found)
    assert highest.beaten == {"a", "b"}


def test_what_is_kept_of_many_pairs_does_not_grow_with_their_runs() -> None:
    names = [f"p{number}" for number in range(6)]
    design = Design(tuple(names), Until(0.0001, at_most=200), Decide(0.001, at_most=200))
    sizes = []
    tracemalloc.start()
    for seed in (1, 2):
        found = campaign(100, dict.fromkeys(names, 1.0), seed=seed)
        for number in range(0, len(found) + 1, 60):
            evaluate(design, found[:number])
        del found
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert sizes[1] - sizes[0] < 20_000  # ten looks at 15 pairs have 80,000 bytes of values
