"""What the directives of a submit script ask for, in each batch system's own way of writing it. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from sites.schedulers import Batch, Flux, Lsf, PbsPro, Slurm, Torque

_LONG = {  # Slurm's short options
    "-A": "--account",
    "-C": "--constraint",
    "-G": "--gpus",
    "-J": "--job-name",
    "-N": "--nodes",
    "-c": "--cpus-per-task",
    "-n": "--ntasks",
    "-o": "--output",
    "-p": "--partition",
    "-q": "--qos",
    "-s": "--oversubscribe",
    "-t": "--time",
    "-x": "--exclude",
}
_LONG_OF_FLUX = {
    "-B": "--bank",
    "-N": "--nodes",
    "-n": "--nslots",
    "-c": "--cores-per-slot",
    "-g": "--gpus-per-slot",
    "-q": "--queue",
    "-t": "--time-limit",
    "-x": "--exclusive",
}
_FLUX_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "": 60.0}
_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its long name, ``-l`` of PBS with the resource's; its value; the directive as written."""

    name: str
    value: str
    directive: str


def options(batch: Batch, directive: str) -> Iterator[Option]:
    """Yield the options that a directive holds, up to a comment; none where its quotes do not end."""
    try:
        words = list(takewhile(lambda word: not word.startswith("#"), shlex.split(directive)))
    except ValueError:
        return
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            continue
        name, value = _divided(word, short=isinstance(batch, Slurm | Flux))
        if value is None:
            value = words.pop(0) if words and not words[0].startswith("-") else ""
        if isinstance(batch, Slurm):
            yield Option(_LONG.get(name, name), value, directive)
        elif isinstance(batch, Flux):
            yield Option(_LONG_OF_FLUX.get(name, name), value, directive)
        elif isinstance(batch, PbsPro | Torque) and name == "-l":
            for resource in re.split(r",(?=\w+=)", value):  # a comma within a value begins no other
                key, _, amount = resource.partition("=")
                yield Option(f"-l {key}", amount, directive)
        else:
            yield Option(name, value, directive)


def _divided(word: str, *, short: bool) -> tuple[str, str | None]:
    """Return an option's name and value; None where the next word has it. A short one may hold both."""
    if short and re.match(r"-\w.", word):
        return word[:2], word[2:].removeprefix("=")
    name, equals, value = word.partition("=")
    return name, value if equals else None


def nodes(batch: Batch, value: str) -> str | None:
    """Return how many nodes a value asks for; PBS counts chunks, and a node by its name is one.

    Slurm may be given the least and the most of them. None where the value cannot be read.
    """
    if isinstance(batch, Slurm | Lsf | Flux):
        least, dash, most = value.partition("-")
        if not _NUMBER.fullmatch(least) or (dash and not _NUMBER.fullmatch(most)):
            return None
        return value if dash and int(least) != int(most) else str(int(least))
    counts = [chunk.partition(":")[0] for chunk in value.split("+")]
    return str(sum(int(count) if count.isdecimal() else 1 for count in counts))


def seconds(batch: Batch, value: str) -> float | None:
    """Return the length that a value asks for; None where it cannot be read."""
    if isinstance(batch, Flux):
        match = re.fullmatch(r"(\d{1,9}(?:\.\d+)?)(ms|[smhd]?)", value)
        return float(match[1]) * _FLUX_UNITS[match[2]] if match else None
    days, dash, rest = value.partition("-")
    if not dash:
        days, rest = "0", value
    parts = rest.partition("/")[0].split(":")  # LSF may name a host after the length
    if not all(map(_NUMBER.fullmatch, [days, *parts])) or len(parts) > 3:
        return None
    scale: tuple[int, ...]
    if dash:  # days-hours, to days-hours:minutes:seconds
        scale = (3600, 60, 1)
    elif isinstance(batch, Lsf):
        scale = (3600, 60) if len(parts) > 1 else (60,)
    elif isinstance(batch, Slurm) and len(parts) < 3:  # minutes, or minutes:seconds
        scale = (60, 1)
    else:
        scale = (3600, 60, 1)[-len(parts) :]
    return float(int(days) * 86400 + sum(int(part) * one for part, one in zip(parts, scale, strict=False)))
