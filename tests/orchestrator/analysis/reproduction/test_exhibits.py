"""Every table and figure of a document is listed, and what stands for its numbers exists."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from orchestrator.analysis.publications.documents import documents
from orchestrator.analysis.reproduction.exhibits import (
    SCALES,
    TEXT,
    Curve,
    Exhibit,
    exhibit_named,
    numbers_of,
    reproduction_of,
    reproductions,
)
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_source import campaign_names
from workloads.modules import BUILT_IN

# Tables and figures of the documents that number theirs.
NUMBERED = {"candle": (6, 21), "hpcai500": (12, 15)}


def test_every_document_with_numbers_is_reproduced() -> None:
    assert set(reproductions()) == set(documents())


@pytest.mark.parametrize("document", NUMBERED)
def test_every_table_and_figure_has_its_name(document: str) -> None:
    tables, figures = NUMBERED[document]
    wanted = {f"Table {n}" for n in range(1, tables + 1)} | {f"Figure {n}" for n in range(1, figures + 1)}
    assert wanted <= set(reproductions()[document].exhibits)


@pytest.mark.parametrize("document", sorted(documents()))
def test_every_published_number_stands_in_a_table_or_in_the_text(document: str) -> None:
    published, made = reproduction_of(document)
    homes = numbers_of(published, made)
    assert sum(map(len, homes.values())) == sum(1 for _ in published.numbers())
    tables = set(published.tables)
    assert not tables & {number.place for number in homes.get(TEXT, ())}


@pytest.mark.parametrize("document", sorted(documents()))
def test_rows_columns_and_changes_are_of_published_numbers(document: str) -> None:
    published, made = reproduction_of(document)
    for name, numbers in numbers_of(published, made).items():
        exhibit = made.exhibits[name]
        rows, columns = {number.row for number in numbers}, {number.column for number in numbers}
        words = {
            word
            for change in exhibit.changes.values()
            for word in (change.row, change.largest, change.least)
            if word
        }
        # Figures of two machines share their changes, and each states some of them.
        stated = rows if name.startswith("Table") else {number.row for number in published.numbers()}
        assert set(exhibit.rows) <= rows, name
        assert set(exhibit.columns) <= columns, name
        assert words <= stated, name


@pytest.mark.parametrize("document", sorted(documents()))
def test_workloads_and_campaigns_exist(document: str) -> None:
    made = reproductions()[document]
    for exhibit in made.exhibits.values():
        runs = (*exhibit.rows.values(), *exhibit.columns.values(), *exhibit.curves.values())
        named = {one.workload for one in runs} | {change.workload for change in exhibit.changes.values()}
        assert named - {""} <= set(BUILT_IN)
        assert all(set(exhibit.campaigns) <= set(made.campaigns[scale]) for scale in ("shipped", "paper"))
    assert set(made.campaigns) == set(SCALES)
    files = {campaign.file for of_scale in made.campaigns.values() for campaign in of_scale.values()}
    assert files <= set(campaign_names())


def test_a_single_table_needs_its_own_campaigns_alone() -> None:
    made = reproductions()["candle"]
    assert made.names("paper", "Table 3") == ["loading"]
    assert made.names("small", "Table 3") == ["demo"]
    assert made.names("paper") == list(made.campaigns["paper"])


def test_misspelt_names_suggest_the_near_name() -> None:
    with pytest.raises(CampaignError, match="no document 'candel'; did you mean candle"):
        reproduction_of("candel")
    with pytest.raises(CampaignError, match="no table or figure 'Tabel 3'; did you mean Table 3"):
        exhibit_named(reproductions()["candle"], "Tabel 3")
    assert exhibit_named(reproductions()["candle"], "table 3") == "Table 3"


def test_what_is_absent_is_not_measured_too() -> None:
    with pytest.raises(ValidationError, match="absent excludes rows"):
        Exhibit(title="x", absent="a diagram", curves={"y": Curve(workload="nt3", metric="time")})
