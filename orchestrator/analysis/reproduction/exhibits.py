"""Tables and figures of the documents: the campaigns behind them, and the runs that stand for numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field, model_validator

from orchestrator.analysis.publications.documents import Conditions, Document, Frozen, Number, documents
from orchestrator.errors import CampaignError
from sites import parse, read_text
from workloads.spelling import near

Scale = Literal["small", "shipped", "paper"]
SCALES: tuple[Scale, ...] = get_args(Scale)
"""Two cores in minutes; up to 96 ranks; the document's own sizes."""
TEXT = "Text"
"""Name of the exhibit that holds the numbers of a document that stand in no table and no figure of it."""


class Runs(Frozen):
    """Runs of which a metric stands for published numbers.

    Parameters
    ----------
    metric
        ``time``, ``accuracy`` or a metric of the ledger.
    factor
        Converts the metric's unit into that of the document, such as 1e-12 from FLOP/s to TFLOPS.
    """

    workload: str = ""
    metric: str = ""
    where: Conditions = Field(default_factory=dict)
    factor: float = 1.0

    def with_column(self, other: Runs) -> Runs:
        """Return the runs of a row that are those of a column, too."""
        return Runs(
            workload=other.workload or self.workload,
            metric=other.metric or self.metric,
            where={**self.where, **other.where},
            factor=self.factor * other.factor,
        )


class Curve(Runs):
    """A metric of runs over the values of an axis, where the document shows it without numbers."""

    over: str = "ranks"
    unit: str = ""


class Change(Frozen):
    """A metric of some runs beside the same of others, at each value of an axis.

    Parameters
    ----------
    since, to
        Conditions of both, besides `where`.
    over
        Axis at whose values both are compared; where `since` gives it, all are compared with that value.
    shown
        ``increase``, 100 · (median of `to` ÷ median of `since` - 1) in percent; ``saving``, the negative of
        it; ``ratio``, median of `to` ÷ median of `since`; or ``efficiency``, the ratio ÷ the ratio of the
        values of `over`.
    row, place
        Row of the published numbers, by default the change's own name, and the part of the table that has it.
    largest, least
        The words with which the document states the largest and the least over the axis.
    """

    workload: str
    metric: str
    since: Conditions
    to: Conditions = Field(default_factory=dict)
    where: Conditions = Field(default_factory=dict)
    over: str = "ranks"
    shown: Literal["increase", "saving", "ratio", "efficiency"] = "increase"
    row: str = ""
    place: str = ""
    largest: str = ""
    least: str = ""


class Exhibit(Frozen):
    """A table or a figure of a document.

    Parameters
    ----------
    absent
        Why this tool measures nothing of it; empty where it does.
    campaigns
        Campaigns that make its runs; by default all of the document.
    over
        Axis or parameter of which the columns are values.
    rows, columns
        Runs that stand for the numbers of a row, or of a column, where the document's file links none.
    curves, changes
        Rows that the document draws, or computes from others.
    """

    title: str
    absent: str = ""
    campaigns: tuple[str, ...] = ()
    over: str = ""
    rows: dict[str, Runs] = Field(default_factory=dict)
    columns: dict[str, Runs] = Field(default_factory=dict)
    curves: dict[str, Curve] = Field(default_factory=dict)
    changes: dict[str, Change] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_measured_or_not(self) -> Exhibit:
        if self.absent and (self.rows or self.columns or self.curves or self.changes):
            raise ValueError("absent excludes rows, columns, curves and changes")
        return self


class CampaignOf(Frozen):
    """A campaign file, with values that replace some of its own, each ``PATH=VALUE``."""

    file: str
    set: tuple[str, ...] = ()


class Reproduction(Frozen):
    """How a document is reproduced: campaigns by scale and name, and its tables and figures by name."""

    campaigns: dict[Scale, dict[str, CampaignOf]]
    exhibits: dict[str, Exhibit]

    def names(self, scale: Scale, only: str | None = None) -> list[str]:
        """Return the names of the campaigns behind all exhibits, or behind a single exhibit.

        Raises
        ------
        CampaignError
            If nothing of the exhibit is measured.
        """
        made = self.campaigns[scale]
        if only is None:
            return list(made)
        exhibit = self.exhibits[only]
        if exhibit.absent:
            raise CampaignError(f"no campaign measures {only}: {exhibit.absent}")
        return [name for name in made if name in exhibit.campaigns] or list(made)


@cache
def reproductions() -> Mapping[str, Reproduction]:
    """Return how each document is reproduced, by the document's name."""
    files = sorted(Path(__file__).parent.glob("*.yaml"))
    return {file.stem: parse(read_text(file, "reproduction"), Reproduction, str(file)) for file in files}


def reproduction_of(document: str) -> tuple[Document, Reproduction]:
    """Return a document, and how it is reproduced.

    Raises
    ------
    CampaignError
        If there is no such document.
    """
    known = reproductions()
    if document not in known:
        hint = near(document, known, f"there are {', '.join(known)}")
        raise CampaignError(f"no document {document!r}{hint}")
    return documents()[document], known[document]


def exhibit_named(made: Reproduction, name: str) -> str:
    """Return the name of an exhibit as the document writes it, in whatever case it is given.

    Raises
    ------
    CampaignError
        If there is no such table or figure.
    """
    known = {one.lower(): one for one in made.exhibits}
    if name.lower() not in known:
        hint = near(name, list(made.exhibits), f"there are {', '.join(made.exhibits)}")
        raise CampaignError(f"no table or figure {name!r}{hint}")
    return known[name.lower()]


def numbers_of(document: Document, made: Reproduction) -> dict[str, list[Number]]:
    """Return the published numbers of each exhibit; those of none are the numbers of the text."""
    found: dict[str, list[Number]] = {name: [] for name in made.exhibits}
    for number in document.numbers():
        found[next(_homes(number.place, made), TEXT)].append(number)
    return found


def _homes(place: str, made: Reproduction) -> Iterator[str]:
    for name in made.exhibits:
        if place == name or place.startswith(f"{name}("):
            yield name
