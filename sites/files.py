"""Reading YAML files into checked models, with errors a person can act on."""

from __future__ import annotations

import difflib
from collections.abc import Hashable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator


class FileError(ValueError):
    """A YAML file cannot be read, or does not say what it should; one line names the place."""


class Model(BaseModel):
    """Base of everything read from a file: frozen, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: object, info: ValidationInfo) -> object:
        """Refuse ``instances: yes``, which would quietly be 1."""
        if isinstance(value, bool) and cls.model_fields[str(info.field_name)].annotation is int:
            raise ValueError("must be a whole number")
        return value


Checked = TypeVar("Checked", bound=BaseModel)


class _Loader(yaml.SafeLoader):
    """Safe loader that also refuses a key given twice, where plain YAML keeps the last one silently."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise yaml.constructor.ConstructorError(
                    None, None, "a key is a list or a mapping; it must be a text", key_node.start_mark
                )
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key!r} is given twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_text(path: Path, kind: str) -> str:
    """Return a file's text.

    Raises
    ------
    FileError
        If it does not exist or is not text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError(f"{kind} file {path} does not exist") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{kind} file {path} cannot be read: {error}") from None


def parse(text: str, model: type[Checked], source: str) -> Checked:
    """Return the model that a YAML text describes.

    Parameters
    ----------
    source
        Name of the file, for messages.

    Raises
    ------
    FileError
        With file, place and reason of the first thing that is wrong; near names are suggested.
    """
    try:
        # The loader is a SafeLoader.
        data = yaml.load(text, Loader=_Loader)  # noqa: S506
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise FileError(f"{source}:{place} {error.problem}") from None
    except yaml.YAMLError as error:
        raise FileError(f"{source}: {' '.join(str(error).split())}") from None
    if data is None:
        raise FileError(f"{source}: is empty; it must be a mapping of keys to values")
    if not isinstance(data, dict):
        raise FileError(f"{source}: must be a mapping of keys to values")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise FileError(f"{source}: {_explain(error, model, data)}") from None


def _explain(error: ValidationError, model: type[BaseModel], data: object) -> str:
    # An unknown key comes first: it is often why another one is missing.
    first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    place = ".".join(_as_written(first["loc"], data))
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    if first["type"] == "extra_forbidden":
        known = _keys_at(model, first["loc"][:-1])
        near = difflib.get_close_matches(str(first["loc"][-1]), known, n=1)
        hint = f"; did you mean {near[0]}?" if near else f"; known keys: {', '.join(known)}"
        return f"unknown key {place}{hint}{more}"
    if first["type"] == "missing":
        return f"{place} is missing{more}"
    message = first["msg"].removeprefix("Value error, ")
    given = first.get("input")
    shown = (
        f", not {given!r}"
        if isinstance(given, str | int | float | bool) and repr(given) not in message
        else ""
    )
    return f"{place}: {message}{shown}{more}" if place else f"{message}{more}"


def _as_written(place: tuple[int | str, ...], data: object) -> list[str]:
    """Return an error's path without the names that pydantic gives to the choices of a union."""
    written = []
    for number, part in enumerate(place, start=1):
        inside = part in data if isinstance(data, dict) else isinstance(data, list) and isinstance(part, int)
        if inside or number == len(place):
            written.append(str(part))
            data = data[part] if inside else None  # type: ignore[index]
    return written


def _keys_at(model: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """Return the keys a nested model knows, following the error's path through its fields."""
    schema = model.model_json_schema()
    node: dict[str, Any] = schema
    for part in place:
        tagged = [schema["$defs"][option["$ref"].rsplit("/", 1)[1]] for option in node.get("oneOf", [])]
        if tagged:  # the part is the name of one choice
            node = next(one for one in tagged if one["properties"]["type"].get("const") == part)
            continue
        if isinstance(part, int):
            node = node.get("items", {})
        else:
            others = node.get("additionalProperties")
            node = node.get("properties", {}).get(part, others if isinstance(others, dict) else {})
        options = [node, *node.get("anyOf", [])]
        reference = next((option["$ref"] for option in options if "$ref" in option), None)
        if reference:
            node = schema["$defs"][reference.rsplit("/", 1)[1]]
    return list(node.get("properties", {}))
