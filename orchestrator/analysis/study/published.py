"""Published measurements of machines beside those of a ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from orchestrator.analysis.base.statistics import Estimate, median_interval
from orchestrator.analysis.publications.documents import AtLeast, Conditions, Frozen, Number, documents
from orchestrator.analysis.study.sweep_summary import PointRuns
from orchestrator.errors import CampaignError

_ALIKE = ("epochs", "time_limit", "resume")  # of no effect on the published figures


class Published(Frozen):
    """One published measurement, or failure, of a workload at some parameters.

    Parameters
    ----------
    figure
        A metric, `accuracy`, or `time`; empty for a failure.
    place
        Table, figure or section of the document.
    """

    workload: str
    where: Conditions
    figure: str = ""
    value: float | None = None
    unit: str = ""
    failure: str = ""
    place: str = ""

    @property
    def conditions(self) -> str:
        """Its parameters as text, such as ``ranks=1, batch_size>=50``."""
        return ", ".join(
            f"{name}>={wanted.at_least:g}" if isinstance(wanted, AtLeast) else f"{name}={wanted}"
            for name, wanted in self.where.items()
        )

    def describes(self, point: PointRuns) -> bool:
        """Return whether a point was run as this was."""
        given = {**point.parameters, **point.axes, "ranks": point.ranks, "nodes": point.nodes}
        return point.workload == self.workload and all(
            name in given and _equal(given[name], wanted) for name, wanted in self.where.items()
        )


@dataclass(frozen=True, slots=True)
class MachineResults:
    """Published results of one machine, and sizes of the data set of each workload."""

    title: str
    source: str
    note: str
    data: Mapping[str, Mapping[str, int]]
    results: tuple[Published, ...]


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
    """Return the machines with published measurements of workloads, by name."""
    return {
        name: MachineResults(
            machine.title,
            document.source,
            machine.note,
            document.data,
            tuple(published(one) for one in document.numbers() if one.workload and one.machine == name),
        )
        for document in documents().values()
        for name, machine in document.machines.items()
    }


def published(number: Number) -> Published:
    """Return a published number as it stands beside runs."""
    return Published(
        workload=number.workload,
        where=number.where,
        figure=number.metric,
        value=number.value,
        unit=number.unit,
        failure=number.failure,
        place=number.place,
    )


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
        found += [set_beside(one, point, ", ".join(differences(one, sizes, point))) for point in like] or [
            Beside(one, "", None, "")
        ]
    return found


def differences(one: Published, sizes: Mapping[str, int], point: PointRuns) -> tuple[str, ...]:
    """Return the parameters, and the data and their sizes, of a point that are not those of the published."""
    changed = {name: value for name, value in point.changed.items() if name not in (*one.where, *_ALIKE)}
    data = {name: point.data[name] for name, size in sizes.items() if point.data.get(name, size) != size}
    found = [f"{name}={value}" for name, value in sorted({**data, **changed}.items())]
    return (*found, "synthetic data") if point.data.get("synthetic") else tuple(found)


def set_beside(one: Published, point: PointRuns, differs: str) -> Beside:
    """Return a published measurement with the runs of a point."""
    if one.failure:
        counts = {"accepted": len(point.seconds), **point.missing}
        outcome = ", ".join(f"{number} {why}" for why, number in counts.items() if number)
        return Beside(one, point.benchmark, None, outcome or "no run", differs)
    unit, values = point.measured(one.figure)
    same = values and unit == one.unit
    return Beside(one, point.benchmark, median_interval(values) if same else None, "", differs)


def _equal(value: Any, wanted: str | float | AtLeast) -> bool:
    if isinstance(wanted, AtLeast):
        return isinstance(value, int | float) and value >= wanted.at_least
    return bool(value == wanted)
