"""Read what the directives of a submit script ask for, by the options of their batch system. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its long name, ``-l`` of PBS with the resource's; its value; the directive as written."""

    name: str
    value: str
    directive: str


def options(directive: str, long_names: Mapping[str, str], resource_option: str) -> Iterator[Option]:
    """Yield the options that a directive holds, up to a comment; none where its quotes do not end.

    Parameters
    ----------
    long_names
        Long options by short ones; a batch system that has such takes a value at once after a short one.
    resource_option
        Option whose values are comma-separated resources; empty without one.
    """
    try:
        words = list(takewhile(lambda word: not word.startswith("#"), shlex.split(directive)))
    except ValueError:
        return
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            continue
        name, value = _divided(word, short=bool(long_names))
        if value is None:
            value = words.pop(0) if words and not words[0].startswith("-") else ""
        if name == resource_option:
            for resource in re.split(r",(?=\w+=)", value):  # a comma within a value begins no other
                key, _, amount = resource.partition("=")
                yield Option(f"{name} {key}", amount, directive)
        else:
            yield Option(long_names.get(name, name), value, directive)


def _divided(word: str, *, short: bool) -> tuple[str, str | None]:
    """Return an option's name and value; None where the next word has it. A short one may hold both."""
    if short and re.match(r"-\w.", word):
        return word[:2], word[2:].removeprefix("=")
    name, equals, value = word.partition("=")
    return name, value if equals else None


def node_range(value: str) -> str | None:
    """Return a number of nodes, or the least and the most of them; None where it cannot be read."""
    least, dash, most = value.partition("-")
    if not _NUMBER.fullmatch(least) or (dash and not _NUMBER.fullmatch(most)):
        return None
    return value if dash and int(least) != int(most) else str(int(least))


def clock_seconds(value: str, units: Sequence[Sequence[int]]) -> float | None:
    """Return the seconds of ``[DAYS-]PART[:PART[:PART]]``; None where it cannot be read.

    Parameters
    ----------
    units
        Seconds of each part, for one part, for two and so on; after days the first part is hours.
    """
    days, dash, rest = value.partition("-")
    if not dash:
        days, rest = "0", value
    parts = rest.partition("/")[0].split(":")  # LSF may name a host after the length
    most = 3 if dash else len(units)
    if not all(map(_NUMBER.fullmatch, [days, *parts])) or len(parts) > most:
        return None
    scale = (3600, 60, 1) if dash else units[len(parts) - 1]
    return float(int(days) * 86400 + sum(int(part) * unit for part, unit in zip(parts, scale, strict=False)))
