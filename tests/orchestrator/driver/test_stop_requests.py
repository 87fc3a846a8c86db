"""A stop only ever grows, and signals ask for what their senders mean."""

from __future__ import annotations

import signal
import threading
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.driver.stop_requests import Stop, StopSwitch

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@given(st.lists(st.sampled_from(Stop)))
def test_a_stop_only_grows(requests: list[Stop]) -> None:
    switch = StopSwitch()
    seen = []
    for request in requests:
        switch.request(request)
        seen.append(switch.level)
    assert seen == list(accumulate(requests, max))


@pytest.mark.parametrize(
    ("sent", "level"),
    [
        ([], Stop.NO),
        ([signal.SIGINT], Stop.DRAIN),
        ([signal.SIGINT, signal.SIGINT], Stop.CANCEL),
        ([signal.SIGINT] * 5, Stop.CANCEL),
        ([signal.SIGTERM], Stop.CANCEL),
        ([signal.SIGHUP], Stop.CANCEL),
        ([signal.SIGINT, signal.SIGTERM], Stop.CANCEL),
    ],
)
def test_signals(sent: list[signal.Signals], level: Stop) -> None:
    with StopSwitch() as switch:
        for number in sent:
            signal.raise_signal(number)
        assert switch.level is level


def test_ctrl_c_after_a_drain_was_asked_for_otherwise_cancels() -> None:
    with StopSwitch() as switch:
        switch.request(Stop.DRAIN)
        signal.raise_signal(signal.SIGINT)
        assert switch.level is Stop.CANCEL


def test_handlers_are_put_back() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with StopSwitch() as switch:
        assert all(signal.getsignal(number) == switch._on_signal for number in SIGNALS)
    assert [signal.getsignal(number) for number in SIGNALS] == before
    with pytest.raises(ZeroDivisionError), StopSwitch():
        _ = 1 / 0
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_outside_the_main_thread_signals_are_left_alone() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    found: list[object] = []

    def work() -> None:
        with StopSwitch() as switch:
            found.extend(signal.getsignal(number) for number in SIGNALS)
            switch.request(Stop.DRAIN)
            found.append(switch.level)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    assert found == [*before, Stop.DRAIN]
