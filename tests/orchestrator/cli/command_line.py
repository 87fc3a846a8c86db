"""Command lines as a shell runs them, and what they print and leave behind."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from orchestrator.cli import FORMER
from orchestrator.outputs.schemas import schema_of
from orchestrator.outputs.table import OUTPUTS
from tests.forked_commands import ROOT, start_command


def environment(**changes: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name != "ORCHESTRATOR_LEDGER"}
    return inherited | {"PYTHONPATH": str(ROOT), "COLUMNS": "200"} | changes


class CommandLine:
    """Runs ``python -m orchestrator`` with arguments in a folder, as a shell would."""

    def __call__(self, *arguments: str, cwd: Path, **changes: str) -> subprocess.CompletedProcess[str]:
        command = start_command(arguments, cwd, environment(**changes))
        out, err = command.communicate()
        check_json(arguments, out)
        return subprocess.CompletedProcess(arguments, command.returncode, out, err)


def check_json(arguments: Sequence[str], out: str) -> None:
    """Refuse JSON of a command that differs from its schema, whichever test asked for it."""
    if "--json" not in arguments or not out:
        return
    words = [one for one in arguments if not one.startswith("-")]
    words = [*FORMER.get(words[0], words[0]).split(), *words[1:]]
    name = next(one for most in (3, 2, 1) if (one := " ".join(words[:most])) in OUTPUTS)
    try:
        found = [strict(out)]
    except ValueError:  # an object a line, or none: an error, or help
        lines = [line for line in out.splitlines() if line.startswith(("{", "["))]
        found = [strict(line) for line in lines if len(line) > 1]
    for one in found:
        _validator(name).validate(one)


@cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schema_of(OUTPUTS[name]))


def strict(content: str) -> Any:
    """Parse JSON as the standard has it: no NaN, no Infinity."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is no JSON")

    return json.loads(content, parse_constant=refuse)


def tree(folder: Path) -> dict[str, bytes | None]:
    """Return everything below a folder, to compare before and after."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }
