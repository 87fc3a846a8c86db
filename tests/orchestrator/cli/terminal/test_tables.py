"""Tables that need no folding are those of Rich to the letter."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.cli.terminal import tables

COLUMNS = ["instance", "seed", "fom seconds", "node", "reason", "good"]


def rows(number: int) -> list[list[Any]]:
    return [
        [f"b/{k}", k, k / 3 if k % 3 else None, "世界" if k % 2 else "n1", None, not k % 2]
        for k in range(number)
    ]


@pytest.mark.parametrize("number", [0, 1, 40])
def test_a_table_of_plain_lines_is_as_rich_draws_it(
    number: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tables.print_table(COLUMNS, rows(number), title="Instances")
    plain = capsys.readouterr().out
    monkeypatch.setattr(tables, "_plain_table", lambda *_: None)
    tables.print_table(COLUMNS, rows(number), title="Instances")
    assert plain == capsys.readouterr().out


def test_many_rows_are_not_drawn_by_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rich.table.Table.add_row", None)  # it takes a millisecond for each
    tables.print_table(COLUMNS, rows(20_000))
