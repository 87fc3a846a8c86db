"""Campaigns whose launch records a forecast, which is scored after their end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harness import CampaignSandbox, wait_for

pytestmark = pytest.mark.slow


def test_a_second_campaign_is_predicted_from_the_first_and_scored(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    place.campaign(6)  # expects no duration
    first = place.run("launch", "toy.yaml", "--site", "site.yaml", "--name", "first")
    assert first.returncode == 0, first.stderr
    second = place.run("launch", "toy.yaml", "--site", "site.yaml", "--name", "second", "--forecast")
    assert second.returncode == 0, second.stderr
    assert place.rows(
        "SELECT name, count(*) FROM events JOIN campaigns USING (campaign_id) "
        "WHERE kind = 'forecast_registered' GROUP BY name"
    ) == [("second", 1)]
    [stated] = json.loads(place.run("analyze", "forecasts", "--json").stdout)["forecasts"]
    assert (stated["campaign"], stated["left_out"]) == ("second", None)
    assert stated["forecast"]["makespan_seconds"]["low"] < stated["makespan_seconds"]
    assert json.loads(place.run("status", "second", "--json").stdout)["forecast"]["runs"] == 19


def test_a_forecast_that_is_asked_for_needs_durations_and_one_that_is_not_wanted_is_not_made(
    tmp_path: Path,
) -> None:
    place = CampaignSandbox(tmp_path)
    place.campaign(2)
    refused = place.run("launch", "toy.yaml", "--site", "site.yaml", "--forecast")
    assert refused.returncode == 1
    assert "and it has neither" in refused.stderr
    assert not (tmp_path / "runs").exists() or not list((tmp_path / "runs").iterdir())
    place.campaign(2, expected_runtime="1 s")
    assert place.run("launch", "toy.yaml", "--site", "site.yaml", "--no-forecast").returncode == 0
    assert place.rows("SELECT 1 FROM events WHERE kind = 'forecast_registered'") == []


def test_what_is_left_is_predicted_while_it_runs(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    place.campaign(8, parameters={"seconds": 3.0}, expected_runtime="3 s")
    driver = place.start("launch", "toy.yaml", "--site", "site.yaml", "--forecast")
    wait_for(lambda: place.done() >= 2, "the first results")
    made = place.run("analyze", "forecasts", "--update", "--json")
    assert made.returncode == 0, made.stderr
    [stated] = json.loads(made.stdout)
    status = json.loads(place.run("status", "toy", "--json").stdout)
    assert (stated["campaign"], stated["forecast"]) == ("toy", status["updated_forecast"])
    assert "updated:  end " in place.run("status", "toy").stdout
    assert driver.wait(60) == 0
    [scored] = json.loads(place.run("analyze", "forecasts", "--json").stdout)["forecasts"]
    took, expected = scored["makespan_seconds"], stated["forecast"]["makespan_seconds"]["median"]
    assert 0.4 * took < expected < 2.5 * took
    assert "updated_forecast" not in json.loads(place.run("status", "toy", "--json").stdout)
