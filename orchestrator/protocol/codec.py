"""Messages as JSON: frozen structs or dataclasses, with a version, tolerant of a newer peer's fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

VERSION = 1
"""Version of all messages. Of a message of another version, the known fields are read."""

_Message = TypeVar("_Message")


class MessageError(ValueError):
    """A message lacks a field, or has one of the wrong type."""


def to_json(message: object) -> dict[str, Any]:
    """Return a message as JSON-ready data without the fields that are None."""
    content: dict[str, Any] = msgspec.to_builtins(message)
    return {"version": VERSION, **{name: value for name, value in content.items() if value is not None}}


def from_json(kind: type[_Message], content: Mapping[str, Any]) -> _Message:
    """Return the message in JSON data; unknown fields are ignored.

    Raises
    ------
    MessageError
        If a field is missing or has the wrong type; says which.
    """
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise MessageError(f"not a usable {kind.__name__}: {error}") from None
