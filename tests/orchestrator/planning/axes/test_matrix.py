"""Matrices without a workload: ranges, products, what is included and excluded, and labels."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.planning.axes.matrix import MOST_POINTS, MatrixError, labels, read_matrix


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("2..64 x2", [2, 4, 8, 16, 32, 64]),
        ("2..60 x 2", [2, 4, 8, 16, 32]),
        ("1..4", [1, 2, 3, 4]),
        ("10..100 step 30", [10, 40, 70, 100]),
        ("0.1..0.5 step 0.1", [0.1, 0.2, 0.3, 0.4, 0.5]),
        ("1e-3..1 x10", [0.001, 0.01, 0.1, 1.0]),
        ("-2..2 step 2", [-2, 0, 2]),
        ("4..4", [4]),
        (["1..2", 5, "8..16 x2"], [1, 2, 5, 8, 16]),
        (["numpy", True, 0.5], ["numpy", True, 0.5]),
    ],
)
def test_values_of_an_axis(written: Any, values: list[Any]) -> None:
    found = read_matrix({"axis": written}).axes["axis"]
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


def test_points_are_the_product_in_the_order_of_the_file() -> None:
    points = read_matrix({"b": [1, 2], "a": ["x", "y"]}).points()
    assert labels("nt3", points) == ["nt3[b=1,a=x]", "nt3[b=1,a=y]", "nt3[b=2,a=x]", "nt3[b=2,a=y]"]


def test_include_and_exclude_are_those_of_continuous_integration() -> None:
    matrix = {
        "fruit": ["apple", "pear"],
        "animal": ["cat", "dog"],
        "exclude": [{"fruit": "pear", "animal": "cat"}],
        "include": [
            {"color": "green"},
            {"color": "pink", "animal": "cat"},
            {"fruit": "apple", "shape": "circle"},
            {"fruit": "banana"},
            {"fruit": "banana", "animal": "cat"},
        ],
    }
    assert read_matrix(matrix).points() == [
        {"fruit": "apple", "animal": "cat", "color": "pink", "shape": "circle"},
        {"fruit": "apple", "animal": "dog", "color": "green", "shape": "circle"},
        {"fruit": "pear", "animal": "dog", "color": "green"},
        {"fruit": "banana"},
        {"fruit": "banana", "animal": "cat"},
    ]


def test_labels_do_not_depend_on_other_points() -> None:
    few, many = ({"ranks": values, "batch": [40]} for values in ([4], "1..8"))
    assert set(labels("nt3", read_matrix(few).points())) < set(labels("nt3", read_matrix(many).points()))


def test_labels_write_numbers_shortly() -> None:
    point = {"a": 0.001, "b": 2.0, "c": 1e-7, "d": True, "e": "1/4", "f": "v1.2-x"}
    assert labels("s", [point]) == ["s[a=0.001,b=2,c=1e-07,d=true,e=1of4,f=v1.2-x]"]


@pytest.mark.parametrize(
    ("matrix", "place", "problem"),
    [
        ([1], (), "must be a mapping"),
        ({}, (), "must be a mapping"),
        ({"a": []}, ("a",), "has no values"),
        ({"a": 4}, ("a",), "list or a range"),
        ({"a": "numpy"}, ("a",), "list or a range"),
        ({"a": [None]}, ("a",), "finite numbers, words"),
        ({"a": [float("nan")]}, ("a",), "finite numbers, words"),
        ({"a": [[1]]}, ("a",), "finite numbers, words"),
        ({"a": "9..1"}, ("a",), "from a lower to a higher"),
        ({"a": "1..9 x1"}, ("a",), "factor above 1"),
        ({"a": "0..9 x2"}, ("a",), "start above 0"),
        ({"a": "1..9 step 0"}, ("a",), "step above 0"),
        ({"a": "1..1000000"}, ("a",), "more than 100,000 values"),
        ({"a": "1..1000", "b": "1..101"}, (), "101,000 combinations"),
        ({"a b": [1]}, ("a b",), "no name of a parameter"),
        ({1: [1]}, ("1",), "no name of a parameter"),
        ({"a": [1], "exclude": [{"a": 1}]}, (), "no point is left"),
        ({"a": [1], "exclude": [{"a": 2}]}, ("exclude", 0), "excludes no point"),
        ({"a": [1], "exclude": [{"b": 2}]}, ("exclude", 0, "b"), "b is no axis"),
        ({"a": [1], "exclude": {"a": 2}}, ("exclude",), "list of mappings"),
        ({"a": [1], "include": [{"a": 1}]}, ("include", 0), "adds nothing"),
        ({"a": [1], "include": [[]]}, ("include", 0), "mapping of axes"),
        ({"a": [1], "derive": {"a": "2"}}, ("derive", "a"), "an axis already"),
        ({"a": [1], "derive": {"b": "a.real"}}, ("derive", "b"), "only, not"),
        ({"a": [1], "derive": {"b": [2]}}, ("derive", "b"), "must be an expression"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(matrix: Any, place: tuple[Any, ...], problem: str) -> None:
    with pytest.raises(MatrixError, match=problem) as error:
        read_matrix(matrix).points()
    assert error.value.place == ("matrix", *place)


@pytest.mark.parametrize("values", [[4, 4], [1, 1.0], ["1", 1]])
def test_two_points_with_one_label_are_refused(values: list[Any]) -> None:
    with pytest.raises(MatrixError, match="two points are nt3"):
        labels("nt3", read_matrix({"a": values}).points())


@pytest.mark.parametrize("value", ["a/b", "é", "a,b", "a=b", "x]", "", "two words", "\x1b[1m", "1/x"])
def test_a_value_that_is_no_word_is_refused(value: str) -> None:
    with pytest.raises(MatrixError, match="cannot be part of a label"):
        labels("nt3", read_matrix({"a": [value]}).points())


def test_the_largest_sweep_is_taken() -> None:
    assert len(read_matrix({"a": "1..1000", "b": "1..100"}).points()) == MOST_POINTS
