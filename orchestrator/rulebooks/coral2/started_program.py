"""Tell whether an external command starts the suite's own program, unmodified."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from orchestrator.rulebooks.common_rules import listed
from orchestrator.rulebooks.coral2.reference import originals
from workloads.external.started import IMPORTED, position_of_script
from workloads.external.templates import RANK_FIELDS

if TYPE_CHECKING:
    from orchestrator.rulebooks.coral2.reference import Original
    from orchestrator.rulebooks.measurements import Measurements
    from orchestrator.rulebooks.provenance import CommandFacts

_PYTHON = re.compile(r"python[0-9.]*")
_CHANGES_IMPORTS = re.compile(r"PYTHON.*|LD_.*|HOME")
_PACKAGES = ("site-packages", "dist-packages")
_NAMED = 3
_FIELD = re.compile(r"\{(\w+)\}")
_PATHS = ("{python}", "{folder}", "{data}", "{output}")
_OF_SEEDS = re.compile("seed|random", re.IGNORECASE)
_NUMBERS = frozenset({"cores", "core_list", *RANK_FIELDS})
"""Fields that a slot gives: in the place of a parameter, each is a constant."""
_PARAMETERS = re.compile(r"(--?[A-Za-z][\w-]*=|-[A-Za-z])?[^\w{}.+-]*(\{\w+\}[^\w{}.]*)+")
"""One or more fields, and the name of an option; other text could make other values of theirs."""


def own_program(found: Measurements) -> Original | None:
    """Return the suite's own program if that is what every accepted instance started."""
    return None if found.program != "external" or problem(found) else originals()[found.workload]


def problem(found: Measurements) -> str | None:
    """Return why an external command is not the suite's own program, unmodified; None if it is."""
    known, code = originals().get(found.workload), found.provenance.code
    if known is None:
        return "the suite names no program of this workload"
    if code is None or code.missing or not code.commands or len(code.commands) < len(code.listings):
        return "it is not recorded which file every accepted instance started"
    return next((text for one in code.commands for text in _problems(one, known)), None)


def declared(found: Measurements) -> tuple[str, ...]:
    """Return what a reader must know of how the suite's own program was started."""
    texts: dict[str, None] = {}
    for one in found.provenance.code.commands if found.provenance.code else ():
        texts[f"the suite's program is started as `{' '.join(one.arguments)}`"] = None
        texts |= dict.fromkeys(f"{name}: {text}" for name, text in _stated(one))
        if one.environment:
            texts[f"the workload file sets or removes the variables {', '.join(one.environment)}"] = None
        if one.program != one.interpreter:
            texts[f"it runs under {one.program}, whose packages are not recorded"] = None
    return tuple(texts)


def _stated(one: CommandFacts) -> list[tuple[str, str]]:
    """Return what the workload file chose of the program's output; a whole run leaves no choice."""
    return [pair for pair in sorted(one.reads.items()) if pair != ("seconds", "run")]


def _problems(one: CommandFacts, known: Original) -> Iterator[str]:
    main, *_ = known.files
    expected = _places(known, one.started)
    if not one.started:
        yield f"`{' '.join(one.arguments)}` starts no script"
    if not _PYTHON.fullmatch(posixpath.basename(one.program)):
        yield f"{one.started} was run by {one.program or 'a program that was not seen'}, which is no Python"
    if one.files.get(one.started) != known.files[main]:
        yield f"{one.started} is not {main} of {known.repository} {known.version}"
    if missing := [path for path in expected if path not in one.files]:
        yield (
            f"it is not recorded what is in {_some(missing)}: list a file of that folder under command.files"
        )
    if changed := [path for path, digest in expected.items() if one.files[path] != digest]:
        yield f"{_some(changed)} differ from {known.repository} {known.version}"
    others = [path for path in one.files if path not in expected and _counts(path, one)]
    if others:
        yield f"beside its own files Python could import {_some(others)}: start it from a folder without them"
    if one.reads.get("seconds") == "window":
        yield "its seconds are those of a window that the workload file chose: read what the program prints"
    yield from _surroundings(one)


def _surroundings(one: CommandFacts) -> Iterator[str]:
    """Yield what arguments and variables may change of a program whose files are unmodified."""
    if names := [name for name in one.environment if _CHANGES_IMPORTS.fullmatch(name)]:
        yield f"the workload file sets or removes {listed(names)}, which changes what is imported"
    if places := [path for path in one.search if posixpath.basename(path.rstrip("/")) not in _PACKAGES]:
        yield f"PYTHONPATH names {_some(places)}, which is no folder of installed packages"
    position = position_of_script(one.arguments)
    if position is None:
        yield f"`{' '.join(one.arguments)}` starts no script"
        return
    given = one.arguments[position + 1 :]
    fixed = [text for before, text in pairwise(["", *given]) if _is_fixed(text, before)]
    if fixed:
        yield f"the arguments {_some(fixed)} are no parameters: make each a parameter of the workload file"


def _counts(path: str, one: CommandFacts) -> bool:
    """Return whether a file can be imported, or is one whose content is not known."""
    return path.endswith(IMPORTED) or one.files[path] is None


def _is_fixed(argument: str, before: str) -> bool:
    """Return whether an argument holds a value that no parameter gives; the name of an option is none."""
    fields = set(_FIELD.findall(argument))
    has_name = argument.startswith("-") and "=" in argument
    if not fields:
        return has_name or not argument.startswith("-")
    option, value = argument.split("=", 1) if has_name else (before if "=" not in before else "", argument)
    if fields & _NUMBERS:
        return True
    if value.startswith(_PATHS):
        return False
    if "seed" in fields:
        named = option if option.startswith("-") else ""
        return _OF_SEEDS.search(f"{named} {value.replace('{seed}', '')}") is None
    return _PARAMETERS.fullmatch(argument) is None


def _places(known: Original, started: str) -> dict[str, str]:
    """Return where the program's files must lie for its main file to import them, with their SHA-256."""
    main, *_ = known.files
    folder, own = posixpath.dirname(started), posixpath.dirname(main)
    return {
        posixpath.normpath(posixpath.join(folder, posixpath.relpath(file, own or "."))): digest
        for file, digest in known.files.items()
        if file != main
    } | {started: known.files[main]}


def _some(values: list[str]) -> str:
    more = len(values) - _NAMED
    return listed(values[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
