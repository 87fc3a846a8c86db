"""The `matrix` of a benchmark: axes with values, included and excluded combinations, derived values.

Pure, and without a look at the workload: what an axis may be called, and which values it may have, is
checked in `orchestrator.planning.sweeps`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import product

from orchestrator.planning.axes.expressions import Expression, ExpressionError, parse_expression
from workloads.description import Value

MOST_POINTS = 100_000
"""Of a campaign, with those that `exclude` removes."""
_INCLUDE, _EXCLUDE, _DERIVE = "include", "exclude", "derive"
_NUMBER = r"[-+]?\d{1,18}(?:\.\d{1,18})?(?:[eE][-+]?\d{1,2})?"
_RANGE = re.compile(
    rf"\s*({_NUMBER})\s*\.\.\s*({_NUMBER})(?:\s*(x)\s*({_NUMBER})|\s+(step)\s+({_NUMBER}))?\s*"
)
_WORD = re.compile(r"[A-Za-z0-9._+-]+")
_FRACTION = re.compile(r"([0-9]+)/([0-9]+)")
_AXIS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Place = tuple[str | int, ...]
Axes = dict[str, Value]


class MatrixError(ValueError):
    """A matrix has no sense; `place` is the key below the benchmark, such as ``("matrix", "ranks")``."""

    def __init__(self, problem: str, *place: str | int) -> None:
        super().__init__(problem)
        self.place: Place = ("matrix", *place)


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix as it was written, with ranges as lists.

    Parameters
    ----------
    axes
        Values of each axis, in the order of the file.
    include, exclude
        Combinations to add and to leave out, as in the matrices of continuous integration.
    derive
        Expressions of values that follow from those of the axes.
    """

    axes: Mapping[str, list[Value]]
    include: list[Axes] = field(default_factory=list)
    exclude: list[Axes] = field(default_factory=list)
    derive: Mapping[str, Expression] = field(default_factory=dict)

    def points(self) -> list[Axes]:
        """Return the combinations, in the order in which they run.

        An entry of `include` adds its further keys to the combinations that have its values of the axes;
        where none has, it is a combination of its own.

        Raises
        ------
        MatrixError
            If there are none or too many, or an entry of `include` or `exclude` changes nothing.
        """
        number = math.prod(map(len, self.axes.values())) if self.axes else 0
        if number + len(self.include) > MOST_POINTS:
            raise MatrixError(
                f"the axes have {number + len(self.include):,} combinations; write at most {MOST_POINTS:,}"
            )
        found: list[Axes] = []
        if self.axes:
            found = [dict(zip(self.axes, one, strict=True)) for one in product(*self.axes.values())]
        found = self._without_excluded(found)
        found += self._included(found)
        if not found:
            raise MatrixError("no point is left; write an axis with values, or exclude less")
        return found

    def _without_excluded(self, found: list[Axes]) -> list[Axes]:
        lookup = _Lookup(found)
        dropped: set[int] = set()
        for number, entry in enumerate(self.exclude):
            for name in entry:
                if name not in self.axes:
                    known = ", ".join(self.axes) or "none"
                    raise MatrixError(f"{name} is no axis; the axes are {known}", _EXCLUDE, number, name)
            matching = lookup.places(entry)
            if not matching:
                raise MatrixError("excludes no point: no combination has these values", _EXCLUDE, number)
            dropped.update(matching)
        return [one for place, one in enumerate(found) if place not in dropped] if dropped else found

    def _included(self, found: list[Axes]) -> list[Axes]:
        """Extend the combinations that entries of `include` match, and return those that are new."""
        lookup = _Lookup([dict(one) for one in found] if self.include else [])
        new: list[Axes] = []
        for number, entry in enumerate(self.include):
            matching = lookup.places({name: value for name, value in entry.items() if name in self.axes})
            further = {name: value for name, value in entry.items() if name not in self.axes}
            if not matching:
                new.append(dict(entry))
            elif not further:
                raise MatrixError("is a point already, and adds nothing to it", _INCLUDE, number)
            for place in matching:
                found[place].update(further)
        return new


class _Lookup:
    """Finds combinations by some of their values; each set of keys is indexed once."""

    def __init__(self, found: list[Axes]) -> None:
        self._found = found
        self._indexes: dict[tuple[str, ...], dict[tuple[Value, ...], list[int]]] = {}

    def places(self, entry: Axes) -> list[int]:
        """Return the places of the combinations that have all values of an entry."""
        names = tuple(sorted(entry))
        if names not in self._indexes:
            index: dict[tuple[Value, ...], list[int]] = {}
            for place, one in enumerate(self._found):
                index.setdefault(tuple(one[name] for name in names), []).append(place)
            self._indexes[names] = index
        return self._indexes[names].get(tuple(entry[name] for name in names), [])


def read_matrix(written: object) -> Matrix:
    """Return the matrix that a campaign file writes; raises `MatrixError` with the place of what is wrong."""
    if not isinstance(written, dict) or not written:
        raise MatrixError("must be a mapping of axes to values, such as {ranks: [1, 2, 4]}")
    axes = {
        _axis_name(name): list(_values(value, name))
        for name, value in written.items()
        if name not in (_INCLUDE, _EXCLUDE, _DERIVE)
    }
    derive = written.get(_DERIVE, {})
    if not isinstance(derive, dict):
        raise MatrixError("must be a mapping of names to expressions", _DERIVE)
    for name in derive:
        if name in axes:
            raise MatrixError(f"{name} is an axis already", _DERIVE, name)
    return Matrix(
        axes,
        list(_entries(written.get(_INCLUDE, []), _INCLUDE)),
        list(_entries(written.get(_EXCLUDE, []), _EXCLUDE)),
        {_axis_name(name, _DERIVE): _expression(value, name) for name, value in derive.items()},
    )


def labels(sweep: str, points: list[Axes]) -> list[str]:
    """Return the names of a sweep's points, such as ``nt3[ranks=4,batch_size=40]``.

    Raises
    ------
    MatrixError
        If two are equal, or a value cannot be part of a name.
    """
    texts: dict[tuple[type, Value], str] = {}  # of values, of which there are far fewer than points
    found: dict[str, None] = {}
    for point in points:
        parts = []
        for name, value in point.items():
            key = (type(value), value)
            if key not in texts:
                texts[key] = value_text(value, name)
            parts.append(f"{name}={texts[key]}")
        label = f"{sweep}[{','.join(parts)}]"
        if label in found:
            raise MatrixError(f"two points are {label}; write each value, and each included point, once")
        found[label] = None
    return list(found)


def value_text(value: Value, axis: str) -> str:
    """Return a value as labels and the ledger write it; raises `MatrixError` if it has none."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
    if share := _FRACTION.fullmatch(value):
        return f"{share[1]}of{share[2]}"
    if not _WORD.fullmatch(value):
        raise MatrixError(f"{value!r} cannot be part of a label: write letters, digits, . _ + - only", axis)
    return value


def _axis_name(name: object, *above: str | int) -> str:
    if not isinstance(name, str) or not _AXIS.fullmatch(name):
        raise MatrixError(f"{name!r} is no name of a parameter or slot key", *above, str(name))
    return name


def _values(written: object, axis: str) -> Iterator[Value]:
    """Yield the values of an axis: a list, or a range such as ``2..64 x2``; a list may hold ranges."""
    given = written if isinstance(written, list) else [written]
    if not isinstance(written, list) and not (isinstance(written, str) and _RANGE.fullmatch(written)):
        raise MatrixError(
            f"must be a list or a range, such as [1, 2], 1..10, 10..100 step 10 or 2..64 x2, not {written!r}",
            axis,
        )
    if not given:
        raise MatrixError("has no values", axis)
    number = 0
    for value in given:
        if isinstance(value, str) and (found := _RANGE.fullmatch(value)):
            members: Iterator[Value] = _range(found, axis)
        else:
            members = iter([_scalar(value, axis)])
        for one in members:
            number += 1
            if number > MOST_POINTS:
                raise MatrixError(f"has more than {MOST_POINTS:,} values", axis)
            yield one


def _range(found: re.Match[str], axis: str) -> Iterator[Value]:
    """Yield the numbers of a range, its end included where a step meets it."""
    texts = [found[1], found[2], found[4] or found[6] or "1"]
    first, last, step = map(Decimal, texts)
    whole = all(text.lstrip("+-").isdigit() for text in (texts[0], texts[2]))
    grows = step > 1 and first > 0 if found[3] else step > 0
    if last < first or not grows:
        advice = "a factor above 1 and a start above 0" if found[3] else "a step above 0"
        raise MatrixError(f"{found[0].strip()} runs from a lower to a higher number, with {advice}", axis)
    value = first
    while value <= last:
        yield int(value) if whole else float(value)
        value = value * step if found[3] else value + step


def _scalar(value: object, *place: str | int) -> Value:
    if isinstance(value, bool | str | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise MatrixError(f"must hold finite numbers, words, true or false, not {value!r}", *place)


def _entries(written: object, key: str) -> Iterator[Axes]:
    if not isinstance(written, list):
        raise MatrixError("must be a list of mappings, such as [{ranks: 4, batch_size: 20}]", key)
    if len(written) > MOST_POINTS:
        raise MatrixError(f"has {len(written):,} entries; write at most {MOST_POINTS:,}", key)
    for number, entry in enumerate(written):
        if not isinstance(entry, dict) or not entry:
            raise MatrixError("must be a mapping of axes to values", key, number)
        yield {
            _axis_name(name, key, number): _scalar(value, key, number, name) for name, value in entry.items()
        }


def _expression(written: object, name: str) -> Expression:
    if isinstance(written, bool) or not isinstance(written, str | int | float):
        raise MatrixError(f"must be an expression, such as 0.001 * ranks, not {written!r}", _DERIVE, name)
    try:
        return parse_expression(str(written))
    except ExpressionError as error:
        raise MatrixError(f"`{written}` {error}", _DERIVE, name) from None
