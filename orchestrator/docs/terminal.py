"""Pages of the documentation for the terminal: the same as on the site, made from files and from the code."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

from orchestrator.docs.__main__ import PAGES
from orchestrator.docs.reference import MADE
from orchestrator.docs.sections import Sections, slug

_ROOT = Path(__file__).parents[2]
_MADE = "made: "
_FOR_THE_SITE = re.compile(r"^::: (\S+)$", re.MULTILINE)
"""Lines that the site's generator replaces by the documentation of a name."""


def titles(root: Path = _ROOT) -> dict[str, str]:
    """Return the title of each page by its name, such as ``operate/tune``, in the order of the site.

    Pages of files that are not below `root` are left out: a wheel has those of its packages alone.
    """
    return {
        f"{slug(chapter)}/{slug(title)}": title
        for chapter, pages in PAGES.items()
        for title, sources in pages.items()
        if _there(sources, root)
    }


def text(name: str, root: Path = _ROOT) -> str:
    """Return the Markdown of a page."""
    pages = {
        f"{slug(chapter)}/{slug(title)}": (title, sources)
        for chapter, of_chapter in PAGES.items()
        for title, sources in of_chapter.items()
        if _there(sources, root)
    }
    title, sources = pages[name]
    if made := _made(sources):
        return _FOR_THE_SITE.sub(_documented, MADE[made]())
    if {one.partition("#")[0] for one in sources} == {f"orchestrator/docs/pages/{name}.md"}:
        return (root / sources[0]).read_text(encoding="utf-8")  # as it stands
    read = Sections(root, {one: found for one, (_, found) in pages.items() if not _made(found)})
    return read.page(name, title)


def _documented(line: re.Match[str]) -> str:
    """Return the documentation of a name, as it stands in the code."""
    module, _, name = line[1].rpartition(".")
    found = getattr(importlib.import_module(module), name)
    return f"## {name}\n\n```text\n{inspect.getdoc(found)}\n```"


def _there(sources: list[str], root: Path) -> bool:
    return bool(_made(sources)) or all((root / one.partition("#")[0]).is_file() for one in sources)


def _made(sources: list[str]) -> str:
    return sources[0].removeprefix(_MADE) if sources[0].startswith(_MADE) else ""
