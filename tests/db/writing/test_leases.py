"""One driver holds a campaign at a time, and the ledger says which."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from db.errors import LeaseError
from db.ledger import Ledger
from tests.db import rows

EXPIRED = -1.0
"""A lease that has run out already: what a test would otherwise have to wait for."""


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Ledger]:
    with Ledger(ledger_url) as opened:
        yield opened


def sessions(ledger: Ledger, campaign: int) -> list[tuple[int, str | None, bool]]:
    return [(s.session_number, s.outcome, s.ended_us is not None) for s in ledger.sessions_of(campaign)]


def test_a_second_driver_is_refused_and_told_who_holds_it(ledger: Ledger, ledger_url: str) -> None:
    number = rows.register(ledger)
    assert rows.begin(ledger, number, "first") == 1
    before = rows.everything(ledger_url)
    with pytest.raises(LeaseError, match=r"run by first; .* expires in (59|60) s") as refused:
        rows.begin(ledger, number, "second")
    assert "`orchestrator attach toy`, stop it with `orchestrator stop toy`, or wait" in str(refused.value)
    assert rows.everything(ledger_url) == before


def test_another_campaign_is_free(ledger: Ledger) -> None:
    one, two = rows.register(ledger, "one"), rows.register(ledger, "two")
    rows.begin(ledger, one, "first")
    assert rows.begin(ledger, two, "second") == 1


def test_an_expired_lease_is_taken_and_its_session_died(ledger: Ledger) -> None:
    number = rows.register(ledger)
    rows.begin(ledger, number, "first", EXPIRED)
    assert rows.begin(ledger, number, "second") == 2
    assert sessions(ledger, number) == [(1, "driver_died", True), (2, None, False)]
    assert ledger.campaign("toy").lease_owner == "second"


def test_the_lease_of_the_dead_is_taken_while_it_still_holds(ledger: Ledger) -> None:
    number = rows.register(ledger)
    rows.begin(ledger, number, "first")
    assert rows.begin(ledger, number, "second", dead="first") == 2
    assert sessions(ledger, number)[0] == (1, "driver_died", True)
    with pytest.raises(LeaseError, match="lost the campaign to second"):
        ledger.renew(number, "first", 60)


def test_of_two_that_found_the_same_owner_dead_the_first_takes_its_lease(ledger: Ledger) -> None:
    number = rows.register(ledger)
    rows.begin(ledger, number, "first")
    rows.begin(ledger, number, "second", dead="first")
    with pytest.raises(LeaseError, match="run by second"):
        rows.begin(ledger, number, "third", dead="first")
    assert ledger.campaign("toy").lease_owner == "second"


def test_renew_prolongs(ledger: Ledger) -> None:
    number = rows.register(ledger)
    rows.begin(ledger, number, "first", EXPIRED)
    assert ledger.renew(number, "first", 60) is None
    with pytest.raises(LeaseError):
        rows.begin(ledger, number, "second")


def test_an_owner_may_renew_what_ran_out_but_nobody_took(ledger: Ledger) -> None:
    number = rows.register(ledger)
    rows.begin(ledger, number, "first", EXPIRED)
    assert ledger.renew(number, "first", EXPIRED) is None
    assert ledger.campaign("toy").lease_owner == "first"


def test_renew_after_the_lease_was_given_back(ledger: Ledger) -> None:
    number = rows.register(ledger)
    session = rows.begin(ledger, number, "first")
    ledger.end_session(number, session, "first", "complete")
    with pytest.raises(LeaseError, match="to no driver"):
        ledger.renew(number, "first", 60)


@pytest.mark.parametrize("how", ["drain", "cancel"])
def test_a_stop_request_reaches_the_holder_until_the_session_ends(ledger: Ledger, how: str) -> None:
    number = rows.register(ledger)
    session = rows.begin(ledger, number, "first")
    ledger.request_stop(number, how)
    assert ledger.renew(number, "first", 60) == how
    assert ledger.renew(number, "first", 60) == how
    assert ledger.campaign("toy").stop_request == how
    ledger.end_session(number, session, "first", "drained")
    assert ledger.campaign("toy").stop_request is None


def test_a_stop_request_for_a_dead_driver_does_not_stop_the_next(ledger: Ledger) -> None:
    number = rows.register(ledger)
    rows.begin(ledger, number, "first", EXPIRED)
    ledger.request_stop(number, "cancel")
    rows.begin(ledger, number, "second")
    assert ledger.renew(number, "second", 60) is None


def test_the_end_of_a_session_gives_the_lease_back(ledger: Ledger) -> None:
    number = rows.register(ledger)
    session = rows.begin(ledger, number, "first")
    ledger.end_session(number, session, "first", "complete")
    row = ledger.campaign("toy")
    assert (row.lease_owner, row.lease_expires_us, row.outcome) == (None, None, "complete")
    assert sessions(ledger, number) == [(1, "complete", True)]
    assert rows.begin(ledger, number, "second") == 2
    assert ledger.campaign("toy").outcome is None


def test_one_who_lost_the_campaign_cannot_give_it_away(ledger: Ledger) -> None:
    number = rows.register(ledger)
    session = rows.begin(ledger, number, "first", EXPIRED)
    rows.begin(ledger, number, "second")
    ledger.end_session(number, session, "first", "complete")
    row = ledger.campaign("toy")
    assert (row.lease_owner, row.outcome) == ("second", None)
    assert sessions(ledger, number)[1] == (2, None, False)


def test_a_session_that_was_closed_as_dead_stays_so(ledger: Ledger) -> None:
    number = rows.register(ledger)
    session = rows.begin(ledger, number, "first", EXPIRED)
    rows.begin(ledger, number, "second")
    closed = ledger.sessions_of(number)[0]
    ledger.end_session(number, session, "first", "complete")
    assert ledger.sessions_of(number)[0] == closed


def test_of_drivers_that_come_at_once_one_wins(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = rows.register(ledger)
        for round_ in range(8):
            ready = Barrier(3)

            def begin(owner: str, ready: Barrier = ready) -> int | None:
                with Ledger(ledger_url) as own:
                    ready.wait(300)
                    try:
                        return rows.begin(own, number, owner)
                    except LeaseError:
                        return None

            with ThreadPoolExecutor(3) as pool:
                futures = [pool.submit(begin, f"driver {k}") for k in range(3)]
                found = [future.result() for future in futures]
            assert sorted(map(str, found)) == sorted(["None", "None", str(round_ + 1)])
            winner = f"driver {found.index(round_ + 1)}"
            assert ledger.campaign("toy").lease_owner == winner
            ledger.end_session(number, round_ + 1, winner, "drained")
