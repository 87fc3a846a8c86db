"""Arithmetic of derived values in campaign files: numbers, names, operators and a few functions.

A text is parsed into a tree of which only arithmetic is allowed, and that tree is evaluated here; no text
is ever run as Python.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Number = int | float

LONGEST_TEXT = 200
_LARGEST_EXPONENT = 64
_LARGEST_NUMBER = 1e30
_OPERATORS: Mapping[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


class ExpressionError(ValueError):
    """An expression is not arithmetic, names something unknown, or has no finite value."""


def _root(degree: int, approximate: Callable[[float], float]) -> Callable[[Number], Number]:
    """Return a root function that is exact for powers of whole numbers."""

    def root(value: Number) -> Number:
        found = approximate(value)
        nearest = round(found)
        return nearest if nearest**degree == value else found

    return root


_FUNCTIONS: Mapping[str, tuple[int, Callable[..., Number]]] = {
    "int": (1, int),
    "sqrt": (1, _root(2, math.sqrt)),
    "cbrt": (1, _root(3, math.cbrt)),
    "min": (0, min),  # of any number of values
    "max": (0, max),
}
_KNOWN = f"+ - * / // % ** and {', '.join(_FUNCTIONS)}"


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression; `names` are those that it uses."""

    text: str
    tree: ast.expr
    names: frozenset[str]

    def value(self, names: Mapping[str, Number]) -> Number:
        """Return its value.

        Parameters
        ----------
        names
            A number for each of the expression's names.

        Raises
        ------
        ExpressionError
            If it divides by zero, or a step gives no finite number of at most 1e30.
        """
        try:
            return _value(self.tree, names)
        except ZeroDivisionError:
            raise ExpressionError("divides by zero") from None
        except OverflowError:
            raise ExpressionError(f"gives a number above {_LARGEST_NUMBER:g}") from None
        except ValueError as error:
            if isinstance(error, ExpressionError):
                raise
            raise ExpressionError("takes the root of a negative number") from None


def parse_expression(text: str) -> Expression:
    """Return an expression such as ``100 * cbrt(ranks)``.

    Raises
    ------
    ExpressionError
        If it is longer than 200 characters, or holds anything but arithmetic.
    """
    if len(text) > LONGEST_TEXT:
        raise ExpressionError(f"has {len(text):,} characters; write at most {LONGEST_TEXT}")
    try:
        with warnings.catch_warnings():  # such as of `1if`, which is refused below
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ExpressionError(f"is no arithmetic; it may have numbers, names, {_KNOWN}") from None
    names: set[str] = set()
    _check(tree, names)
    return Expression(text, tree, frozenset(names))


def _check(node: ast.expr, names: set[str]) -> None:
    """Collect the names of a tree; refuse all that is no arithmetic."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            _bounded(value)
        case ast.Name(id=name):
            names.add(name)
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            _check(operand, names)
        case ast.BinOp(left=left, op=kind, right=right) if type(kind) in _OPERATORS:
            _check(left, names)
            _check(right, names)
        case ast.Call(func=ast.Name(id=name), args=given, keywords=[]) if name in _FUNCTIONS:
            number = _FUNCTIONS[name][0]
            if not given or (number and len(given) != number):
                raise ExpressionError(f"{name} takes {number or 'one or more'} value{'' if number else 's'}")
            for one in given:
                _check(one, names)
        case ast.Call(func=ast.Name(id=name)):
            raise ExpressionError(f"knows no function {name}; there are {', '.join(_FUNCTIONS)}")
        case _:
            raise ExpressionError(f"may have numbers, names, {_KNOWN} only, not {ast.unparse(node)!r}")


def _value(node: ast.expr, names: Mapping[str, Number]) -> Number:
    match node:
        case ast.Constant(value=value):
            return value  # type: ignore[return-value]  # a number, as was checked
        case ast.Name(id=name):
            return names[name]
        case ast.UnaryOp(op=kind, operand=operand):
            value = _value(operand, names)
            return -value if isinstance(kind, ast.USub) else value
        case ast.BinOp(left=left, op=kind, right=right):
            return _operation(kind, _value(left, names), _value(right, names))
        case ast.Call(func=ast.Name(id=name), args=given):
            values = [_value(one, names) for one in given]
            number, function = _FUNCTIONS[name]
            return _bounded(function(*values) if number else function(values))
    raise ExpressionError(f"is no arithmetic: {ast.dump(node)}")


def _operation(kind: ast.operator, left: Number, right: Number) -> Number:
    if isinstance(kind, ast.Pow):
        if abs(right) > _LARGEST_EXPONENT:
            raise ExpressionError(f"has the exponent {right:g}; at most {_LARGEST_EXPONENT} is allowed")
        if left < 0 and not float(right).is_integer():
            raise ExpressionError("takes the root of a negative number")
    return _bounded(_OPERATORS[type(kind)](left, right))


def _bounded(value: Number) -> Number:
    if not abs(value) <= _LARGEST_NUMBER:  # NaN is not either
        raise ExpressionError(f"gives a number above {_LARGEST_NUMBER:g}")
    return value
