"""Colours and style of the figures, and what makes an SVG follow its page."""

from __future__ import annotations

import re
from html import escape
from typing import Any

TEXT, GRID = "#010101", "#020202"
"""Stand for the page's text and for fine lines while a figure is drawn."""
SERIES = ("#2f77c8", "#b86400", "#2b8a4b", "#9558c4", "#7c7a12", "#14868f", "#98663a", "#b94f8b")
"""Each has a contrast of at least 3 : 1 to white and to the dark page (WCAG 2.2, 1.4.11).

None is red, the colour of attempts that were not accepted.
"""
DISCARDED = "#d1242f"
OTHERS = "#7d7d7d"
_SETTINGS = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": TEXT,
    "axes.labelcolor": TEXT,
    "axes.edgecolor": GRID,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": GRID,
    "ytick.color": GRID,
    "xtick.labelcolor": TEXT,
    "ytick.labelcolor": TEXT,
    "grid.color": GRID,
    "grid.linewidth": 0.4,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}
_STYLE = (
    "<style>svg{color:#1b1f24;--line:#8a929b;background:#fff}"
    "@media(prefers-color-scheme:dark){svg{color:#e8eaed;--line:#7d858e;background:#15181c}}</style>"
)


def settings(figure: str) -> Any:
    """Return Matplotlib's settings for a figure, whose ids in the SVG are the same for the same content."""
    return {**_SETTINGS, "svg.hashsalt": figure}


def themed(svg: str, name: str, title: str, description: str) -> str:
    """Return an SVG of Matplotlib as an element of a page: its colours are the page's, and it has a title."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>\s*", "", body, flags=re.DOTALL)
    body = body.replace(TEXT, "currentColor").replace(GRID, "var(--line)")
    body = re.sub(r'(\bid="|href="#|url\(#)', rf"\1{name}-", body)  # several figures share a page
    body = re.sub(r"(font: [^;\"]*?px) [^;\"]*", r"\1 system-ui, sans-serif", body)
    body = re.sub(r'<style type="text/css">.*?</style>', "", body, flags=re.DOTALL)  # joins and caps of lines
    body = re.sub(r' style="([^"]*)"', _attributes, body)
    opening = re.compile(r"<svg [^>]*?viewBox=\"([^\"]*)\"[^>]*>")
    box = opening.search(body)
    frame = box[1] if box else "0 0 1 1"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" id="{name}" '
        f'viewBox="{frame}" stroke-linejoin="round" role="img" '
        f'aria-labelledby="{name}-title {name}-description">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-description">{escape(description)}</desc>'
    )
    return opening.sub(lambda _: head, body, count=1).strip()


def _attributes(style: re.Match[str]) -> str:
    """Return declarations of a style as attributes, which a strict Content-Security-Policy lets pass."""
    pairs = (one.partition(":") for one in style[1].split(";"))
    declared = {name.strip(): value.strip() for name, _, value in pairs if value}
    if "font" in declared:  # has no attribute; Matplotlib 3.10 writes it
        size, _, family = declared.pop("font").partition("px ")
        declared |= {"font-size": f"{size.split()[-1]}px", "font-family": family}
    return "".join(f' {name}="{value}"' for name, value in declared.items())


def alone(svg: str) -> str:
    """Return a themed SVG as a file of its own."""
    return svg.replace("<title ", _STYLE + "<title ", 1) + "\n"
