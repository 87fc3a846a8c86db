"""Curves of a figure over sizes or names, as data; `orchestrator.report.line_figures` draws them."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.analysis.base.statistics import Estimate


@dataclass(frozen=True, slots=True)
class Series:
    """One curve: its name, and an estimate at each place of the horizontal axis.

    Parameters
    ----------
    dashed
        Draw it dashed, and marks hollow: it is not measured.
    """

    name: str
    points: tuple[tuple[float | str, Estimate], ...]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class LineFigure:
    """Curves with the intervals of their points.

    Numbers on the horizontal axis are placed by their logarithm; texts side by side, without a line between.

    Parameters
    ----------
    labels
        Of the horizontal and of the vertical axis.
    log
        Draw the vertical axis logarithmic, where all values are above 0.
    """

    title: str
    labels: tuple[str, str]
    series: tuple[Series, ...]
    log: bool = False
