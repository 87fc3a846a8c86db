"""Writes files that describe external commands, and runs them as the supervisor does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.workloads.orders import Report, send

SCORE = {"pattern": "score (?P<value>[-+0-9.a-z]+)"}
TOP = {"name", "title", "source", "fom_time", "parameters", "quality", "data", "sizes"}


def description(program: str = "print('score 0.5')", **changes: Any) -> dict[str, Any]:
    """Return the content of a workload file whose command is a Python program."""
    command: dict[str, Any] = {"arguments": ["{python}", "-c", escaped(program)], "seconds": "run"}
    return {
        "name": "own", "title": "t", "source": "s", "fom_time": "run",
        **{key: value for key, value in changes.items() if key in TOP},
        "command": command | {key: value for key, value in changes.items() if key not in TOP},
    }  # fmt: skip


def escaped(program: str) -> str:
    return program.replace("{", "{{").replace("}", "}}")


def write(folder: Path, content: dict[str, Any] | str) -> str:
    file = folder / "own.yaml"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(file)


def go(folder: Path, program: str, run: dict[str, Any] | None = None, **changes: Any) -> Report:
    """Run a program as a command; `run` is what differs in the order."""
    return send(write(folder, description(program, **changes)), None, **(run or {}))


def result(report: Report) -> dict[str, Any]:
    assert report.code == 0, report.lines
    return report.last["result"]


def error(report: Report) -> str:
    assert report.code != 0
    assert report.last["error"]["kind"] == "command"
    assert report.last["error"]["where"] == ""
    assert "Traceback" not in report.stderr
    return report.last["error"]["message"]
