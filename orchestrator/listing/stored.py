"""A list as its site has it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from orchestrator.listing.errors import ListingError
from orchestrator.listing.log import LOG, Log, merkle_root
from orchestrator.listing.page import FORMAT, LIST
from orchestrator.listing.rows import Row

PACKAGES = "packages"
_ROWS = TypeAdapter(tuple[Row, ...])


@dataclass(frozen=True, slots=True)
class Stored:
    """A list as its site states it.

    Parameters
    ----------
    rows
        In the order in which they were added.
    stated
        The rows as JSON data, in the same order.
    runtime
        SHA-256 of the files that a browser recomputes with.
    version
        Version of the program that wrote it.
    """

    rows: tuple[Row, ...]
    stated: tuple[Mapping[str, Any], ...]
    log: Log
    runtime: Mapping[str, str]
    version: str


def package_file(site: Path, root: str) -> Path:
    """Return the place of a package in a site."""
    return site / PACKAGES / f"{root}.zip"


def read_site(site: Path) -> Stored:
    """Return the list of a site, whose log is whole and as the list states it.

    Raises
    ------
    ListingError
        If the folder is no site of a list, or its log was edited; the line is named.
    OSError
        If it cannot be read.
    """
    if not (site / LIST).is_file() or not (site / LOG).is_file():
        raise ListingError(
            f"{site} is no site of a list: it has no {LIST} and {LOG}; name one that "
            "`orchestrator evidence list build` wrote, or a new folder"
        )
    try:
        content = json.loads((site / LIST).read_bytes())
        known = content["format"]
        if known != FORMAT:
            raise ListingError(f"{site} is of format {known!r}, not {FORMAT}: install a newer version")
        stated = tuple(content["rows"])
        rows = _ROWS.validate_python(stated)
        lines, root = int(content["log"]["lines"]), str(content["log"]["root"])
        runtime = {str(name): str(digest) for name, digest in content["pyodide"].items()}
        version = str(content["version"])
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise ListingError(f"{site / LIST}: rows.{key}: {first['msg']}; restore a copy of it") from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        problem = " ".join(f"{error}".split())
        raise ListingError(f"{site / LIST} cannot be read: {problem}; restore a copy of it") from None
    log = Log.parse((site / LOG).read_bytes())
    _check_log(log, lines, root)
    names = [row.root for row in rows]
    if names != log.added:
        raise ListingError(f"{site / LIST} has other packages than {LOG} adds; restore a copy of both")
    return Stored(rows, stated, log, runtime, version)


def _check_log(log: Log, lines: int, root: str) -> None:
    """Compare a log, whose chain holds, with number of lines and Merkle root that its list states."""
    if len(log.lines) != lines:
        raise ListingError(
            f"{LOG}: line {min(lines, len(log.lines)) + 1} was removed or added: it has "
            f"{len(log.lines):,} lines, and {LIST} states {lines:,}; restore a copy of both"
        )
    if merkle_root(log.lines) != root:
        raise ListingError(
            f"{LOG}: line {lines} was edited, or the whole log was written anew: its Merkle root is not that "
            f"of {LIST}; restore a copy of both"
        )
