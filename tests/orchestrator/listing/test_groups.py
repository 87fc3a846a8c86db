"""Rows have places only among those that agree in everything that a comparison needs."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.listing.groups import tables
from orchestrator.listing.log import Action, Entry
from orchestrator.listing.rows import ListedFigure, Row
from tests.orchestrator.listing.made_lists import AT, row


def places(*rows: Row, **struck: Entry) -> list[list[tuple[int, int | None]]]:
    """Return the rows of each group by their numbers, with their places."""
    [table] = tables(rows, {f"{int(name[1:]):064x}": entry for name, entry in struck.items()})
    return [[(int(one.row.root, 16), one.place) for one in group.rows] for group in table.groups]


def test_rows_that_agree_are_ranked_by_their_figure() -> None:
    assert places(row(1, 2.0), row(2, 3.0), row(3, 2.0), row(4, 1.0)) == [[(2, 1), (1, 2), (3, 2), (4, 4)]]


def test_rows_that_are_not_reportable_or_struck_have_no_place() -> None:
    gone = Entry(AT, Action.WITHDRAWN, "", because="x")
    rows = (row(1, 9.0, reportable=False), row(2, 8.0), row(3, 1.0), row(4, 2.0), row(5, None))
    assert places(*rows, r2=gone) == [[(4, 1), (3, 2), (1, None), (5, None), (2, None)]]


def test_a_single_row_and_several_figures_have_no_place() -> None:
    assert places(row(1)) == [[(1, None)]]
    several = (ListedFigure("a", "vflops", 1.0, ""), ListedFigure("b", "vflops", 2.0, ""))
    assert places(row(1, figures=several), row(2, figures=several)) == [[(1, None), (2, None)]]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"data": {"p1b1": "d" * 64}}, "data: p1b1 dddddddddddd…, and in the first group p1b1 cccccccccccc…"),
        ({"data": {}}, "data: none recorded, and in the first group p1b1 cccccccccccc…"),
        ({"rulebook_files": "d" * 64}, "rulebook version: 1.0.0, files dddddddddddd…, and in the first"),
        ({"declared": ("<b>less</b>",)}, "declarations: <b>less</b>, and in the first group none"),
        ({"workloads": ("p3b1",)}, "workloads: p3b1, and in the first group p1b1"),
    ],
)
def test_other_rows_stand_apart_and_it_says_why(change: dict[str, Any], said: str) -> None:
    rows = (row(1, 9.0, **change), row(2, 1.0), row(3, 2.0))
    [table] = tables(rows, {})
    first, second = table.groups
    assert [one.place for one in first.rows] == [1, 2]
    assert [one.place for one in second.rows] == [None]
    assert first.differs == ()
    assert [line.startswith(said) for line in second.differs] == [True]


def test_hashes_that_begin_alike_do_not_compare() -> None:
    near = row(2, data={"p1b1": "c" * 63 + "d"})
    assert len(places(row(1), near)) == 2


def test_data_that_were_not_hashed_compare_with_none() -> None:
    assert len(places(row(1, data={"p1b1": ""}), row(2, data={"p1b1": ""}))) == 2


def test_each_rulebook_and_class_has_a_table() -> None:
    rows = (row(1), row(2, run_class="optimized"), row(3, rulebook="none", run_class="ensemble"))
    named = [(table.rulebook, table.run_class) for table in tables(rows, {})]
    assert named == [("coral2", "base"), ("coral2", "optimized"), ("none", "ensemble")]
