"""Forecasts beside what came of them: which campaigns count, and what the scores say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from db.events import EventKind
from db.ledger import Ledger
from db.reader import Reader
from db.tables import sessions
from orchestrator.analysis.projection.forecasts import Range, registered_forecast, scores, updated_forecasts
from orchestrator.cli import app
from tests.db import rows

HOUR_US = 3_600_000_000
FORECAST = {
    "runs": 19,
    "makespan_seconds": {"low": 3000.0, "median": 3600.0, "high": 4200.0},
    "node_hours": {"low": 0.8, "median": 1.0, "high": 1.2},
}


def ended(
    ledger: Ledger,
    name: str,
    hours: float,
    outcome: str = "complete",
    facts: dict[str, Any] | None = FORECAST,
) -> int:
    """Write a campaign on one node, that ended so many hours after the forecast was recorded."""
    number = rows.register(ledger, name)
    if facts is not None:
        ledger.note(number, EventKind.FORECAST_REGISTERED, "an hour", data=facts)
    session = rows.begin(ledger, number)
    ledger.end_session(number, session, "me", outcome)
    begin = ledger.campaign(name).created_us
    with ledger.connection() as connection, connection.begin():
        connection.execute(
            sessions.update()
            .where(sessions.c.campaign_id == number)
            .values(started_us=begin, ended_us=begin + round(hours * HOUR_US))
        )
    return number


@pytest.fixture
def filled(sqlite_url: str) -> str:
    with Ledger(sqlite_url) as ledger:
        for name, hours in (("exact", 1.0), ("late", 1.5), ("early", 0.9)):
            ended(ledger, name, hours)
        ended(ledger, "plain", 1.0, facts=None)
        ended(ledger, "drained", 1.0, "drained")
        again = ended(ledger, "again", 1.0)
        ledger.end_session(again, rows.begin(ledger, again), "me", "complete")
        changed = ended(ledger, "changed", 1.0)
        ledger.note(changed, EventKind.CAMPAIGN_EXTENDED, "more")
    return sqlite_url


def test_campaigns_that_ran_as_planned_are_scored(filled: str) -> None:
    with Reader(filled) as reader:
        found = scores(reader)
        only = scores(reader, ["late"])
    assert [(one.campaign, one.inside, one.hours_inside) for one in found.rows if not one.left_out] == [
        ("exact", True, True),
        ("late", False, False),
        ("early", True, True),
    ]
    assert {one.campaign: one.left_out for one in found.rows if one.left_out} == {
        "drained": "it ended otherwise: drained",
        "again": "it took 2 sessions",
        "changed": "it was changed: campaign_extended",
    }
    assert (found.inside, found.hours_inside) == ((2, 3), (2, 3))
    assert (found.length_ratio, found.hours_ratio) == (pytest.approx(1.0), pytest.approx(1.0))
    assert (only.inside, only.length_ratio) == ((0, 1), pytest.approx(1.5))


def test_a_campaign_that_goes_on_beyond_its_range_is_outside(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        ended(ledger, "stopped too late", 2.0, "drained")
        waiting = rows.register(ledger, "waiting")
        ledger.note(waiting, EventKind.FORECAST_REGISTERED, "an hour", data=FORECAST)
    with Reader(sqlite_url) as reader:
        late, early = scores(reader).rows
    assert (late.inside, late.hours_inside, late.ended) == (False, None, False)
    assert (early.inside, early.left_out) == (None, "it has not ended")


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"runs": 19},
        FORECAST | {"node_hours": None},
        FORECAST | {"makespan_seconds": {"low": 1, "median": "1", "high": 2}},
        FORECAST | {"makespan_seconds": {"low": 1, "median": 1e300, "high": 2}},
        FORECAST | {"runs": "many"},
    ],
)
def test_a_forecast_of_another_form_is_none(sqlite_url: str, facts: dict[str, Any]) -> None:
    with Ledger(sqlite_url) as ledger:
        ended(ledger, "odd", 1.0, facts=facts)
    with Reader(sqlite_url) as reader:
        assert registered_forecast(reader, reader.campaign("odd")) is None
        assert scores(reader).rows == ()


def test_a_campaign_without_a_forecast_has_none(filled: str) -> None:
    with Reader(filled) as reader:
        assert registered_forecast(reader, reader.campaign("plain")) is None
        found = registered_forecast(reader, reader.campaign("exact"))
    assert found is not None
    assert found.makespan_seconds == Range(3000.0, 3600.0, 4200.0)
    assert found.made_us >= found.registered_us
    assert found.words().startswith("end 20")
    assert found.words().endswith(" UTC, 0.8 to 1.2 node-hours (each 90 %)")


def test_the_command_says_how_many_kept_within(filled: str) -> None:
    shown = CliRunner().invoke(app, ["analyze", "forecasts", "--ledger", filled])
    assert shown.exit_code == 0, shown.output
    assert "2 of 3 campaigns ended in the range of the forecast" in shown.output
    assert "again is left out: it took 2 sessions" in shown.output
    assert all(len(line) <= 80 for line in shown.output.splitlines() if line.startswith(("exact", "late")))
    stated = json.loads(CliRunner().invoke(app, ["analyze", "forecasts", "-l", filled, "--json"]).stdout)
    assert (stated["scored"], stated["inside"], stated["confidence"]) == (3, 2, 0.9)
    assert stated["forecasts"][0]["forecast"]["makespan_seconds"]["high"] == 4200.0
    unknown = CliRunner().invoke(app, ["analyze", "forecasts", "exakt", "--ledger", filled])
    assert unknown.exit_code


def test_a_ledger_without_forecasts_says_how_to_get_them(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        ended(ledger, "plain", 1.0, facts=None)
    shown = CliRunner().invoke(app, ["analyze", "forecasts", "--ledger", sqlite_url])
    assert shown.exit_code == 0
    assert "`orchestrator launch --forecast` records one" in shown.output


def test_status_and_report_show_it(filled: str) -> None:
    shown = CliRunner().invoke(app, ["status", "exact", "--ledger", filled])
    assert "forecast: end 20" in shown.output
    stated = json.loads(CliRunner().invoke(app, ["status", "exact", "-l", filled, "--json"]).stdout)
    assert stated["forecast"]["node_hours"] == FORECAST["node_hours"]
    assert "forecast" not in json.loads(
        CliRunner().invoke(app, ["status", "plain", "-l", filled, "--json"]).stdout
    )


# -- forecasts that were made while a campaign ran -------------------------------------------


def update(ledger: Ledger, number: int, hours: float, expected: float) -> None:
    """Write what a campaign was expected to take, some hours after its registration."""
    row = next(one for one in ledger.campaigns() if one.campaign_id == number)
    seconds = {"low": expected * 3500, "median": expected * 3600, "high": expected * 3700}
    at = row.created_us + round(hours * HOUR_US)
    ledger.note(
        number, EventKind.FORECAST_UPDATED, "", data=FORECAST | {"makespan_seconds": seconds}, at_us=at
    )


def test_the_first_forecast_after_half_of_the_time_is_scored(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        good = ended(ledger, "good", 2.0)
        for hours, expected in ((0.5, 1.0), (1.2, 2.0), (1.5, 9.0)):
            update(ledger, good, hours, expected)
        update(ledger, ended(ledger, "bad", 2.0), 1.2, 1.0)
        update(ledger, ended(ledger, "soon", 2.0), 0.5, 2.0)
        changed = ended(ledger, "changed", 2.0)
        row = ledger.campaign("changed")
        at = row.created_us + HOUR_US + 1
        ledger.note(changed, EventKind.CAMPAIGN_EXTENDED, "more", at_us=at)
        update(ledger, changed, 1.6, 2.0)
        stopped = ended(ledger, "stopped", 2.0, "drained")
        update(ledger, stopped, 1.6, 2.0)
    with Reader(sqlite_url) as reader:
        found = scores(reader)
        assert len(updated_forecasts(reader, reader.campaign("good"))) == 3
    assert {one.campaign: one.update_inside for one in found.rows} == {
        "good": True,
        "bad": False,
        "soon": None,
        "changed": True,
        "stopped": None,
    }
    assert found.updates_inside == (2, 3)
    shown = CliRunner().invoke(app, ["analyze", "forecasts", "--ledger", sqlite_url]).output
    assert "2 of 3 campaigns ended in the range that was predicted after half of their time." in shown
    stated = json.loads(
        CliRunner().invoke(app, ["analyze", "forecasts", "--ledger", sqlite_url, "--json"]).output
    )
    assert (stated["updates_inside"], stated["updates_scored"]) == (2, 3)


def test_nothing_is_predicted_of_a_campaign_that_does_not_run(filled: str) -> None:
    command = ["analyze", "forecasts", "exact", "--update", "--ledger", filled]
    refused = CliRunner().invoke(app, command)
    assert refused.exit_code == 1
    assert "exact does not run: `orchestrator resume exact` goes on" in str(refused.exception)


def test_forecasts_of_a_former_session_or_from_before_a_change_are_of_another_course(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        number = ended(ledger, "toy", 1.0)
        update(ledger, number, 0.5, 2.0)
        row = ledger.campaign("toy")
        assert len(updated_forecasts(ledger, row)) == 1
        at = row.created_us + 6 * HOUR_US // 10
        ledger.note(number, EventKind.CAMPAIGN_EXTENDED, "more", at_us=at)
        assert updated_forecasts(ledger, row) == []
        update(ledger, number, 0.7, 2.0)
        assert len(updated_forecasts(ledger, row)) == 1
        again = ended(ledger, "again", 1.0)
        update(ledger, again, 0.0, 2.0)
        assert len(updated_forecasts(ledger, ledger.campaign("again"))) == 1
        rows.begin(ledger, again)
        assert updated_forecasts(ledger, ledger.campaign("again")) == []
