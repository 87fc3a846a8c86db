"""The pages, and what the tests take from them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {
    str(file.relative_to(ROOT)): file.read_text()
    for pattern in (
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "[!.]*/README.md",
        "[!.]*/*/README.md",
        "orchestrator/docs/*.md",
        "orchestrator/docs/pages/*/*.md",
    )
    for file in sorted(ROOT.glob(pattern))
}


SITE = "orchestrator/docs/pages/"
"""Folder of the pages that the documentation site alone has."""
PACKAGE_INDEX = "orchestrator/docs/package_index.md"
"""Page that a package index such as PyPI shows; only it has no link to a file."""


def found(pattern: str) -> list[tuple[str, str]]:
    """Return each page with each of its matches of a pattern."""
    return [
        (page, match) for page, text in PAGES.items() for match in re.findall(pattern, text, re.MULTILINE)
    ]


def of_the_site(page: str) -> bool:
    """Return whether the page is the package index's, or one of the documentation site alone."""
    return page.startswith((SITE, PACKAGE_INDEX))


def section(page: str, title: str) -> str:
    """Return one section of a page."""
    return PAGES[page].partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def first_column(text: str) -> list[str]:
    """Return the names in the first column of a text's tables."""
    cells = re.findall(r"^\| (`[^|]*`) \|", text, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def block(text: str, language: str) -> str:
    """Return the first fenced block of a language in a text."""
    return str(re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0])


def code(text: str) -> str:
    """Return the indented and fenced lines of a page, without indentation."""
    fenced = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return "\n".join([*re.findall(r"^    (.*)$", text, re.MULTILINE), *fenced])
