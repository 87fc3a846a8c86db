"""What overlapped for certain: never more than what truly did, whatever the clocks of nodes were."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db.evidence.clocks import clocks
from db.ledger import Ledger
from db.records import NewAttempt
from db.states import InstanceState
from orchestrator.analysis.base.overlap import guaranteed_overlap, peak_overlap
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.rulebooks.accepted_facts import GuaranteedOverlap
from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.model import Verdict
from tests.db import rows
from tests.db.rows import T0, attempt, report
from tests.orchestrator.analysis.judged import fom

SECOND = 1_000_000
OWN = "node1"  # the host of every session's driver
NODES = (OWN, "n1", "n2", "n3")
numbers = itertools.count()


@dataclass(frozen=True)
class Tried:
    """What truly happened to one attempt: its node, and microseconds from one thing to the next."""

    node: str
    begin: int
    to_start: int
    to_run: int
    run: int
    to_stop: int
    to_received: int
    to_clock: int | None
    """From when the driver told its time until the node read it; None if it never did."""


small = st.integers(0, 3 * SECOND)
tried = st.builds(
    Tried,
    node=st.sampled_from(NODES),
    begin=st.integers(0, 20 * SECOND),
    to_start=small,
    to_run=small,
    run=st.integers(0, 15 * SECOND),
    to_stop=small,
    to_received=small,
    to_clock=st.none() | small,
)
skews = st.integers(-5_000 * SECOND, 5_000 * SECOND)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)  # every example is a campaign of its own
@given(
    sessions=st.lists(st.lists(tried, min_size=1, max_size=12), min_size=1, max_size=2),
    nodes=st.fixed_dictionaries(dict.fromkeys(NODES[1:], skews)),
    driver=skews,
)
def test_bounds_hold_the_truth_and_no_overlap_is_certain_that_was_none(
    sqlite_url: str, sessions: list[list[Tried]], nodes: dict[str, int], driver: int
) -> None:
    """The second session is driven from the same host, after the first one has ended."""
    skew = nodes | {OWN: driver}
    name = f"toy{next(numbers)}"
    with Ledger(sqlite_url) as ledger:
        number = rows.register(ledger, name, sum(map(len, sessions)))
        instance = itertools.count()
        truth = []
        origin = T0
        for attempts in sessions:
            session = rows.begin(ledger, number, dead="me")
            new, ends, last = [], [], origin
            for one in attempts:
                k = next(instance)
                begin = origin + one.begin
                start = begin + one.to_start
                run = start + one.to_run
                stop = run + one.run + one.to_stop
                last = max(last, stop + one.to_received)
                own = skew[one.node]
                truth.append((run, run + one.run))
                new.append(NewAttempt(k, 1, f"{name}-{k}", "c1", begin + driver))
                values = {
                    "node": one.node,
                    "process_start_us": start + own,
                    "run_start_us": run + own,
                    "run_stop_us": run + one.run + own,
                    "process_stop_us": stop + own,
                    "received_us": stop + one.to_received + driver,
                    "clock_offset_max_us": None if one.to_clock is None else own - driver + one.to_clock,
                    "fom_seconds": one.run / SECOND,
                }
                ends.append(report(f"{name}-{k}", "succeeded", InstanceState.DONE, **values))
            ledger.submit(number, session, new)
            assert ledger.record(number, ends) == []
            origin = last + 1
        known = clocks(ledger, number)
        [found] = measurements(ledger, ledger.campaign(name))
    assert known.contradiction_us == 0
    for (_, node), bounds in known.nodes.items():
        assert node is not None
        assert bounds.low_us is not None
        assert bounds.high_us is not None
        assert bounds.low_us <= skew[node] - driver <= bounds.high_us
    assert bool(known.nodes) == any(one.node != OWN for attempts in sessions for one in attempts)
    starts, stops = zip(*truth, strict=True)
    overlapped = peak_overlap(starts, stops)
    if found.overlap.guaranteed is None:
        assert found.overlap.concurrent == overlapped
    else:
        assert found.overlap.guaranteed.overlap <= overlapped


# -- one benchmark ---------------------------------------------------------------------------


class Book:
    """A ledger with one campaign, filled by hand; its driver runs on `OWN`."""

    def __init__(self, url: str, instances: int = 4) -> None:
        self.ledger = Ledger(url)
        benchmark = rows.benchmark("p3b1", instances, workload="p3b1", parameters="{}")
        self.number = self.ledger.register(rows.campaign(), [benchmark], rows.planned(instances, "p3b1"))
        self.session = 0
        self.instances = itertools.count()

    def drive(self) -> None:
        """Begin a session."""
        self.session = rows.begin(self.ledger, self.number, dead="me")

    def run(self, node: str | None, start: float, stop: float, latency: float = 0.5, **told: Any) -> None:
        """Record an attempt by seconds of its node's clock; its driver hears of it at once."""
        new = attempt(next(self.instances), at_us=T0 + round((start - latency) * SECOND))
        self.ledger.submit(self.number, self.session, [new])
        times = {"process_start": start, "run_start": start, "run_stop": stop, "process_stop": stop}
        values = {f"{name}_us": T0 + round(at * SECOND) for name, at in times.items()}
        values["received_us"] = T0 + round((stop + latency) * SECOND)
        told = {"node": node, "fom_seconds": stop - start} | told
        self.ledger.record(
            self.number, [report(new.token, "succeeded", InstanceState.DONE, **values, **told)]
        )

    @property
    def measured(self) -> Measurements:
        [found] = measurements(self.ledger, self.ledger.campaign("toy"))
        return found

    @property
    def verdict(self) -> Verdict:
        return fom("toy", str(self.ledger))

    @property
    def concurrency(self) -> str:
        """Reason of the rule."""
        return next(one.reason for one in self.verdict.benchmarks[0].rules if one.name == "concurrency")


@pytest.fixture
def book(ledger_url: str) -> Iterator[Book]:
    opened = Book(ledger_url)
    opened.drive()
    yield opened
    opened.ledger.close()


def test_one_clock_needs_no_bounds(book: Book) -> None:
    for _ in range(3):
        book.run(OWN, 0, 1)
    book.run(None, 0, 1)
    assert (book.measured.overlap.concurrent, book.measured.overlap.guaranteed) == (4, None)


def test_long_runs_on_several_nodes_overlapped_for_certain(book: Book) -> None:
    book.run(OWN, 0, 10)
    book.run("n1", 0, 10)
    book.run("n2", 1, 11, clock_offset_max_us=1_200_000)
    found = book.measured
    assert found.overlap.concurrent == 3
    assert found.overlap.guaranteed == GuaranteedOverlap(overlap=3, node="n1", ahead_seconds=(-0.5, 0.5))
    assert not any("for certain" in reason for reason in book.verdict.benchmarks[0].reasons)


def test_short_runs_on_several_nodes_did_not(book: Book) -> None:
    book.run(OWN, 0, 1)
    book.run("n1", 0, 1)
    book.run("n1", 0, 1)
    book.run("n2", 0, 1, latency=2)
    found = book.measured
    assert found.overlap.concurrent == 4
    assert found.overlap.guaranteed == GuaranteedOverlap(
        overlap=2, node="n2", ahead_seconds=(-2, 2)
    )  # both of n1
    said = "2 of 4 overlapped for certain: the clock of node n2 is known to -2.000 … +2.000 s only"
    assert said in book.concurrency
    assert book.verdict.benchmarks[0]["instances"] == 2


def test_one_foreign_node_has_one_clock_whatever_it_was_off(book: Book) -> None:
    for _ in range(4):
        book.run("n1", 0, 1, latency=60)
    found = book.measured
    assert found.overlap.guaranteed is not None
    assert (found.overlap.concurrent, found.overlap.guaranteed.overlap) == (4, 4)


def test_an_attempt_of_no_node_proves_nothing_beside_others(book: Book) -> None:
    book.run("n1", 0, 10)
    book.run("n2", 0, 10)
    book.run(None, 0, 10)
    found = book.measured
    assert found.overlap.guaranteed == GuaranteedOverlap(
        overlap=2, node="without a name", ahead_seconds=(None, None)
    )
    said = "2 of 3 overlapped for certain: nothing is known of the clock of node without a name"
    assert said in book.concurrency


def test_what_ran_in_different_sessions_did_not_overlap(book: Book) -> None:
    """Whatever their drivers' clocks say."""
    book.run("n1", 0, 100)
    book.run("n2", 0, 100)
    book.drive()
    book.run("n1", 50, 150)
    found = book.measured
    assert found.overlap.concurrent == 3
    assert found.overlap.guaranteed is not None
    assert found.overlap.guaranteed.overlap == 2
    assert found.times.contradiction_seconds == 51


def test_clocks_that_hide_an_overlap_make_none_up(book: Book) -> None:
    """One node is an hour ahead and known to be: what is measured counts, and not more."""
    book.run("n1", 0, 10)
    ahead = {"clock_offset_max_us": 3600_100_000}
    new = attempt(next(book.instances), at_us=T0)
    book.ledger.submit(book.number, 1, [new])
    times = {
        "process_start": 3601,
        "run_start": 3601,
        "run_stop": 3609,
        "process_stop": 3609,
        "received": 9.5,
    }
    values = {f"{name}_us": T0 + round(at * SECOND) for name, at in times.items()} | ahead
    book.ledger.record(
        book.number,
        [report(new.token, "succeeded", InstanceState.DONE, node="n2", fom_seconds=8.0, **values)],
    )
    found = book.measured
    assert (found.overlap.concurrent, found.times.contradiction_seconds) == (1, 0)
    assert found.overlap.guaranteed == GuaranteedOverlap(overlap=1, node="n2", ahead_seconds=(3599.5, 3600.1))


# -- the sum ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "overlap"),
    [
        ([], 0),
        ([(None, None, [0, 0], [9, 9])], 2),
        ([(0, 0, [0], [10]), (0, 0, [9], [20])], 2),
        ([(0, 0, [0], [10]), (0, 1, [9], [20])], 2),  # it may have begun at 8
        ([(0, 0, [0], [10]), (-1, 0, [9], [20])], 1),  # or at 10
        ([(0, 0, [0], [10]), (5, 5, [14], [20])], 2),
        ([(0, 0, [0], [10]), (None, 0, [0], [10])], 1),
        ([(0, 0, [0], [10]), (0, 10, [0], [10])], 1),  # nothing of it is sure
        ([(0, 0, [0], [10]), (0, 9, [0], [10])], 2),
    ],
)
def test_guaranteed_overlap_by_hand(known: Any, overlap: int) -> None:
    assert guaranteed_overlap(known) == overlap


def test_bounds_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="ahead by 2 µs at least and by 1 µs at most"):
        guaranteed_overlap([(2, 1, [0], [10])])
