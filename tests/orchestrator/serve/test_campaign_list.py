"""The list of campaigns: figures with their verdicts, durations and rates."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from db.ledger import Ledger
from db.rows import Session
from orchestrator.analysis.live.progress import FigureSoFar
from orchestrator.serve import app
from orchestrator.serve.ledger_source import LedgerSource
from orchestrator.serve.pages.campaign_list import session_seconds
from tests.orchestrator.serve.made_ledger import fill
from tests.orchestrator.serve.test_pages import client


def cells(page: str) -> dict[str, str]:
    """Return the texts of the first row by column."""
    columns = re.findall(r"<th scope=\"col\"[^>]*>([^<]*)</th>", page)
    row = re.findall(r"<td[^>]*>(.*?)</td>", page)[: len(columns)]
    return dict(zip(columns, row, strict=True))


@pytest.mark.parametrize(("reportable", "word"), [(True, "yes"), (False, "no")])
def test_an_ended_campaign_has_its_figure_and_its_verdict(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, reportable: bool, word: str
) -> None:
    judged: list[str] = []

    def judge(_: LedgerSource, name: str) -> list[FigureSoFar]:
        judged.append(name)
        return [FigureSoFar("", "overall", 3.14159, "s", reportable), FigureSoFar("p1b1", "fom", 9.0, "")]

    monkeypatch.setattr(app, "read_figures", judge)
    fill(sqlite_url)
    with client(sqlite_url) as pages:
        running = cells(pages.get("/").text)
        assert (running["state"], running["FOM"], running["reportable"]) == ("running", "-", "-")
        with Ledger(sqlite_url) as ledger:
            ledger.end_session(1, 1, "me", "exhausted")
        ended = [cells(pages.get("/").text) for _ in range(2)]
    assert ended[0] == ended[1]
    assert (ended[0]["FOM"], ended[0]["reportable"]) == ("3.142 s", word)
    assert re.search(r"[0-9]", ended[0]["took"])
    assert float(ended[0]["instances/min"]) > 0
    assert ended[0]["created (UTC)"].startswith("20")
    assert judged == ["toy"]


def test_a_session_whose_driver_died_has_no_known_length() -> None:
    whole = Session(1, 1, "launch", "h", 1, "0", 2, 10_000_000, 70_000_000, "complete")
    assert session_seconds([whole]) == 60.0
    assert session_seconds([replace(whole, outcome="driver_died"), whole]) is None
    assert session_seconds([replace(whole, ended_us=None, outcome=None)], 20_000_000) == 10.0
    assert session_seconds([]) is None
