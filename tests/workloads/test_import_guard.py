"""An import changes nothing of the process that it is in."""

from __future__ import annotations

import os
import subprocess
import sys

from workloads.import_guard import guarded_import

SCRIPT = """
import os
from workloads.import_guard import guarded_import
before = os.sched_getaffinity(0)
with guarded_import("workload mine"):
    import torch
assert os.sched_getaffinity(0) == before
"""


def test_the_cores_are_those_from_before() -> None:
    before = os.sched_getaffinity(0)
    with guarded_import("workload mine"):
        os.sched_setaffinity(0, {min(before)})
    assert os.sched_getaffinity(0) == before


def test_openmp_binds_no_thread_of_the_driver() -> None:
    bound = os.environ | {"OMP_PROC_BIND": "true"}
    assert subprocess.run([sys.executable, "-c", SCRIPT], env=bound, check=False).returncode == 0
