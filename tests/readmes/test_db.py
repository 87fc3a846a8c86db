"""The ledger's page: its queries and Python run, and its columns, states and events exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from db.events import EventKind
from db.reader import Reader
from db.states import AttemptState, InstanceState
from db.tables import metadata
from tests.db.filled import fill
from tests.readmes.pages import PAGES

MANUAL = PAGES["db/README.md"]
QUERIES = re.findall(r"^```sql\n(.*?)^```", MANUAL, re.MULTILINE | re.DOTALL)
PYTHON = re.findall(r"^```python\n(.*?)^```", MANUAL, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("sql", QUERIES, ids=range(len(QUERIES)))
def test_its_queries_run_and_find_rows(sql: str, ledger_url: str) -> None:
    fill(ledger_url)
    with Reader(ledger_url) as reader:
        _, found = reader.query(sql)
    assert found


@pytest.mark.parametrize("block", PYTHON, ids=range(len(PYTHON)))
def test_its_python_runs(
    block: str, sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(sqlite_url, "friday")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(block, "db/README.md", "exec"), names)
    assert len(names["attempts"]) > 0  # type: ignore[arg-type]


def test_it_lists_every_column_of_every_table() -> None:
    sections = re.findall(r"^### (\w+)\n(.*?)(?=^##)", MANUAL, re.MULTILINE | re.DOTALL)
    listed = {
        name: {
            column
            for row in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
            for column in re.findall(r"`(\w+)`", row)
        }
        for name, text in sections
    }
    assert listed == {
        name: {column.name for column in table.columns} for name, table in metadata.tables.items()
    }


def test_it_names_every_state_and_follower() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|$", MANUAL, re.MULTILINE)
    shown = {state: set(re.findall(r"`(\w+)`", others)) for state, others in rows}
    assert shown == {
        state: {other for other in AttemptState if state.may_become(other)}
        for state in AttemptState
        if not state.final
    }
    for state in InstanceState:
        assert f"`{state}`" in MANUAL


def test_it_names_only_kinds_of_events_that_exist() -> None:
    named = set(re.findall(r"--kind (\w+)", MANUAL)) | set(re.findall(r"`(\w+)` events?", MANUAL))
    assert named - {"help"} <= set(EventKind)
    assert {"late_report", "rejected_values"} <= named
