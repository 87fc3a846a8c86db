"""A campaign of the triad whose site asks for hardware counters, on this machine and with made-up ones."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.harness import ROOT, CampaignSandbox
from tests.requirements import needs_counting

pytestmark = pytest.mark.slow

COUNTS_NOTHING = """
import orchestrator.host._linux as kernel
count = kernel.open_perf_event
def opened(kind, config, task, cpu=-1):
    if kind != 1:
        raise OSError(2, "No such file or directory")
    return count(kind, config, task, cpu)
kernel.open_perf_event = opened
"""
COUNTS_TIME = """
import orchestrator.host._linux as kernel
count = kernel.open_perf_event
kernel.open_perf_event = lambda kind, config, task, cpu=-1: count(1, 1, task, cpu)
import orchestrator.host.meters.cpu_counters as counters
counters.flop_events = lambda cpuinfo, release: {"flop_8": counters.Event(4, 0x60C7, 8)}
"""
"""In place of each event CPU time is counted, in nanoseconds, which every machine counts."""


def ran(folder: Path, module: str, monkeypatch: pytest.MonkeyPatch) -> tuple[CampaignSandbox, str]:
    """Run a triad of 2 s with a module that each Python imports at its start; return its `instance show`."""
    (folder / "first").mkdir()
    (folder / "first" / "sitecustomize.py").write_text(module)
    place = CampaignSandbox(folder, program=())
    core = min(os.sched_getaffinity(0))
    place.site(node={"cores": str(core)}, hardware_counters=True)
    row = {"workload": "triad", "instances": 1, "timeout": 120, "slot": {"cores": 1}}
    row["parameters"] = {"array_bytes": 2**20, "seconds": 2.0}
    (folder / "toy.yaml").write_text(json.dumps({"campaign": "toy", "benchmarks": [row]}))
    monkeypatch.setattr("tests.harness.ROOT", f"{folder / 'first'}:{ROOT}")
    launched = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert launched.returncode == 0, launched.stdout + launched.stderr
    shown = place.run("instance", "show", "toy", "triad/0")
    assert shown.returncode == 0, shown.stderr
    return place, shown.stdout


def test_a_machine_that_counts_nothing_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_counting()
    place, shown = ran(tmp_path, COUNTS_NOTHING, monkeypatch)
    why = "without counters of the CPU: not supported by this CPU, or hidden by its virtual machine"
    assert why in " ".join(shown.split())
    names = {name for (name,) in place.rows("SELECT name FROM metrics")}
    assert not {name for name in names if name.startswith(("cpu_c", "cpu_i", "cpu_d"))}


def test_counts_reach_the_ledger_and_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_counting()
    place, shown = ran(tmp_path, COUNTS_TIME, monkeypatch)
    found = {name: (value, unit) for name, value, unit in place.rows("SELECT name, value, unit FROM metrics")}
    [(seconds,)] = place.rows("SELECT fom_seconds FROM attempts")
    flop, unit = found["cpu_counted_flop"]
    assert unit == "FLOP"
    assert 8e8 < flop < 8 * 1.2e9 * seconds  # at least 0.1 s of the core
    assert found["cpu_instructions"][0] == pytest.approx(flop / 8, rel=0.1)
    assert found["cpu_counter_time_percent"] == (pytest.approx(100, abs=0.1), "%")
    assert "GFLOP" in shown
    assert " instructions" in shown
