"""Pages of the site from sections of the READMEs: each section on one page, links led to where it went."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```|^(?: {4}[^\n]*\n)+", re.MULTILINE | re.DOTALL)
REST = "*"
"""Title that stands for the sections of a README which no page names."""


class UnknownSectionError(ValueError):
    """A page names a section that its README does not have, or two pages name one section."""


@dataclass(frozen=True)
class Source:
    """A section of a README; without a title, the text above the first section."""

    readme: str
    title: str = ""


def slug(title: str) -> str:
    """Return the anchor of a title."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def sections(text: str) -> dict[str, str]:
    """Return the sections of a README by title; its text above them has the title ``""``."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    contents = re.compile(r"^- \[.+\]\(#.+\)\n", re.MULTILINE)
    return {"": contents.sub("", parts[0])} | dict(zip(parts[1::2], parts[2::2], strict=True))


class Sections:
    """Every section that the pages show, and the page that shows it.

    Parameters
    ----------
    pages
        Sources of each page, as ``README#title`` or ``README``, by the page's path on the site.
    """

    def __init__(self, root: Path, pages: dict[str, list[str]]) -> None:
        split = {one: one.partition("#") for sources in pages.values() for one in sources}
        self._texts = {name: sections((root / name).read_text()) for name, _, _ in split.values()}
        self.pages: dict[str, list[Source]] = {}
        self._page_of: dict[Source, str] = {}
        named = [Source(name, title) for name, _, title in split.values()]
        for page, sources in pages.items():
            self.pages[page] = []
            for name, _, title in map(split.__getitem__, sources):
                titles = [title] if title != REST else self._left(name, named)
                for one in titles:
                    self._place(Source(name, one), page)
        left = [
            (name, t)
            for name, texts in self._texts.items()
            for t in texts
            if Source(name, t) not in self._page_of
        ]
        if left:
            raise UnknownSectionError(f"pages.yaml: no page shows {left[0][0]}#{left[0][1]}; add it to one")

    def _left(self, name: str, named: list[Source]) -> list[str]:
        return [title for title in self._texts[name] if Source(name, title) not in named]

    def _place(self, source: Source, page: str) -> None:
        if source.title not in self._texts[source.readme]:
            raise UnknownSectionError(f"pages.yaml: {source.readme} has no section {source.title}")
        if source in self._page_of:
            raise UnknownSectionError(f"pages.yaml: two pages show {source.readme}#{source.title}")
        self._page_of[source] = page
        self.pages[page].append(source)

    def page(self, page: str, title: str) -> str:
        """Return the Markdown of a page."""
        parts = []
        sources = self.pages[page]
        for source in sources:
            text = self._linked(source, page)
            if source.title and len(sources) == 1:
                text = f"# {source.title}\n{_outside_code(text, _promoted)}"
            elif source.title:
                text = f"## {source.title}\n{text}"
            parts.append(text.strip())
        if not parts[0].startswith("# "):
            parts.insert(0, f"# {title}")
        return _outside_code("\n\n".join(parts) + "\n", _lists_apart)

    def _linked(self, source: Source, page: str) -> str:
        def led(match: re.Match[str]) -> str:
            target = self._target(source.readme, match[2])
            if target is None:
                return match[1]
            path, _, anchor = target.partition("#")
            relative = posixpath.relpath(path, posixpath.dirname(page)) if path != page or not anchor else ""
            return f"[{match[1]}]({relative}{'#' + anchor if anchor else ''})"

        return _outside_code(self._texts[source.readme][source.title], lambda text: _LINK.sub(led, text))

    def _target(self, readme: str, link: str) -> str | None:
        """Return the page and anchor a link leads to; None for a file that is no page."""
        if "://" in link:
            return link
        file, _, anchor = link.partition("#")
        name = posixpath.normpath(posixpath.join(posixpath.dirname(readme), file)) if file else readme
        if name not in self._texts:
            return None
        if not anchor:
            first = next(Source(name, t) for t in self._texts[name])
            return self._page_of[first]
        for title, text in self._texts[name].items():
            titles = [title, *re.findall(r"^###+ (.+)$", text, re.MULTILINE)]
            if anchor in map(slug, titles):
                return f"{self._page_of[Source(name, title)]}#{anchor}"
        raise UnknownSectionError(f"{readme}: no section has the anchor of {link}")


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """Return a text with everything but its blocks of code changed."""
    out, at = [], 0
    for block in _CODE.finditer(text):
        out += [change(text[at : block.start()]), block[0]]
        at = block.end()
    return "".join([*out, change(text[at:])])


def _promoted(text: str) -> str:
    return re.sub(r"^###", "##", text, flags=re.MULTILINE)


def _lists_apart(text: str) -> str:
    """Return a text whose lists have an empty line above, which Python's Markdown needs."""
    return re.sub(r"^(?!- |\d+\. | |$)(.+\n)(?=(?:- |1\. ))", r"\1\n", text, flags=re.MULTILINE)
