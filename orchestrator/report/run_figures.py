"""Figures of the runs of benchmarks: all beside their references, and the runs of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, NullLocator, StrMethodFormatter

from orchestrator.report import theme
from orchestrator.report.figures import WIDTH, Drawing, drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

DOTS = 50
"""Most runs of which each is drawn as a dot; more are drawn as a distribution."""
_PANELS_ACROSS = 3
_BARS = 40
_LARGEST = 1e300
_ROWS = 30
"""Benchmarks in one figure of relative times, the first ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Values of a benchmark with their unit, and lines with their names and places."""

    title: str
    unit: str
    values: NDArray[np.float64]
    marks: Mapping[str, float]


def relative_times(panels: Sequence[Panel]) -> Drawing:
    """Draw the times of all benchmarks ÷ their references on one logarithmic axis.

    Parameters
    ----------
    panels
        One of each benchmark with its times, above 0. The reference is the mark of that name; where no
        benchmark has a reference, the times are divided by the benchmark's median.
    """
    referenced = [one for one in panels if "reference" in one.marks]
    base = "reference" if referenced else "median"
    drawn = (referenced or list(panels))[:_ROWS]
    ratios = [one.values / one.marks.get("reference", float(np.median(one.values))) for one in drawn]
    with mpl.rc_context(theme.settings("relative") | {"text.parse_math": False}):
        figure = Figure(figsize=(WIDTH, 1.2 + 0.32 * len(drawn)), layout="constrained")
        axes = figure.subplots()
        for row, of_row in enumerate(ratios):
            _row(axes, row, of_row)
        axes.axvline(1, color=theme.SERIES[1], linewidth=1.4, linestyle="--", label=base)
        axes.set_yticks(range(len(drawn)), [one.title for one in drawn])
        axes.set_ylim(len(drawn) - 0.4, -0.6)
        _ratio_axis(axes, min(float(one.min()) for one in ratios), max(float(one.max()) for one in ratios))
        axes.set_xlabel(f"time ÷ {base}; left is faster")
        axes.grid(axis="x")
        figure.legend(loc="outside upper right")
        longest = ", ".join(
            f"{one.title} {of_one.max():.4g}" for one, of_one in zip(drawn, ratios, strict=True)
        )
        left_out = f" The first {_ROWS} benchmarks." if len(referenced or panels) > _ROWS else ""
        text = (
            f"Time of each accepted instance ÷ the benchmark's {base}. Longest: {longest}. A dot is a run; "
            f"of more than {DOTS} runs the thick line holds 90 %, the thin line all.{left_out}"
        )
        return drawing(figure, "relative", f"Times beside the {base}", text)


def _row(axes: Axes, row: int, ratios: NDArray[np.float64]) -> None:
    """Draw the runs of a benchmark at a height: dots, or lines from the lowest to the highest."""
    colour = theme.SERIES[0]
    if ratios.size <= DOTS:
        axes.plot(ratios, np.full(ratios.size, row), "o", color=colour, markersize=5, alpha=0.7)
        return
    lowest, low, middle, high, highest = np.quantile(ratios, [0, 0.05, 0.5, 0.95, 1])
    axes.plot([lowest, highest], [row, row], "-", color=colour, linewidth=1)
    axes.plot([low, high], [row, row], "-", color=colour, linewidth=5, solid_capstyle="butt")
    axes.plot([middle, highest], [row, row], "o", color=colour, markersize=5)


def _ratio_axis(axes: Axes, lowest: float, highest: float) -> None:
    """Make the horizontal axis logarithmic, with 1 on it and labels that are plain numbers."""
    axes.set_xscale("log")
    axes.set_xlim(min(lowest, 1) / 1.15, max(highest, 1) * 1.15)
    span = max(highest, 1) / min(lowest, 1)
    if span > 1.5:
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if span > 8 else range(1, 10)))
    else:  # multiples of 1, 2 or 5 hundredths, of which 1 is one
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())


def distributions(name: str, title: str, caption: str, panels: Sequence[Panel]) -> Drawing:
    """Draw the values of each panel: a dot per run, or a histogram of more than `DOTS` runs."""
    across = min(_PANELS_ACROSS, len(panels))
    down = -(-len(panels) // across)
    with mpl.rc_context(theme.settings(name) | {"text.parse_math": False}):
        figure = Figure(figsize=(WIDTH, 2.4 * down + 0.3), layout="constrained")
        grid = figure.subplots(down, across, squeeze=False)
        for axes, panel in zip(grid.flat, map(_drawable, panels), strict=False):
            axes.set_title(panel.title)
            if panel.values.size <= DOTS:
                _dots(axes, panel)
            else:
                _histogram(axes, panel)
        for axes in list(grid.flat)[len(panels) :]:
            axes.set_visible(False)
        return drawing(figure, name, title, caption)


def _drawable(panel: Panel) -> Panel:
    """Return a panel whose range is a number: of the largest floating-point numbers it is not."""
    return replace(panel, values=np.clip(panel.values, -_LARGEST, _LARGEST))


def _dots(axes: Axes, panel: Panel) -> None:
    """Draw each value at the height that it has, in the order of instances."""
    values = panel.values
    axes.plot(range(1, values.size + 1), values, "o", color=theme.SERIES[0], markersize=4)
    low, high = float(values.min()), float(values.max())
    near = _near(panel)
    for number, (label, place) in enumerate(near.items()):
        axes.axhline(place, label=label, **_line(number))
    low, high = min([low, *near.values()]), max([high, *near.values()])
    room = 0.08 * (high - low) or 0.01 * abs(high) or 1.0
    axes.set_ylim(low - room, high + room + 0.35 * (high - low) * bool(near))  # the legend is above
    axes.set_xlim(0.4, values.size + 0.6)
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.ticklabel_format(axis="y", style="plain", useOffset=False)
    axes.set_xlabel("accepted instance")
    axes.set_ylabel(panel.unit)
    _legend(axes)


def _histogram(axes: Axes, panel: Panel) -> None:
    """Draw a histogram, with counts on a logarithmic axis so that one straggler is seen."""
    values = panel.values
    low, high = float(values.min()), float(values.max())
    if high == low:
        low, high = low - max(abs(low) * 0.01, 1e-9), high + max(abs(high) * 0.01, 1e-9)
    counts, edges = np.histogram(values, bins=_BARS, range=(low, high))
    axes.stairs(counts, edges, fill=True, color=theme.SERIES[0], baseline=0.7)
    axes.set_yscale("log")
    axes.set_ylim(0.7, max(counts.max() * 1.6, 2))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    for number, (label, place) in enumerate(_near(panel).items()):
        axes.axvline(place, label=label, **_line(number))
    axes.xaxis.set_major_locator(MaxNLocator(3))
    axes.ticklabel_format(axis="x", style="plain", useOffset=False)
    axes.set_xlabel(panel.unit)
    axes.set_ylabel("instances")
    _legend(axes)


def _near(panel: Panel) -> dict[str, float]:
    """Return the marks that are no farther from the values than the values from each other."""
    low, high = float(panel.values.min()), float(panel.values.max())
    room = max(high - low, 0.01 * abs(high))
    return {name: place for name, place in panel.marks.items() if low - room <= place <= high + room}


def _line(number: int) -> dict[str, Any]:
    return {
        "color": theme.SERIES[(1, 4, 3)[number % 3]],
        "linewidth": 1.4,
        "linestyle": ("-", "--", ":")[number % 3],
    }


def _legend(axes: Axes) -> None:
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper right", ncols=2)
