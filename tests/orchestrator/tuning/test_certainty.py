"""Slot shapes that are certainly not the best, and further fills of the others."""

from __future__ import annotations

from fractions import Fraction

from orchestrator.analysis.base.statistics import median_interval
from orchestrator.tuning.certainty import AT_LEAST, decisions_of, more_fills, sentences_beside
from orchestrator.tuning.packing import Packing, recommend


def shape(name: str, *figures: float) -> Packing:
    return Packing(
        name,
        cores=1,
        ranks=1,
        gpus=Fraction(),
        instances=1,
        figure=median_interval(figures),
        planned=len(figures),
        figures=figures,
    )


def around(middle: float, number: int = 6, step: float = 0.02) -> tuple[float, ...]:
    return tuple(middle * (1 + step * place) for place in range(number))


def test_a_worse_shape_gets_no_more_fills_and_those_beside_each_other_do() -> None:
    shapes = [shape("a", *around(10)), shape("b", *around(8)), shape("c", *around(10.01))]
    found = recommend(shapes, None)
    assert found.best is not None
    assert found.best.benchmark == "c"
    assert found.as_good == ("a",)
    assert set(found.open) == {"a", "c"}
    assert found.sentences["b"].startswith("certainly worse than c, which is at least 15")
    assert found.sentences["a"].startswith("undecided, 0.")
    planned = {one.benchmark: one.planned for one in shapes}
    assert more_fills(planned, found.open, 18) == {"a": 3, "c": 3}
    assert more_fills(planned, found.open, 8) == {"a": 2, "c": 2}
    assert more_fills(planned, found.open, 6) == {}


def test_shapes_that_are_alike_within_the_difference_are_certain() -> None:
    close = [shape("a", *around(10, 9, 0.002)), shape("c", *around(10.01, 9, 0.002))]
    found = recommend(close, None)
    assert found.open == ()
    assert found.as_good == ("a",)
    assert "certainly within" in found.sentences["a"]
    assert recommend(close, None, 0.001).open


def test_few_fills_decide_nothing_and_grow_to_the_first_look() -> None:
    few = [shape("a", 10.0), shape("b", 1.0)]
    found = recommend(few, None)
    assert found.sentences == {"b": "undecided beside a, as 1 fill of each is too few"}
    assert more_fills({"a": 1, "b": 1}, found.open, 18) == {"a": AT_LEAST - 1, "b": AT_LEAST - 1}


def test_one_shape_is_compared_with_none() -> None:
    assert decisions_of({"a": [1.0]}, 0.05, 18) is None
    assert sentences_beside("a", None) == {}
