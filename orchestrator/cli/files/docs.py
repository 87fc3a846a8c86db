"""`docs`: the pages of the documentation in the terminal, without a network."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

import orchestrator

_FOLDER = Path(orchestrator.__file__).parent / "docs"
_BUILT = (_FOLDER / "site" / "index.html", _FOLDER.parents[1] / "build" / "docs" / "site" / "index.html")
"""First page of the built site: of an installed release, and of a checkout after ``make docs``."""

_FILE_LINK = re.compile(r"\[([^\]\n]+)\]\((?!https?:)[^)\s]+\)")


def _pages() -> Any:
    """Return the module with the pages; it stands above this package, as it makes a reference of commands."""
    return import_module("orchestrator.docs.terminal")


def complete_page(incomplete: str) -> list[str]:
    """Return the names of pages that begin with a text, with or without their chapter."""
    found = list(_pages().titles())
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

    Example: orchestrator docs keys-of-site-files
    """
    if opened:
        _open()
    elif page is None or listed:
        for name, title in _pages().titles().items():
            print(f"{name:40}  {title}")
    else:
        _print(_pages().text(_found(page)))


def _short(name: str) -> str:
    return name.rpartition("/")[2]


def _found(page: str) -> str:
    from orchestrator.errors import OrchestratorError
    from workloads.spelling import near

    known = _pages().titles()
    matches = [name for name in known if page.lower() in (name, _short(name))]
    if len(matches) == 1:
        return str(matches[0])
    if matches:
        raise OrchestratorError(f"page {page}: several chapters have it: {', '.join(matches)}")
    hint = near(page.lower(), [*known, *map(_short, known)], "`orchestrator docs --list` names all")
    raise OrchestratorError(f"page {page}: no page has this name{hint}")


def _print(text: str) -> None:
    if not sys.stdout.isatty():
        print(text, end="")
        return
    from rich.console import Console

    Console().print(_rendered(text))


def _rendered(text: str) -> Any:
    """Return a page for a terminal: no cell of a table is cut, and a link to another file is its text."""
    from rich.markdown import Markdown, TableElement

    class WholeTable(TableElement):
        def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
            for table in super().__rich_console__(console, options):
                for column in getattr(table, "columns", ()):
                    column.overflow = "fold"
                yield table

    class Page(Markdown):
        elements: ClassVar = Markdown.elements | {"table_open": WholeTable}

    return Page(_FILE_LINK.sub(r"\1", text), hyperlinks=False)


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
