"""Tables fit the terminal that shows them, and go elsewhere whole."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len

from orchestrator.cli.terminal import tables
from orchestrator.wording import number_words

COLUMNS = ["instance", "seed", "fom seconds", "node", "reason", "good"]


def rows(number: int) -> list[list[Any]]:
    return [
        [f"b/{k}", k, k / 3 if k % 3 else None, "世界" if k % 2 else "n1", "some words" * 4, not k % 2]
        for k in range(number)
    ]


@pytest.fixture
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int | None:
    monkeypatch.setattr(tables, "terminal_width", lambda: request.param)
    return request.param  # type: ignore[no-any-return]


@pytest.mark.parametrize("width", [None], indirect=True)
def test_a_pipe_gets_every_column_and_whole_lines(
    width: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    tables.print_table(COLUMNS, rows(2), title="Instances")
    assert capsys.readouterr().out.splitlines() == [
        "Instances",
        "instance  seed  fom seconds  node  reason                                    good",
        "b/0          0            -  n1    some wordssome wordssome wordssome words   yes",
        "b/1          1     0.333333  世界  some wordssome wordssome wordssome words    no",
    ]


@pytest.mark.parametrize("width", [80, 50, 40, 25], indirect=True)
def test_a_terminal_gets_what_fits_and_is_told_the_rest(
    width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    tables.print_table(COLUMNS, rows(12), title="Instances", leave=["good", "seed"])
    tables.say("  a text that is longer than some terminals are wide, of which the rest is on the next lines")
    shown = capsys.readouterr().out
    assert [line for line in shown.splitlines() if cell_len(line) > width] == []
    assert "b/11" in shown
    gone = shown.partition("left out at")[2].partition("a text")[0]
    kept = shown.partition("b/0")[0]
    assert [name for name in COLUMNS if name.split()[0] not in kept + gone] == []
    if width == 50:
        assert gone.split(": ")[1].split() == ["good"]


@pytest.mark.parametrize("width", [40], indirect=True)
def test_columns_of_the_same_name_leave_one_after_the_other(
    width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    tables.print_table(["a", "95 %", "b", "95 %"], [[1234567890, "x" * 15, 1, "y" * 15]], leave=["95 %"])
    shown = capsys.readouterr().out
    assert "x" * 15 in shown
    assert "y" not in shown
    assert shown.endswith("left out at 40 columns: 95 %\n")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.000653731, "0.0006537"),
        (12345.678, "12346"),
        (999999.4, "999999"),
        (9.0898e-05, "9.09e-05"),
        (1234567.0, "1.235e+06"),
        (-0.0, "0"),
    ],
)
def test_four_digits_are_enough_for_people(value: float, shown: str) -> None:
    assert number_words(value) == shown


def test_many_rows_are_not_drawn_by_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rich.table.Table.add_row", None)  # it takes a millisecond for each
    tables.print_table(COLUMNS, rows(20_000))
