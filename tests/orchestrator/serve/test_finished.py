"""Pages of a campaign that ended, and of its instances: when it ended, verdicts, phases, logs."""

from __future__ import annotations

from db.ledger import Ledger
from orchestrator.serve.pages.instance_sections import _phases
from tests.harness import wait_for
from tests.orchestrator.serve.made_ledger import fill
from tests.orchestrator.serve.test_pages import client

T = "2026-01-01T00:00:0"


def test_an_ended_campaign_says_when_and_how_long(sqlite_url: str) -> None:
    fill(sqlite_url)
    with Ledger(sqlite_url) as ledger:
        ledger.end_session(1, 1, "me", "exhausted")
    with client(sqlite_url) as pages:
        page = pages.get("/campaigns/toy").text
    for fact in ("ended", "took", "rate"):
        assert f"<dt>{fact}</dt>" in page
    assert "slots busy" not in page


def test_a_page_names_its_campaign_once_and_times_have_units(sqlite_url: str) -> None:
    fill(sqlite_url)
    with client(sqlite_url) as pages:
        listed = pages.get("/campaigns/toy/instances").text
        story = pages.get("/campaigns/toy/instances/p1b1/3").text
    assert "<title>Instances - toy - orchestrator</title>" in listed
    assert "<h1>Instances</h1>" in listed
    assert listed.count(">toy<") == 1
    assert "<title>p1b1/3 - Instances - toy - orchestrator</title>" in story
    assert "<td>FOM time</td><td>4.3 s</td>" in story


def test_a_campaign_has_its_time_drawn_while_it_runs_and_afterwards(sqlite_url: str) -> None:
    fill(sqlite_url)
    with client(sqlite_url) as pages:

        def drawn() -> str:
            page = pages.get("/campaigns/toy").text
            return page if '<figure class="timeline">' in page else ""

        assert "attempt" in wait_for(drawn, "the figures of a campaign that runs")
        with Ledger(sqlite_url) as ledger:
            ledger.end_session(1, 1, "me", "exhausted")
    with client(sqlite_url) as pages:
        page = wait_for(drawn, "the figures of a campaign that ended")
    assert '<figure class="throughput">' in page
    assert "20 accepted instances" in page
    assert "2 attempts not accepted" in page
    assert 'xlink:href="data:image/png;base64,' in page
    assert ' style="' not in page


def test_an_attempt_has_its_phases_and_its_log_folded(sqlite_url: str) -> None:
    fill(sqlite_url)
    with client(sqlite_url) as pages:
        page = pages.get("/campaigns/toy/instances/p1b1/10").text
    assert "Attempt 1: phases" in page
    assert "<details>\n<summary>Attempt 1: end of stderr</summary>" in page
    assert page.count("<h1>p1b1/10</h1>") == 1


def test_phases_lie_between_the_times_that_were_measured() -> None:
    times = {
        "submitted": f"{T}0.000Z",
        "process_start": f"{T}1.000Z",
        "run_stop": f"{T}3.500Z",
        "ready": None,
    }
    found = _phases(times)
    assert [(name, seconds) for name, seconds, _ in found] == [
        ("wait for the process", 1.0),
        ("until run stop", 2.5),
    ]
    assert found[1][2].pieces[1][0] == "phase"
    assert _phases({"submitted": f"{T}0.000Z"}) == []
    assert _phases({"submitted": f"{T}5.000Z", "process_start": f"{T}1.000Z"}) == []
