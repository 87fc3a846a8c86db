"""Metrics of hardware counters, from made-up counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from orchestrator.node.sampling.hardware_counts import HardwareCounts

SECONDS = 10.0


def counted(
    *, used: float | None = 20.0, clock: float = 20.0, absent: Mapping[str, str] | None = None, **counts: Any
) -> HardwareCounts:
    """Count from 100 of each on; a pair is a count, and the share of the time in which it was counted."""
    begin, end = {"task_clock": 100.0}, {"task_clock": 100.0 + clock * 1e9}
    if used is not None:
        begin["cpu_seconds"], end["cpu_seconds"] = 3.0, 3.0 + used
    for name, value in counts.items():
        if not isinstance(value, tuple):
            begin[name], end[name] = 100.0, 100.0 + value
            continue
        count, share = value
        for kind, grown in {"": count, ".enabled": 1000.0, ".running": 1000.0 * share}.items():
            begin[name + kind], end[name + kind] = 100.0, 100.0 + grown
    return HardwareCounts(begin, end, SECONDS, absent or {})


def test_counts_are_of_the_interval_and_operations_have_weights() -> None:
    found = counted(cpu_instructions=(500.0, 1), flop_1=(3.0, 1), flop_4=(10.0, 1), flop_16=(0.0, 1))
    assert found.metrics == {
        "cpu_instructions": 500,
        "cpu_counted_flop": 43,
        "cpu_counter_time_percent": 100,
    }
    assert found.absent == {}


def test_what_took_turns_is_scaled_up_and_the_least_share_is_stated() -> None:
    found = counted(cpu_cycles=(500.0, 1), flop_1=(3.0, 0.5), flop_4=(10.0, 0.8))
    assert found.metrics["cpu_counted_flop"] == pytest.approx(6 + 50)
    assert found.metrics["cpu_counter_time_percent"] == pytest.approx(50)


def test_an_event_that_was_never_counted_leaves_its_quantity_out() -> None:
    found = counted(cpu_cycles=(500.0, 1), flop_1=(3.0, 1), flop_4=(0.0, 0))
    assert set(found.metrics) == {"cpu_cycles", "cpu_counter_time_percent"}
    assert found.absent == {"flop": "its counters were taken, or no process ran"}


def test_processes_that_were_not_counted_leave_all_out() -> None:
    found = counted(used=20.0, clock=15.0, cpu_cycles=(500.0, 1))
    assert (found.metrics, found.absent) == ({}, {"counters": "less than 95% of the CPU time was counted"})
    found = counted(used=None, cpu_cycles=(500.0, 1))
    assert found.metrics == {}
    assert "had ended" in found.absent["counters"]
    assert counted(used=0.09, clock=0.0, cpu_cycles=(500.0, 1)).metrics  # ticks of 10 ms


def test_what_is_absent_is_not_counted() -> None:
    names = ("counters", "dram", "gpu_counters")
    counts = {"cpu_cycles": (5.0, 1), "cpu_dram_read_bytes": 5.0, "gpu_dram:GPU-a": 5.0}
    assert len(counted(**counts).metrics) == 4
    found = counted(absent=dict.fromkeys(names, "lost"), **counts)
    assert (found.metrics, found.absent) == ({}, {})
    assert HardwareCounts({}, {}, SECONDS, {}).metrics == {}


def test_gpus_have_means_of_shares_and_sums_of_bytes() -> None:
    both = {
        f"{name}:GPU-{one}": value
        for name, value in {"gpu_dram": 5.0, "gpu_dram_bytes": 7.0}.items()
        for one in "ab"
    }
    found = counted(**both | {"gpu_dram:GPU-b": 10.0, "gpu_fp64:GPU-a": 1.0})
    assert found.metrics == {"gpu_dram_percent": 75, "gpu_dram_bytes": 14}
