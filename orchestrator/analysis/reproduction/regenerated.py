"""A document's tables and figures from the runs of a ledger, and what they say of its claims."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from orchestrator.analysis.claims.judging import Judged, judge, shipped_claims
from orchestrator.analysis.reproduction.cells import Cell, cells
from orchestrator.analysis.reproduction.exhibits import exhibit_named, numbers_of, reproduction_of
from orchestrator.analysis.study.sweep_runs import runs_of_points
from orchestrator.analysis.verdict.fom import judge as judge_campaigns
from orchestrator.errors import CampaignError
from workloads.runtime.profiling import PROFILE_SECONDS
from workloads.spelling import near

if TYPE_CHECKING:
    from db.plain import RowReader
    from orchestrator.analysis.study.sweep_summary import PointRuns


@dataclass(frozen=True, slots=True)
class Table:
    """A table or figure with the numbers that were published and ours."""

    name: str
    title: str
    absent: str
    over: str
    cells: Sequence[Cell]

    @property
    def measured(self) -> int:
        """Number of cells with a number of ours."""
        return sum(cell.ours is not None for cell in self.cells)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        made = [cell.to_dict() for cell in self.cells]
        return {"name": self.name, "title": self.title, "absent": self.absent, "cells": made}


@dataclass(frozen=True, slots=True)
class Regenerated:
    """A document with its tables and figures regenerated.

    Parameters
    ----------
    campaigns
        Names of the campaigns whose runs it shows.
    claims
        Claims of the document; none where a single table was asked for, or SciPy is not installed.
    """

    document: str
    title: str
    source: str
    campaigns: Sequence[str]
    tables: Sequence[Table]
    claims: Sequence[Judged]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "document": self.document,
            "title": self.title,
            "source": self.source,
            "campaigns": list(self.campaigns),
            "tables": [table.to_dict() for table in self.tables],
            "claims": [one.to_dict() for one in self.claims],
        }


def points_of(reader: RowReader, campaigns: Sequence[str]) -> list[PointRuns]:
    """Return all benchmarks and points of campaigns with their accepted runs.

    Beside the metrics of the runs stand the figures that the rulebook states of a benchmark, such as
    ``vflops``, which have a single value and no interval.
    """
    found: list[PointRuns] = []
    for name in campaigns:
        row = reader.campaign(name)
        verdict = judge_campaigns(reader, [row]).verdict
        stated = {one.benchmark: one for one in verdict.benchmarks}
        for point in runs_of_points(reader, row.campaign_id, stated):
            figures = {
                figure.name: (figure.unit, (figure.value,))
                for figure in (stated[point.benchmark].headline, *stated[point.benchmark].figures)
                if figure is not None and figure.value is not None and math.isfinite(figure.value)
            }
            found.append(_comparable(replace(point, metrics={**figures, **point.metrics})))
    return found


def _comparable(point: PointRuns) -> PointRuns:
    """Return the runs with the numbers that may stand beside published ones: of profiled runs the profile."""
    if PROFILE_SECONDS not in point.metrics:
        return point
    kept = {name: values for name, values in point.metrics.items() if name.startswith("profile_")}
    return replace(point, seconds=(), metrics=kept)


def regenerated(
    reader: RowReader,
    document: str,
    campaigns: Sequence[str],
    *,
    machine: str | None = None,
    only: str | None = None,
) -> Regenerated:
    """Return a document's tables and figures, of all or of a single one, from the runs of campaigns.

    Parameters
    ----------
    machine
        Machine of the document whose numbers stand beside; by default all.

    Raises
    ------
    CampaignError
        If there is no such document, table or machine.
    LedgerError
        If a campaign is not in the ledger.
    """
    published, made = reproduction_of(document)
    if machine is not None and machine not in published.machines:
        known = published.machines
        hint = near(machine, known, f"there are {', '.join(known)}" if known else "the document names none")
        raise CampaignError(f"no published machine {machine!r}{hint}")
    chosen = made.exhibits if only is None else [exhibit_named(made, only)]
    points, numbers = points_of(reader, campaigns), numbers_of(published, made)
    tables = []
    for name in chosen:
        exhibit = made.exhibits[name]
        shown = [
            number for number in numbers[name] if machine in (None, number.machine) or not number.machine
        ]
        tables.append(
            Table(
                name,
                exhibit.title,
                exhibit.absent,
                exhibit.over,
                cells(exhibit, shown, points, published.data),
            )
        )
    claims = judge(shipped_claims().get(document, {}), points) if only is None and find_spec("scipy") else []
    return Regenerated(
        document, published.title, published.source, tuple(campaigns), tuple(tables), tuple(claims)
    )
