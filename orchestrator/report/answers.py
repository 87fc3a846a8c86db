"""The section of a report with the answers to the questions that may end a campaign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from orchestrator.analysis.sequential.questions import IntervalPath, naive_ratios, paths
from orchestrator.analysis.sequential.sentences import cost_sentence
from orchestrator.report import theme
from orchestrator.report.blocks import Table, Text
from orchestrator.report.figures import WIDTH, Drawing, drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from orchestrator.analysis.sequential.questions import Answer

_PANELS, _ACROSS, _PAIRS = 12, 2, 50


def answer_blocks(answers: Sequence[Answer], hours_per_run: float | None) -> Iterator[Any]:
    """Yield each question with its answer and cost, and how the intervals narrowed."""
    if not answers:
        return
    yield Table(
        "Questions that may end the campaign",
        ["question", "answer", "certain", "cost"],
        [
            [
                one.question.label or one.question.metric,
                "; ".join(one.sentences),
                one.certain,
                cost_sentence(len(one.observations), one.fixed_runs, hours_per_run),
            ]
            for one in answers
        ],
    )
    pairs = [row for one in answers for row in _pairs(one)]
    if pairs:
        yield Table(
            "Ratios of pairs of points",
            ["pair", "ratio", "interval", "looks", "naive ratio", "naive interval"],
            pairs[:_PAIRS],
        )
        yield Text(
            "Intervals hold at all looks, one after each pair of runs, or after a run of each point where "
            "points run in waves. The naive ratio is that of the medians of all runs, and its interval holds "
            "for a single look at a number of runs fixed beforehand: drift, slow nodes and stopping early "
            "bias it."
        )
    drawn = [path for one in answers for path in paths(one) if any(map(_known, path.looks))]
    if drawn:
        yield interval_paths(drawn[:_PANELS])
    if len(drawn) > _PANELS:
        yield Text(f"Drawn are the first {_PANELS} of {len(drawn):,}; `status --json` has all.")


def _pairs(found: Answer) -> Iterator[list[Any]]:
    for pair, plain in zip(found.decisions.pairs, naive_ratios(found), strict=True):
        yield [
            f"{pair.first} ÷ {pair.second}",
            pair.estimate,
            _interval(pair.low, pair.high),
            pair.looks,
            plain.value if plain else None,
            _interval(plain.low, plain.high) if plain else "",
        ]


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.4g} to {high:.4g}"


def interval_paths(drawn: Sequence[IntervalPath]) -> Drawing:
    """Draw each interval against the number of runs, and the limits between which points are alike."""
    across = min(_ACROSS, len(drawn))
    down = -(-len(drawn) // across)
    with mpl.rc_context(theme.settings("answers") | {"text.parse_math": False}):
        figure = Figure(figsize=(WIDTH, 2.4 * down + 0.3), layout="constrained")
        grid = figure.subplots(down, across, squeeze=False)
        for axes, path in zip(grid.flat, drawn, strict=False):
            _panel(axes, path)
        for axes in list(grid.flat)[len(drawn) :]:
            axes.set_visible(False)
        text = (
            "Intervals hold at all looks together, so that the campaign may end by any of them. "
            "Dashed: limits between which points are alike. "
        )
        ends = "; ".join(map(_words, drawn))
        return drawing(figure, "answers", "Intervals at every look", text + f"At the last look: {ends}.")


def _panel(axes: Axes, path: IntervalPath) -> None:
    looks = [one for one in path.looks if _known(one)]
    numbers = [one.look for one in looks]
    lows, highs = [one.low for one in looks], [one.high for one in looks]
    colour = theme.SERIES[0]
    axes.fill_between(numbers, lows, highs, color=colour, alpha=0.25, linewidth=0)  # type: ignore[arg-type]
    axes.plot(numbers, lows, "-", color=colour, linewidth=1)  # type: ignore[arg-type]
    axes.plot(numbers, highs, "-", color=colour, linewidth=1)  # type: ignore[arg-type]
    axes.vlines(numbers, lows, highs, color=colour, linewidth=1)  # type: ignore[arg-type]
    axes.set_xlim(0, numbers[-1] + 1)
    for limit in path.limits or ():
        axes.axhline(limit, color=theme.SERIES[1], linewidth=1.2, linestyle="--")
    axes.set_title(path.subject)
    axes.set_ylabel("ratio" if path.limits else "")
    axes.set_xlabel(path.unit)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.ticklabel_format(axis="y", style="plain", useOffset=False)
    axes.grid(axis="y")


def _known(one: Any) -> bool:
    return one.low is not None and one.high is not None


def _words(path: IntervalPath) -> str:
    last = [one for one in path.looks if _known(one)][-1]
    return f"{path.subject} {last.low:.4g} to {last.high:.4g} after {last.look}"
