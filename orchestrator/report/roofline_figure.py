"""The figure of rooflines, drawn with Matplotlib as SVG or PNG."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, NullFormatter, StrMethodFormatter

from orchestrator.analysis.roofline.ceilings import COMMUNICATION, COMPUTE, MEMORY
from orchestrator.report import theme
from orchestrator.report.figures import WIDTH, Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from orchestrator.analysis.roofline.achieved import Place
    from orchestrator.analysis.roofline.ceilings import Ceiling, Roofline, Standing

_HEIGHT = 4.2  # inches of a row of panels
_DRAWN = 12
"""Trainings and links in one panel; the table has all."""
_PLACES = 8
"""Kinds of slots in one figure, the first ones."""
_CLOSE = 1.25
"""A ceiling closer than this to the next one has its label below its line."""
_GIGA = 1e9
_MARKS = "os^Dvp*X<>Ph"
_ROOM = 8.0
"""A panel's axes reach so many times beyond what is drawn."""


def roofline_drawing(found: Roofline) -> Drawing:
    """Return the figure of rooflines for a page."""
    title, text = (
        "Rooflines",
        "Measured ceilings of one rank, and the FLOP/s that trainings attained below them",
    )
    svg = theme.themed(_drawn(found, "svg").decode(), "figure-roofline", title, text)
    return Drawing("roofline", title, f"{text}.", svg)


def roofline_figure(found: Roofline, file_format: str) -> bytes:
    """Return the figure of rooflines as a file of its own.

    Parameters
    ----------
    file_format
        ``svg`` or ``png``.
    """
    if file_format == "png":
        return _drawn(found, "png")
    return theme.alone(roofline_drawing(found).svg).encode()


def _drawn(found: Roofline, file_format: str) -> bytes:
    """Draw the roofline of memory for each kind of slot and, where any has some, that of communication."""
    places = list(dict.fromkeys(one.place for one in found.ceilings))[:_PLACES]
    with mpl.rc_context(_settings(file_format)):
        figure = Figure(figsize=(WIDTH, _HEIGHT * len(places)), layout="constrained")
        distributed = any(one.kind == COMMUNICATION for one in found.ceilings) or any(
            one.intensity for one in found.trainings
        )
        grid = figure.subplots(len(places), 1 + distributed, squeeze=False)
        for panels, place in zip(grid, places, strict=True):
            ceilings = [one for one in found.ceilings if one.place == place]
            trainings = [one for one in found.trainings if one.place == place and one.flop_per_second]
            _node(panels[0], place, ceilings, trainings[:_DRAWN])
            if distributed:
                _distributed(panels[1], ceilings, trainings[:_DRAWN])
        stream = io.BytesIO()
        if file_format == "png":
            figure.savefig(stream, format="png", dpi=150, facecolor="white", metadata={"Software": None})
        else:
            figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return stream.getvalue()


def _settings(file_format: str) -> Any:
    """Return Matplotlib's settings; an SVG gets its colours of text and lines from the page that shows it."""
    settings = theme.settings("roofline") | {"text.parse_math": False}  # names may hold dollar signs
    if file_format == "svg":
        return settings
    printed = {theme.TEXT: "#1b1f24", theme.GRID: "#8a929b"}
    return {name: printed.get(value, value) for name, value in settings.items()}


def _node(axes: Axes, place: Place, ceilings: Sequence[Ceiling], trainings: Sequence[Standing]) -> None:
    """Draw compute ceilings and memory bandwidth; trainings, whose bytes are not measured, as heights."""
    axes.set_title(f"Node: {place}")
    slopes = [(f"triad: {_rate(one.value, 'B/s')}", one.value) for one in ceilings if one.kind == MEMORY]
    heights = [one.flop_per_second for one in trainings if one.flop_per_second]
    if not _roofs(axes, ceilings, slopes, [], heights):
        _absent(axes, "no gemm, conv or triad on this kind of slot")
        return
    for number, one in enumerate(trainings):
        axes.axhline(
            (one.flop_per_second or 0.0) / _GIGA,
            color=_colour(number),
            linestyle=":",
            linewidth=1.2,
            label=f"{one.name} (bytes not measured)",
        )
    axes.set_xlabel("FLOP per byte of memory")
    _finish(axes)


def _distributed(axes: Axes, ceilings: Sequence[Ceiling], trainings: Sequence[Standing]) -> None:
    """Draw compute ceilings and bus bandwidths, and trainings at their intensity."""
    axes.set_title("Distributed: one of several ranks")
    links = [one for one in ceilings if one.kind == COMMUNICATION][:_DRAWN]
    slopes = [
        (f"allreduce, {one.ranks} ranks{_on_nodes(one.nodes)}: {_rate(one.value, 'B/s')}", one.value)
        for one in links
    ]
    heights = [one.flop_per_second for one in trainings if one.intensity and one.flop_per_second]
    places = [one.intensity for one in trainings if one.intensity]
    if not (slopes or places) or not _roofs(axes, ceilings, slopes, places, heights):
        _absent(axes, "no allreduce, and no training of several ranks, on this kind of slot")
        return
    for number, one in enumerate(trainings):  # with the colours of the other panel
        if one.intensity is None:
            continue
        axes.plot(
            [one.intensity],
            [(one.flop_per_second or 0.0) / _GIGA],
            _MARKS[number % len(_MARKS)],
            color=_colour(number),
            label=f"{one.name}, {one.ranks} ranks",
        )
    axes.set_xlabel("FLOP per byte communicated (COI)")
    _finish(axes)


def _roofs(
    axes: Axes,
    ceilings: Sequence[Ceiling],
    slopes: Sequence[tuple[str, float]],
    places: Iterable[float],
    heights: Iterable[float],
) -> bool:
    """Draw min(peak, bandwidth × intensity) for each peak and bandwidth; return whether there is any."""
    peaks = sorted((one for one in ceilings if one.kind in COMPUTE), key=lambda one: one.value)
    if not peaks and not slopes:
        return False
    ridges = [peak.value / slope for peak in peaks for _, slope in slopes]
    drawn = [*ridges, *places] or [1.0]
    across = np.geomspace(min(drawn) / _ROOM, max(drawn) * _ROOM, 256)
    top = peaks[-1].value if peaks else max(slope for _, slope in slopes) * across[-1]
    for number, (name, slope) in enumerate(slopes):
        line = np.minimum(slope * across, top) / _GIGA
        axes.plot(across, line, color=theme.OTHERS, linewidth=1.4, dashes=(6, 1 + number), label=name)
    for peak, higher in zip(peaks, [*peaks[1:], None], strict=True):
        begin = min((peak.value / slope for _, slope in slopes), default=across[0])
        height = peak.value / _GIGA
        axes.plot([begin, across[-1]], [height, height], color=mpl.rcParams["text.color"], linewidth=1.4)
        below = higher is not None and higher.value < _CLOSE * peak.value
        axes.annotate(
            f"{peak.kind} {peak.precision}: {_rate(peak.value, 'FLOP/s')}", (across[-1], height),
            xytext=(0, -3 if below else 3), va="top" if below else "bottom", textcoords="offset points",
            ha="right", fontsize=8,
        )  # fmt: skip
    lowest = min([top, *(slope * across[0] for _, slope in slopes), *heights])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(across[0], across[-1])
    axes.set_ylim(lowest / 2 / _GIGA, top * 3 / _GIGA)
    return True


def _finish(axes: Axes) -> None:
    axes.set_ylabel("GFLOP/s of one rank")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.grid(which="major")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="lower right")


def _absent(axes: Axes, why: str) -> None:
    axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center", fontsize=8)
    axes.set_axis_off()


def _rate(value: float, unit: str) -> str:
    """Return a rate with the prefix of its unit."""
    return str(EngFormatter(unit, places=1)(value))


def _on_nodes(nodes: int) -> str:
    return f" on {nodes} nodes" if nodes > 1 else ""


def _colour(number: int) -> Any:
    return theme.SERIES[number % len(theme.SERIES)]
