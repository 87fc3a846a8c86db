"""The arithmetic of derived values: right numbers, and nothing but arithmetic."""

from __future__ import annotations

import pytest

from orchestrator.planning.axes.expressions import ExpressionError, parse_expression


@pytest.mark.parametrize(
    ("text", "ranks", "expected"),
    [
        ("100 * cbrt(ranks)", 27, 300),
        ("100 * sqrt(ranks)", 4, 200),
        ("int(400 / ranks)", 3, 133),
        ("400 // ranks % 7", 3, 0),
        ("min(ranks, 8) + max(ranks, 8, 9)", 16, 24),
        ("-ranks ** 2", 3, -9),
        ("0.001 * ranks", 5, 0.005),
        (" (1 + 2) * ranks ", 2, 6),
        ("max(ranks)", 7, 7),
    ],
)
def test_arithmetic(text: str, ranks: int, expected: float) -> None:
    assert parse_expression(text).value({"ranks": ranks}) == expected


@pytest.mark.parametrize("root", range(1, 200))
def test_roots_of_powers_are_whole_numbers(root: int) -> None:
    for name, power in (("sqrt", 2), ("cbrt", 3)):
        found = parse_expression(f"{name}(n)").value({"n": root**power})
        assert isinstance(found, int)
        assert found == root


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 +",
        "__import__('os')",
        "ranks.real",
        "ranks[0]",
        "'text'",
        "True",
        "1j",
        "lambda: 1",
        "[1 for _ in ranks]",
        "1 if ranks else 2",
        "1if 2else 3",
        "ranks < 3",
        "min(*ranks)",
        "min(a=1)",
        "sqrt()",
        "sqrt(1, 2)",
        "exp(1)",
        "1 << 4",
        "~1",
        "(" * 150,
        "1\0",
        "x" * 201,
        "1e999",
        "9" * 190,
        "ranks := 3",
        "f'{ranks}'",
    ],
)
def test_what_is_no_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse_expression(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 / ranks", "divides by zero"),
        ("1 // ranks", "divides by zero"),
        ("1 % ranks", "divides by zero"),
        ("ranks ** -1", "divides by zero"),
        ("2 ** 65", "exponent 65"),
        ("9 ** 9 ** 9", "exponent 3.8742e"),
        ("(10 ** 30) ** 2", "above 1e\\+30"),
        ("1e30 * 1e30", "above 1e\\+30"),
        ("sqrt(-1)", "root of a negative"),
        ("(-8) ** 0.5", "root of a negative"),
    ],
)
def test_what_has_no_value_says_why(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError, match=reason):
        parse_expression(text).value({"ranks": 0})
