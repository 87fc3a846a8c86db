"""Read the numbers of a command from its output and its JSON files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workloads.description import CommandError
from workloads.external.command import JsonSource, MllogSource, PatternSource, Source
from workloads.external.output import Found

_LARGEST_JSON = 16 << 20
_LONGEST_FACT = 200
_Stamp = tuple[int, int, int] | None


class Readings:
    """The numbers of one run; make it before the command starts, so that an old file is known as old.

    Parameters
    ----------
    files
        Absolute path of each JSON file, by its template.
    mllog
        Last value of each key of MLLOG lines, as they are when it reads.
    """

    def __init__(self, files: Mapping[str, Path], mllog: Mapping[str, Any]) -> None:
        self._files, self._mllog = dict(files), mllog
        self._before = {path: _stamp(path) for path in self._files.values()}
        self._contents: dict[Path, Any] = {}

    def read(self, source: Source, found: Mapping[str, Found]) -> float:
        """Return a source's number; it may be infinite or not a number, if the command says so.

        Raises
        ------
        CommandError
            If it is not there or not a number; says what was searched.
        """
        if isinstance(source, PatternSource):
            return _printed(source, found)
        value = self._value(source)
        if isinstance(value, bool) or not isinstance(value, int | float):
            shown = repr(value) if isinstance(value, str | bool | None) else f"a {type(value).__name__}"
            raise CommandError(f"{source.name}: {self._place(source)} is {shown:.200}, not a number")
        try:
            return float(value)
        except OverflowError:
            raise CommandError(f"{source.name}: {self._place(source)} is too large a number") from None

    def fact(self, source: Source, found: Mapping[str, Found]) -> int | float | str | bool:
        """Return a fact: a number where it reads as one, else a text.

        Raises
        ------
        CommandError
            If it is not there.
        """
        if isinstance(source, PatternSource):
            return _as_fact(_text(source, found))
        value = self._value(source)
        if isinstance(value, str | int | float):
            return value if not isinstance(value, str) else value[:_LONGEST_FACT]
        raise CommandError(
            f"{source.name}: {self._place(source)} is a {type(value).__name__}, neither text nor number"
        )

    def _place(self, source: JsonSource | MllogSource) -> str:
        if isinstance(source, MllogSource):
            return f"the last MLLOG line {source.mllog}"
        return f"{source.key} in {self._files[source.file].name}"

    def _value(self, source: JsonSource | MllogSource) -> Any:
        if isinstance(source, MllogSource):
            if source.mllog not in self._mllog:
                raise CommandError(f"{source.name}: the output has no MLLOG line {source.mllog}")
            return self._mllog[source.mllog]
        path = self._files[source.file]
        if path not in self._contents:
            self._contents[path] = self._load(path, source.name)
        value = self._contents[path]
        rest = source.key
        while rest:
            value, rest = _step(value, rest, f"{source.name}: {path.name} has no {source.key}")
        return value

    def _load(self, path: Path, name: str) -> Any:
        stamp = _stamp(path)
        if stamp is None:
            raise CommandError(f"{name}: the command wrote no file {path}")
        if stamp == self._before[path]:
            raise CommandError(f"{name}: {path} is older than this run; the command did not write it")
        if stamp[2] > _LARGEST_JSON:
            raise CommandError(f"{name}: {path} is larger than {_LARGEST_JSON >> 20} MiB")
        try:
            return json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            raise CommandError(f"{name}: {path} is no readable JSON file: {error}") from None


def _text(source: PatternSource, found: Mapping[str, Found]) -> str:
    if source.name not in found:
        raise CommandError(f"{source.name}: no line of the output matches {source.pattern!r}")
    return found[source.name].text


def _as_fact(text: str) -> int | float | str:
    try:
        number = printed_number(text)
    except ValueError:
        return text
    if not math.isfinite(number):
        return text
    return int(text) if text.strip().lstrip("+-").isdigit() else number


def printed_number(text: str) -> float:
    """Return a number as programs print it; it may be infinite or not a number.

    Python alone also reads ``1_000``, and digits that are not those of ASCII.

    Raises
    ------
    ValueError
        If it is no number.
    """
    if "_" in text or not text.isascii():
        raise ValueError(f"{text!r} is not a number")
    return float(text)


def _printed(source: PatternSource, found: Mapping[str, Found]) -> float:
    text = _text(source, found)
    try:
        return printed_number(text)
    except ValueError:
        raise CommandError(
            f"{source.name}: {text!r} is not a number; the last match of {source.pattern!r} "
            f"stands in the line {found[source.name].line!r}"
        ) from None


def _step(value: Any, rest: str, problem: str) -> tuple[Any, str]:
    """Return what the first part of a dotted key leads to, and the rest of the key.

    A key that contains dots itself is found whole; in a list, a number counts from the front, or,
    if negative, from the end.
    """
    if isinstance(value, dict):
        if rest in value:
            return value[rest], ""
        first, _, rest = rest.partition(".")
        if first in value:
            return value[first], rest
        raise CommandError(f"{problem}; there is {', '.join(map(str, value))[:200] or 'nothing'}")
    if isinstance(value, list):
        first, _, rest = rest.partition(".")
        try:
            return value[int(first)], rest
        except (ValueError, IndexError):
            raise CommandError(f"{problem}; a list of {len(value)} has no {first}") from None
    raise CommandError(problem)


def _stamp(path: Path) -> _Stamp:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
