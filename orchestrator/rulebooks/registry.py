"""Rulebooks by name."""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path
from typing import cast

from orchestrator.rulebooks.model import Rulebook


def names() -> tuple[str, ...]:
    """Return the names of all rulebooks."""
    return tuple(sorted(file.parent.name for file in Path(__file__).parent.glob("*/rulebook.py")))


def load(name: str) -> Rulebook:
    """Return the rulebook called `name`.

    Raises
    ------
    ValueError
        If there is none of that name; the nearest one is suggested.
    """
    known = names()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there is {', '.join(known)}"
        raise ValueError(f"no rulebook {name!r}; {hint}")
    return cast("Rulebook", importlib.import_module(f"orchestrator.rulebooks.{name}.rulebook"))
