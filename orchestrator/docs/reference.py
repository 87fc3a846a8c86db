"""Pages of the reference, made from the code: commands, keys of files, tables, events, exit codes, names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any

import typer.main

import orchestrator
from db.events import EventKind
from db.tables import events
from orchestrator.cli import app
from orchestrator.cli.exit_codes import ANSWERS, EXIT_CODES
from orchestrator.cli.files.schema import Kind, editor_schema
from orchestrator.monitoring.outcome_words import outcome_words


def _cell(text: Any) -> str:
    """Return a text for a cell, its signs of Markdown and HTML escaped where they are not code."""
    parts = " ".join(str(text).split()).replace("|", "\\|").split("`")
    parts[::2] = [re.sub(r"([*_\[])", r"\\\1", one).replace("<", "&lt;") for one in parts[::2]]
    return "`".join(parts)


def _code(text: Any) -> str:
    return f"`{' '.join(str(text).split())}`".replace("|", "\\|")


def table(titles: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    lines = [titles, ("---",) * len(titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def commands() -> str:
    """Return the page of every command with its arguments and options."""
    return "\n\n".join(["# Commands", *_commands(typer.main.get_command(app), "orchestrator")])


def _commands(command: Any, path: str) -> Iterator[str]:
    for name, one in getattr(command, "commands", {}).items():
        if one.hidden:
            continue
        yield f"## {path} {name}\n\n```text\n{(one.help or '').strip()}\n```"
        rows = [
            (", ".join(_code(opt) for opt in (*p.opts, *p.secondary_opts)), _cell(p.help or ""))
            for p in one.params
            if not getattr(p, "hidden", False) and p.name != "help"
        ]
        if rows:
            yield table(("argument or option", "meaning"), rows)
        yield from _commands(one, f"{path} {name}")


def keys(kind: Kind) -> str:
    """Return the page of every key that a kind of file may hold."""
    schema = editor_schema(kind)
    parts = [f"# Keys of {kind} files", _keys(schema)]
    for name, model in sorted(schema.get("$defs", {}).items()):
        parts += [f"## {name}", *filter(None, [_cell(model.get("description", "")), _keys(model)])]
    return "\n\n".join(parts)


def _keys(model: dict[str, Any]) -> str:
    if "properties" not in model:
        return _cell("One of: " + ", ".join(map(str, model["enum"]))) if "enum" in model else ""
    return table(
        ("key", "type", "default", "meaning"),
        [
            (
                _code(key),
                _type(one),
                _code(one["default"]) if one.get("default") not in (None, "", [], {}) else "",
                _cell(one.get("description", "")),
            )
            for key, one in model["properties"].items()
        ],
    )


def _type(one: dict[str, Any]) -> str:
    if "$ref" in one:
        name = one["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for several in ("anyOf", "oneOf"):
        if several in one:
            return " or ".join(dict.fromkeys(filter(None, map(_type, one[several]))))
    if one.get("type") == "array" and "items" in one:
        return f"list of {_type(one['items'])}"
    found = one.get("type", "one of " + ", ".join(map(str, one["enum"])) if "enum" in one else "")
    return " or ".join(found) if isinstance(found, list) else str(found)


def tables() -> str:
    """Return the page of the ledger's tables and columns."""
    parts = ["# Tables"]
    for one in events.metadata.sorted_tables:
        rows = [(_code(c.name), str(c.type), "" if c.nullable else "never NULL") for c in one.columns]
        parts += [f"## {one.name}", table(("column", "type", ""), rows)]
    return "\n\n".join(parts)


def event_kinds() -> str:
    """Return the page of the kinds of events."""
    rows = [(_code(kind.value), _cell(kind.description)) for kind in EventKind]
    return f"# Events\n\n{table(('kind', 'meaning'), rows)}"


def routes() -> str:
    """Return the page of the routes of the JSON API with their parameters."""
    from orchestrator.serve.api import openapi  # needs the packages of `serve`

    found = openapi.document()["paths"]
    parts = ["# Routes of the API"]
    for path, methods in found.items():
        for method, one in methods.items():
            parts += [f"## {method.upper()} {path}", _cell(one["summary"]), _cell(one.get("description", ""))]
            rows = [
                (
                    _code(p["name"]),
                    _type(p["schema"]),
                    _code(p["schema"]["default"]) if "default" in p["schema"] else "",
                    _cell(p["description"]),
                )
                for p in one["parameters"]
            ]
            if rows:
                parts.append(table(("parameter", "type", "default", "meaning"), rows))
            if (body := one.get("requestBody")) is not None:
                name = body["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
                parts.append(_keys(openapi.document()["components"]["schemas"][name]))
    return "\n\n".join(filter(None, parts))


def exit_codes() -> str:
    """Return the page of the exit codes."""
    rows = [(str(code), f"{outcome_words(outcome)} (`{outcome}`)") for outcome, code in EXIT_CODES.items()]
    rows += [("1", "an error, which the last line states"), ("2", "the command line is wrong")]
    rows += [(str(code), f"{_code(command)}: {meaning}") for command, (code, meaning) in ANSWERS.items()]
    return f"# Exit codes\n\n{table(('code', 'meaning'), sorted(rows, key=itemgetter(0)))}"


def names() -> str:
    """Return the page of the names that the package offers to Python, for mkdocstrings."""
    homes = orchestrator._HOME
    return "\n\n".join(
        ["# Names", *(f"::: {homes[n]}.{n}" for n in orchestrator.__all__ if not n.startswith("_"))]
    )


MADE: dict[str, Callable[[], str]] = {
    "commands": commands,
    **{kind.value: lambda kind=kind: keys(kind) for kind in Kind},  # type: ignore[misc]
    "tables": tables,
    "events": event_kinds,
    "routes": routes,
    "exit_codes": exit_codes,
    "names": names,
}
"""Every page that is made from the code, by the name that ``pages.yaml`` gives it."""
