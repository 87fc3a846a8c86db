"""Command lines as a shell runs them, and what they print and leave behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from orchestrator.cli import FORMER
from orchestrator.outputs.schemas import schema_of
from orchestrator.outputs.table import OUTPUTS
from tests.harness import ROOT

# Starts one command line after the other, each in a process of its own that is forked here after
# the imports; what a fresh interpreter does is looked at where that matters.
NURSERY = """
import json, os, runpy, sys
import db.ledger, db.schema, orchestrator.cli, orchestrator.lifecycle.launch
import orchestrator.analysis.verdict.fom, orchestrator.cli.terminal.plan_view, typer
list(typer.main.get_command(orchestrator.cli.app).commands.values())  # imports them all
for line in sys.stdin:
    order = json.loads(line)
    child = os.fork()
    if child == 0:
        os.chdir(order["cwd"])
        os.environ.clear()
        os.environ.update(order["environment"])
        for descriptor, file in enumerate(("/dev/null", order["out"], order["err"])):
            os.dup2(os.open(file, os.O_RDONLY if descriptor == 0 else os.O_WRONLY), descriptor)
        sys.argv = ["orchestrator", *order["arguments"]]
        runpy.run_module("orchestrator", run_name="__main__")
        sys.exit("the command line returned")
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def environment(**changes: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name != "ORCHESTRATOR_LEDGER"}
    return inherited | {"PYTHONPATH": str(ROOT), "COLUMNS": "200"} | changes


class CommandLine:
    """Runs ``python -m orchestrator`` with arguments in a folder, as a shell would."""

    def __init__(self, folder: Path) -> None:
        self._files = {name: folder / name for name in ("out", "err")}
        self._nursery = subprocess.Popen(
            [sys.executable, "-c", NURSERY],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )

    def __call__(self, *arguments: str, cwd: Path, **changes: str) -> subprocess.CompletedProcess[str]:
        assert self._nursery.stdin is not None
        assert self._nursery.stdout is not None
        for file in self._files.values():
            file.write_bytes(b"")
        order = {"cwd": str(cwd), "arguments": arguments, "environment": environment(**changes)}
        order |= {name: str(file) for name, file in self._files.items()}
        self._nursery.stdin.write(json.dumps(order) + "\n")
        self._nursery.stdin.flush()
        status = int(self._nursery.stdout.readline())
        out, err = (file.read_text() for file in self._files.values())
        check_json(arguments, out)
        return subprocess.CompletedProcess(arguments, status, out, err)

    def close(self) -> None:
        self._nursery.communicate()


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
