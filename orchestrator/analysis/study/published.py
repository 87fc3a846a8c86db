"""Published measurements of machines beside those of a ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from orchestrator.analysis.base.statistics import Estimate, median_interval
from orchestrator.analysis.study.sweep_summary import PointRuns
from orchestrator.errors import CampaignError
from sites import parse, read_text

_ALIKE = ("epochs", "epoch_division", "time_limit", "resume")  # of no effect on the published figures
_FILE = Path(__file__).with_name("published.yaml")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class _AtLeast(_Frozen):
    at_least: float


class Published(_Frozen):
    """One published measurement, or failure, of a workload at some parameters."""

    workload: str
    where: dict[str, str | int | float | _AtLeast]
    figure: str = ""
    value: float | None = None
    unit: str = ""
    failure: str = ""

    @model_validator(mode="after")
    def _is_one(self) -> Published:
        if (self.value is None) == (not self.failure) or bool(self.figure) != (self.value is not None):
            raise ValueError("give figure and value, or failure")
        return self

    @property
    def conditions(self) -> str:
        """Its parameters as text, such as ``ranks=1, batch_size>=50``."""
        return ", ".join(
            f"{name}>={wanted.at_least:g}" if isinstance(wanted, _AtLeast) else f"{name}={wanted}"
            for name, wanted in self.where.items()
        )

    def describes(self, point: PointRuns) -> bool:
        """Return whether a point was run as this was."""
        given = {**point.parameters, **point.axes, "ranks": point.ranks, "nodes": point.nodes}
        return point.workload == self.workload and all(
            name in given and _equal(given[name], wanted) for name, wanted in self.where.items()
        )


class MachineResults(_Frozen):
    """Published results of one machine."""

    title: str
    source: str
    note: str = ""
    data: dict[str, dict[str, int]] = {}
    results: tuple[Published, ...]


class _Machines(_Frozen):
    machines: dict[str, MachineResults]


@dataclass(frozen=True, slots=True)
class Beside:
    """A published measurement and ours.

    Parameters
    ----------
    benchmark
        Label of our point; empty where none was run like it.
    ours
        Our median, with its interval; None where there is none.
    outcome
        What became of our runs where a failure was published, such as ``3 out of memory`` or ``3 accepted``.
    differs
        Parameters and sizes of the data of ours that are not those of the published measurement.
    """

    published: Published
    benchmark: str
    ours: Estimate | None
    outcome: str
    differs: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours ÷ published."""
        return self.ours.value / self.published.value if self.ours and self.published.value else None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        ours = self.ours and asdict(self.ours)
        return {
            "published": self.published.model_dump(),
            "benchmark": self.benchmark,
            "ours": ours,
            "outcome": self.outcome,
            "ratio": self.ratio,
            "differs": self.differs,
        }


@cache
def machines() -> Mapping[str, MachineResults]:
    """Return the machines with published measurements, by name."""
    return parse(read_text(_FILE, "reference data"), _Machines, str(_FILE)).machines


def published_of(machine: str) -> MachineResults:
    """Return what was published of a machine.

    Raises
    ------
    CampaignError
        If nothing is known of it.
    """
    known = machines()
    if machine.lower() not in known:
        raise CampaignError(f"no published measurements of {machine!r}; there are {', '.join(known)}")
    return known[machine.lower()]


def beside(results: MachineResults, points: Sequence[PointRuns]) -> list[Beside]:
    """Return each published measurement of the workloads of points, with the points that were run like it."""
    ours = {point.workload for point in points}
    found = []
    for one in results.results:
        if one.workload not in ours:
            continue
        like = [point for point in points if one.describes(point)]
        sizes = results.data.get(one.workload, {})
        found += [_beside(one, point, _differs(one, sizes, point)) for point in like] or [
            Beside(one, "", None, "")
        ]
    return found


def _differs(one: Published, sizes: Mapping[str, int], point: PointRuns) -> str:
    changed = {name: value for name, value in point.changed.items() if name not in (*one.where, *_ALIKE)}
    data = {name: point.data[name] for name, size in sizes.items() if point.data.get(name, size) != size}
    return ", ".join(f"{name}={value}" for name, value in sorted({**data, **changed}.items()))


def _beside(one: Published, point: PointRuns, differs: str) -> Beside:
    if one.failure:
        counts = {"accepted": len(point.seconds), **point.missing}
        outcome = ", ".join(f"{number} {why}" for why, number in counts.items() if number)
        return Beside(one, point.benchmark, None, outcome or "no run", differs)
    unit, values = (
        (point.unit, point.seconds) if one.figure == "time" else point.metrics.get(one.figure, ("", ()))
    )
    same = values and unit == one.unit
    return Beside(one, point.benchmark, median_interval(values) if same else None, "", differs)


def _equal(value: Any, wanted: str | float | _AtLeast) -> bool:
    if isinstance(wanted, _AtLeast):
        return isinstance(value, int | float) and value >= wanted.at_least
    return bool(value == wanted)
