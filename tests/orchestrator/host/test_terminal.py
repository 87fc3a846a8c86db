"""A closed terminal ends no process that goes on without it."""

from __future__ import annotations

import logging
import os
import pty
import signal
import subprocess
import sys

import pytest

from orchestrator.host.terminal import surviving_hangup
from tests.forked_commands import default_signals

# Prints until its terminal is gone, then writes the exit of its `with` to the file it is given.
PROGRAM = """
import pathlib, sys, time, logging
from orchestrator.host.terminal import surviving_hangup
gone = []
class Gone(logging.Handler):
    def emit(self, record):
        gone.append(record)
logging.getLogger("orchestrator.host.terminal").addHandler(Gone())
with surviving_hangup("it is gone"):
    print("ready", flush=True)
    while not gone:
        time.sleep(0.01)
    print("nobody reads this", flush=True)
pathlib.Path(sys.argv[1]).write_text(gone[0].getMessage())
"""


def test_a_closed_terminal_ends_nothing(tmp_path: pytest.TempPathFactory) -> None:
    ours, theirs = pty.openpty()
    script = f"{tmp_path}/program.py"
    with open(script, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    process = subprocess.Popen(
        [sys.executable, script, f"{tmp_path}/told"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=default_signals,
    )
    os.close(theirs)
    assert os.read(ours, 100).startswith(b"ready")
    os.close(ours)
    process.send_signal(signal.SIGHUP)
    assert process.wait(300) == 0
    with open(f"{tmp_path}/told", encoding="utf-8") as file:
        assert file.read() == "it is gone"


def test_an_ignored_hangup_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup leaves it
    try:
        with surviving_hangup("gone"):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_handler_is_put_back_and_says_what_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    before = signal.getsignal(signal.SIGHUP)
    with caplog.at_level(logging.WARNING), surviving_hangup("it goes on"):
        signal.raise_signal(signal.SIGHUP)
    assert caplog.messages == ["it goes on"]
    assert signal.getsignal(signal.SIGHUP) == before
