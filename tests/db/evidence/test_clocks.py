"""What times prove of clocks: bounds for each node, and contradictions where a clock was set."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import pytest

from db.evidence.clocks import Bounds, Clocks, clocks
from db.ledger import Ledger
from tests.db import rows
from tests.db.rows import T0, attempt, report

SECOND = 1_000_000
HOST = "node1"  # of every session's driver, unless a test names another


@dataclass
class Told:
    """Times of one attempt, in seconds; the most that its node says to be ahead, and the least by reports."""

    submitted: float = 0
    start: float | None = 1
    stop: float | None = 5
    received: float | None = 6
    node: str | None = None
    ahead: float | None = None
    least: float | None = None


def at(seconds: float | None, origin: int = T0) -> int | None:
    return None if seconds is None else origin + round(seconds * SECOND)


def found(url: str, *sessions: list[Told], hosts: tuple[str, ...] = ()) -> Clocks:
    """Return what is found where each session had these attempts."""
    count = sum(map(len, sessions))
    with Ledger(url) as ledger:
        number = rows.register(ledger, instances=max(count, 1))
        k = 0
        for place, attempts in enumerate(sessions):
            session = rows.begin(ledger, number, dead="me")
            if hosts:
                with rows.raw(url) as connection:
                    connection.exec_driver_sql(
                        f"UPDATE sessions SET host = '{hosts[place]}', "
                        f"started_us = {at(attempts[0].submitted)} - 1 "
                        f"WHERE session_number = {session}"
                    )
            for told in attempts:
                new = attempt(k, token=f"t{k}", at_us=at(told.submitted) or 0)
                ledger.submit(number, session, [new])
                known = {
                    "node": told.node,
                    "process_start_us": at(told.start),
                    "process_stop_us": at(told.stop),
                    "clock_offset_max_us": at(told.ahead, 0),
                    "clock_offset_min_us": at(told.least, 0),
                    "received_us": at(told.received),
                }
                ledger.record(number, [report(f"t{k}", "failed", **known)])
                k += 1
        return clocks(ledger, number)


def us(low: float | None, high: float | None) -> Bounds:
    return Bounds(at(low, 0), at(high, 0))


# -- one clock -------------------------------------------------------------------------------


@pytest.mark.parametrize("node", [None, HOST])
def test_what_happens_in_order_on_one_host_is_one_clock(ledger_url: str, node: str | None) -> None:
    sessions = [[Told(node=node)], [Told(10, 11, 15, 16, node=node), Told(10, None, None, None)]]
    assert found(ledger_url, *sessions) == Clocks({}, 0)


def test_no_attempts_contradict_nothing(ledger_url: str) -> None:
    assert found(ledger_url) == Clocks({}, 0)


def test_attempts_without_times_contradict_nothing(ledger_url: str) -> None:
    assert found(ledger_url, [Told(0, None, None, 1)]) == Clocks({}, 0)


@pytest.mark.parametrize("others", [[], [Told(node="n2", ahead=30)]])
@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        (Told(start=-7, node=HOST), 7),  # before it was submitted
        (Told(stop=20, node=HOST), 14),  # after its report came
        (Told(ahead=-9, node=HOST), 9),  # before the driver's time that it read
    ],
)
def test_the_drivers_own_host_contradicts_itself(
    ledger_url: str, told: Told, seconds: int, others: list[Told]
) -> None:
    known = found(ledger_url, [told, *others])
    assert known.contradiction_us == seconds * SECOND
    assert known.of((1, HOST)) == (us(0, 0) if others else us(None, None))


def test_a_session_that_began_before_the_last_one_ended(ledger_url: str) -> None:
    sessions = [[Told(received=3600)], [Told(10, 11, 15, 16)]]
    assert found(ledger_url, *sessions).contradiction_us == 3590 * SECOND


# -- several ---------------------------------------------------------------------------------


def test_each_node_of_each_session_has_its_bounds(ledger_url: str) -> None:
    known = found(
        ledger_url,
        [
            Told(0, 1.5, 5, 6, "n1", ahead=0.75),
            Told(0, 3, 5.5, 5.75, "n1", ahead=0.5),
            Told(0, 0.25, 5, 6, "n2"),  # no driver told its time
            Told(0, 1, 5, 6, HOST, ahead=0.5),
            Told(0, None, None, 6, "n3", ahead=4),  # it was lost
            Told(0, None, None, 6, None),
        ],
        [Told(10, 11, 16.5, 16.75, "n1", ahead=-0.125)],
    )
    assert known.contradiction_us == 0
    assert known.nodes == {
        (1, "n1"): us(-0.25, 0.5),
        (1, "n2"): us(-1, 0.25),
        (1, HOST): us(0, 0),
        (1, "n3"): us(None, 4),
        (2, "n1"): us(-0.25, -0.125),
    }
    assert known.of((3, "n1")) == known.of((1, None)) == us(None, None)


def test_a_start_soon_after_it_was_submitted_tells_more_than_an_old_time(ledger_url: str) -> None:
    assert found(ledger_url, [Told(start=0.25, node="n1", ahead=0.5)]).nodes == {(1, "n1"): us(-1, 0.25)}


def test_a_report_that_came_while_it_ran_tells_more_than_its_end(ledger_url: str) -> None:
    assert found(ledger_url, [Told(node="n1", least=-0.25)]).nodes == {(1, "n1"): us(-0.25, 1)}


def test_a_single_node_that_is_not_the_drivers_is_another_clock(ledger_url: str) -> None:
    assert found(ledger_url, [Told(node="n1")]).nodes == {(1, "n1"): us(-1, 1)}


def test_a_clock_that_is_off_and_known_contradicts_nothing(ledger_url: str) -> None:
    told = Told(0, 3601, 3605, 6, "n1", ahead=3600.5)
    assert found(ledger_url, [told]) == Clocks({(1, "n1"): us(3599, 3600.5)}, 0)


def test_a_nodes_clock_that_was_set_contradicts_itself(ledger_url: str) -> None:
    """Both bounds are kept: nobody can tell which of them holds."""
    known = found(ledger_url, [Told(node="n1", ahead=0.5), Told(0, -3599, -3595, 6, "n1", ahead=-3599.5)])
    assert known == Clocks({(1, "n1"): us(-3599.5, -1)}, int(3598.5 * SECOND))


@pytest.mark.parametrize(("hosts", "low"), [(("a", "a"), 0.5), (("a", "b"), -1)])
def test_what_a_driver_on_another_host_adopted_came_by_its_clock(
    ledger_url: str, hosts: tuple[str, str], low: float
) -> None:
    """Here that clock is behind, as it shows nowhere else; by itself it would place the node wrongly."""
    sessions = [
        [Told(node="n1", ahead=0.75), Told(stop=101.5, received=101, node="n1")],
        [Told(100.5, 101, 105, 106, "n1")],
    ]
    known = found(ledger_url, *sessions, hosts=hosts)
    assert known.of((1, "n1")) == us(low, 0.75)


def test_every_column_of_bounds_is_a_whole_number(ledger_url: str) -> None:
    known = found(ledger_url, [Told(node="n1"), Told(node="n2")])
    assert {type(value) for one in known.nodes.values() for value in asdict(one).values()} == {int}
    assert type(known.contradiction_us) is int
