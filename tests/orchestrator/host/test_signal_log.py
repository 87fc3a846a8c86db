"""Messages of signal handlers are logged, whatever the handlers interrupt."""

from __future__ import annotations

import importlib
import logging
import signal
import sys
import threading
from pathlib import Path

import pytest

from orchestrator.host.signal_log import SignalLog

LOG = logging.getLogger("tests.signal_log")
MODULE = "imported_by_a_log"


class Importing(logging.Handler):
    """Imports a module to write a message, as Rich does; the import takes a signal."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message with what the module adds."""
        self.messages.append(record.getMessage() + importlib.import_module(MODULE).END)


def test_a_signal_in_the_middle_of_an_import_may_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / f"{MODULE}.py").write_text("import signal\nsignal.raise_signal(signal.SIGUSR1)\nEND = '!'\n")
    monkeypatch.syspath_prepend(tmp_path)
    handler = Importing()
    LOG.addHandler(handler)
    try:
        with SignalLog(LOG) as log:
            before = signal.signal(signal.SIGUSR1, lambda *_: log.warning("interrupted"))
            LOG.warning("first")
            signal.signal(signal.SIGUSR1, before)
    finally:
        LOG.removeHandler(handler)
        sys.modules.pop(MODULE, None)
    assert handler.messages == ["first!", "interrupted!"]


def test_a_handler_that_ends_the_process_waits_for_its_message(caplog: pytest.LogCaptureFixture) -> None:
    with SignalLog(LOG) as log:
        log.warning("the end", wait_seconds=60)
        assert caplog.messages == ["the end"]


def test_a_log_that_is_locked_holds_no_handler(caplog: pytest.LogCaptureFixture) -> None:
    with SignalLog(LOG) as log, caplog.handler.lock or threading.RLock():
        log.warning("later", wait_seconds=0.01)
        assert caplog.messages == []
    assert caplog.messages == ["later"]
