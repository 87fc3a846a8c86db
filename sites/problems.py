"""Describes the problems of a file's values in the words of the file: place, value, and allowed values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

from pydantic import BaseModel, ValidationError

from sites.placed import PLACED
from workloads.spelling import near, nearest

_UNKNOWN = "extra_forbidden"
_KEY = "[key]"  # what pydantic calls a key that is itself wrong
_TEXT = "must be a text, in quotes"
_NUMBER = "must be a whole number"
_MAPPING = "must be a mapping of keys to values, such as {key: value}"
_LIST = "must be a list, such as [a, b]"
_BOOLEAN = "must be true or false"
_WORDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "bool_parsing": lambda _: _BOOLEAN,
    "bool_type": lambda _: _BOOLEAN,
    "dict_type": lambda _: _MAPPING,
    "finite_number": lambda _: "must be a finite number",
    "float_parsing": lambda _: "must be a number",
    "float_type": lambda _: "must be a number",
    "greater_than": lambda limits: f"must be above {limits['gt']}",
    "greater_than_equal": lambda limits: f"must be at least {limits['ge']}",
    "int_from_float": lambda _: _NUMBER,
    "int_parsing": lambda _: _NUMBER,
    "int_parsing_size": lambda _: f"{_NUMBER}, and a smaller one",
    "int_type": lambda _: _NUMBER,
    "invalid_key": lambda _: "a key must be a text, in quotes",
    "less_than": lambda limits: f"must be below {limits['lt']}",
    "less_than_equal": lambda limits: f"must be at most {limits['le']}",
    "list_type": lambda _: _LIST,
    "literal_error": lambda limits: f"must be {limits['expected']}",
    "model_attributes_type": lambda _: _MAPPING,
    "model_type": lambda _: _MAPPING,
    "string_type": lambda _: _TEXT,
    "too_short": lambda limits: f"must have at least {_entries(limits['min_length'])}",
    "too_long": lambda limits: f"must have at most {_entries(limits['max_length'])}",
}


def _entries(number: int) -> str:
    return f"{number} entr{'y' if number == 1 else 'ies'}"


def problems(
    error: ValidationError,
    model: type[BaseModel],
    data: object,
    most: int,
    where: Callable[[tuple[int | str, ...]], str] | None = None,
) -> tuple[list[str], int]:
    """Return the first things that are wrong, one line each, and how many there are besides.

    Unknown keys come first. One that is missing is left out where an unknown one was meant to be it. What no
    choice of a union accepts is one problem.

    Parameters
    ----------
    model, data
        What the file should be, and what it says.
    most
        How many are explained.
    where
        Returns what the line about the value at a place begins with, such as the name of its file.
    """
    found: list[dict[str, Any]] = [
        dict(one) for one in sorted(error.errors(), key=lambda one: one["type"] != _UNKNOWN)
    ]
    for one in found:
        if one["type"] == PLACED:
            one["loc"] = (*one["loc"], *one["ctx"]["place"])
    lacking = {one["loc"][:-1] for one in found if one["type"] == "missing"}
    meant = {
        (one["loc"][:-1], _nearest(one, model))
        for one in found
        if one["type"] == _UNKNOWN and one["loc"][:-1] in lacking
    }
    reported = [
        one for one in found if one["type"] != "missing" or (one["loc"][:-1], one["loc"][-1]) not in meant
    ]
    places: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for one in reported:
        places.setdefault(tuple(_as_written(one["loc"], data)), []).append(one)
    inside = {place[:length] for place in places for length in range(len(place))}
    # One choice of a union may accept the value as a whole, and refuse a part of it: the part is the problem.
    left = iter([(place, choices) for place, choices in places.items() if place not in inside])
    lines = []
    for place, choices in islice(left, most):
        before = f"{where(_numbered(place))}: " if where else ""
        lines += [before + " ".join(line.split()) for line in _explain(choices, model, data).split("\n")]
    return list(dict.fromkeys(lines)), sum(1 for _ in left)


def _nearest(one: Mapping[str, Any], model: type[BaseModel]) -> str | None:
    """Return the key that an unknown one was probably meant to be."""
    return nearest(str(one["loc"][-1]), _keys_at(model, one["loc"][:-1]))


def _explain(choices: Sequence[Mapping[str, Any]], model: type[BaseModel], data: object) -> str:
    """Return what is wrong at a place, a line each: one error, or one of each choice of a union."""
    one = choices[0]
    kind, location = str(one["type"]), tuple(one["loc"])
    of_a_key = location[-1:] == (_KEY,)
    place = " ".join(".".join(_as_written(location[: -1 if of_a_key else None], data)).split())
    if kind == _UNKNOWN:
        known = _keys_at(model, location[:-1])
        return f"unknown key {place}{near(str(location[-1]), known, 'known keys: ' + ', '.join(known))}"
    if kind == "missing":
        meaning = str(_schema_at(model, location).get("description", "")).rstrip(".")
        return f"{place} is missing" + (f": {meaning[:1].lower()}{meaning[1:]}" if meaning else "")
    first, *others = dict.fromkeys(_message(choice, model) for choice in choices)
    message = " or ".join([first, *(other.removeprefix("must be ") for other in others)])
    message += _given(one.get("input"), message, kind)
    return "\n".join(f"{place}: {line}" if place else line for line in message.split("\n"))


def _message(one: Mapping[str, Any], model: type[BaseModel]) -> str:
    kind, location = str(one["type"]), tuple(one["loc"])
    if location[-1:] == (_KEY,) and kind != "value_error":
        kind = "invalid_key"
    if kind == "string_pattern_mismatch":
        allowed = _schema_at(model, location).get("patternErrorMessage")
        return str(allowed or f"must match {one['ctx']['pattern']}")
    if kind in _WORDS:
        return _WORDS[kind](one.get("ctx", {}))
    return str(one["msg"]).removeprefix("Value error, ")


def _given(given: object, message: str, kind: str) -> str:
    """Return what was written, unless the message says so already."""
    if given is None and kind in _WORDS:
        return ", and nothing is written there"
    shown = isinstance(given, str | int | float | bool) and repr(given) not in message
    return f", not {given!r}" if shown else ""


def _numbered(place: tuple[str, ...]) -> tuple[int | str, ...]:
    """Return a place with numbers where the parts are list indices."""
    return tuple(int(part) if part.isdigit() else part for part in place)


def _as_written(place: tuple[int | str, ...], data: object) -> list[str]:
    """Return an error's path without the names that pydantic gives to the choices of a union."""
    written = []
    for number, part in enumerate(place, start=1):
        inside = part in data if isinstance(data, dict) else isinstance(data, list) and isinstance(part, int)
        chosen = isinstance(data, dict) and data.get("type") == part
        chosen = chosen or "[" in str(part)  # such as "literal['all']"
        if inside or (number == len(place) and not chosen):
            written.append(str(part))
            data = data[part] if inside else None  # type: ignore[index]
    return written


def _keys_at(model: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """Return the keys that a nested model knows."""
    return list(_schema_at(model, place).get("properties", {}))


@cache
def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()


def _schema_at(model: type[BaseModel], place: tuple[int | str, ...]) -> dict[str, Any]:
    """Return the JSON schema of what is at a place, following the error's path through the fields."""
    schema = _schema(model)
    node: dict[str, Any] = schema
    for part in place:
        tagged = [schema["$defs"][option["$ref"].rsplit("/", 1)[1]] for option in node.get("oneOf", [])]
        if tagged:  # the part is the name of one choice
            node = next(one for one in tagged if one["properties"]["type"].get("const") == part)
            continue
        if str(part).rstrip("]").rpartition(", ")[2] == node.get("title"):
            continue  # the part is the model that a union took: its name, or function-after[check(), NAME]
        if isinstance(part, int):
            node = node.get("items", {})
        else:
            others = node.get("additionalProperties")
            node = node.get("properties", {}).get(part, others if isinstance(others, dict) else {})
        options = [node, *node.get("anyOf", [])]
        reference = next((option["$ref"] for option in options if "$ref" in option), None)
        if reference:
            node = schema["$defs"][reference.rsplit("/", 1)[1]]
    return node
