"""Signals at random moments: the driver ends or goes on as documented, and nothing is lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.forked_commands import NEW
from tests.harness import CampaignSandbox

pytestmark = pytest.mark.slow

SEED = "SIGNALS_SEED"
"""Variable with the number that decides all moments, so that a failure can be played again."""
INSTANCES = 12
STOPS = 4
"""Sessions that are stopped; the next one goes on to the end."""
WITHOUT_EFFECT = (signal.SIGWINCH, signal.SIGHUP)
STOPPING = (signal.SIGINT, signal.SIGTERM)
LATEST_SECONDS = 8.0
"""After a driver's start: from its first import to its last line."""
COMPLETE, STOPPED, INTERRUPTED = 0, 4, 130
BEFORE_THE_PROGRAM = "Fatal Python error: init_import_site"
"""Python's words when a signal interrupts its own start; it ends with 1 then."""

Moments = Sequence[tuple[float, signal.Signals]]


def moments(chance: random.Random, *, stop: bool) -> Moments:
    """Return which signals a session gets, and how many seconds after its start."""
    sent = [chance.choice(WITHOUT_EFFECT) for _ in range(chance.randrange(4))]
    sent += [chance.choice(STOPPING) for _ in range(chance.randint(1, 2))] if stop else []
    return sorted((chance.uniform(0, LATEST_SECONDS), number) for number in sent)


def disturbed(driver: subprocess.Popen[str], planned: Moments) -> list[signal.Signals]:
    """Send a driver signals at their moments until it ends; return those that were sent."""
    sent = []
    begin = time.monotonic()
    for seconds, number in planned:
        try:
            driver.wait(max(0.0, begin + seconds - time.monotonic()))
        except subprocess.TimeoutExpired:
            driver.send_signal(number)
            sent.append(number)
    return sent


def check_end(place: CampaignSandbox, sent: Sequence[signal.Signals], code: int) -> None:
    """Check that a driver ended as its signals ask for."""
    if code == COMPLETE:
        return
    if code == STOPPED:
        assert {*STOPPING} & {*sent}
        return
    # Before its session has begun to hand out work, and once all of it has ended, a process dies as any.
    assert code in {INTERRUPTED, *(-number for number in sent)}
    session = "(SELECT coalesce(max(session_number), 0) FROM sessions WHERE ended_us IS NULL)"
    unended = f"session_number = {session} AND state IN ('submitted', 'running')"
    assert place.rows(f"SELECT count(*) FROM attempts WHERE {unended}") in ([], [(0,)])
    assert place.processes("workloads.run") == [] if place.rows("SELECT 1 FROM campaigns") else True


def test_nothing_is_lost_by_signals_at_random_moments(tmp_path: Path) -> None:
    """A resized and a closing terminal change nothing; the others stop, and resume goes on."""
    seed = int(os.environ.get(SEED, time.time_ns() % 1_000_000))
    print(f"{SEED}={seed}")
    chance = random.Random(seed)
    place = CampaignSandbox(tmp_path, program=NEW)
    place.campaign(INSTANCES)
    done, sessions = 0, 0
    while done < INSTANCES:
        driver = place.start("resume", "toy") if place.rows("SELECT 1 FROM campaigns") else place.launch()
        planned = moments(chance, stop=sessions < STOPS)
        sent = disturbed(driver, planned)
        out, err = driver.communicate(timeout=300)
        print(planned, len(sent), driver.returncode, out, err)
        code = -signal.SIGINT if BEFORE_THE_PROGRAM in err else driver.returncode
        assert "Traceback" not in out + err or code == -signal.SIGINT
        check_end(place, sent, code)
        sessions, before, done = sessions + 1, done, place.done()
        assert done >= before
        assert (code == COMPLETE) == (done == INSTANCES) or code < 0
    place.check_whole(INSTANCES)
    checked = place.run("ledger", "verify", "toy")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert max(place.starts().values()) <= sessions
