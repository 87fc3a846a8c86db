"""Write the sources of the documentation site: ``python -m orchestrator.docs DIRECTORY``."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from orchestrator.docs.reference import MADE
from orchestrator.docs.sections import REST, Sections, slug
from sites.yaml_loader import load

_HERE = Path(__file__).parent
_MADE = "made: "


def _sources(chapter: str, title: str, named: list[str] | None) -> list[str]:
    own = f"orchestrator/docs/pages/{slug(chapter)}/{slug(title)}.md"
    return named or [own, f"{own}#{REST}"]


PAGES: dict[str, dict[str, list[str]]] = {
    chapter: {title: _sources(chapter, title, named) for title, named in pages.items()}
    for chapter, pages in load((_HERE / "pages.yaml").read_text()).items()
}
"""Sections of each page by its title, by the title of its chapter."""


def write(directory: Path, chapters: dict[str, dict[str, list[str]]]) -> Path:
    """Write pages and configuration into a directory, and return the configuration's file.

    Parameters
    ----------
    directory
        Where to write.
    chapters
        Sources of each page by its title, by the title of its chapter.
    """
    paths = {
        (chapter, title): "index.md" if not number else f"{slug(chapter)}/{slug(title)}.md"
        for number, (chapter, title) in enumerate((c, t) for c, pages in chapters.items() for t in pages)
    }
    sources = {path: chapters[chapter][title] for (chapter, title), path in paths.items()}
    read = Sections(_HERE.parents[1], {p: s for p, s in sources.items() if not s[0].startswith(_MADE)})
    for (_, title), path in paths.items():
        made = sources[path][0].removeprefix(_MADE)
        text = MADE[made]() if made in MADE else read.page(path, title)
        file = directory / "pages" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    shutil.copytree(_HERE / "pages" / "pictures", directory / "pages" / "pictures", dirs_exist_ok=True)
    nav = [{c: [{t: paths[c, t]} for t in pages]} for c, pages in chapters.items()]
    configuration = directory / "mkdocs.yml"
    settings: dict[str, Any] = {
        "INHERIT": str(_HERE / "mkdocs.yml"),
        "docs_dir": "pages",
        "site_dir": "site",
        "nav": nav,
    }
    configuration.write_text(json.dumps(settings, indent=1))
    return configuration


if __name__ == "__main__":
    write(Path(sys.argv[1]), PAGES)
