"""Data of a package as text: JSON, and for people a plain listing that any version writes alike."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from orchestrator.rulebooks.model import RESULTS

_RULE = {"name", "passed", "reason"}


def as_json(content: Any) -> bytes:
    """Return JSON data as text that is equal for equal data."""
    return (json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False, default=str) + "\n").encode()


def readable(content: Any) -> bytes:
    """Return JSON data as lines of names and values; a rule is one line."""
    return "".join(f"{line}\n" for line in _lines(content, "")).encode()


def _lines(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name in sorted(value, key=lambda one: (isinstance(value[one], dict | list), one)):
            yield from _entry(f"{indent}{name.replace('_', ' ')}", value[name], indent)
    elif isinstance(value, list):
        for number, one in enumerate(value, 1):
            if isinstance(one, dict) and one.keys() == _RULE and one["passed"] in RESULTS:
                yield f"{indent}{RESULTS[one['passed']]:4}  {one['name']}: {_scalar(one['reason'])}"
            else:
                yield from _entry(f"{indent}{number}", one, indent)


def _entry(name: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, dict | list) and value:
        yield f"{name}:"
        yield from _lines(value, f"{indent}  ")
    else:
        yield f"{name}: {_scalar(value)}"


def _scalar(value: Any) -> str:
    if isinstance(value, bool) or value is None or value in ({}, []):
        return {True: "yes", False: "no"}.get(value, "none") if isinstance(value, bool) else "none"
    return " ".join(str(value).split())
