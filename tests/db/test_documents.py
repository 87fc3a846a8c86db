"""Listings of code and variables are stored once, noted once for each campaign, and exported with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from db.columns import TABLES
from db.documents import campaign_documents, read_documents
from db.ledger import Ledger
from db.transfer.snapshot import Snapshot
from tests.db import rows

CODE = {"packages": {}, "files": {"mine.py": "0" * 64}}
VARIABLES = {"variables": {"OMP_NUM_THREADS": "1"}}


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Ledger]:
    with Ledger(ledger_url) as opened:
        yield opened


def test_documents_are_stored_once_and_noted_for_each_campaign(ledger: Ledger) -> None:
    numbers = [rows.started(ledger), rows.register(ledger, "other")]
    for number in (*numbers, *numbers):
        keys = ledger.store_documents(number, [CODE, VARIABLES])
    assert read_documents(ledger, [*keys, "f" * 64]) == dict(zip(keys, [CODE, VARIABLES], strict=True))
    assert ledger.store_documents(numbers[0], []) == []
    for number in numbers:
        noted = list(ledger.events(number, kinds=["document_recorded"]))
        assert [one.subject for one in noted] == keys
        assert noted[0].message == f"files of a run: {keys[0][:12]}"
        assert list(campaign_documents(ledger, number)) == keys


def test_an_export_of_one_campaign_has_its_documents(ledger: Ledger) -> None:
    number = rows.started(ledger)
    rows.register(ledger, "other")
    keys = ledger.store_documents(number, [CODE, VARIABLES])
    for name, expected in (("toy", set(keys)), ("other", set())):
        with Snapshot(ledger, [name]) as source:
            found = {row[0] for part in source.chunks(TABLES["documents"]) for row in part}
        assert found == expected, name


def test_documents_of_reports_are_stored_with_them(ledger: Ledger) -> None:
    number = rows.started(ledger)
    reports = [
        replace(rows.report(f"toy-t{k}.1", "succeeded"), documents=(CODE, VARIABLES)) for k in range(2)
    ]
    assert ledger.record(number, reports) == []
    assert list(campaign_documents(ledger, number).values()) == [CODE, VARIABLES]
    assert len(list(ledger.events(number, kinds=["document_recorded"]))) == 2
