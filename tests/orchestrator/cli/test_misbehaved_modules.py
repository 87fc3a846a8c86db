"""A user's module that ends the process, or never ends, is said in one line."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness import ROOT
from workloads import import_guard
from workloads.import_guard import guarded_import

CAMPAIGN = "{campaign: own, benchmarks: [{workload: own.mine, instances: 1, timeout: 9}]}"


def test_a_module_that_ends_the_process_does_not_end_the_command(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.py").write_text("import os\n\nos._exit(0)\n")
    (tmp_path / "own.yaml").write_text(CAMPAIGN)
    shown = subprocess.run(
        [sys.executable, "-P", "-m", "orchestrator", "plan", "own.yaml"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.returncode == 1
    assert "module 'own.mine' cannot be imported: RuntimeError: it calls os._exit(0)" in shown.stderr
    assert f"({tmp_path}/own/mine.py:3)" in shown.stderr


def test_an_import_that_never_ends_is_ended() -> None:
    late = f"not been imported after 0.01 s, and is in {__file__}"
    with pytest.raises(TimeoutError, match=late), guarded_import("own.mine", 0.01):
        while True:
            pass
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_import_that_takes_long_is_named(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(import_guard, "NOTICE_SECONDS", 0.01)
    with guarded_import("workload own.mine", 60.0):
        while signal.getitimer(signal.ITIMER_REAL)[0] <= 0.01:  # it is set to the limit after the line
            pass
    line = capfd.readouterr().err
    assert re.fullmatch(r"workload own\.mine is still being imported after \d s, and is in .*:\d+\n", line)


def test_a_module_may_keep_the_function_for_later() -> None:
    with guarded_import("own.mine"):  # one that is forked meanwhile ends as it would
        forked = os.fork()
        if forked == 0:
            os._exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(forked, 0)[1]) == 5
    child = os.fork()
    if child == 0:
        with guarded_import("own.mine"):
            kept = os._exit
        kept(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert os._exit.__module__ != import_guard.__name__
