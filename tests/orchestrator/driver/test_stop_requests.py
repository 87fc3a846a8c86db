"""A stop only ever grows, and signals ask for what their senders mean."""

from __future__ import annotations

import signal
import threading
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.driver.stop_requests import StopLevel, StopRequests

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@given(st.lists(st.sampled_from(StopLevel)))
def test_a_stop_only_grows(requests: list[StopLevel]) -> None:
    switch = StopRequests()
    seen = []
    for request in requests:
        switch.request(request)
        seen.append(switch.level)
    assert seen == list(accumulate(requests, max))


@pytest.mark.parametrize(
    ("sent", "level"),
    [
        ([], StopLevel.NONE),
        ([signal.SIGINT], StopLevel.DRAIN),
        ([signal.SIGINT, signal.SIGINT], StopLevel.CANCEL),
        ([signal.SIGINT] * 5, StopLevel.CANCEL),
        ([signal.SIGTERM], StopLevel.CANCEL),
        ([signal.SIGINT, signal.SIGTERM], StopLevel.CANCEL),
    ],
)
def test_signals(sent: list[signal.Signals], level: StopLevel) -> None:
    with StopRequests() as switch:
        for number in sent:
            signal.raise_signal(number)
        assert switch.level is level


def test_ctrl_c_after_a_drain_was_asked_for_otherwise_cancels() -> None:
    with StopRequests() as switch:
        switch.request(StopLevel.DRAIN)
        signal.raise_signal(signal.SIGINT)
        assert switch.level is StopLevel.CANCEL


def test_handlers_are_put_back() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with StopRequests() as switch:
        assert all(signal.getsignal(number) == switch._on_signal for number in SIGNALS)
    assert [signal.getsignal(number) for number in SIGNALS] == before
    with pytest.raises(ZeroDivisionError), StopRequests():
        _ = 1 / 0
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_outside_the_main_thread_signals_are_left_alone() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    found: list[object] = []

    def work() -> None:
        with StopRequests() as switch:
            found.extend(signal.getsignal(number) for number in SIGNALS)
            switch.request(StopLevel.DRAIN)
            found.append(switch.level)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    assert found == [*before, StopLevel.DRAIN]
