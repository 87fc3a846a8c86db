"""From the content of a workload file to a checked description, by hand and with stdlib only."""

from __future__ import annotations

import re
from pathlib import Path

from workloads import registry
from workloads.description import (
    FOM_UNITS,
    DataFormat,
    Parameter,
    ParameterRule,
    QualityTarget,
    WorkloadError,
)
from workloads.external import templates
from workloads.external.command import ExternalWorkload
from workloads.external.command_schema import command_from
from workloads.external.fields import at, mapping, number, one_of, section, sequence, shown, text, whole
from workloads.external.reference import is_file

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_EXPONENT = re.compile(r"[-+]?[0-9][0-9_]*(\.[0-9_]*)?[eE][0-9]+|[-+]?[0-9]+[eE][-+]?[0-9]+")


def workload_from(data: object, file: Path, sha256: str) -> ExternalWorkload:
    """Return the workload that a file's content describes.

    Parameters
    ----------
    data
        The parsed content.
    file
        Absolute path.
    sha256
        Hash of the file's bytes.

    Raises
    ------
    WorkloadError
        With the place of the first thing that is wrong.
    """
    keys = section(
        data,
        "",
        required=("name", "title", "source", "fom_time", "command"),
        optional=("parameters", "quality", "data", "sizes"),
    )
    name = text(keys["name"], "name")
    if not _NAME.fullmatch(name):
        raise WorkloadError(f"name has letters, digits, '.', '_' and '-' only, not {name!r}")
    fom_time = one_of(keys["fom_time"], tuple(FOM_UNITS), "fom_time")
    given = mapping(keys.get("parameters", {}), "parameters")
    parameters = tuple(_parameter(key, value) for key, value in given.items())
    own_rules = {p.name: rule for p in parameters if (rule := _own_rule(p, given[p.name]))}
    quality = _quality(keys["quality"]) if "quality" in keys else None
    reads = _data(keys["data"]) if "data" in keys else None
    fields = {*templates.FIELDS, *(p.name for p in parameters)} - ({"data"} if reads is None else set())
    command = command_from(keys["command"], str(file.parent), fields, fom_time)
    if quality and command.accuracy is None:
        raise WorkloadError("command.accuracy is missing; quality needs it")
    sizes = mapping(keys.get("sizes", {}), "sizes")
    return ExternalWorkload(
        name=name,
        title=text(keys["title"], "title"),
        source=text(keys["source"], "source"),
        entry="workloads.external:run",
        parameters=parameters,
        fom_time=fom_time,
        accuracy_metric=quality.metric if quality else "",
        own_target=quality,
        own_rules=own_rules,
        data=reads,
        sizes={key: whole(value, at("sizes", key)) for key, value in sizes.items()},
        command=command,
        file=str(file),
        sha256=sha256,
    )


def _parameter(name: str, data: object) -> Parameter:
    place = at("parameters", name)
    if not name.isidentifier():
        raise WorkloadError(f"{place}: a parameter's name has letters, digits and '_' only")
    if name in templates.FIELDS:
        raise WorkloadError(f"{place}: {{{name}}} is the {templates.FIELDS[name]}; choose another name")
    keys = section(
        data if isinstance(data, dict) else {"default": data},
        place,
        required=("default",),
        optional=("description", "unit", "choices", "minimum", "rule"),
    )
    default = keys["default"]
    if type(default) not in (int, float, str, bool):
        raise WorkloadError(f"{place}.default must be a number, a text, true or false, not {shown(default)}")
    if isinstance(default, str) and _EXPONENT.fullmatch(default):
        raise WorkloadError(f"{place}.default: YAML reads {default} as a text; write it like 1.0e-3")
    parameter = Parameter(
        name=name,
        default=default,
        description=text(keys.get("description", ""), f"{place}.description"),
        unit=text(keys.get("unit", ""), f"{place}.unit"),
        choices=tuple(sequence(keys.get("choices", []), f"{place}.choices")),
        minimum=number(keys["minimum"], f"{place}.minimum") if "minimum" in keys else None,
    )
    try:
        for value in (default, *parameter.choices):
            parameter.coerce(value)
    except WorkloadError as error:
        raise WorkloadError(f"parameters.{error}") from None
    return parameter


def _own_rule(parameter: Parameter, data: object) -> ParameterRule | None:
    """Return the rule that the file's author sets for a parameter; None where it is free."""
    place, default = at("parameters", parameter.name), parameter.default
    given = data.get("rule", "free") if isinstance(data, dict) else "free"
    rule = one_of(given, ("fixed", "at least", "free"), f"{place}.rule")
    if rule == "at least":
        if isinstance(default, bool) or not isinstance(default, int | float):
            raise WorkloadError(f"{place}.rule: only a number can be {rule} something")
        return ParameterRule(at_least=default)
    return ParameterRule((default,)) if rule == "fixed" else None


def _quality(data: object) -> QualityTarget:
    keys = section(data, "quality", required=("metric", "minimum"))
    return QualityTarget(text(keys["metric"], "quality.metric"), number(keys["minimum"], "quality.minimum"))


def _data(data: object) -> DataFormat:
    """Return the data format of another workload, whose files the command reads."""
    name = text(data, "data")
    if is_file(name):
        raise WorkloadError("data is the name of a workload whose files are read, such as p1b1, not a file")
    try:
        found = registry.describe(name).data
    except WorkloadError as error:
        raise WorkloadError(f"data: {error}") from None
    if found is None:
        raise WorkloadError(f"data: workload {name} reads no files")
    return found
