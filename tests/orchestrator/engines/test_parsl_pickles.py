"""Parsl pickles what apps take and return plainly, in the driver's process and in those of a pool."""

from __future__ import annotations

import subprocess
import sys
from threading import Event, Thread

import pytest
from parsl.serialize import facade

from orchestrator.engines.parsl_internals import _PYTHON
from orchestrator.engines.parsl_pickles import PlainPickles, pickle_plainly

PLAIN = PlainPickles().identifier
WORKER = """
import runpy, sys
runpy.run_path(sys.argv[1], run_name="__mp_main__")["__getattr__"]("worker")
from parsl.serialize import facade
print(facade.serialize((b"report",)).splitlines()[0].decode())
"""


@pytest.fixture(autouse=True)
def _as_parsl_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facade, "methods_for_data", dict(facade.methods_for_data))
    pickle_plainly()


def test_what_can_be_pickled_plainly_is() -> None:
    sent = facade.serialize((b"order",))
    assert sent.startswith(PLAIN)
    assert facade.deserialize(sent) == (b"order",)


def test_dill_takes_what_the_standard_pickler_refuses() -> None:
    sent = facade.serialize((lambda: 7,))
    assert not sent.startswith(PLAIN)
    assert facade.deserialize(sent)[0]() == 7


def test_asking_again_changes_nothing() -> None:
    before = list(facade.methods_for_data)
    pickle_plainly()
    assert list(facade.methods_for_data) == before


def test_other_threads_may_pickle_meanwhile() -> None:
    done, errors = Event(), []

    def pickle_on() -> None:
        while not done.is_set():
            try:
                facade.serialize((b"order",))
            except Exception as error:  # noqa: BLE001  it would end the thread
                errors.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    other = Thread(target=pickle_on)
    other.start()
    try:
        for _ in range(5_000):
            pickle_plainly()
    finally:
        done.set()
        other.join()
        sys.setswitchinterval(interval)
    assert errors == []


def test_a_worker_pickles_plainly() -> None:
    command = [sys.executable, "-c", WORKER, _PYTHON[-1]]
    ended = subprocess.run(command, capture_output=True, timeout=300, check=True)
    assert ended.stdout.strip() == PLAIN.strip()
