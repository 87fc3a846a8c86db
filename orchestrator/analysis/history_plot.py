"""A plot of the times of campaigns, as SVG text without a plotting library."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from orchestrator.analysis.colours import SERIES
from orchestrator.analysis.comparison import Times

_WIDTH, _PANEL, _LEFT, _RIGHT, _TOP, _BOTTOM = 760, 180, 70, 20, 30, 40


def history_svg(times: Sequence[Times]) -> str:
    """Return a panel for each benchmark: median with its interval, and the longest run, by campaign.

    Colours follow the reader's light or dark scheme.
    """
    names = list(dict.fromkeys(one.benchmark for one in times))
    campaigns = list(dict.fromkeys(one.campaign for one in times))
    height = _PANEL * len(names)
    panels = [
        _panel(name, [one for one in times if one.benchmark == name], campaigns, number * _PANEL)
        for number, name in enumerate(names)
    ]
    label = f"Run times of {len(campaigns)} campaigns: median and longest run of {len(names)} benchmarks"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
            f'font-family="sans-serif" font-size="11">',
            f"<title>{escape(label)}</title>",
            f"<style>text{{fill:#222}}.axis{{stroke:#777}}.m{{fill:{SERIES[0]}}}.l{{fill:{SERIES[1]}}}"
            f".median{{stroke:{SERIES[0]};fill:none}}"
            f".longest{{stroke:{SERIES[1]};fill:none;stroke-dasharray:4 3}}"
            "@media(prefers-color-scheme:dark){text{fill:#eee}.axis{stroke:#aaa}}</style>",
            *panels,
            "</svg>",
            "",
        ]
    )


def _panel(name: str, times: Sequence[Times], campaigns: Sequence[str], top: int) -> str:
    highest = max(one.longest for one in times) or 1.0
    floor, ceiling = top + _PANEL - _BOTTOM, top + _TOP
    step = (_WIDTH - _LEFT - _RIGHT) / max(len(campaigns), 1)

    def x(one: Times) -> float:
        return _LEFT + (campaigns.index(one.campaign) + 0.5) * step

    def y(value: float) -> float:
        return floor - value / highest * (floor - ceiling)

    parts = [
        f'<text x="{_LEFT}" y="{top + 18}" font-weight="bold">{escape(name)}</text>',
        f'<text x="{_WIDTH - _RIGHT}" y="{top + 18}" text-anchor="end">'
        "solid: median, dashed: longest run</text>",
        f'<path class="axis" fill="none" d="M{_LEFT} {ceiling}V{floor}H{_WIDTH - _RIGHT}"/>',
        f'<text x="{_LEFT - 6}" y="{ceiling + 4}" text-anchor="end">{highest:.4g}</text>',
        f'<text x="{_LEFT - 6}" y="{floor + 4}" text-anchor="end">0</text>',
    ]
    every = -(-len(campaigns) // 12)
    for number, campaign in enumerate(campaigns):
        if number % every == 0:
            at = _LEFT + (number + 0.5) * step
            parts.append(
                f'<text x="{at:.1f}" y="{floor + 16}" text-anchor="middle">{escape(campaign)}</text>'
            )
    for style, dot in (("median", "m"), ("longest", "l")):
        places = [(x(one), y(_value(one, style)), one) for one in times]
        parts.append(
            f'<polyline class="{style}" points="{" ".join(f"{px:.1f},{py:.1f}" for px, py, _ in places)}"/>'
        )
        parts += [
            f'<circle class="{dot}" cx="{px:.1f}" cy="{py:.1f}" r="3"><title>'
            f"{escape(f'{one.campaign}: {style} {_value(one, style):.6g}, {one.runs} runs')}</title></circle>"
            for px, py, one in places
        ]
    parts += [
        f'<path class="median" d="M{x(one):.1f} {y(one.median.low):.1f}V{y(one.median.high):.1f}"/>'
        for one in times
        if one.median.low is not None and one.median.high is not None
    ]
    return "\n".join(parts)


def _value(one: Times, style: str) -> float:
    return one.median.value if style == "median" else one.longest
