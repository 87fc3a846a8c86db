"""From the ``command`` part of a workload file to a checked command."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping
from typing import Literal

from workloads.description import FomTime, WorkloadError
from workloads.external import templates
from workloads.external.command import Command, JsonSource, PatternSource, Source
from workloads.external.fields import mapping, section, sequence, shown, text, whole

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_EXAMPLE = "(?P<value>[-+0-9.eE]+)"


def command_from(data: object, folder: str, fields: Collection[str], fom_time: FomTime) -> Command:
    """Return the checked command; raises `WorkloadError` with the place of what is wrong.

    Parameters
    ----------
    data
        Content of the file's key ``command``.
    folder
        Folder of the file.
    fields
        What templates may use.
    fom_time
        Which time is the figure of merit's.
    """
    keys = section(
        data,
        "command",
        required=("arguments", "seconds"),
        optional=("environment", "directory", "accuracy", "metrics", "failure"),
    )
    if not isinstance(keys["arguments"], list) or not keys["arguments"]:
        raise WorkloadError(
            f"command.arguments must be a list of texts, one per argument, not {shown(keys['arguments'])}; "
            "there is no shell that would take a line apart"
        )
    metrics = mapping(keys.get("metrics", {}), "command.metrics")
    failure = section(keys.get("failure", {}), "command.failure", optional=("exit_codes_ok", "patterns"))
    patterns = sequence(failure.get("patterns", []), "command.failure.patterns")
    codes = sequence(failure.get("exit_codes_ok", [0]), "command.failure.exit_codes_ok")
    command = Command(
        arguments=tuple(
            _template(one, f"command.arguments.{n}", fields) for n, one in enumerate(keys["arguments"])
        ),
        folder=folder,
        directory=_template(keys.get("directory", "{folder}"), "command.directory", fields),
        environment=_environment(keys.get("environment", {}), fields),
        accuracy=_source(keys["accuracy"], "accuracy", fields) if "accuracy" in keys else None,
        seconds=_seconds(keys["seconds"], fom_time, fields),
        metrics=tuple(_source(one, f"metrics.{name}", fields, "unit") for name, one in metrics.items()),
        exit_codes_ok=tuple(
            whole(code, f"command.failure.exit_codes_ok.{n}") for n, code in enumerate(codes)
        ),
        failure_patterns=tuple(
            _failure(one, f"command.failure.patterns.{n}") for n, one in enumerate(patterns)
        ),
    )
    if not command.exit_codes_ok:
        raise WorkloadError("command.failure.exit_codes_ok must name at least one exit code")
    _apart(command, fields)
    return command


def _template(data: object, place: str, fields: Collection[str]) -> str:
    template = text(data, place)
    try:
        templates.check(template, fields)
    except WorkloadError as error:
        if "{data}" in template and "data" not in fields:
            raise WorkloadError(
                f"{place} uses {{data}}, but the workload reads none; say whose files, like data: p1b1"
            ) from None
        raise WorkloadError(f"{place}: {error}") from None
    return template


def _environment(data: object, fields: Collection[str]) -> Mapping[str, str | None]:
    found: dict[str, str | None] = {}
    for name, value in mapping(data, "command.environment").items():
        place = f"command.environment.{name}"
        if not _VARIABLE.fullmatch(name):
            raise WorkloadError(f"{place}: a variable's name has letters, digits and '_' only")
        if name.startswith("ORCHESTRATOR_"):
            raise WorkloadError(f"{place}: variables that start with ORCHESTRATOR_ mark our processes")
        found[name] = None if value is None else _template(value, place, fields)
    return found


def _seconds(data: object, fom_time: FomTime, fields: Collection[str]) -> Source | Literal["run"]:
    if data == "run":
        if fom_time != "run":
            raise WorkloadError(
                f"command.seconds: run is the time of the whole run, but fom_time is {fom_time}; "
                "say where the command tells it"
            )
        return "run"
    if not isinstance(data, dict):
        raise WorkloadError(
            f"command.seconds is run, {{pattern: …}} or {{json: …, key: …}}, not {shown(data)}"
        )
    return _source(data, "seconds", fields)


def _source(data: object, name: str, fields: Collection[str], *extra: str) -> Source:
    place = f"command.{name}"
    keys = section(data, place, optional=("pattern", "json", "key", *extra))
    unit = text(keys.get("unit", ""), f"{place}.unit")
    if "pattern" in keys:
        other = next((key for key in ("json", "key") if key in keys), None)
        if other:
            raise WorkloadError(f"{place} has pattern and {other}; a number is read from one place")
        return PatternSource(name, _pattern(keys["pattern"], f"{place}.pattern"), unit)
    for key in ("json", "key"):
        if key not in keys:
            raise WorkloadError(f"{place} needs pattern, or json and key; {key} is missing")
    file = _template(keys["json"], f"{place}.json", fields)
    key = text(keys["key"], f"{place}.key")
    if not file or not all(key.split(".")):
        raise WorkloadError(f"{place}: json is a file, key a dotted path such as scores.accuracy")
    return JsonSource(name, file, key, unit)


def _pattern(data: object, place: str) -> str:
    pattern = _expression(data, place)
    groups = re.compile(pattern).groupindex
    if "value" not in groups:
        near = difflib.get_close_matches("value", groups, n=1, cutoff=0.5)
        hint = f"; rename group {near[0]}" if near else f", such as {_EXAMPLE}"
        raise WorkloadError(f"{place} has no group named value{hint}")
    return pattern


def _failure(data: object, place: str) -> str:
    pattern = _expression(data, place)
    if re.compile(pattern).search(""):
        raise WorkloadError(f"{place}: {pattern!r} matches any line, so every run would fail")
    return pattern


def _expression(data: object, place: str) -> str:
    pattern = text(data, place)
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise WorkloadError(f"{place}: {pattern!r} is no regular expression: {error}") from None
    if "\n" in pattern or re.search(r"(?<!\\)(?:\\\\)*\\[nr]", pattern):
        raise WorkloadError(f"{place}: output is searched line by line, so no line break can be matched")
    return pattern


def _apart(command: Command, fields: Collection[str]) -> None:
    """Refuse a JSON file that instances running side by side would write over each other."""
    for source in command.sources:
        if isinstance(source, JsonSource):
            absolute = source.file.startswith(("/", "{output}", "{folder}"))
            place = source.file if absolute else command.directory + source.file
            if not {"output", "seed"} & templates.check(place, fields):
                raise WorkloadError(
                    f"command.{source.name}.json: instances side by side would all write {source.file}; "
                    "put it below {output}, or let the command work there with directory: '{output}'"
                )
