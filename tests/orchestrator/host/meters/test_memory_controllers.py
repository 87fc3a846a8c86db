"""Bytes of memory controllers, by a made-up sysfs and made-up counts."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from orchestrator.host.meters import cpu_counters
from orchestrator.host.meters.memory_controllers import MemoryControllers
from orchestrator.host.meters.readings import MeterError
from tests.orchestrator.host.meters.trees import write


def controller(root: Path, number: int, unit: str = "MiB") -> None:
    folder = root / f"bus/event_source/devices/uncore_imc_{number}"
    write(folder / "type", 20 + number)
    write(folder / "cpumask", "0,28-28")
    write(folder / "format/event", "config:0-7")
    write(folder / "format/umask", "config:8-15")
    for event, mask in {"cas_count_read": "0x03", "cas_count_write": "0x0c"}.items():
        write(folder / "events" / event, f"event=0x04,umask={mask}")
        write(folder / f"events/{event}.scale", "6.103515625e-5")
        write(folder / f"events/{event}.unit", unit)


def test_lines_of_64_bytes_are_counted_on_each_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller(tmp_path, 0)
    controller(tmp_path, 1)
    (tmp_path / "bus/event_source/devices/uncore_imc_free_running_0").mkdir()
    asked: dict[int, tuple[int, int, int, int]] = {}

    def opened(*event: int) -> int:
        kind, config, task, cpu = event
        descriptor = os.open(os.devnull, os.O_RDONLY)
        asked[descriptor] = kind, config, task, cpu
        return descriptor

    counts = {0x0304: 1000, 0x0C04: 10}
    monkeypatch.setattr(
        cpu_counters, "read_perf_event", lambda descriptor: (counts[asked[descriptor][1]], 5, 5)
    )
    found = MemoryControllers(tmp_path, opened)
    places = [(kind, config, -1, cpu) for kind in (20, 21) for config in counts for cpu in (0, 28)]
    assert sorted(asked.values()) == sorted(places)
    assert found.read(0.0).counters == pytest.approx(
        {"cpu_dram_read_bytes": 4 * 1000 * 64, "cpu_dram_written_bytes": 4 * 10 * 64}
    )
    monkeypatch.setattr(cpu_counters, "read_perf_event", lambda _: (1, 5, 4))
    with pytest.raises(MeterError, match="take turns"):
        found.read(1.0)


def test_controllers_that_cannot_be_counted_have_a_reason(tmp_path: Path) -> None:
    def refused(*_: int) -> int:
        raise OSError(errno.EACCES, "denied")

    with pytest.raises(MeterError, match="the kernel lists no events cas_count_read"):
        MemoryControllers(tmp_path, refused)
    controller(tmp_path, 0)
    with pytest.raises(MeterError, match="this user may not count"):
        MemoryControllers(tmp_path, refused)
    controller(tmp_path, 0, unit="GiB")
    with pytest.raises(MeterError, match="uncore_imc_0 describes its events in another way"):
        MemoryControllers(tmp_path, refused)
