"""`schema`: the keys of files, for editors, and of the JSON that commands print, for programs."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.terminal.tables import print_json

if TYPE_CHECKING:
    from sites import Model

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_INCLUDE: dict[str, Any] = {
    "description": "Files whose keys this one begins with; its own keys win. A path from this file's "
    "directory, or a name.",
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
}
# Short forms that a validator accepts beside what the model's schema says.
_SHORT: dict[tuple[str, str], dict[str, Any]] = {
    ("Benchmark", "data"): {"type": "string"},
    ("Benchmark", "recipe"): {"type": "string"},
    ("Command", "seconds"): {"const": "run"},
}
_SHORT_VALUES: dict[tuple[str, str], dict[str, Any]] = {
    ("ExternalFile", "parameters"): {"type": ["number", "string", "boolean"]},
}


class Kind(StrEnum):
    """Kinds of files."""

    CAMPAIGN = "campaign"
    SITE = "site"
    WORKLOAD = "workload"


class Subject(StrEnum):
    """Subjects of schemas."""

    CAMPAIGN = Kind.CAMPAIGN.value
    SITE = Kind.SITE.value
    WORKLOAD = Kind.WORKLOAD.value
    OUTPUT = "output"
    MLLOG_SYSTEM = "mllog-system"


def complete_command(incomplete: str) -> list[str]:
    """Complete the first words of commands that print JSON."""
    from orchestrator.outputs.table import OUTPUTS

    return sorted({name.partition(" ")[0] for name in OUTPUTS if name.startswith(incomplete)})


def schema(
    kind: Annotated[
        Subject,
        typer.Argument(
            help="campaign, site or workload; output, for what commands print; or mllog-system.",
            metavar="KIND",
        ),
    ],
    command: Annotated[
        list[str] | None,
        typer.Argument(
            help="Words of the command whose --json is described, such as instance list; without them, all "
            "commands are listed.",
            metavar="[COMMAND]...",
            autocompletion=complete_command,
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of campaign, site or workload files: every key, what it means, what it may be.

    With output, that of the JSON that a command prints. With mllog-system, the description of a system to
    fill in, which `ledger export --format mllog --system FILE` takes.

    Editors that speak YAML complete and check a file by it, if the file's first line is
    "# yaml-language-server: $schema=campaign.schema.json".

    Example: orchestrator schema campaign > campaign.schema.json

    Example: orchestrator schema output instance list
    """
    if command and kind is not Subject.OUTPUT:
        raise typer.BadParameter("only output takes the words of a command", param_hint="COMMAND")
    if kind is Subject.MLLOG_SYSTEM:
        from orchestrator.report.mllog_files import system_template

        print_json(system_template())
    elif kind is not Subject.OUTPUT:
        print_json(editor_schema(Kind(kind.value)))
    elif command:
        print_json(output_schema(" ".join(command)))
    else:
        from orchestrator.outputs.table import OUTPUTS

        print("\n".join(OUTPUTS))


def output_schema(command: str) -> dict[str, Any]:
    """Return the JSON Schema of what a command prints with ``--json``.

    Raises
    ------
    typer.BadParameter
        If no command with JSON has these words.
    """
    from orchestrator.outputs.schemas import schema_of
    from orchestrator.outputs.table import OUTPUTS
    from workloads.spelling import near

    if command not in OUTPUTS:
        hint = near(command, OUTPUTS, "`orchestrator schema output` lists those that do")
        raise typer.BadParameter(f"no command {command!r} prints JSON{hint}", param_hint="COMMAND")
    return schema_of(OUTPUTS[command])


def editor_schema(kind: Kind) -> dict[str, Any]:
    """Return the JSON Schema of a kind of file, for editors."""
    from orchestrator.catalog.external_file import ExternalFile
    from orchestrator.planning.campaign_file import CampaignFile
    from sites import Site

    kinds: dict[Kind, type[Model]] = {
        Kind.CAMPAIGN: CampaignFile,
        Kind.SITE: Site,
        Kind.WORKLOAD: ExternalFile,
    }
    model = kinds[kind]
    found: dict[str, Any] = {"$schema": _DIALECT, **model.model_json_schema()}
    for name, one in {**found.get("$defs", {}), model.__name__: found}.items():
        _add_forms(name, one.get("properties", {}))
    if kind is Kind.CAMPAIGN:
        _add_repeat(found["$defs"]["Benchmark"])
        _add_recipe(found["$defs"]["Benchmark"])
    if kind is not Kind.WORKLOAD:
        found["properties"] = {"include": _INCLUDE, **found["properties"]}
        found["anyOf"] = [{"required": found.pop("required")}, {"required": ["include"]}]
    return found


def _add_forms(name: str, properties: dict[str, Any]) -> None:
    for (owner, key), form in _SHORT.items():
        if owner == name and key in properties:
            properties[key] = _either(properties[key], form)
    for (owner, key), form in _SHORT_VALUES.items():
        if owner == name and key in properties:
            values = properties[key]["additionalProperties"]
            properties[key] = {**properties[key], "additionalProperties": {"anyOf": [values, form]}}


def _add_repeat(benchmark: dict[str, Any]) -> None:
    """Let a benchmark state `repeat`, the instances of each point, or nothing: `until` may have `at_most`."""
    properties = benchmark["properties"]
    properties["repeat"] = {
        **properties["instances"],
        "description": "Instances of each point of the matrix.",
    }
    benchmark["required"] = [key for key in benchmark["required"] if key != "instances"]


def _add_recipe(benchmark: dict[str, Any]) -> None:
    """Let a benchmark name a recipe in place of a workload."""
    benchmark["required"] = [key for key in benchmark["required"] if key != "workload"]
    benchmark["allOf"] = [{"anyOf": [{"required": ["workload"]}, {"required": ["recipe"]}]}]


def _either(schema: dict[str, Any], form: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a value that follows a schema or has a short form."""
    words = {key: schema[key] for key in ("description", "default", "title") if key in schema}
    rest = {key: value for key, value in schema.items() if key not in words}
    forms: list[Any] = rest["anyOf"] if list(rest) == ["anyOf"] else [rest]
    return words | {"anyOf": [*forms, form]}
