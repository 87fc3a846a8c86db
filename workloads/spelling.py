"""Hints at the known name that a misspelt one was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name that was probably meant, if one is at least as alike as `cutoff` of 1."""
    import difflib  # here: every training process imports this module, and few misspell a name

    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=cutoff)), None)


def near(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a hint at the nearest known name, or else another one, to append to a message."""
    close = nearest(name, known)
    hint = f"did you mean {close}?" if close else otherwise
    return f"; {hint}" if hint else ""
