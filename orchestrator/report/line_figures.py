"""Figures of curves and of the times of campaigns, as SVG files of their own, drawn with Matplotlib."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter, StrMethodFormatter

from orchestrator.report import theme
from orchestrator.report.figures import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from orchestrator.analysis.base.line_figure import LineFigure, Series
    from orchestrator.analysis.base.statistics import Estimate
    from orchestrator.analysis.comparison.campaigns import Times

_WIDTH, _HEIGHT = 9.0, 4.2  # inches; the reader scales them
_PANEL = 2.2
_PLACES = 12
"""Most places of the horizontal axis with a label."""


def line_svg(drawn: LineFigure) -> str:
    """Return curves as the text of an SVG file; its description lists all values."""
    return theme.alone(line_drawing("figure", drawn).svg)


def line_drawing(name: str, drawn: LineFigure, caption: str = "") -> Drawing:
    """Return curves as a figure of a page, on which its name must be unique."""
    places = list(dict.fromkeys(place for series in drawn.series for place, _ in series.points))
    numeric = all(isinstance(place, int | float) and place > 0 for place in places)
    if numeric:
        places.sort(key=float)
    at = {place: float(place) if numeric else float(k) for k, place in enumerate(places)}
    values = [
        value
        for series in drawn.series
        for _, estimate in series.points
        for value in (estimate.value, estimate.low, estimate.high)
        if value is not None
    ]
    with mpl.rc_context(_settings()):
        figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
        axes = figure.subplots()
        axes.set_title(_printable(drawn.title), loc="left", weight="bold")
        axes.set_xlabel(_printable(drawn.labels[0]))
        axes.set_ylabel(_printable(drawn.labels[1]))
        if numeric:
            axes.set_xscale("log", base=2)
        every = -(-len(places) // _PLACES) or 1
        axes.set_xticks([at[place] for place in places[::every]], list(map(_name, places[::every])))
        axes.minorticks_off()
        for number, series in enumerate(drawn.series):
            _curve(axes, series, number, {place: at[place] for place, _ in series.points})
        if drawn.log and min(values, default=0) > 0:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axes.yaxis.set_minor_formatter(LogFormatter(labelOnlyBase=False))
        else:
            _from_zero(axes, values)
        figure.legend(loc="outside right upper", fontsize=8)
        svg = _svg(figure, name, drawn.title, "; ".join(map(_words, drawn.series)))
    return Drawing(name, drawn.title, caption, svg)


def history_svg(times: Sequence[Times]) -> str:
    """Return a panel for each benchmark: median with its interval, and the longest run, by campaign."""
    names = list(dict.fromkeys(one.benchmark for one in times))
    campaigns = list(dict.fromkeys(one.campaign for one in times))
    every = -(-len(campaigns) // _PLACES) or 1
    title = f"Run times of {len(campaigns)} campaigns: median and longest run of {len(names)} benchmarks"
    with mpl.rc_context(_settings()):
        figure = Figure(figsize=(_WIDTH, _PANEL * max(1, len(names))), layout="constrained")
        panels: list[Axes] = list(figure.subplots(len(names), squeeze=False)[:, 0]) if names else []
        for name, axes in zip(names, panels, strict=True):
            of_name = [one for one in times if one.benchmark == name]
            across = [campaigns.index(one.campaign) for one in of_name]
            axes.set_title(_printable(name), loc="left", weight="bold")
            medians = [one.median for one in of_name]
            _points(axes, across, medians, "median", theme.SERIES[0], "o-")
            longest = [one.longest for one in of_name]
            axes.plot(across, longest, "o--", color=theme.SERIES[1], markersize=4, label="longest run")
            axes.set_xticks(range(0, len(campaigns), every), list(map(_printable, campaigns[::every])))
            axes.set_xlim(-0.5, len(campaigns) - 0.5)
            _from_zero(axes, [*longest, *(median.high or 0.0 for median in medians)])
        if names:
            figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
        values = (
            f"{one.benchmark} in {one.campaign}: median {one.median.value:.6g}, longest {one.longest:.6g}, "
            f"{one.runs} runs"
            for one in times
        )
        return theme.alone(_svg(figure, "figure", title, "; ".join(values)))


def _curve(axes: Axes, series: Series, number: int, at: dict[float | str, float]) -> None:
    """Draw a curve; the marks of what is not measured are hollow, and absent where it has no interval."""
    colour = theme.SERIES[number % len(theme.SERIES)]
    line = "none" if any(isinstance(place, str) for place in at) else "--" if series.dashed else "-"
    estimates = [estimate for _, estimate in series.points]
    style = line if line != "none" else ""
    if not series.dashed or any(estimate.low is not None for estimate in estimates):
        style = f"o{style}"
    face = "none" if series.dashed else colour
    _points(axes, list(at.values()), estimates, _printable(series.name), colour, style, face=face)


def _points(
    axes: Axes,
    across: Sequence[float],
    estimates: Sequence[Estimate],
    label: str,
    colour: str,
    style: str,
    *,
    face: str | None = None,
) -> None:
    """Draw values with vertical lines for their intervals."""
    axes.plot(
        across, [estimate.value for estimate in estimates], style, color=colour, markersize=4,
        markerfacecolor=face or colour, label=label,
    )  # fmt: skip
    for x, estimate in zip(across, estimates, strict=True):
        if estimate.low is not None and estimate.high is not None:
            axes.plot([x, x], [estimate.low, estimate.high], "-", color=colour, linewidth=1)


def _from_zero(axes: Axes, values: Sequence[float]) -> None:
    """Let the vertical axis begin at 0, or below for negative values, with some room above."""
    low, high = min([0.0, *values]), max([0.0, *values])
    axes.set_ylim(1.05 * low, 1.05 * high or 1.0)


def _settings() -> Any:
    """Return Matplotlib's settings; names may hold dollar signs, which are no formulas."""
    return theme.settings("lines") | {"text.parse_math": False}


def _svg(figure: Figure, name: str, title: str, description: str) -> str:
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return theme.themed(stream.getvalue(), name, _printable(title), _printable(description))


def _words(series: Series) -> str:
    points = ", ".join(f"{_name(place)}: {estimate.value:.6g}" for place, estimate in series.points)
    return f"{series.name}: {points}"


def _name(place: float | str) -> str:
    return _printable(place) if isinstance(place, str) else f"{place:g}"


def _printable(text: str) -> str:
    """Return a text for XML, which has no control characters."""
    return "".join(character if character.isprintable() else "?" for character in text)
