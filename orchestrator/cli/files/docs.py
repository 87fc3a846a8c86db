"""`docs`: the pages of the documentation in the terminal, without a network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import orchestrator

_FOLDER = Path(orchestrator.__file__).parent / "docs"
_BUILT = (_FOLDER / "site" / "index.html", _FOLDER.parents[1] / "build" / "docs" / "site" / "index.html")
"""First page of the built site: of an installed release, and of a checkout after ``make docs``."""


def pages(folder: Path | None = None) -> dict[str, Path]:
    """Return the file of each page by its name, such as ``operate/tune``."""
    root = (folder or _FOLDER) / "pages"
    return {file.relative_to(root).with_suffix("").as_posix(): file for file in sorted(root.glob("*/*.md"))}


def complete_page(incomplete: str) -> list[str]:
    """Return the names of pages that begin with a text, with or without their chapter."""
    found = list(pages())
    return [name for name in (*found, *(_short(one) for one in found)) if name.startswith(incomplete)]


def docs(
    page: Annotated[
        str | None,
        typer.Argument(help="Name of a page, such as tune.", metavar="PAGE", autocompletion=complete_page),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the pages.")] = False,
    opened: Annotated[bool, typer.Option("--open", help="Open the built site in a browser.")] = False,
) -> None:
    """Print a page of the documentation, or without PAGE the list of all pages.

    Example: orchestrator docs hello
    """
    if opened:
        _open()
    elif page is None or listed:
        for name, file in pages().items():
            print(f"{name:36}  {_title(file)}")
    else:
        _print(_found(page).read_text(encoding="utf-8"))


def _short(name: str) -> str:
    return name.rpartition("/")[2]


def _title(file: Path) -> str:
    with file.open(encoding="utf-8") as lines:
        return next(lines, "").removeprefix("# ").strip()


def _found(page: str) -> Path:
    from orchestrator.errors import OrchestratorError
    from workloads.spelling import near

    known = pages()
    matches = {name: file for name, file in known.items() if page.lower() in (name, _short(name))}
    if len(matches) == 1:
        return next(iter(matches.values()))
    if matches:
        raise OrchestratorError(f"page {page}: several chapters have it: {', '.join(matches)}")
    hint = near(page.lower(), [*known, *map(_short, known)], "`orchestrator docs --list` names all")
    raise OrchestratorError(f"page {page}: no page has this name{hint}")


def _print(text: str) -> None:
    if not sys.stdout.isatty():
        print(text, end="")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text, hyperlinks=False))


def _open() -> None:
    from orchestrator.errors import OrchestratorError

    built = next((file for file in _BUILT if file.is_file()), None)
    if built is None:
        raise OrchestratorError(
            "the site is not built here: `make docs` in a checkout builds it, and the wheel of a release "
            "has it; `orchestrator docs --list` names the pages for the terminal"
        )
    import webbrowser

    if not webbrowser.open(built.as_uri()):
        raise OrchestratorError(f"no browser was found; open {built} in one")
    print(built)
