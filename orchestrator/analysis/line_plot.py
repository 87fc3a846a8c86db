"""A plot of curves over sizes or names, as SVG text without a plotting library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from orchestrator.analysis.colours import SERIES
from orchestrator.analysis.statistics import Estimate

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 760, 360, 70, 220, 40, 50
_TICKS = 5


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


def line_plot(title: str, labels: tuple[str, str], series: Sequence[Series], *, log: bool = False) -> str:
    """Return curves with the intervals of their points.

    Numbers on the horizontal axis are placed by their logarithm; texts side by side, without a line between.

    Parameters
    ----------
    labels
        Of the horizontal and of the vertical axis.
    log
        Draw the vertical axis logarithmic; all values must be above 0.
    """
    places = list(dict.fromkeys(x for one in series for x, _ in one.points))
    if numeric := all(isinstance(x, int | float) and x > 0 for x in places):
        places.sort(key=float)
    scale = _Scale(
        [math.log2(float(x)) for x in places] if numeric else [float(k) for k, _ in enumerate(places)],
        [v for one in series for _, e in one.points for v in (e.value, e.low, e.high) if v is not None],
        log,
    )
    at = dict(zip(places, scale.across(), strict=True))
    styles = "".join(f".s{k}{{stroke:{colour}}}.m{k}{{fill:{colour}}}" for k, colour in enumerate(SERIES))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="11">',
        f"<title>{_text(title)}</title>",
        f"<style>text{{fill:#222}}.axis{{stroke:#777}}path,polyline,circle{{fill:none}}{styles}"
        f"@media(prefers-color-scheme:dark){{text{{fill:#eee}}.axis{{stroke:#aaa}}}}</style>",
        f'<text x="{_LEFT}" y="18" font-weight="bold">{_text(title)}</text>',
        f'<text x="{_LEFT}" y="33">{_text(labels[1])}</text>',
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2:.1f}" y="{_HEIGHT - 10}" text-anchor="middle">'
        f"{_text(labels[0])}</text>",
        f'<path class="axis" d="M{_LEFT} {_TOP}V{_HEIGHT - _BOTTOM}H{_WIDTH - _RIGHT}"/>',
    ]
    every = -(-len(places) // 12)
    for x in places[::every]:
        name = f"{x:g}" if isinstance(x, int | float) else x
        parts.append(
            f'<text x="{at[x]:.1f}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">{_text(name)}</text>'
        )
    for value in scale.ticks():
        y = scale.up(value)
        parts.append(f'<path class="axis" d="M{_LEFT - 4} {y:.1f}H{_LEFT}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.4g}</text>')
    for number, one in enumerate(series):
        parts += _curve(one, number, [(at[x], x, e) for x, e in one.points], scale)
    return "\n".join([*parts, "</svg>", ""])


class _Scale:
    """Where values stand in the plot."""

    def __init__(self, places: Sequence[float], values: Sequence[float], log: bool) -> None:
        self._places, self._log = places, log and min(values) > 0
        self._low = min(values) if self._log else min(0.0, *values)
        self._high = max(*values, self._low) if values else 1.0
        if self._low == self._high:
            self._low, self._high = (self._low / 2, self._high * 2) if self._log else (self._low, 1.0)

    def across(self) -> list[float]:
        first, last = min(self._places), max(self._places)
        room = _WIDTH - _RIGHT - _LEFT - 40
        return [
            _LEFT + 20 + room * ((one - first) / (last - first) if last > first else 0.5)
            for one in self._places
        ]

    def up(self, value: float) -> float:
        low, high = self._low, self._high
        share = math.log(value / low) / math.log(high / low) if self._log else (value - low) / (high - low)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - _TOP)

    def ticks(self) -> list[float]:
        low, high = self._low, self._high
        shares = [k / (_TICKS - 1) for k in range(_TICKS)]
        return [low * (high / low) ** k if self._log else low + k * (high - low) for k in shares]


def _curve(
    one: Series, number: int, points: Sequence[tuple[float, float | str, Estimate]], scale: _Scale
) -> list[str]:
    style = number % len(SERIES)
    dash = ' stroke-dasharray="5 4"' if one.dashed else ""
    line = " ".join(f"{x:.1f},{scale.up(estimate.value):.1f}" for x, _, estimate in points)
    y = _TOP + 10 + 16 * number
    parts = [
        f'<path class="s{style}"{dash} d="M{_WIDTH - _RIGHT + 10} {y - 4}h20"/>',
        f'<text x="{_WIDTH - _RIGHT + 36}" y="{y}">{_text(one.name)}</text>',
    ]
    if not any(isinstance(place, str) for _, place, _ in points):
        parts.append(f'<polyline class="s{style}"{dash} points="{line}"/>')
    for x, place, estimate in points:
        if estimate.low is not None and estimate.high is not None:
            ends = f"{scale.up(estimate.low):.1f}V{scale.up(estimate.high):.1f}"
            parts.append(f'<path class="s{style}" d="M{x:.1f} {ends}"/>')
        if not one.dashed or estimate.low is not None:
            mark = "s" if one.dashed else "m"
            name = f"{one.name}, {place}: {estimate.value:.6g}"
            parts.append(
                f'<circle class="{mark}{style}" cx="{x:.1f}" cy="{scale.up(estimate.value):.1f}" r="3">'
                f"<title>{_text(name)}</title></circle>"
            )
    return parts


def _text(text: str) -> str:
    """Return a text for XML, which has no control characters."""
    return escape("".join(one if one.isprintable() else "?" for one in text))
