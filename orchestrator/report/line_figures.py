"""Figures of curves and of the times of campaigns, as SVG files of their own, drawn with Matplotlib."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter, StrMethodFormatter

from orchestrator.analysis.base.statistics import Estimate
from orchestrator.report import theme
from orchestrator.report.figures import WIDTH, Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from orchestrator.analysis.base.line_figure import LineFigure, Series
    from orchestrator.analysis.comparison.campaigns import Times

_HEIGHT = 4.2  # inches; the reader scales it
_PANEL = 2.2
_PLACES = 12
"""Most places of the horizontal axis with a label."""
_NAMES = 6
"""Most campaigns with a name below a panel of a history."""
_NOTICED = 0.03
"""Change of a run time that a reader of a history must see."""


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
        figure = Figure(figsize=(WIDTH, _HEIGHT), layout="constrained")
        axes = figure.subplots()
        axes.set_title(_printable(drawn.title))
        axes.grid(axis="y")
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
        figure.legend(loc="outside right upper")
        svg = _svg(figure, name, drawn.title, "; ".join(map(_words, drawn.series)))
    return Drawing(name, drawn.title, caption, svg)


def history_svg(times: Sequence[Times]) -> str:
    """Return two panels for each benchmark: median with its interval, and the longest run, by campaign.

    The vertical axes hold what was measured, and at least the band of 3 % around the first campaign.
    """
    names = list(dict.fromkeys(one.benchmark for one in times))
    campaigns = list(dict.fromkeys(one.campaign for one in times))
    title = f"Run times of {len(campaigns)} campaigns: median and longest run of {len(names)} benchmarks"
    with mpl.rc_context(_settings()):
        figure = Figure(figsize=(WIDTH, _PANEL * max(1, len(names))), layout="constrained")
        grid = figure.subplots(max(1, len(names)), 2, squeeze=False)
        for name, (left, right) in zip(names, grid, strict=False):
            of_name = [one for one in times if one.benchmark == name]
            longest = [Estimate(one.longest, None, None) for one in of_name]
            _history(left, f"{name}: median", of_name, [one.median for one in of_name], campaigns)
            _history(right, f"{name}: longest run", of_name, longest, campaigns)
        if names:
            handles, labels = grid[0][0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside upper right", ncols=len(labels))
        else:
            for axes in grid.flat:
                axes.set_axis_off()
        return theme.alone(_svg(figure, "figure", title, "; ".join(map(_measured, times))))


def _measured(one: Times) -> str:
    """Return the times of a benchmark in a campaign, in words."""
    low, high = one.median.low, one.median.high
    interval = "" if low is None or high is None else f" (95 %: {low:.6g} to {high:.6g})"
    return (
        f"{one.benchmark} in {one.campaign}: median {one.median.value:.6g} {one.unit}{interval}, longest "
        f"{one.longest:.6g} {one.unit}, {one.runs} runs"
    )


def _history(
    axes: Axes, title: str, of_name: Sequence[Times], estimates: Sequence[Estimate], campaigns: Sequence[str]
) -> None:
    """Draw a figure of a benchmark by campaign, and the band of 3 % around its first value."""
    colour = theme.SERIES[0]
    first = estimates[0].value
    axes.axhspan(
        first * (1 - _NOTICED), first * (1 + _NOTICED), color=colour, alpha=0.12, linewidth=0,
        label=f"within {_NOTICED:.0%} of the first",
    )  # fmt: skip
    across = [float(campaigns.index(one.campaign)) for one in of_name]
    _points(axes, across, estimates, "measured, with the interval of 95 %", colour, "o-")
    bounds = [bound for one in estimates for bound in (one.value, one.low, one.high) if bound is not None]
    low = min([*bounds, first * (1 - _NOTICED)])
    high = max([*bounds, first * (1 + _NOTICED)])
    room = 0.08 * (high - low)
    axes.set_ylim(low - room, high + room)
    axes.ticklabel_format(axis="y", style="plain", useOffset=False)
    every = -(-len(campaigns) // _NAMES) or 1
    shown = range(0, len(campaigns), every)
    axes.set_xticks(shown, [_printable(campaigns[place]) for place in shown], rotation=20, ha="right")
    axes.set_xlim(-0.5, len(campaigns) - 0.5)
    axes.set_title(_printable(title))
    axes.set_ylabel(of_name[0].unit)
    axes.grid(axis="y")


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
            axes.plot([x, x], [estimate.low, estimate.high], "_-", color=colour, linewidth=1, markersize=6)


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
