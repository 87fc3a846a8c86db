"""YAML files with the files that they include, and with values of the command line: one mapping, one text.

A file that includes none, and is given no values, keeps its text to the letter. Else the text is written anew
from the mapping; comments name each file with its hash, hold its lines, and list the values of the command
line, so that the text says what ran even after the files are gone.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from sites.files import FileError, parse_mapping, read_text, validate
from sites.places import Lines, Place

RESOLVED = "# Written by orchestrator; comments name where the values come from."
"""First line of a text that is not a file's own."""
_MOST_NESTED = 20
_BREAKS = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_NO_PLAIN_KEYS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
_INDEX = re.compile(r"[0-9]{1,9}")
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Setting:
    """A value of the command line.

    Parameters
    ----------
    place
        Where it goes.
    value
        What its text holds as YAML.
    written
        As the user wrote it, for messages and for the record.
    found
        How many parts of the place the file has too.
    option
        What stands before `written` there.
    """

    place: Place
    value: Any
    written: str
    found: int = 0
    option: str = "--set "

    @property
    def words(self) -> str:
        """Option and text."""
        return f"{self.option}{self.written}"

    def concerns(self, place: Place) -> bool:
        """Return whether what is at a place was set by this, or exists only by this."""
        return place[: len(self.place)] == self.place or (
            len(place) > self.found and place == self.place[: len(place)]
        )


@dataclass(frozen=True, slots=True)
class Resolved:
    """A file with all that it includes.

    Parameters
    ----------
    source
        Name of the file, for messages.
    data
        Its mapping, without ``include``.
    files
        Names and texts: the file itself, then those that it includes, each once.
    origins
        Index in `files` of the values that stand in an included file.
    settings
        Values of the command line; they are in `data`.
    """

    source: str
    data: dict[Any, Any]
    files: tuple[tuple[str, str], ...]
    origins: Mapping[Place, int]
    settings: tuple[Setting, ...] = ()
    replaces: str = ""
    """A text that a ledger had before, instead of `files`."""

    @property
    def as_written(self) -> bool:
        """True if the text is that of the file, to the letter."""
        return len(self.files) == 1 and not self.settings and not self.replaces

    @property
    def own_text(self) -> str:
        """The file's own text, whose lines count; empty where values come from elsewhere too."""
        return self.files[0][1] if self.as_written else ""

    @property
    def text(self) -> str:
        """The self-contained text."""
        if self.as_written:
            return self.files[0][1]
        head = [RESOLVED, *(["# Values of the command line:"] if self.settings else [])]
        head += [f"#   {one.option}{json.dumps(one.written)}" for one in self.settings]
        tail: list[str] = []
        if self.replaces:
            tail = [f"# Replaces the text of the ledger with sha256 {_sha256(self.replaces)}."]
        for name, text in self.files:
            tail += [f"# File {json.dumps(name)}, sha256 {_sha256(text)}:"]
            tail += [f"#   {line}".rstrip() for line in _BREAKS.split(text)]
        return "\n".join([*head, dump(self.data).rstrip("\n"), *tail, ""])

    def file_of(self, place: Place) -> str:
        """Return the name of the file in which a value stands."""
        number = self._number_of(place)
        return self.source if number is None else self.files[number][0]

    def with_settings(self, settings: Sequence[Setting]) -> Resolved:
        """Return the file with values of the command line; raises `FileError` where one has no place."""
        data: Any = self.data
        placed = []
        for one in settings:
            place, depth = _in_lists(data, one.place)
            found = replace(one, place=place, found=depth)
            data = _with_value(data, found.place, found)
            placed.append(found)
        return replace(self, data=data, settings=(*self.settings, *placed))

    def where(self, place: Place) -> str:
        """Return what a message about a value begins with: file and line, or the setting."""
        if found := [one for one in self.settings if one.concerns(place)]:
            return found[-1].words
        number = self._number_of(place)
        name, text = (self.source, self.own_text) if number is None else self.files[number]
        return f"{name}: {Lines(text).of(place)}".removesuffix(": ")

    def _number_of(self, place: Place) -> int | None:
        """Return the index in `files` of the file in which a value stands; None: as `source` names it."""
        numbers = (self.origins.get(place[:depth]) for depth in range(len(place), -1, -1))
        return next((number for number in numbers if number is not None), None)


def resolve(file: Path, kind: str, find: Callable[[str], Path]) -> Resolved:
    """Return a file with all that it includes.

    An entry of ``include`` that ends in .yaml or .yml, or has a ``/``, is a path from the directory of the
    file that includes it; any other is a name. Mappings are merged key by key; of two other values, that of
    the including file counts, and that of the later entry of ``include``.

    Parameters
    ----------
    kind
        ``site`` or ``campaign``, for messages.
    find
        Returns the file that a name stands for.

    Raises
    ------
    FileError
        If a file cannot be read or is no mapping, or files include each other; names file and line.
    """
    reader = _Reader(kind, find)
    data, origins = reader.read(file, str(file), ())
    own = reader.numbers[file.resolve()]
    return Resolved(
        str(file), data, tuple(reader.files), {place: n for place, n in origins.items() if n != own}
    )


def stored(text: str, model: type[BaseModel], source: str) -> Resolved:
    """Return the text of a ledger, to set values in it; raises `FileError` if the text is wrong."""
    data = parse_mapping(text, source)
    validate(data, model, source)
    return Resolved(source, data, (), {}, replaces=text)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def dump(value: Mapping[Any, Any], indent: str = "") -> str:
    """Return a mapping as YAML: a line for each key, and for each entry of a list."""
    lines = []
    for key, one in value.items():
        name = key if isinstance(key, str) and _is_plain(key) else _flow(key)
        if isinstance(one, dict) and one:
            lines.append(f"{indent}{name}:\n{dump(one, indent + '  ')}")
        elif isinstance(one, list) and one:
            lines.append("".join([f"{indent}{name}:\n", *(f"{indent}- {_flow(entry)}\n" for entry in one)]))
        else:
            lines.append(f"{indent}{name}: {_flow(one)}\n")
    return "".join(lines)


def _is_plain(key: str) -> bool:
    return bool(_PLAIN_KEY.fullmatch(key)) and key.lower() not in _NO_PLAIN_KEYS


def _flow(value: Any) -> str:
    """Return a value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(key)}: {_flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return ".nan" if value != value else ".inf" if value > 0 else "-.inf"
    text = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text) if isinstance(value, str) else text


def merged(base: Any, over: Any) -> Any:
    """Return `base` with the values of `over` in it; mappings are merged key by key."""
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    return base | {key: merged(base[key], one) if key in base else one for key, one in over.items()}


def _in_lists(data: Any, place: Place) -> tuple[Place, int]:
    """Return a place with the numbers that count entries of lists, and how many of its parts there are."""
    found: list[str | int] = []
    depth = 0
    for part in place:
        depth += isinstance(data, dict) and part in data
        if isinstance(data, list) and _INDEX.fullmatch(str(part)):
            part = int(part)
            depth += part < len(data)
            data = data[part] if part < len(data) else None
        else:
            data = data.get(part) if isinstance(data, dict) else None
        found.append(part)
    return tuple(found), depth


def _with_value(data: Any, rest: Place, setting: Setting) -> Any:
    if not rest:
        return setting.value
    if isinstance(data, list):
        if not isinstance(rest[0], int) or rest[0] >= len(data):
            raise FileError(f"{setting.words}: {_written(setting, rest)} has entries 0 to {len(data) - 1}")
        return [*data[: rest[0]], _with_value(data[rest[0]], rest[1:], setting), *data[rest[0] + 1 :]]
    if data is not None and not isinstance(data, dict):
        raise FileError(
            f"{setting.words}: {_written(setting, rest)} is {data!r}, which has no keys; set "
            "it as a whole, such as NAME={key: value}"
        )
    found = data or {}
    return found | {rest[0]: _with_value(found.get(rest[0]), rest[1:], setting)}


def _written(setting: Setting, rest: Place) -> str:
    return ".".join(map(str, setting.place[: len(setting.place) - len(rest)])) or "the file"


class _Reader:
    """Reads files, each once, and merges what they include."""

    def __init__(self, kind: str, find: Callable[[str], Path]) -> None:
        self.files: list[tuple[str, str]] = []
        self.numbers: dict[Path, int] = {}
        self._kind = kind
        self._find = find
        self._read: dict[Path, tuple[dict[Any, Any], dict[Place, int]]] = {}

    def read(
        self, file: Path, wanted_by: str, chain: tuple[Path, ...]
    ) -> tuple[dict[Any, Any], dict[Place, int]]:
        path = file.resolve()
        if path in chain:
            circle = " includes ".join(str(one) for one in (*chain[chain.index(path) :], path))
            raise FileError(f"{wanted_by}: files include each other: {circle}")
        if len(chain) > _MOST_NESTED:
            raise FileError(f"{wanted_by}: more than {_MOST_NESTED} files include one another in a row")
        if path in self._read:
            return self._read[path]
        try:
            text = read_text(file, self._kind)
        except FileError as error:
            raise FileError(f"{wanted_by}: {error}" if chain else str(error)) from None
        own = parse_mapping(text, str(file))
        self.numbers[path] = number = len(self.files)
        self.files.append((str(file), text))
        data: dict[Any, Any] = {}
        origins: dict[Place, int] = {}
        if "include" in own:
            line = f"{file}: {Lines(text).of(('include',))}".removesuffix(": ")
            for entry in _entries(own.pop("include"), line):
                inner, places = self.read(self._file(entry, file, line), line, (*chain, path))
                data, origins = merged(data, inner), origins | places
        for place in _places(own):
            origins[place] = number
        self._read[path] = merged(data, own), origins
        return self._read[path]

    def _file(self, entry: str, includer: Path, line: str) -> Path:
        if entry.endswith((".yaml", ".yml")) or "/" in entry:
            return includer.parent / entry
        try:
            return self._find(entry)
        except ValueError as error:
            raise FileError(f"{line}: include: {error}") from None


def _entries(value: object, line: str) -> list[str]:
    entries = [value] if isinstance(value, str) else value
    if not isinstance(entries, list) or not all(isinstance(one, str) and one.strip("\0 ") for one in entries):
        raise FileError(f"{line}: include must be the path of a file, or a list of paths, not {value!r}")
    if unfit := next((one for one in entries if "\0" in one), None):
        raise FileError(f"{line}: include: {unfit!r} is no path")
    return entries


def _places(data: Mapping[Any, Any], above: Place = ()) -> list[Place]:
    """Return the places of a mapping's values: those of nested mappings too, of lists as a whole."""
    found: list[Place] = []
    for key, one in data.items():
        found.append((*above, key))
        if isinstance(one, dict):
            found += _places(one, (*above, key))
    return found
