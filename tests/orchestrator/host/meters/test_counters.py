"""Counters of RAPL, the blade controller and GPU drivers, on file trees whose energy is known."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from orchestrator.host.meters import readings
from orchestrator.host.meters.hwmon import hwmon_gpu
from orchestrator.host.meters.pm_counters import pm_counters
from orchestrator.host.meters.rapl import rapl_zones
from orchestrator.host.meters.readings import CounterFile, EnergyCounter, MeterError
from tests.harness import wait_for
from tests.orchestrator.host.meters.trees import cray, rapl, write
from tests.workloads.runtime.test_gpu_identity import device

SERIAL = "18d5a0f2b3c4d5e6"


def test_a_counter_adds_up_from_its_first_reading() -> None:
    counter = EnergyCounter(1e-6)
    assert [counter.joules(count, 0.0) for count in (5e6, 5e6, 7e6, 8e6)] == [0, 0, 2, 3]


def test_a_counter_that_wraps_around_goes_on_and_wraps_again() -> None:
    counter = EnergyCounter(1e-6, wraps_at=100e6)
    seconds = [0.0, 1.0, 2.0, 3.0]
    found = [counter.joules(count, at) for count, at in zip((90e6, 10e6, 95e6, 5e6), seconds, strict=True)]
    assert found == [0, 20, 105, 115]


@pytest.mark.parametrize(
    ("wraps_at", "before", "after"),
    [(None, 9e6, 8e6), (262_143e6, 9e6, 8e6)],  # the second would take 262 kJ in a second
)
def test_a_counter_that_began_again_is_no_wrap(wraps_at: float | None, before: float, after: float) -> None:
    counter = EnergyCounter(1e-6, wraps_at)
    counter.joules(before, 0.0)
    with pytest.raises(MeterError, match="the counter was reset while the attempt ran"):
        counter.joules(after, 1.0)


def test_packages_and_their_memory_count_and_their_parts_do_not(tmp_path: Path) -> None:
    for package in (0, 1):
        rapl(tmp_path, f"package-{package}", f"intel-rapl:{package}", 1_000_000)
        rapl(tmp_path, "core", f"intel-rapl:{package}:0", 500_000)
        rapl(tmp_path, "dram", f"intel-rapl:{package}:1", 200_000)
    rapl(tmp_path, "psys", "intel-rapl:2")
    rapl(tmp_path, "package-0", "intel-rapl-mmio:0")  # another way to the same counter
    zones = rapl_zones({0: 0.25, 1: 1.0}, tmp_path)
    assert {(zone.part, zone.device, zone.share) for zone in zones} == {
        ("cpu", "package-0", 0.25),
        ("memory", "dram of package-0", 0.25),
        ("cpu", "package-1", 1.0),
        ("memory", "dram of package-1", 1.0),
    }
    assert [zone.device for zone in rapl_zones({1: 0.5}, tmp_path)] == ["package-1", "dram of package-1"]


def test_a_package_is_read_in_joules_and_wraps_at_its_range(tmp_path: Path) -> None:
    file = rapl(tmp_path, "package-0", "intel-rapl:0", 262_143_000_000)
    [zone] = rapl_zones({0: 1.0}, tmp_path)
    assert zone.read(0.0).joules == 0
    write(file, 1_671_150)
    assert zone.read(1.0).joules == pytest.approx(2.0)


def test_dies_of_a_package_count_beside_each_other(tmp_path: Path) -> None:
    for die in (0, 1):
        rapl(tmp_path, f"package-0-die-{die}", f"intel-rapl:{die}")
    assert [zone.device for zone in rapl_zones({0: 1.0}, tmp_path)] == ["package-0-die-0", "package-0-die-1"]


def test_rapl_says_why_it_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MeterError, match="class/powercap is not there"):
        rapl_zones({0: 1.0}, tmp_path)
    rapl(tmp_path, "psys", "intel-rapl:1")
    with pytest.raises(MeterError, match="has no RAPL zone of the slot's packages"):
        rapl_zones({0: 1.0}, tmp_path)
    rapl(tmp_path, "package-0", "intel-rapl:0")

    def denied(*_: object) -> int:  # tests may run as root, who may read everything
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(readings.os, "open", denied)
    with pytest.raises(MeterError, match=r"^permission denied: .*intel-rapl:0/energy_uj$"):
        rapl_zones({0: 1.0}, tmp_path)


def test_real_packages_draw_a_plausible_power() -> None:
    """Needs RAPL that this user may read."""
    try:
        zones = rapl_zones(dict.fromkeys(range(8), 1.0))
    except MeterError as error:
        pytest.skip(str(error))
    begin = time.monotonic()
    for zone in zones:
        zone.read(begin)
    wait_for(lambda: sum(zone.read(time.monotonic()).joules or 0.0 for zone in zones) - 1.0 > 0, "a joule")
    assert 1.0 / (time.monotonic() - begin) < 5000


def test_a_file_that_is_emptied_or_ends_is_an_error_and_not_zero(tmp_path: Path) -> None:
    file = write(tmp_path / "energy", "12 J 99 us")
    counter = CounterFile(file)
    assert counter.read() == 12
    os.truncate(file, 0)
    with pytest.raises(MeterError, match="holds no number"):
        counter.read()


def test_the_nodes_energy_is_without_that_of_its_accelerators(tmp_path: Path) -> None:
    folder = cray(
        tmp_path, energy=1000, cpu_energy=300, memory_energy=50, accel0_energy=200, accel1_energy=200
    )
    write(folder / "accel0_energy_cap", "0 W")
    meters = {meter.part: meter for meter in pm_counters(0.5, all_gpus=True, root=tmp_path)}
    assert {part: meter.share for part, meter in meters.items()} == {
        "node": 0.5,
        "cpu": 0.5,
        "memory": 0.5,
        "gpu": 1.0,
    }
    assert {meter.read(0.0).joules for meter in meters.values()} == {0}
    cray(tmp_path, energy=1500, cpu_energy=400, memory_energy=60, accel0_energy=300, accel1_energy=250)
    assert {part: meter.read(0.1).joules for part, meter in meters.items()} == {
        "node": 350,
        "cpu": 100,
        "memory": 10,
        "gpu": 150,
    }


def test_some_of_the_accelerators_are_of_no_known_gpu(tmp_path: Path) -> None:
    cray(tmp_path, energy=1000, accel0_energy=200)
    assert [meter.part for meter in pm_counters(0.5, all_gpus=False, root=tmp_path)] == ["node"]


@pytest.mark.parametrize(
    ("name", "value", "because"),
    [
        ("startup", 8, "the blade controller was restarted"),
        ("energy", "10 J", "the counter was reset"),
        ("freshness", 1, "were not updated for 5 s"),
    ],
)
def test_a_controller_that_restarts_or_stops_is_no_source(
    tmp_path: Path, name: str, value: object, because: str
) -> None:
    folder = cray(tmp_path, energy=1000)
    [meter] = pm_counters(1.0, all_gpus=False, root=tmp_path)
    meter.read(0.0)
    write(folder / "freshness", 2)
    assert meter.read(1.0).joules == 0
    write(folder / "generation", 4)  # another power cap changes no energy
    write(folder / "freshness", 3)
    assert meter.read(2.0).joules == 0
    write(folder / "freshness", 3 if name == "freshness" else 4)
    if name != "freshness":
        write(folder / name, value)
    with pytest.raises(MeterError, match=because):
        meter.read(8.0)


def test_a_missing_or_hidden_counter_of_the_controller_is_named(tmp_path: Path) -> None:
    folder = cray(tmp_path, energy=1000)
    (folder / "startup").unlink()
    with pytest.raises(MeterError, match="pm_counters/startup is not there"):
        pm_counters(1.0, all_gpus=False, root=tmp_path)


def amd_gpu(root: Path, **files: object) -> Path:
    """Make an AMD GPU whose hwmon folder has these files, and return that folder."""
    folder = device(root, "0000:c1:00.0", "0x1002", unique_id=SERIAL)
    for name, value in {"gpu_busy_percent": 80, "mem_info_vram_used": 2**30}.items():
        write(folder / name, value)
    for name, value in files.items():
        write(folder / "hwmon/hwmon3" / name, value)
    return folder / "hwmon/hwmon3"


def test_an_amd_gpu_is_found_by_its_serial_number(tmp_path: Path) -> None:
    amd_gpu(tmp_path, power1_average=250_000_000, temp1_input=65_000, freq1_input=1_700_000_000)
    meter = hwmon_gpu("amd", f"GPU-{SERIAL}", 0.5, 8, tmp_path)
    assert (meter.source, meter.share) == ("hwmon power, integrated", 0.5)
    reading = meter.read(0.0)
    assert (reading.joules, reading.watts) == (None, 250.0)
    assert reading.values == {
        "gpu_utilisation": 80,
        "gpu_memory": 2**30,
        "gpu_temperature": 65.0,
        "gpu_clock": 1700.0,
    }
    with pytest.raises(MeterError, match="no GPU with unique_id GPU-77"):
        hwmon_gpu("amd", "GPU-77", 1.0, 8, tmp_path)


def test_half_of_a_card_that_states_no_watts_has_no_energy(tmp_path: Path) -> None:
    amd_gpu(tmp_path, power1_average=0)
    with pytest.raises(MeterError, match="a power of 0 W"):
        hwmon_gpu("amd", f"GPU-{SERIAL}", 1.0, 8, tmp_path).read(0.0)


def test_a_driver_without_energy_and_power_is_named(tmp_path: Path) -> None:
    amd_gpu(tmp_path, temp1_input=1)
    with pytest.raises(MeterError, match="states neither energy nor power"):
        hwmon_gpu("amd", f"GPU-{SERIAL}", 1.0, 8, tmp_path)


def test_tiles_of_an_intel_gpu_share_its_energy(tmp_path: Path) -> None:
    for address in ("0000:18:00.0", "0000:9a:00.0"):
        folder = device(tmp_path, address, "0x8086")
        write(folder / "hwmon/hwmon1/energy1_input", 5_000_000 if "18" in address else 9_000_000)
    meter = hwmon_gpu("intel", "3", 1.0, 4, tmp_path)
    assert (meter.source, meter.share) == ("hwmon", 0.5)
    meter.read(0.0)
    write(tmp_path / "bus/pci/devices/0000:9a:00.0/hwmon/hwmon1/energy1_input", 10_000_000)
    assert meter.read(1.0).joules == 1.0
    with pytest.raises(MeterError, match="the kernel knows no Intel GPU 4"):
        hwmon_gpu("intel", "4", 1.0, 4, tmp_path)
