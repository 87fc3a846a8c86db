"""Pages from sections: HTML that needs nothing else, and Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from orchestrator.report.blocks import Bar, Checklist, Code, Link, Opened, Section, Table, Text, cell
from orchestrator.report.figures import Drawing

if TYPE_CHECKING:
    from collections.abc import Mapping

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~])")


def environment(*packages: str) -> Environment:
    """Return the templates of reports, and before them those of other packages."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in (*packages, __package__)]),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"cell": cell, "plain": _plain, "safe_svg": Markup}
    made.tests |= {
        "table": lambda block: isinstance(block, Table),
        "text": lambda block: isinstance(block, Text),
        "code": lambda block: isinstance(block, Code),
        "checklist": lambda block: isinstance(block, Checklist),
        "bar": lambda value: isinstance(value, Bar),
        "opened": lambda value: isinstance(value, Opened),
        "link": lambda value: isinstance(value, Link),
        "drawing": lambda block: isinstance(block, Drawing),
    }
    return made


def html(
    title: str,
    verdict: tuple[str, str],
    facts: Mapping[str, str],
    sections: Sequence[Section],
    *,
    meaning: str = "",
    preview: str = "",
) -> str:
    """Return a page; its style, its script and its figures are in it.

    Parameters
    ----------
    preview
        Name of a picture beside the page, for those who show links to it; empty without one.
    """
    page = environment().get_template("report.html")
    return page.render(
        title=title, verdict=verdict, meaning=meaning, facts=facts, sections=sections, preview=preview
    )


def markdown(
    title: str,
    verdict: tuple[str, str],
    facts: Mapping[str, str],
    sections: Sequence[Section],
    figures: str | None,
    *,
    meaning: str = "",
) -> str:
    """Return the same as Markdown (CommonMark with tables).

    Parameters
    ----------
    figures
        Folder of the figures, as links name it; None leaves them out.
    """
    page = environment().get_template("report.md")
    return page.render(
        title=title, verdict=verdict, meaning=meaning, facts=facts, sections=sections, figures=figures
    )


def _plain(text: str) -> str:
    """Return a text whose characters mean nothing to Markdown."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
