"""Draws the picture that links to a report show: verdict and first facts, as PNG."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Mapping

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from orchestrator.report import theme

SIZE = (1200, 630)
"""Pixels across and down; Open Graph images have about this ratio of 1.91 : 1."""
_DPI = 100
_FACTS = 6
_TEXT, _QUIET = "#1b1f24", "#57606a"
_KINDS = {"good": "#1a6b35", "bad": "#a8202b", "plain": "#57606a"}
_ACROSS = 3


def preview_png(title: str, verdict: tuple[str, str], meaning: str, facts: Mapping[str, str]) -> bytes:
    """Return the picture of a report.

    Parameters
    ----------
    verdict
        In a line, and its kind: ``good``, ``bad`` or ``plain``.
    facts
        Facts of the report's head; the first six are drawn.
    """
    settings = theme.settings("preview") | {"text.parse_math": False, "text.color": _TEXT}
    with mpl.rc_context(settings), warnings.catch_warnings():
        figure = Figure(figsize=(SIZE[0] / _DPI, SIZE[1] / _DPI), dpi=_DPI)
        figure.text(0.05, 0.91, textwrap.shorten(title, 50), fontsize=22, va="top")
        colour = _KINDS[verdict[1]]
        figure.text(
            0.07, 0.77, textwrap.fill(verdict[0], 44), fontsize=28, weight="bold", color=colour, va="top"
        )
        figure.add_artist(Line2D([0.052, 0.052], [0.57, 0.78], color=colour, linewidth=6))
        figure.text(0.05, 0.51, textwrap.fill(meaning, 86), fontsize=15, va="top")
        for number, (name, text) in enumerate(list(facts.items())[:_FACTS]):
            across, down = 0.05 + 0.31 * (number % _ACROSS), 0.36 - 0.17 * (number // _ACROSS)
            figure.text(across, down, name, fontsize=13, color=_QUIET, va="top")
            shown = "\n".join(textwrap.wrap(text, 32, max_lines=2, placeholder=" …"))
            figure.text(across, down - 0.05, shown, fontsize=14, va="top")
        stream = io.BytesIO()
        warnings.filterwarnings("ignore", "Glyph")  # a letter that the font lacks is drawn as a box
        figure.savefig(stream, format="png", dpi=_DPI, facecolor="white", metadata={"Software": None})
    return stream.getvalue()
