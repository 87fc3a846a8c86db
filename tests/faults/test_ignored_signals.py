"""`make demo &` in a script leaves SIGINT ignored for all that it starts, and `nohup` SIGHUP."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness import ROOT, CampaignSandbox

pytestmark = pytest.mark.slow

IGNORED = (signal.SIGINT, signal.SIGHUP)


def ignore_signals() -> None:
    """Ignore what a background process of a script, or of `nohup`, ignores."""
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        preexec_fn=ignore_signals,
        check=False,
    )


def test_a_campaign_runs_whole(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    place.campaign(4)
    words = ("launch", "toy.yaml", "--site", "site.yaml", "--ledger", place.ledger)
    done = run(tmp_path, "orchestrator", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    place.check_whole(4)


def test_the_suite_sends_itself_signals_as_ever() -> None:
    file = ROOT / "tests" / "orchestrator" / "driver" / "test_stop_requests.py"
    done = run(ROOT, "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", str(file))
    assert done.returncode == 0, done.stdout
