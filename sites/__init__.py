"""Sites: the machines campaigns run on, one YAML file each, and the schema they follow."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sites.files import FileError, Model, parse, parse_mapping, read_text
    from sites.nodes import SiteSlot, core_numbers
    from sites.quantities import Duration
    from sites.schema import Site
    from sites.search import available, default, find, load, names

__all__ = [
    "Duration",
    "FileError",
    "Model",
    "Site",
    "SiteSlot",
    "available",
    "core_numbers",
    "default",
    "find",
    "load",
    "names",
    "parse",
    "parse_mapping",
    "read_text",
]

# Loaded on first use: `status` and `--help` need a module of this package, and no schema of site files.
_HOME = {
    **dict.fromkeys(("FileError", "Model", "parse", "parse_mapping", "read_text"), "sites.files"),
    **dict.fromkeys(("SiteSlot", "core_numbers"), "sites.nodes"),
    "Duration": "sites.quantities",
    "Site": "sites.schema",
    **dict.fromkeys(("available", "default", "find", "load", "names"), "sites.search"),
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
