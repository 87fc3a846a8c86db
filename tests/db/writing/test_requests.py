"""Requests and changes of campaigns, on both databases: applied once, by whoever holds the campaign."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from db.errors import LeaseError, LedgerError
from db.events import EventKind
from db.ledger import Ledger
from db.reader import Reader
from db.records import NewInstance
from db.states import Action, InstanceState
from db.transfer.importer import copy
from db.verification import check
from db.writing.changes import CampaignChange
from db.writing.requests import Request, cancelled_in_flight
from tests.db import rows


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Ledger]:
    with Ledger(ledger_url) as opened:
        yield opened


def cancel(*numbers: int) -> Request:
    return Request(Action.CANCEL, "some", [[number, number] for number in numbers])


def states(ledger: Reader, campaign: int) -> dict[str, int]:
    return ledger.instance_counts(campaign)


def test_a_request_is_applied_at_once_where_no_driver_runs(ledger: Ledger) -> None:
    number = rows.register(ledger, instances=3)
    assert ledger.request(number, cancel(0, 2), "me")
    assert states(ledger, number) == {"planned": 1, "cancelled": 2}
    assert ledger.request(number, Request(Action.RETRY, "some", [[0, 2]]), "me")
    assert states(ledger, number) == {"planned": 3}
    assert check(ledger) == []


def test_a_driver_applies_it_and_is_told_by_its_lease(ledger: Ledger, ledger_url: str) -> None:
    number = rows.register(ledger, instances=3)
    session = rows.begin(ledger, number)
    with Ledger(ledger_url) as other:
        assert not other.request(number, cancel(0), "me")
        assert not other.request(number, cancel(1), "me")
    assert states(ledger, number) == {"planned": 3}
    assert ledger.renew(number, "me", 60) == "requests"
    ledger.apply_requests(number, session)
    ledger.apply_requests(number, session)
    assert states(ledger, number) == {"planned": 1, "cancelled": 2}
    assert ledger.renew(number, "me", 60) is None
    assert [sorted(one.changed) for one in ledger.applied_requests(number)] == [[0], [1]]


def test_a_cancel_says_whether_attempts_in_flight_are_ended(ledger: Ledger) -> None:
    number = rows.register(ledger, instances=3)
    session = rows.begin(ledger, number)
    ledger.submit(number, session, [rows.attempt(0), rows.attempt(1)])
    ledger.request(number, Request(Action.CANCEL, "some", [[0, 0]], ends_running=True), "me")
    ledger.request(number, Request(Action.CANCEL, "others", [[1, 2]]), "me")
    ledger.apply_requests(number, session)
    found = ledger.applied_requests(number)
    assert [one.message for one in found] == [
        "0 instances cancelled (some); 1 in flight is ended and not tried again",
        "1 instance cancelled (others); 1 in flight is not tried again",
    ]
    assert cancelled_in_flight(found) == {0, 1}
    assert cancelled_in_flight(found, ended=True) == {0}
    ledger.request(number, Request(Action.RETRY, "some", [[0, 0]]), "me")
    ledger.apply_requests(number, session)
    assert cancelled_in_flight(ledger.applied_requests(number)) == {1}


def test_a_request_to_stop_stands(ledger: Ledger) -> None:
    number = rows.register(ledger, instances=3)
    session = rows.begin(ledger, number)
    ledger.request_stop(number, "drain")
    ledger.request(number, cancel(0), "me")
    assert ledger.renew(number, "me", 60) == "drain"
    ledger.apply_requests(number, session)
    assert ledger.renew(number, "me", 60) == "drain"


def test_a_driver_that_lost_the_campaign_applies_nothing(ledger: Ledger) -> None:
    number = rows.register(ledger, instances=3)
    session = rows.begin(ledger, number, "first", -1)
    rows.begin(ledger, number, "second")
    ledger.request(number, cancel(0), "me")
    with pytest.raises(LeaseError):
        ledger.apply_requests(number, session)
    assert states(ledger, number) == {"planned": 3}


def test_a_copied_ledger_applies_no_request_again(ledger: Ledger, ledger_url: str, tmp_path: Path) -> None:
    number = rows.register(ledger, instances=3)
    ledger.request(number, cancel(0), "me")
    ledger.request(number, Request(Action.RETRY, "some", [[0, 0]]), "me")
    ledger.request(number, Request(Action.PAUSE, "toy", benchmark="toy"), "me")
    database = f"sqlite:///{tmp_path}/other.sqlite"
    with Ledger.open(database) as other:
        for name in ("x", "y"):
            rows.register(other, name)  # so that campaigns and events get other numbers
    copy(ledger_url, database, [], lambda *_: None)
    with Ledger(database) as other:
        moved = other.campaign("toy").campaign_id
        session = rows.begin(other, moved)
        assert other.begin_requests(moved, session).paused == {"toy"}
        assert states(other, moved) == {"planned": 3}
        assert len(other.applied_requests(moved)) == 3


def test_two_who_ask_at_once_are_both_heard(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = rows.register(ledger, instances=8)
    barrier = Barrier(4)

    def ask(instance: int) -> bool:
        with Ledger(ledger_url) as own:
            barrier.wait()
            return own.request(number, cancel(instance), "me")

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(4))) == [True] * 4
    with Reader(ledger_url) as reader:
        assert states(reader, number) == {"planned": 4, "cancelled": 4}
        assert len(reader.applied_requests(number)) == 4


def change(before: str, **more: Any) -> CampaignChange:
    kind = EventKind.CAMPAIGN_EXTENDED
    return CampaignChange(kind, "more", "", {}, "campaign", "", before, f"{before}\n# more", **more)


def test_a_campaign_is_extended_by_all_or_nothing(ledger: Ledger) -> None:
    number = rows.register(ledger, instances=3)
    text = ledger.campaign("toy").campaign_yaml
    new = (NewInstance(3, "toy", 3, 77),)
    ledger.change(number, change(text, counts={"toy": 4}, new_instances=new))
    assert states(ledger, number) == {InstanceState.PLANNED: 4}
    assert check(ledger) == []
    with pytest.raises(LedgerError, match="another command has changed the campaign"):
        ledger.change(number, change(text, counts={"toy": 5}))
    with pytest.raises(LedgerError):
        ledger.change(
            number, change(f"{text}\n# more", counts={"toy": 5}, new_instances=new)
        )  # one seed twice
    assert check(ledger) == []


def test_a_campaign_that_a_driver_holds_is_not_extended(ledger: Ledger) -> None:
    number = rows.register(ledger, instances=3)
    text = ledger.campaign("toy").campaign_yaml
    session = rows.begin(ledger, number, "other")
    with pytest.raises(LeaseError, match="the campaign is being run by other"):
        ledger.change(number, change(text))
    ledger.change(number, change(text), session=session)  # but by its own driver
