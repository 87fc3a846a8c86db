"""Sites: the machines campaigns run on, one YAML file each, and the schema they follow."""

from __future__ import annotations

import logging
from pathlib import Path

from sites.files import FileError, Model, parse, parse_mapping, read_text
from sites.nodes import Slot, core_numbers
from sites.quantities import Duration
from sites.schema import Site
from workloads.plugins import near

__all__ = [
    "Duration",
    "FileError",
    "Model",
    "Site",
    "Slot",
    "core_numbers",
    "find",
    "load",
    "names",
    "parse",
    "parse_mapping",
    "read_text",
]

_log = logging.getLogger(__name__)
_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the names of the sites that come with the project."""
    return sorted(file.stem for file in _FOLDER.glob("*.yaml"))


def find(site: str) -> Path:
    """Return the file of a site given by name or by path.

    Raises
    ------
    FileError
        If there is no such file or name; the nearest name is suggested.
    """
    if site.endswith((".yaml", ".yml")) or "/" in site:
        return Path(site)
    file = _FOLDER / f"{site}.yaml"
    if file.is_file():
        return file
    hint = near(site, names(), f"known sites: {', '.join(names())}")
    raise FileError(f"no site {site!r}{hint} (the path of a .yaml file works too)")


def load(site: str) -> tuple[Site, str]:
    """Return a site given by name or path, and the exact text of its file.

    Raises
    ------
    FileError
        If the file is missing or does not follow the schema.
    """
    file = find(site)
    text = read_text(file, "site")
    notes: list[str] = []
    found = parse(text, Site, str(file), notes)
    for note in notes:
        _log.warning("site %s: %s", found.site, note)
    return found, text
