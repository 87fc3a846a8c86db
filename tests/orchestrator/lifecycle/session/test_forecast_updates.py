"""The process that predicts anew when a campaign will end."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from db.events import EventKind
from db.records import CampaignRow
from orchestrator.lifecycle.driver_process.identity import this_driver
from orchestrator.lifecycle.session.forecast_updates import ForecastUpdates
from tests.db import rows
from tests.harness import wait_for
from tests.orchestrator.simulation.simulated import SimulatedCampaign
from tests.orchestrator.simulation.test_rest import world_of

PROJECT = Path(__file__).parents[4]
HOUR = {"low": 1.0, "median": 3600.0, "high": 7200.0}
FORECAST: dict[str, Any] = {"runs": 19, "makespan_seconds": HOUR, "node_hours": HOUR}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[SimulatedCampaign]:
    made = world_of(tmp_path, instances=4)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
    monkeypatch.setenv("ORCHESTRATOR_LEDGER", "sqlite:////nowhere")


def updates(world: SimulatedCampaign, *, enabled: bool = True) -> tuple[ForecastUpdates, CampaignRow]:
    """Return the updates of a campaign that this process runs."""
    rows.begin(world.book, world.row.campaign_id, this_driver(), 1e6)
    row = world.book.campaign("toy")
    return ForecastUpdates(world.book, row, enabled=enabled), row


def predict_now(one: ForecastUpdates) -> None:
    """Start a prediction and wait for its end."""
    one._due = 0.0
    one.check()
    assert one._process is not None
    process = one._process
    wait_for(lambda: process.poll() is not None, "the end of the prediction")
    one.check()
    assert one._process is None


def test_it_records_forecasts_of_what_is_left(world: SimulatedCampaign) -> None:
    world.book.note(world.row.campaign_id, EventKind.FORECAST_REGISTERED, "an hour", data=FORECAST)
    one, row = updates(world)
    predict_now(one)
    [event] = world.book.events(row.campaign_id, kinds=[EventKind.FORECAST_UPDATED])
    assert event.data is not None
    assert event.data["runs"] == 19
    assert 600 < event.data["makespan_seconds"]["median"] < 900  # four runs of ten minutes beside each other
    due = one._due
    one.check()
    assert (one._due, one._process) == (due, None)  # the next one is due in ten minutes
    one.close()


@pytest.mark.parametrize("forecast", [True, False])
def test_nothing_is_predicted_without_a_forecast_or_where_it_would_disturb(
    world: SimulatedCampaign, forecast: bool
) -> None:
    if forecast:
        world.book.note(world.row.campaign_id, EventKind.FORECAST_REGISTERED, "an hour", data=FORECAST)
    one, _ = updates(world, enabled=not forecast)
    one._due = 0.0
    one.check()
    assert one._process is None
    one.close()


def test_one_that_fails_is_logged_and_tried_again_later(
    world: SimulatedCampaign, caplog: pytest.LogCaptureFixture
) -> None:
    world.book.note(world.row.campaign_id, EventKind.FORECAST_REGISTERED, "an hour", data=FORECAST)
    world.write_texts(json.dumps({"campaign": "toy"}), "")
    one, row = updates(world)
    caplog.set_level(logging.INFO)
    predict_now(one)
    assert "no forecast of what is left: error: " in caplog.text
    assert list(world.book.events(row.campaign_id, kinds=[EventKind.FORECAST_UPDATED])) == []
    assert one._due > 0
    one.close()


def test_one_that_runs_ends_with_the_session(world: SimulatedCampaign) -> None:
    world.book.note(world.row.campaign_id, EventKind.FORECAST_REGISTERED, "an hour", data=FORECAST)
    one, _ = updates(world)
    one._due = 0.0
    one.check()
    assert one._process is not None
    process = one._process
    one.close()
    assert process.poll() is not None
