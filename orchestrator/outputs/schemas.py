"""JSON Schemas of the objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the JSON Schema of a type."""
    from pydantic import TypeAdapter

    return {"$schema": DIALECT, **TypeAdapter(kind).json_schema(mode="serialization")}


def schemas_of(kinds: Sequence[Any], place: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return a schema for each type, and those that they refer to by name.

    Parameters
    ----------
    place
        Path of the latter in a document, such as ``#/components/schemas``.
    """
    from pydantic import TypeAdapter

    asked = [(str(number), "serialization", TypeAdapter(kind)) for number, kind in enumerate(kinds)]
    found, document = TypeAdapter.json_schemas(asked, ref_template=f"{place}/{{model}}")  # type: ignore[arg-type]
    return [dict(found[str(number), "serialization"]) for number in range(len(kinds))], document["$defs"]
