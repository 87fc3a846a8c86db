"""Real drivers on one PostgreSQL ledger: two campaigns, one of them taken over, and no password anywhere."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from db.connection.connect import parse_url
from db.errors import LeaseError
from db.ledger import Ledger
from orchestrator.host.processes import CAMPAIGN_MARK, with_mark
from tests.db import rows
from tests.faults.fault_scenario import FaultScenario
from tests.faults.server import SECRET, Server


@pytest.fixture
def pair(tmp_path: Path, server: Server) -> Iterator[tuple[FaultScenario, FaultScenario]]:
    """Two campaigns, `toy` and `other`, of one ledger."""
    ledger = server.ledger()
    folders = [tmp_path / name for name in ("toy", "other")]
    for folder in folders:
        folder.mkdir()
    with (
        FaultScenario(folders[0], ledger=ledger) as toy,
        FaultScenario(folders[1], ledger=ledger, name="other") as other,
    ):
        for scene in (toy, other):
            scene.campaign(6)
            scene.hold("train")
        yield toy, other


def states(scene: FaultScenario) -> list[tuple[object, ...]]:
    """Return how often each instance of a campaign succeeded, and how often its state is done."""
    return scene.rows(
        "SELECT i.instance_id, i.state, count(*) FROM instances i JOIN campaigns c ON "
        "c.campaign_id = i.campaign_id "
        "JOIN attempts a ON a.campaign_id = i.campaign_id AND a.instance_id = i.instance_id AND "
        "a.state = 'succeeded' "
        f"WHERE c.name = '{scene.name}' GROUP BY i.instance_id, i.state ORDER BY i.instance_id"
    )


@pytest.mark.slow
def test_a_driver_that_lost_its_campaign_stops_and_leaves_the_others_alone(
    pair: tuple[FaultScenario, FaultScenario], server: Server
) -> None:
    toy, other = pair
    toy.drive()
    other.drive()
    toy.wait_at("train")
    bystanders = other.wait_at("train")

    assert toy.driver is not None
    first = toy.driver
    first.send_signal(signal.SIGSTOP)
    # By the database's clock its lease has run out, as it would have after a minute.
    server.execute(
        "UPDATE campaigns SET lease_expires_us = 0 WHERE name = 'toy'",
        database=str(parse_url(toy.ledger).database),
    )
    lost = toy.at("train")
    length = len(toy.said())
    toy.resume()
    held = toy.wait_at("train", lost)
    assert "processes that an earlier driver left behind" in toy.said(length)

    first.send_signal(signal.SIGCONT)
    assert first.wait(300) == 4, toy.said()
    assert "this driver lost the campaign to" in toy.said(length)
    assert "toy: taken over by another driver;" in toy.said(length)
    assert all(process.is_running() for process in (*held, *bystanders))

    for scene in pair:
        scene.release()
    for scene in pair:
        assert scene.ended() == 0, scene.said()
        assert states(scene) == [(k, "done", 1) for k in range(6)]
    assert toy.run("ledger", "verify").returncode == 0
    sessions = toy.rows(
        "SELECT c.name, s.session_number, s.outcome FROM sessions s JOIN campaigns c ON "
        "c.campaign_id = s.campaign_id"
    )
    assert sorted(sessions) == [("other", 1, "complete"), ("toy", 1, "driver_died"), ("toy", 2, "complete")]
    by_first = (
        "SELECT count(*) FROM attempts a JOIN campaigns c ON c.campaign_id = "
        "a.campaign_id WHERE c.name = 'toy' "
    )
    assert toy.rows(by_first + "AND session_number = 1 AND state = 'succeeded'") == [(0,)]


def test_a_driver_whose_session_was_closed_submits_nothing(ledger_url: str) -> None:
    """It may have been asleep between its last look at the lease and now."""
    with Ledger(ledger_url) as ledger:
        number = rows.register(ledger)
        first = rows.begin(ledger, number, "first")
        second = rows.begin(ledger, number, "second", dead="first")
        with pytest.raises(LeaseError, match="this driver lost the campaign to second"):
            ledger.submit(number, first, [rows.attempt(0, token="late")])
        assert ledger.attempt_states(number) == {}
        ledger.submit(number, second, [rows.attempt(0)])


@pytest.mark.slow
def test_the_password_is_nowhere(tmp_path: Path, server: Server) -> None:
    """It comes in the driver's environment, and is in nothing that the driver starts or writes."""
    with FaultScenario(tmp_path, ledger=server.ledger()) as scene:
        scene.campaign(3)
        scene.hold("train")
        scene.drive()
        scene.wait_at("train")
        assert scene.driver is not None
        driver = psutil.Process(scene.driver.pid)
        uid = scene.uid()
        started = {*with_mark(CAMPAIGN_MARK, uid), *driver.children(recursive=True)}
        assert len(started) >= 7  # interchange, manager, two workers, two supervisors, two trainings
        secret = SECRET.encode()
        for process in (driver, *started):
            assert secret not in Path(f"/proc/{process.pid}/cmdline").read_bytes(), process
        for process in started:
            assert secret not in Path(f"/proc/{process.pid}/environ").read_bytes(), process
        scene.release()
        assert scene.ended() == 0, scene.said()
        shown = [
            scene.run(*words).stdout
            for words in (("status", "toy"), ("fom", "toy"), ("instance", "show", "toy", "paced/0"))
        ]
        assert all(shown)
        assert SECRET not in "".join(shown)
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
        assert any(file.suffix == ".journal" for file in files) or any(
            "journals" in str(file) for file in files
        )
        for file in files:
            assert secret not in file.read_bytes(), file
        for table, contents in rows.everything(scene.ledger).items():
            assert SECRET not in repr(contents), table
