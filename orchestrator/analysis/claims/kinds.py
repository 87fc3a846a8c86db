"""Kinds of claims, each reduced to statements on medians."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Literal

from pydantic import Field, model_validator

from orchestrator.analysis.claims.samples import ClaimedRuns, Reduced, Sample, Statement, at
from orchestrator.analysis.publications.documents import Conditions, Frozen
from orchestrator.analysis.study.closest_runs import by_number

Place = str | float
_NO_FAILURES = frozenset(
    {
        "not run yet",
        "not needed",
        "pruned",
        "running",
        "cancelled",
        "resumed from a checkpoint",
        "without a time",
    }
)
"""Reasons why an instance has no time, of `PointRuns.missing`, that are no failures."""


def _not_at(axis: str, place: float, found: Iterable[str]) -> str:
    """Return that runs do not show at which value of an axis a change is; empty if they do."""
    if any(by_number(one)[0] == place for one in found):
        return ""
    return f"no runs at {axis} {place:g}, so the change may be elsewhere between the values that ran"


class Monotone(Frozen):
    """A metric grows, or falls, from each value of an axis to the next."""

    metric: str
    over: str
    direction: Literal["increasing", "decreasing"]

    def reduced(self, runs: ClaimedRuns) -> Reduced:
        """Return its statements."""
        found = list(runs.over(self.over, self.metric).values())
        if len(found) < 2:
            return Reduced(missing=f"{self.metric} was measured at {len(found)} values of {self.over}")
        pairs = pairwise(found)
        rising = self.direction == "increasing"
        return Reduced(tuple(Statement(b, a) if rising else Statement(a, b) for a, b in pairs))


class Crossover(Frozen):
    """A metric is above another from a value of an axis on, and below it before."""

    metric: str
    above: str
    over: str
    at: float

    def reduced(self, runs: ClaimedRuns) -> Reduced:
        """Return its statements."""
        first, second = runs.over(self.over, self.metric), runs.over(self.over, self.above)
        places = [place for place in first if place in second]
        before = [place for place in places if by_number(place)[0] < self.at]
        after = [place for place in places if by_number(place)[0] >= self.at]
        if not before or not after:
            side = f"from {self.at:g} on" if before else f"below {self.at:g}"
            return Reduced(
                missing=f"{self.metric} and {self.above} were not both measured at {self.over} {side}"
            )
        return Reduced(
            tuple(
                Statement(first[place], second[place])
                if place in after
                else Statement(second[place], first[place])
                for place in places
            ),
            untested=_not_at(self.over, self.at, places),
        )


class AtLeast(Frozen):
    """A metric of some runs is at least a factor times that of others.

    Parameters
    ----------
    over
        Axis at each of whose values both are compared.
    anywhere
        Whether it need hold at a single value of the axis, as of "up to".
    """

    metric: str
    factor: float = Field(gt=0)
    of: Conditions
    than: Conditions
    over: str = ""
    anywhere: bool = False

    def reduced(self, runs: ClaimedRuns) -> Reduced:
        """Return its statements."""
        if not self.over:
            pairs = [(runs.sample(self.metric, self.of), runs.sample(self.metric, self.than))]
        else:
            places = runs.over(self.over, self.metric)
            pairs = [
                (
                    runs.sample(self.metric, {**self.of, **at(self.over, place)}),
                    runs.sample(self.metric, {**self.than, **at(self.over, place)}),
                )
                for place in places
            ]
        found = [(left, right) for left, right in pairs if left is not None and right is not None]
        if not found:
            return Reduced(missing=f"{self.metric} was not measured for both of what is compared")
        return Reduced(tuple(Statement(*pair, self.factor) for pair in found), self.anywhere)


class Ranking(Frozen):
    """A metric is best at the first value of an axis, then at the second, and so on."""

    metric: str
    over: str
    order: tuple[Place, ...] = Field(min_length=2)
    by: Literal["lowest", "highest"]

    def reduced(self, runs: ClaimedRuns) -> Reduced:
        """Return its statements."""
        found = [(place, runs.sample(self.metric, at(self.over, place))) for place in self.order]
        known = [sample for _, sample in found if sample is not None]
        if len(known) < len(found):
            absent = ", ".join(str(place) for place, sample in found if sample is None)
            return Reduced(missing=f"{self.metric} was not measured at {self.over} {absent}")
        pairs = pairwise(known)
        highest = self.by == "highest"
        return Reduced(tuple(Statement(a, b) if highest else Statement(b, a) for a, b in pairs))


class Best(Frozen):
    """A metric is best at a value of an axis, of all its values that ran."""

    metric: str
    over: str
    value: Place
    by: Literal["lowest", "highest"]

    def reduced(self, runs: ClaimedRuns) -> Reduced:
        """Return its statements."""
        best = runs.sample(self.metric, at(self.over, self.value))
        wanted = by_number(str(self.value))
        others = [
            sample
            for place, sample in runs.over(self.over, self.metric).items()
            if by_number(place) != wanted
        ]
        if best is None or not others:
            place = f"{self.over} {self.value}" if best is None else f"any other {self.over}"
            return Reduced(missing=f"{self.metric} was not measured at {place}")
        highest = self.by == "highest"
        return Reduced(tuple(Statement(best, b) if highest else Statement(b, best) for b in others))


class Threshold(Frozen):
    """A metric reaches a value up to a value of an axis, and no more beyond it.

    Parameters
    ----------
    beyond
        The side of `at` on which the metric is below `reaches`.
    """

    metric: str
    over: str
    reaches: float
    at: float
    beyond: Literal["larger", "smaller"] = "larger"

    def reduced(self, runs: ClaimedRuns) -> Reduced:
        """Return its statements."""
        found = runs.over(self.over, self.metric)
        sign = 1 if self.beyond == "larger" else -1
        past = {place: sign * (by_number(place)[0] - self.at) > 0 for place in found}
        if not any(past.values()) or all(past.values()):
            side = "beyond" if not any(past.values()) else "up to"
            return Reduced(missing=f"{self.metric} was not measured {side} {self.over} {self.at:g}")
        level = Sample(f"{self.reaches:g}", (self.reaches,), constant=True)
        return Reduced(
            tuple(Statement(level, s) if past[place] else Statement(s, level) for place, s in found.items()),
            untested=_not_at(self.over, self.at, found),
        )


class Reaches(Frozen):
    """A metric reaches a number."""

    metric: str
    value: float
    of: Conditions = Field(default_factory=dict)

    def reduced(self, runs: ClaimedRuns) -> Reduced:
        """Return its statement."""
        ours = runs.sample(self.metric, self.of)
        if ours is None:
            return Reduced(missing=f"{self.metric} was not measured")
        return Reduced((Statement(ours, Sample(f"{self.value:g}", (self.value,), constant=True)),))


class Within(Frozen):
    """A metric is within some percent of a number, or of what other runs have."""

    metric: str
    percent: float = Field(gt=0, lt=100)
    of: Conditions = Field(default_factory=dict)
    than: Conditions | float

    def reduced(self, runs: ClaimedRuns) -> Reduced:
        """Return its statements."""
        ours = runs.sample(self.metric, self.of)
        other: Sample | None
        if isinstance(self.than, float):
            other = Sample(f"{self.than:g}", (self.than,), constant=True)
        else:
            other = runs.sample(self.metric, self.than)
        if ours is None or other is None:
            return Reduced(missing=f"{self.metric} was not measured for both of what is compared")
        low, high = 1 - self.percent / 100, 1 + self.percent / 100
        return Reduced((Statement(ours, other, low), Statement(other, ours, 1 / high)))


class Fails(Frozen):
    """Most runs at some conditions fail, for a reason such as ``out of memory`` or for any."""

    at: Conditions
    reason: str = ""

    def reduced(self, runs: ClaimedRuns) -> Reduced:
        """Return its statement: of each run that ended, 1 if it failed so and 0 if not."""
        like = runs.like(self.at)
        given = ", ".join(f"{name}={value}" for name, value in self.at.items())
        if not like:
            return Reduced(missing=f"nothing was run with {given}")
        point, differs = like[0]
        ended = {why: number for why, number in point.missing.items() if why not in _NO_FAILURES}
        failed = sum(number for why, number in ended.items() if self.reason in why)
        values = (1.0,) * failed + (0.0,) * (sum(ended.values()) - failed + len(point.seconds))
        if not values:
            return Reduced(missing=f"no run with {given} has ended")
        share = f"share of runs that failed{self.reason and f' as {self.reason}'}"
        half = Sample("half of them", (0.5,), constant=True)
        return Reduced((Statement(Sample(share, values, "", differs), half),))


KINDS = {
    "monotone": Monotone, "crossover": Crossover, "at_least": AtLeast, "ranking": Ranking, "best": Best,
    "threshold": Threshold, "reaches": Reaches, "within": Within, "fails": Fails,
}  # fmt: skip


class Claim(Frozen):
    """A claim, of exactly one kind.

    Parameters
    ----------
    says
        The claim as a sentence.
    source
        Place in the document.
    where
        Conditions of all its runs.
    needs
        Measurement that no workload of this tool makes; the claim is not decidable then.
    """

    says: str
    source: str = ""
    workload: str
    where: Conditions = Field(default_factory=dict)
    needs: str = ""
    monotone: Monotone | None = None
    crossover: Crossover | None = None
    at_least: AtLeast | None = None
    ranking: Ranking | None = None
    best: Best | None = None
    threshold: Threshold | None = None
    reaches: Reaches | None = None
    within: Within | None = None
    fails: Fails | None = None

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> Claim:
        given = [name for name in KINDS if getattr(self, name) is not None]
        if len(given) != (0 if self.needs else 1):
            raise ValueError(f"give one of {', '.join(KINDS)}, or `needs` alone; it has {given or 'none'}")
        return self

    def reduced(self, runs: ClaimedRuns) -> Reduced:
        """Return the statements to which it reduces."""
        if self.needs:
            return Reduced(missing=self.needs)
        [kind] = [getattr(self, name) for name in KINDS if getattr(self, name) is not None]
        given = kind.model_dump(exclude_defaults=True)
        conditions = [self.where, *(given[name] for name in ("of", "than", "at") if name in given)]
        names = [name for one in conditions if isinstance(one, dict) for name in one]
        metrics = [given[name] for name in ("metric", "above") if name in given]
        if unknown := runs.unknown(metrics, [*names, *filter(None, [given.get("over")])]):
            return Reduced(missing=unknown)
        reduced: Reduced = kind.reduced(runs)
        wrong = _not_comparable(reduced.statements)
        return Reduced(missing=wrong) if wrong else reduced


def _not_comparable(statements: Iterable[Statement]) -> str:
    """Return why medians of statements cannot be compared; empty if they can."""
    for one in statements:
        left, right = one.left, one.right
        if left.unit != right.unit and not one.constant:
            return f"{left.text} in {left.unit} is not in {right.unit}"
        if one.factor != 1 and min(*left.values, *right.values) < 0:
            return f"{left.text} or {right.text} is below 0, and a ratio needs positive values"
        if unfixed := (*left.unfixed, *right.unfixed):
            return f"runs with several values of {unfixed[0]} fit; name its value under `where`"
        shared = left.others.keys() & right.others.keys()
        if apart := sorted(axis for axis in shared if left.others[axis] != right.others[axis]):
            return f"{left.text} and {right.text} were measured at different values of {apart[0]}"
    return ""
