"""Selects the instances of a command: ``p1b1``, ``p1b1/3``, ``p1b1/5..20``, and conditions on the listing."""

from __future__ import annotations

import fnmatch
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from db.reader import Reader
from orchestrator.errors import CampaignError
from workloads.spelling import near

if TYPE_CHECKING:
    import pandas as pd

_SELECTION = re.compile(r"(?P<benchmark>[^/]+)(?:/(?P<first>[0-9]{1,9})(?:\.\.(?P<last>[0-9]{1,9})?)?)?")
_CONDITION = re.compile(
    r"\s*(?P<column>\w+)\s*(?P<comparison><=|>=|!=|=|<|>)(?![=<>])\s*(?P<value>.*?)\s*", re.DOTALL
)
_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?", re.ASCII)
_EXAMPLES = "write p1b1, p1b1/3, p1b1/5..20 or p1b1/5.."


def select(reader: Reader, name: str, selections: Sequence[str], where: Sequence[str] = ()) -> list[int]:
    """Return the numbers of the instances that are named by one of the selections and meet all conditions.

    Parameters
    ----------
    selections
        Benchmarks or ranges of their instances; empty for all.
    where
        Conditions on columns of the listing, such as ``state=exhausted``, ``node=n0*`` or ``attempts>=3``.

    Raises
    ------
    CampaignError
        If one is not understood, names a benchmark, instance or column that is not there, or nothing matches.
    """
    campaign = reader.campaign(name).campaign_id
    labels = reader.instance_labels(campaign)
    named = _named(labels, selections, reader.sweeps(campaign) if selections else {})
    if where:
        frame = reader.instances(name)
        kept = matching(frame, where)
        places = dict(zip(zip(frame.benchmark, frame.benchmark_index, strict=True), kept, strict=True))
        named = [one for one in named if places[one[1:]]]
    if not named:
        raise CampaignError(f"no instance of {name} matches {' '.join([*selections, *where]) or 'this'}")
    return [number for number, *_ in named]


def _named(
    labels: Sequence[tuple[int, str, int]], selections: Sequence[str], sweeps: Mapping[str, str]
) -> list[tuple[int, str, int]]:
    if not selections:
        return list(labels)
    counts: dict[str, int] = {}
    for _, benchmark, _ in labels:
        counts[benchmark] = counts.get(benchmark, 0) + 1
    ranges: dict[str, list[tuple[int, int]]] = {}
    for text in selections:
        for benchmark, first, last in _ranges(text, counts, sweeps):
            ranges.setdefault(benchmark, []).append((first, last))
    return [one for one in labels if any(first <= one[2] <= last for first, last in ranges.get(one[1], ()))]


def _ranges(
    text: str, counts: Mapping[str, int], sweeps: Mapping[str, str]
) -> Iterator[tuple[str, int, int]]:
    """Yield benchmark, first and last instance of a selection; of a sweep, for each of its points."""
    found = _SELECTION.fullmatch(text)
    if found is None:
        raise CampaignError(f"{text!r} names no instances: {_EXAMPLES}")
    named = found["benchmark"]
    benchmarks = [named] if named in counts else [one for one in counts if sweeps.get(one) == named]
    if not benchmarks:
        known = list(dict.fromkeys(sweeps.get(one, one) for one in counts))
        hint = near(named, [*known, *counts], f"there are {', '.join(known)}")
        raise CampaignError(f"no benchmark {named!r}{hint}")
    for benchmark in benchmarks:
        end = counts[benchmark] - 1
        first = int(found["first"] or 0)
        last = end if found["first"] is None else first
        if ".." in text[len(named) :]:
            last = int(found["last"]) if found["last"] else end
        if not first <= last <= end:
            turned = f"; write the smaller number first: {benchmark}/{last}..{first}"
            more = turned if found["last"] and last < first else ""
            raise CampaignError(f"{text}: {benchmark} has the instances 0 to {end}{more}")
        yield benchmark, first, last


def matching(frame: pd.DataFrame, where: Sequence[str]) -> list[bool]:
    """Return which rows of a listing of instances meet all conditions; raises `CampaignError` as `select`."""
    kept = [True] * len(frame)
    for text in where:
        found = _CONDITION.fullmatch(text)
        if found is None:
            raise CampaignError(
                f"{text!r} is no condition: write COLUMN=VALUE, such as state=exhausted or node=n0*"
            )
        if found["column"] not in frame.columns:
            hint = near(
                found["column"], list(frame.columns), f"there are {', '.join(map(str, frame.columns))}"
            )
            raise CampaignError(f"--where {text}: no column {found['column']}{hint}")
        test = _test(text, found["comparison"], found["value"], frame[found["column"]])
        kept = [
            before and value is not None and value == value and test(value)
            for before, value in zip(kept, frame[found["column"]], strict=True)
        ]
    return kept


def _test(text: str, comparison: str, value: str, column: pd.Series[Any]) -> Callable[[Any], bool]:
    compare = _COMPARISONS[comparison]
    if column.dtype.kind in "iuf":
        try:
            limit = float(value)
        except ValueError:
            raise CampaignError(f"--where {text}: {column.name} is a number, and {value!r} is none") from None
        return lambda one: bool(compare(one, limit))

    def by_text(one: str) -> bool:
        if comparison in ("=", "!="):
            return bool(compare(fnmatch.fnmatchcase(one, value), True))
        return bool(compare(one, value))

    if not _NUMBER.fullmatch(value):
        return lambda one: by_text(str(one))
    number = Decimal(value)
    return lambda one: (
        bool(compare(Decimal(str(one)), number)) if _NUMBER.fullmatch(str(one)) else by_text(str(one))
    )
