"""A command does not get what its runner holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from db.states import AttemptState
from tests.orchestrator.node.supervised import Supervised
from tests.workloads.external.files import description, write
from tests.workloads.orders import external

_FORGER = """
import glob, os, time
begun = time.time_ns() // 1000
line = '{"mark": "run_stop", "at_us": 1}\\n'
for name in [*glob.glob(f"/proc/{os.getppid()}/fd/*"), *glob.glob("/proc/self/fd/*")]:
    try:
        with open(name, "w") as end:
            end.write(line)
    except OSError:
        pass
print("began", begun)
"""


def test_a_command_cannot_report_in_its_runners_name(tmp_path: Path) -> None:
    file = write(tmp_path, description(_FORGER, metrics={"began": {"pattern": "^began (?P<value>[0-9]+)"}}))
    report = Supervised(tmp_path, workload=file, **external(file, {})).report()
    assert (report.state, report.failure_message) == (AttemptState.SUCCEEDED, None)
    assert report.result is not None
    [began] = [one.value for one in report.result.metrics if one.name == "began"]
    assert report.run_start_us is not None
    assert report.run_stop_us is not None
    assert report.run_start_us <= began <= report.run_stop_us


def test_other_processes_may_not_look_into_a_runner() -> None:
    program = (
        "import ctypes\nfrom workloads.external import forbid_inspection\n"
        "dumpable = lambda: ctypes.CDLL(None).prctl(3)\n"
        "before = dumpable(); forbid_inspection(); print(before, dumpable())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1 0\n"
