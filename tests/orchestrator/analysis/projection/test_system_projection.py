"""Campaigns that are projected together have run the same thing."""

from __future__ import annotations

import pytest

from orchestrator.analysis.projection.system_projection import project_system
from orchestrator.errors import CampaignError
from tests.orchestrator.analysis.verdict.test_fom import Book


def test_runs_of_other_settings_are_not_pooled(sqlite_url: str) -> None:
    books = [Book(sqlite_url, name=name, batch_size=size) for name, size in (("one", 100), ("two", 50))]
    for book in books:
        book.run(0, 0, 10)
    reader = books[0].ledger
    rows = [reader.campaign(book.name) for book in books]
    with pytest.raises(CampaignError, match="p1b1 has another batch_size in two than in one"):
        project_system(reader, rows, "made", 100, {"p1b1": 400})
    assert project_system(reader, rows[:1], "made", 100, {"p1b1": 400}).benchmarks[0].measured_runs == 1
    for book in books:
        book.ledger.close()
