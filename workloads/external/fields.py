"""Checking parsed YAML by hand; every error is one line with the place in the file."""

from __future__ import annotations

import difflib
from typing import Any

from workloads.description import WorkloadError


def section(
    data: object, place: str, *, required: tuple[str, ...] = (), optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return a mapping whose keys are all known; raises `WorkloadError` with a near name otherwise."""
    known = (*required, *optional)
    content = mapping(data, place)
    for key in content:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known keys: {', '.join(known)}"
            raise WorkloadError(f"unknown key {at(place, key)}; {hint}")
    for key in required:
        if key not in content:
            raise WorkloadError(f"{at(place, key)} is missing")
    return content


def mapping(data: object, place: str) -> dict[str, Any]:
    """Return a mapping whose keys are texts; raises `WorkloadError` otherwise."""
    if not isinstance(data, dict):
        raise WorkloadError(f"{f'{place} ' if place else ''}must be a mapping of keys to values")
    wrong = next((key for key in data if not isinstance(key, str)), None)
    if wrong is not None or None in data:
        raise WorkloadError(f"{at(place, str(wrong))}: a key must be a text; put it in quotes")
    return data


def sequence(data: object, place: str) -> list[Any]:
    """Return a list; raises `WorkloadError` otherwise."""
    if not isinstance(data, list):
        raise WorkloadError(f"{place} must be a list, not {shown(data)}")
    return data


def text(data: object, place: str) -> str:
    """Return a text without NUL characters; raises `WorkloadError` otherwise."""
    if not isinstance(data, str):
        raise WorkloadError(f"{place} must be a text, not {shown(data)}; put it in quotes")
    if "\0" in data:
        raise WorkloadError(f"{place} must not contain a NUL character")
    return data


def one_of(data: object, choices: tuple[Any, ...], place: str) -> Any:
    """Return one of the choices; raises `WorkloadError` otherwise."""
    if data not in choices or isinstance(data, bool):
        raise WorkloadError(f"{place} must be one of {', '.join(map(str, choices))}, not {shown(data)}")
    return data


def whole(data: object, place: str) -> int:
    """Return a whole number; raises `WorkloadError` otherwise."""
    if not isinstance(data, int) or isinstance(data, bool):
        raise WorkloadError(f"{place} must be a whole number, not {shown(data)}")
    return data


def number(data: object, place: str) -> float:
    """Return a finite number; raises `WorkloadError` otherwise."""
    if not isinstance(data, int | float) or isinstance(data, bool) or not -1e308 < data < 1e308:
        raise WorkloadError(f"{place} must be a finite number, not {shown(data)}")
    return float(data)


def at(place: str, key: str) -> str:
    """Return the place of a key."""
    return f"{place}.{key}" if place else key


def shown(data: object) -> str:
    """Return a value as an error shows it."""
    if isinstance(data, dict | list):
        return "a mapping" if isinstance(data, dict) else "a list"
    return "nothing" if data is None else f"{data!r:.100}"
