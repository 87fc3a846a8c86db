from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time

from tests.harness import ROOT, wait_for
from workloads.runtime import host_facts

COUNTS = """
import threading
from workloads.runtime.host_facts import thread_count
before = thread_count()
done = threading.Event()
threading.Thread(target=done.wait).start()
print(before, thread_count())
done.set()
"""


def test_observations_are_json_and_about_this_process(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    seen = host_facts.host_facts()
    assert json.loads(json.dumps(seen)) == seen
    assert seen["pid"] == os.getpid()
    assert seen["cpuset"] == sorted(os.sched_getaffinity(0))
    assert seen["thread_variables"]["OMP_NUM_THREADS"] == "7"
    assert seen["python_version"] == platform.python_version()
    assert seen["platform"] == platform.platform()


def test_threads_are_counted():
    """In a process of its own: libraries that other tests load start and end threads at any time."""
    printed = subprocess.run(
        [sys.executable, "-c", COUNTS], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert printed == "1 2\n"


def test_the_age_of_the_process_grows_with_the_clock():
    before, at = host_facts.process_age_seconds(), time.monotonic()
    wait_for(lambda: time.monotonic() - at > 0.05, "time to pass")
    passed = host_facts.process_age_seconds() - before
    assert before > 0
    assert 0.03 < passed < 5
