"""The reference has every command, kind of event, table and name."""

from __future__ import annotations

import pytest

import orchestrator
from db.events import EventKind
from orchestrator.cli import COMMANDS
from orchestrator.docs.reference import MADE
from orchestrator.serve.api.routes import ROUTES


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("commands", [f"## orchestrator {name}\n" for row in COMMANDS.values() for name in row]),
        ("events", [f"| `{kind.value}` |" for kind in EventKind]),
        ("tables", ["## campaigns\n", "## attempts\n", "| `attempt_number` |"]),
        ("names", [f".{name}" for name in orchestrator.__all__ if name != "__version__"]),
        ("routes", [f"## {one.method} /api/v1{one.path.replace(':path', '')}\n" for one in ROUTES]),
        ("exit_codes", ["| 0 | complete (`complete`) |", "| 5 | `fom`: "]),
        ("campaign", ["| `benchmarks` |", "## Benchmark\n"]),
        ("site", ["| `pools` |"]),
        ("workload", ["| `parameters` |"]),
    ],
)
def test_a_page_has_everything(page: str, names: list[str]) -> None:
    text = MADE[page]()
    assert [name for name in names if name not in text] == []
