"""One reading of where a campaign stands, whichever display asks."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from orchestrator.cli import app
from orchestrator.monitoring.campaign_status import CampaignStatus
from orchestrator.serve.ledger_source import LedgerSource
from orchestrator.serve.live_reads import read_live
from tests.orchestrator.cli.look.test_watch import Driven

_CLOCK = ("at", "time_left", "per_minute", "longest_running_seconds", "left_seconds")


def _without_clock(value: object) -> object:
    """Leave out what changes from one moment to the next."""
    if isinstance(value, dict):
        return {key: _without_clock(item) for key, item in value.items() if key not in _CLOCK}
    return [_without_clock(item) for item in value] if isinstance(value, list | tuple) else value


def _printed(url: str, *words: str) -> object:
    ended = CliRunner().invoke(app, ["status", "toy", *words, "--json", "--ledger", url])
    return _without_clock(json.loads(ended.output))


def test_a_command_a_screen_and_a_page_read_the_same(sqlite_url: str, tmp_path: Path) -> None:
    driven = Driven(sqlite_url, tmp_path)
    status = CampaignStatus.read(driven.book, driven.book.campaign("toy"))
    facts = _without_clock(json.loads(json.dumps(status.to_dict())))
    assert _printed(sqlite_url) == facts
    assert _without_clock(read_live(LedgerSource(sqlite_url), "toy").to_dict()) == _without_clock(
        status.to_dict()
    )
    assert status.driver
    assert (status.outcome, status.over, status.left, status.next_command) == (None, False, True, None)


def test_without_a_driver_nothing_is_said_of_its_pace(sqlite_url: str, tmp_path: Path) -> None:
    driven = Driven(sqlite_url, tmp_path)
    driven.finish("drained")
    watched = CliRunner().invoke(app, ["status", "toy", "--watch", "--json", "--ledger", sqlite_url])
    facts = json.loads(watched.output.splitlines()[-1])
    assert facts.pop("figures_so_far") is not None
    assert _without_clock(facts) == _printed(sqlite_url)
    assert (facts["driver"], facts["outcome"], facts["progress"]["slots_busy"]) == (None, "drained", None)
    assert facts["next"] == ["orchestrator", "resume", "toy"]
