"""Sites: the machines campaigns run on, one YAML file each, and the schema they follow."""

from __future__ import annotations

from sites.files import FileError, Model, parse, parse_mapping, read_text
from sites.nodes import Slot, core_numbers
from sites.quantities import Duration
from sites.schema import Site
from sites.search import available, default, find, load, names

__all__ = [
    "Duration",
    "FileError",
    "Model",
    "Site",
    "Slot",
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
