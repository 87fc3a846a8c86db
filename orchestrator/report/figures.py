"""The figures of a report, drawn with Matplotlib as SVG."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from orchestrator.analysis.slot_time.parts import NOT_OFFERED
from orchestrator.analysis.slot_time.timeline import DISCARDED, OTHERS
from orchestrator.report import theme
from orchestrator.wording import count_of, verb_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orchestrator.analysis.slot_time.throughput import Throughput
    from orchestrator.analysis.slot_time.timeline import ConcurrentRuns, SlotTimeline

WIDTH = 9.0  # inches; the page scales it
_PANELS_ACROSS = 3
_LINES = 8
_ERROR_RANGE = (1e-3, 1e3)
"""Errors ÷ bound with a colour of their own."""
_CENTRED: Mapping[str, Any] = {"ha": "center", "va": "center", "fontsize": 8}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure: its SVG, what it shows in a line, and what a reader should take from it."""

    name: str
    title: str
    caption: str
    svg: str


def timeline(found: SlotTimeline) -> Drawing:
    """Draw what every slot did over time."""
    colours = [to_rgb(_colour(name, number)) for number, name in enumerate(found.names)]
    palette = np.array([*colours, (0.0, 0.0, 0.0)])
    picture = np.empty((*found.busy.shape, 4))
    picture[..., :3] = palette[found.owner]
    picture[..., 3] = np.where(found.owner >= 0, 0.25 + 0.75 * found.busy, 0.0)
    scale, unit = _time_unit((found.end_us - found.begin_us) / 1e6)
    with mpl.rc_context(theme.settings("timeline")):
        figure = Figure(figsize=(WIDTH, 1.4 + min(3.6, 0.25 * found.slots)), layout="constrained")
        axes = figure.subplots()
        span = (found.end_us - found.begin_us) / 1e6 / scale
        axes.imshow(
            (picture * 255).astype(np.uint8),
            aspect="auto",
            interpolation="none",
            extent=(0, span, found.slots, 0),
        )
        axes.set_xlabel(f"{unit} since the first start")
        axes.set_ylabel("slots, by node")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        handles = [Patch(color=colour, label=name) for name, colour in zip(found.names, colours, strict=True)]
        figure.legend(handles=handles, loc="outside upper left", ncols=min(4, len(handles)))
        text = (
            f"What ran on {count_of(found.slots, 'slot')} of {count_of(found.nodes, 'node')}. Blank "
            "is idle; where a cell holds "
            "several slots or attempts, its strength is the share of time with a process."
        )
        return drawing(figure, "timeline", "Timeline of slots", text)


def concurrency(found: ConcurrentRuns, names: Sequence[str]) -> Drawing:
    """Draw how many accepted runs there were at once, of some benchmarks in the colours of the timeline."""
    scale, unit = _time_unit((found.edges_us[-1] - found.edges_us[0]) / 1e6)
    drawn = [name for name in names if name in found.most]
    with mpl.rc_context(theme.settings("concurrency")):
        figure = Figure(figsize=(WIDTH, 3), layout="constrained")
        axes = figure.subplots()
        edges = (found.edges_us - found.edges_us[0]) / 1e6 / scale
        for number, name in enumerate(drawn):
            axes.stairs(found.most[name], edges, color=_colour(name, number), label=name, linewidth=1.4)
        axes.set_ylim(bottom=0)
        axes.set_xlim(edges[0], edges[-1])
        axes.set_xlabel(f"{unit} since the first run began")
        axes.set_ylabel("accepted runs at once")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="y")
        figure.legend(loc="outside upper left", ncols=4)
        peaks = ", ".join(f"{name} {int(found.most[name].max()):,}" for name in drawn)
        left_out = len(found.most) - len(drawn)
        rest = (
            f"; {count_of(left_out, 'benchmark')} that took less time {verb_of(left_out, 'are')} not drawn"
            if left_out
            else ""
        )
        return drawing(figure, "concurrency", "Runs at once", f"Largest numbers: {peaks}{rest}.")


def throughput(found: Throughput) -> Drawing:
    """Draw how many instances ended per minute, or per hour, over time."""
    scale, unit = _time_unit((found.end_us - found.begin_us) / 1e6)
    accepted, others = found.per_second(found.accepted), found.per_second(found.others)
    seconds, per = (60, "minute") if 60 * accepted.max() >= 1 else (3600, "hour")
    edges = (found.edges_us - found.begin_us) / 1e6 / scale
    with mpl.rc_context(theme.settings("throughput")):
        figure = Figure(figsize=(WIDTH, 2.6), layout="constrained")
        axes = figure.subplots()
        axes.stairs(seconds * accepted, edges, fill=True, color=theme.SERIES[0], alpha=0.25)
        axes.stairs(seconds * accepted, edges, color=theme.SERIES[0], label="accepted", linewidth=1.4)
        if others.any():
            axes.stairs(
                seconds * others, edges, color=theme.DISCARDED, label=DISCARDED, linewidth=1.4, linestyle="--"
            )
            figure.legend(loc="outside upper left", ncols=2)
        axes.set_ylim(bottom=0)
        axes.set_xlim(edges[0], edges[-1])
        axes.set_xlabel(f"{unit} since the first start")
        axes.set_ylabel(f"ended per {per}")
        axes.grid(axis="y")
        mean = seconds * found.accepted.sum() * 1e6 / (found.end_us - found.begin_us)
        failed = int(found.others.sum())
        text = (
            f"{count_of(int(found.accepted.sum()), 'accepted instance')}, {mean:.3g} per {per} on average "
            "from the first start to the last end, "
            f"{seconds * accepted.max():.3g} at most, in steps of {_step(found.step_us // 1_000_000)}"
            + (f"; {count_of(failed, 'attempt')} not accepted." if failed else ".")
        )
        return drawing(figure, "throughput", "Instances ended over time", text)


@dataclass(frozen=True, slots=True)
class Band:
    """A line with the range around it: middle, lowest and highest value at each place of an axis."""

    title: str
    axis: str
    places: Sequence[float]
    middle: Sequence[float]
    lowest: Sequence[float]
    highest: Sequence[float]


def band_of(title: str, axis: str, curves: Sequence[Sequence[tuple[int, float | None]]]) -> Band:
    """Return median and range of the curves of several instances, without values that are not finite."""
    at: dict[int, list[float]] = {}
    for curve in curves:
        for place, value in curve:
            if value is not None:
                at.setdefault(place, []).append(value)
    places = sorted(at)
    return Band(
        title,
        axis,
        places,
        [float(np.median(at[place])) for place in places],
        [min(at[place]) for place in places],
        [max(at[place]) for place in places],
    )


def bands(name: str, title: str, caption: str, panels: Sequence[Band]) -> Drawing:
    """Draw each line, and the range around it as a band."""
    across = min(_PANELS_ACROSS, len(panels))
    down = -(-len(panels) // across)
    with mpl.rc_context(theme.settings(name) | {"text.parse_math": False}):
        figure = Figure(figsize=(WIDTH, 2.2 * down + 0.3), layout="constrained")
        grid = figure.subplots(down, across, squeeze=False)
        for axes, panel in zip(grid.flat, panels, strict=False):
            colour = theme.SERIES[0]
            axes.fill_between(
                panel.places, panel.lowest, panel.highest, color=colour, alpha=0.25, linewidth=0
            )
            marks = {"marker": "o", "markersize": 3} if len(panel.places) == 1 else {}
            axes.plot(panel.places, panel.middle, color=colour, linewidth=1.4, **marks)
            axes.set_title(panel.title)
            axes.set_xlabel(panel.axis)
            axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        for axes in list(grid.flat)[len(panels) :]:
            axes.set_visible(False)
        return drawing(figure, name, title, caption)


def slot_time(parts: Mapping[str, int], counted: Sequence[str]) -> Drawing:
    """Draw the parts of the slot-time as bars."""
    shown = [name for name, microseconds in parts.items() if microseconds]
    offered = sum(parts.values())
    with mpl.rc_context(theme.settings("slot_time")):
        figure = Figure(figsize=(WIDTH, 0.8 + 0.26 * len(shown)), layout="constrained")
        axes = figure.subplots()
        shares = [100 * parts[name] / offered for name in shown]
        colours = [theme.SERIES[0 if name in counted else 1] for name in shown]
        bars = axes.barh([name.replace("_", " ") for name in shown], shares, color=colours)
        axes.bar_label(bars, [f"{share:.2f} %" for share in shares], padding=3, color=theme.TEXT)
        axes.invert_yaxis()
        axes.set_xlim(0, max(shares) * 1.15)
        axes.set_xlabel("% of the slot-time offered")
        of_blocks = offered - parts[NOT_OFFERED]
        use = sum(parts[name] for name in counted) / of_blocks if of_blocks else 0.0
        return drawing(
            figure, "slot-time", "Where the slot-time went",
            f"{use:.1%} of the slot-time of blocks were runs of accepted attempts (blue); the rest is "
            "orange.",
        )  # fmt: skip


def slowdowns(places: Sequence[tuple[str, float, bool]]) -> Drawing:
    """Draw nodes by how much slower than the others they are: name, share, and whether a test names them."""
    ranked = sorted(places, key=lambda one: -one[1])
    slow = [one for one in ranked if one[2]]
    with mpl.rc_context(theme.settings("slowdowns")):
        figure = Figure(figsize=(WIDTH, 2.6), layout="constrained")
        axes = figure.subplots()
        ranks = np.arange(1, len(ranked) + 1)
        axes.plot(ranks, [100 * one[1] for one in ranked], ".", color=theme.SERIES[0], markersize=4)
        for rank, (name, share, named) in zip(ranks, ranked, strict=True):
            if named:
                axes.plot(rank, 100 * share, "D", color=theme.DISCARDED, markersize=6)
                if rank <= _LINES:
                    axes.annotate(
                        name, (rank, 100 * share), xytext=(6, 3), textcoords="offset points", fontsize=8
                    )
        axes.axhline(0, color=theme.GRID, linewidth=0.6)
        axes.set_xlabel("nodes, slowest first")
        axes.set_ylabel("% slower")
        named_text = ", ".join(one[0] for one in slow) or "none"
        return drawing(
            figure, "nodes", "Speed of nodes",
            f"Runs of {count_of(len(ranked), 'node')} beside the median; slower by both tests: {named_text}.",
        )  # fmt: skip


def error_heatmap(rows: Sequence[str], columns: Sequence[str], errors: NDArray[np.float64]) -> Drawing:
    """Draw the largest error ÷ bound of each row and column by its logarithm; NaN is blank."""
    with mpl.rc_context(theme.settings("errors")):
        figure = Figure(figsize=(WIDTH, max(2.4, 1.6 + 0.28 * len(rows))), layout="constrained")
        axes = figure.subplots()
        shown = np.log10(np.clip(errors, *_ERROR_RANGE))
        low, high = np.log10(_ERROR_RANGE)
        drawn = axes.imshow(shown, aspect="auto", cmap="RdBu_r", vmin=low, vmax=high)
        axes.set_xticks(range(len(columns)), list(columns), rotation=30, ha="right", parse_math=False)
        axes.set_yticks(range(len(rows)), list(rows), parse_math=False)
        for (row, column), error in np.ndenumerate(errors):
            if not np.isnan(error):
                colour = "white" if abs(shown[row, column]) > 0.6 * high else "black"
                weight = "normal" if error <= 1 else "bold"
                axes.text(column, row, f"{error:.2g}", color=colour, weight=weight, **_CENTRED)
        figure.colorbar(drawn, label="log10")
        invalid = int((errors > 1).sum())
        text = (
            "Largest error of the outputs against the reference, as a share of the bound of their precision: "
            f"1 or less is valid. {invalid:,} of {int(np.isfinite(errors).sum()):,} cells are above (bold). "
            "Colours are by its logarithm."
        )
        return drawing(figure, "errors", "Error against the reference", text)


def drawing(figure: Figure, name: str, title: str, caption: str) -> Drawing:
    """Return a figure of Matplotlib as a figure of a page."""
    stream = io.StringIO()
    figure.draw_without_rendering()  # places everything
    figure.set_layout_engine("none")  # so that saving does not place it twice more
    figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return Drawing(name, title, caption, theme.themed(stream.getvalue(), f"figure-{name}", title, caption))


def _colour(name: str, number: int) -> str:
    fixed = {DISCARDED: theme.DISCARDED, OTHERS: theme.OTHERS}
    return fixed.get(name, theme.SERIES[number % len(theme.SERIES)])


def _time_unit(seconds: float) -> tuple[float, str]:
    """Return the seconds of a unit in which a span is a readable number, and the unit's name."""
    if seconds >= 3 * 3600:
        return 3600.0, "hours"
    return (60.0, "minutes") if seconds >= 300 else (1.0, "seconds")


def _step(seconds: int) -> str:
    """Return the length of a step in its largest whole unit."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds % size == 0:
            return f"{seconds // size:,} {unit}"
    return f"{seconds} s"
