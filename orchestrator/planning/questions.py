"""Questions of a campaign file: how precisely points are wanted, and which points are compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, model_validator

from orchestrator.planning.sweeps import Point, axis_texts
from orchestrator.wording import count_of
from sites.files import Model
from sites.placed import placed
from sites.quantities import Duration, Share
from workloads.spelling import near

TIME = "time"
"""Metric of the questions that is the FOM time of an instance."""
BENCHMARK = "benchmark"
"""Axis of `decide` that has the benchmarks of the campaign, or points, as values."""
_METRIC = "The metric, such as accuracy_seconds; time: the FOM time of the instances."
_LOOKS = 1_000
MOST_PAIRS = 1_000
"""Pairs of points in a row, all of which are looked at after each run."""


class _Looks(Model):
    """Numbers of runs at which a question is looked at."""

    at_least: int = Field(5, ge=2, le=_LOOKS, description="Runs of each point before the first look.")
    at_most: int | None = Field(
        None,
        ge=2,
        le=_LOOKS,
        description="Runs of each point at the last look, and its instances where the benchmark has neither "
        "`instances` nor `repeat`. By default the instances of the point.",
    )

    @model_validator(mode="after")
    def _has_looks(self) -> _Looks:
        if self.at_most is not None and self.at_most < self.at_least:
            raise ValueError(f"at_most: {self.at_most} is less than at_least: {self.at_least}")
        return self


class Until(_Looks):
    """Wanted precision of each point."""

    metric: str = Field(TIME, description=_METRIC)
    width: Share = Field(description="Largest width of the interval of the median ÷ the median, such as 2 %.")
    confidence: Share = Field(
        0.95, lt=1, description="Probability that the intervals of a point cover the median at all looks."
    )


class Decide(_Looks):
    """Wanted decisions between points."""

    compare: str = Field(
        description="Axis of a sweep: points that differ in it alone are compared. benchmark: all benchmarks "
        "are compared with each other."
    )
    metric: str = Field(TIME, description=_METRIC)
    difference: Share = Field(description="Least difference that matters, such as 3 %.")
    error: Share = Field(
        0.05, lt=1, description="Probability of any wrong decision, over all pairs of points and all looks."
    )
    baseline: str | None = Field(
        None,
        description="Value of the axis with which all others are compared; by default all with each other.",
    )
    pair: Literal["block", "node"] = Field(
        "block",
        description="With `order: interleaved`: runs of one block are a pair, or runs that followed each "
        "other on one node, for machines whose nodes differ.",
    )

    @model_validator(mode="before")
    @classmethod
    def _take_a_number(cls, value: Any) -> Any:
        if isinstance(value, dict) and isinstance(value.get("baseline"), int | float):
            return {**value, "baseline": str(value["baseline"])}
        return value


class Screen(_Looks):
    """Wanted decisions about the nodes of a screening."""

    at_least: int = Field(3, ge=1, le=_LOOKS, description="Waves of each benchmark before the first look.")
    at_most: int | None = Field(
        None, ge=1, le=_LOOKS, description="Waves at the last look; by default those before the first."
    )
    difference: Share = Field(description="Least difference that matters, such as 5 %.")

    @property
    def last(self) -> int:
        """Waves at the last look."""
        return self.at_most or self.at_least


class Budget(Model):
    """Cost after which no further instance of a campaign starts."""

    node_hours: float | None = Field(None, gt=0, description="Node-hours that the campaign held nodes.")
    walltime: Duration | None = Field(None, description="Time since its first session began.")

    @model_validator(mode="after")
    def _has_a_limit(self) -> Budget:
        if self.node_hours is None and self.walltime is None:
            raise ValueError("states no limit: write node_hours, walltime or both")
        return self


def with_instances(campaign: dict[Any, Any]) -> dict[Any, Any]:
    """Return a campaign's mapping with the instances that its questions ask for, in interleaved order."""
    asked = [one for key in ("until", "decide") if isinstance(one := campaign.get(key), dict)]
    if not asked:
        return campaign
    found = {"order": "interleaved", **campaign}
    most = max((one["at_most"] for one in asked if isinstance(one.get("at_most"), int)), default=None)
    benchmarks = campaign.get("benchmarks")
    if most is not None and isinstance(benchmarks, list):
        found["benchmarks"] = [
            {**one, "repeat": most}
            if isinstance(one, dict) and not {"instances", "repeat"} & set(one)
            else one
            for one in benchmarks
        ]
    return found


def check_screening(purpose: str, start: str, *, asks: bool) -> None:
    """Refuse `screen` in a campaign that is no screening in waves, or that has `until` or `decide`.

    Raises
    ------
    ValueError
        If it is none.
    """
    if purpose != "screening" or start != "synchronized" or asks:
        raise ValueError(
            "screen is for `node screen`: write purpose: screening and start: synchronized beside it, and "
            "neither until nor decide"
        )


def check_blocks(order: str, filled: Sequence[str]) -> None:
    """Refuse what has no blocks after which a look would be possible.

    Parameters
    ----------
    filled
        Benchmarks without a number of instances.

    Raises
    ------
    ValueError
        If the order has no blocks, or a benchmark fills slots.
    """
    if order != "interleaved":
        raise ValueError(
            f"order: {order} has no blocks after which until and decide could look: write "
            "order: interleaved, or leave it out"
        )
    if filled:
        raise ValueError(
            f"benchmark {filled[0]}: until and decide need a number of instances, not fill; write "
            "instances, or at_most beside until or decide"
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """A benchmark, or point of a sweep, that questions are about."""

    name: str
    point: Point | None
    instances: int


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """Points that differ in the compared axis alone.

    Parameters
    ----------
    label
        Sweep and other axes, in words.
    points
        Benchmarks by the value of the axis.
    """

    label: str
    points: dict[str, Asked]


def compared_rows(asked: Decide, benchmarks: Sequence[Asked]) -> list[ComparedRow]:
    """Return the points that a campaign compares, row by row.

    Raises
    ------
    PydanticCustomError
        If no two points differ in the axis alone, or a row lacks the baseline.
    """
    if asked.compare == BENCHMARK:
        rows = [ComparedRow("", {one.name: one for one in benchmarks})]
    else:
        rows = _rows_by_axis(asked.compare, benchmarks)
    rows = [row for row in rows if len(row.points) > 1]
    if not rows:
        axes = dict.fromkeys(name for one in benchmarks if one.point for name in one.point.axes)
        listed = ", ".join([*axes, BENCHMARK])
        hint = near(asked.compare, [*axes, BENCHMARK], f"it may be {listed}")
        raise placed(f"no two points differ in {asked.compare}{hint}", ("decide", "compare"))
    for row in rows:
        _check_looks(asked, row, len(rows))
        if asked.baseline is not None:
            baseline_of(asked.baseline, row)
        elif (pairs := math.comb(len(row.points), 2)) > MOST_PAIRS:
            raise placed(
                f"compares {len(row.points):,} points with each other, {pairs:,} pairs; write a baseline, "
                f"with which all others are compared, or at most {MOST_PAIRS:,} pairs",
                ("decide", "compare"),
            )
    return rows


def _check_looks(asked: Decide, row: ComparedRow, rows: int) -> None:
    """Refuse an error that no run up to the last look can reach, whatever is measured.

    Of n runs of each of two points, all of one may be above all of the other by chance, with a probability
    of 1 ÷ (2n over n).
    """
    pairs = len(row.points) - 1 if asked.baseline is not None else math.comb(len(row.points), 2)
    most = looks_of(asked, "decide", list(row.points.values()))
    level = asked.error / rows / pairs / 2
    if 1 / math.comb(2 * most, most) > level:
        least = next(n for n in range(most, _LOOKS) if 1 / math.comb(2 * n, n) <= level)
        raise placed(
            f"{most} runs of each point can decide nothing with an error of {asked.error:g} over "
            f"{count_of(pairs * rows, 'pair')}: write at_most: {least} or more",
            ("decide", "at_most"),
        )


def baseline_of(written: str, row: ComparedRow) -> str:
    """Return the value of the axis that a baseline names, as a row has it; numbers may be written otherwise.

    Raises
    ------
    PydanticCustomError
        If no point of the row has it.
    """
    found = [value for value in row.points if value == written or _same_number(value, written)]
    if not found:
        where = f" of {row.label}" if row.label else ""
        hint = near(written, row.points, f"there are {', '.join(row.points)}")
        raise placed(f"no point{where} has {written}{hint}", ("decide", "baseline"))
    return found[0]


def _same_number(one: str, other: str) -> bool:
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def _rows_by_axis(axis: str, benchmarks: Sequence[Asked]) -> list[ComparedRow]:
    rows: dict[tuple[Any, ...], ComparedRow] = {}
    for one in benchmarks:
        if one.point is None or axis not in one.point.axes:
            continue
        texts = {name: text for name, text, _ in axis_texts(one.point)}
        value = texts.pop(axis)
        others = tuple(texts.items())
        label = ", ".join([one.point.sweep, *(f"{name} {text}" for name, text in others)])
        row = rows.setdefault((one.point.sweep, others), ComparedRow(label, {}))
        row.points[value] = one
    return list(rows.values())


def looks_of(asked: Until | Decide, key: str, points: Sequence[Asked]) -> int:
    """Return the runs of each of some points at the last look.

    Raises
    ------
    PydanticCustomError
        If a point has fewer instances than looks are wanted.
    """
    fewest = min(points, key=lambda one: one.instances)
    number = fewest.instances
    wanted = asked.at_most or asked.at_least
    if number < wanted:
        name = "at_least" if asked.at_most is None else "at_most"
        raise placed(
            f"{fewest.name} has {number:,} instances, and {name} is {wanted:,}: write as many, or neither "
            "`instances` nor `repeat`",
            (key, name),
        )
    most = asked.at_most or min(number, _LOOKS)
    if isinstance(asked, Until) and 0.5**most > (1 - asked.confidence) / 2:
        least = math.ceil(-math.log2((1 - asked.confidence) / 2))
        raise placed(
            f"{most} runs give no interval of {asked.confidence:.4g}: write at_most: {least} or more",
            (key, "at_most"),
        )
    return most
