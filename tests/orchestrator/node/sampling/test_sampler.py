"""Energy, power and load of an attempt, from meters whose truth is known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from orchestrator.host.meters.readings import COUNTERS, CPU, GPU, LOAD, MEMORY, NODE, MeterError, Reading
from orchestrator.node.sampling.sampler import RUN, WINDOW, Sampler
from orchestrator.protocol.sampling import MOST_POINTS, Sampling
from tests.orchestrator.host.meters.trees import Gpu, Nvml

GAUGES = {"gpu_utilisation": 50.0, "gpu_memory": 1e9, "gpu_temperature": 60.0, "gpu_clock": 1000.0}


class MadeUp:
    """A device with a power that a test sets, read as energy or, without a counter, as power."""

    def __init__(
        self,
        part: str = GPU,
        device: str = "GPU-a",
        share: float = 1.0,
        *,
        watts: float = 0,
        counter: bool = True,
    ) -> None:
        self.part, self.device, self.share = part, device, share
        self.source = "made up" if counter else "made up power, integrated"
        self.watts, self.counter = watts, counter
        self.values: Mapping[str, float] = GAUGES if part == GPU else {}
        self.counters: dict[str, float] = {}
        self.problem = ""
        self._joules, self._at = 0.0, 0.0

    def advance(self, seconds: float) -> None:
        self._joules += self.watts * (seconds - self._at)
        self._at = seconds

    def read(self, seconds: float) -> Reading:
        self.advance(seconds)
        if self.problem:
            raise MeterError(self.problem)
        if self.part in (LOAD, COUNTERS):
            return Reading(counters=dict(self.counters))
        joules, watts = (self._joules, None) if self.counter else (None, self.watts)
        return Reading(joules, watts, self.values)


class Bench:
    """A sampler over made-up devices, in made-up time."""

    def __init__(self, *meters: Any, absent: Mapping[str, str] | None = None, **changes: Any) -> None:
        self.now = 0.0
        self.meters = meters
        fields: dict[str, Any] = {"node": "n1", "cores": 4, "now_us": lambda: 1_000_000, **changes}
        gpus = fields.pop("gpus", any(one.part == GPU for one in meters))
        self.sampler = Sampler(meters, absent or {}, gpus=gpus, clock=lambda: self.now, **fields)

    def wait(self, seconds: float, every: float = 1.0) -> None:
        """Let time pass with a sample at the end of every so many seconds."""
        end = self.now + seconds
        while self.now + every < end - 1e-9:
            self.now += every
            self.sampler.sample()
        self.now = end
        self.sampler.sample()

    def run(self, seconds: float, every: float = 1.0, name: str = RUN) -> Sampling:
        self.sampler.begin(name)
        self.wait(seconds, every)
        self.sampler.end(name)
        return self.sampler.result({name: seconds})


def series(found: Sampling, quantity: str) -> list[list[float]]:
    [points] = [one.points for one in found.samples if one.quantity == quantity]
    return list(json.loads(points))


def test_energy_is_that_of_the_run_and_the_attempts_is_of_all() -> None:
    gpu = MadeUp(watts=100)
    bench = Bench(gpu)
    bench.wait(5)
    bench.sampler.begin(RUN)
    gpu.advance(bench.now)
    gpu.watts = 300
    bench.wait(10)
    gpu.watts = 500
    bench.wait(2)
    bench.sampler.end(RUN)
    gpu.watts = 50
    bench.wait(4)
    found = bench.sampler.result({RUN: 12.0})
    assert found.interval == "run"
    assert found.metrics["energy_joules"] == found.metrics["gpu_energy_joules"] == pytest.approx(4000)
    assert found.metrics["attempt_energy_joules"] == pytest.approx(500 + 4000 + 200)
    assert found.metrics["power_mean_watts"] == pytest.approx(4000 / 12)
    assert found.metrics["power_peak_watts"] == pytest.approx(500)
    assert found.metrics["gpu_utilisation_percent"] == 50
    assert found.metrics["gpu_temperature_peak_celsius"] == 60
    assert (found.sources, found.absent) == ({"gpu": "made up"}, {})


def test_only_the_window_counts_where_steps_are_timed() -> None:
    gpu = MadeUp(watts=100)
    bench = Bench(gpu)
    bench.sampler.begin(RUN)
    bench.wait(5)
    bench.sampler.begin(WINDOW)
    bench.wait(3)
    bench.sampler.end(WINDOW)
    bench.wait(5)
    bench.sampler.end(RUN)
    found = bench.sampler.result({RUN: 13.0, WINDOW: 3.0})
    assert (found.interval, found.metrics["energy_joules"]) == ("window", pytest.approx(300))


def test_power_without_a_counter_is_integrated_and_marked() -> None:
    gpu = MadeUp(watts=100, counter=False)
    bench = Bench(gpu)
    bench.sampler.begin(RUN)
    bench.wait(4)
    gpu.watts = 300  # trapezoids: 200 W on average in the next second
    bench.wait(3)
    bench.sampler.end(RUN)
    found = bench.sampler.result({RUN: 7.0})
    assert found.metrics["energy_joules"] == pytest.approx(400 + 200 + 600)
    assert found.sources == {"gpu": "made up power, integrated"}
    assert [one.source for one in found.samples if one.quantity == "gpu_power"] == [found.sources["gpu"]]


def test_shares_of_devices_are_charged_and_stated() -> None:
    found = Bench(
        MadeUp(watts=400, share=0.25),
        MadeUp(CPU, "package-0", 0.5, watts=200),
        MadeUp(CPU, "package-1", 0.125, watts=200),
        MadeUp(MEMORY, "dram", 0.5, watts=20),
    ).run(10)
    assert {name: round(value) for name, value in found.metrics.items() if name.endswith("joules")} == {
        "gpu_energy_joules": 1000,
        "cpu_energy_joules": 1250,
        "memory_energy_joules": 100,
        "energy_joules": 2350,
        "attempt_energy_joules": 2350,
    }
    assert found.sources == {
        "gpu": "made up, share 0.25",
        "cpu": "made up, share 0.125 to 0.5",
        "memory": "made up, share 0.5",
    }
    assert series(found, "gpu_power")[0][1] == 400  # samples are of the whole device


def test_a_nodes_counter_stands_for_its_cpus_and_memory() -> None:
    found = Bench(
        MadeUp(NODE, "energy", 0.5, watts=600), MadeUp(CPU, "cpu_energy", 0.5, watts=200), MadeUp(watts=300)
    ).run(10)
    assert found.metrics["energy_joules"] == found.metrics["node_energy_joules"] == pytest.approx(6000)
    assert found.metrics["cpu_energy_joules"] == pytest.approx(1000)


def test_without_the_energy_of_its_gpus_an_attempt_has_none() -> None:
    found = Bench(MadeUp(CPU, "package-0", watts=100), gpus=True, absent={"gpu": "NVML does not start"}).run(
        10
    )
    assert found.metrics["cpu_energy_joules"] == pytest.approx(1000)
    assert not {"energy_joules", "attempt_energy_joules", "power_mean_watts"} & set(found.metrics)
    assert found.absent == {"gpu": "NVML does not start"}


def test_a_device_lost_in_the_middle_leaves_no_energy_and_says_why() -> None:
    gpus = [MadeUp(device=f"GPU-{name}", watts=100) for name in "ab"]
    bench = Bench(*gpus, MadeUp(CPU, "package-0", watts=10))
    bench.sampler.begin(RUN)
    bench.wait(5)
    gpus[1].problem = "NVML: GPU is lost"
    bench.wait(5)
    bench.sampler.end(RUN)
    found = bench.sampler.result({RUN: 10.0})
    assert found.absent == {"gpu": "GPU-b: NVML: GPU is lost"}
    assert found.metrics["cpu_energy_joules"] == pytest.approx(100)
    assert not {"energy_joules", "gpu_energy_joules", "power_peak_watts"} & set(found.metrics)
    assert len([one for one in found.samples if one.quantity == "gpu_power"]) == 2  # what was read is kept


def test_a_killed_attempt_has_its_energy_until_its_end() -> None:
    bench = Bench(MadeUp(watts=100))
    bench.sampler.begin(RUN)
    bench.wait(5)
    found = bench.sampler.result({})
    assert found.metrics == {"attempt_energy_joules": pytest.approx(500)}
    assert (found.interval, found.absent) == (None, {})
    assert len(series(found, "gpu_power")) == 5


def test_a_run_that_was_over_before_it_was_read_has_no_energy() -> None:
    bench = Bench(MadeUp(watts=100))
    bench.sampler.begin(RUN)
    bench.now += 0.001
    bench.sampler.end(RUN)
    found = bench.sampler.result({RUN: 0.5})
    assert "energy_joules" not in found.metrics
    assert found.absent == {"energy": "the run was too short to be read at its beginning and end"}
    never_begun = Bench(MadeUp(watts=100)).sampler.result({RUN: 0.5})
    assert never_begun.absent == found.absent


def test_a_run_shorter_than_a_sample_has_energy_by_its_counters_and_no_peak() -> None:
    bench = Bench(MadeUp(watts=100))
    bench.sampler.begin(RUN)
    bench.now += 0.2
    bench.sampler.end(RUN)
    found = bench.sampler.result({RUN: 0.2})
    assert found.metrics["energy_joules"] == pytest.approx(20)
    assert "power_peak_watts" not in found.metrics
    assert found.samples == ()


def test_marks_close_to_a_sample_make_no_peak_of_a_counters_steps() -> None:
    """A counter that is updated every 0.1 s seems to stand still, then to jump."""
    gpu = MadeUp(watts=0)
    bench = Bench(gpu)
    bench.wait(3)
    gpu._joules += 10
    bench.now += 0.001
    bench.sampler.begin(RUN)
    gpu.watts = 100
    gpu._at = bench.now
    bench.wait(3)
    bench.sampler.end(RUN)
    assert bench.sampler.result({RUN: 3.0}).metrics["power_peak_watts"] == pytest.approx(100)


def test_load_is_of_the_slots_cores_and_bytes_are_of_the_attempt() -> None:
    load = MadeUp(LOAD, "slot")
    load.counters = {"cpu_seconds": 1.0, "read_bytes": 100.0}
    bench = Bench(load)
    bench.wait(1)
    bench.sampler.begin(RUN)
    for _ in range(10):
        load.counters["cpu_seconds"] += 2.0
        load.counters["read_bytes"] += 1000.0
        bench.wait(1)
    bench.sampler.end(RUN)
    found = bench.sampler.result({RUN: 10.0})
    assert found.metrics == {"cpu_utilisation_percent": pytest.approx(50), "read_bytes": 10_100}
    assert series(found, "read_rate")[-1][1] == 1000
    assert series(found, "cpu_utilisation")[-1][1] == 50


def test_processes_that_ended_before_they_were_read_have_no_cpu_time() -> None:
    load = MadeUp(LOAD, "slot")
    load.counters = {"cpu_seconds": 1.0, "read_bytes": 100.0}
    bench = Bench(load)
    bench.sampler.begin(RUN)
    bench.wait(0.5)
    del load.counters["cpu_seconds"]
    bench.wait(0.5)
    bench.sampler.end(RUN)
    found = bench.sampler.result({RUN: 1.0})
    assert found.metrics == {"read_bytes": 100}
    assert found.not_counted == {"load": "processes had ended before their CPU time was read"}
    assert series(found, "cpu_utilisation") == [[0, 0]]


def test_hardware_counters_are_those_of_the_run() -> None:
    load, counters = MadeUp(LOAD, "slot"), MadeUp(COUNTERS, "slot")
    bench = Bench(load, counters)
    for second in range(7):
        load.counters = {"cpu_seconds": 4.0 * second}
        counters.counters = {
            f"{name}{kind}": 4e9 * second
            for name in ("task_clock", "cpu_instructions")
            for kind in ("", ".enabled", ".running")
        }
        if second in (2, 5):
            bench.sampler.begin(RUN) if second == 2 else bench.sampler.end(RUN)
        bench.wait(1)
    found = bench.sampler.result({RUN: 3.0})
    assert found.metrics["cpu_instructions"] == 12e9
    assert found.metrics["cpu_counter_time_percent"] == 100
    assert (found.absent, found.not_counted) == ({}, {})


def test_counters_that_fail_in_the_middle_leave_no_count_and_say_why() -> None:
    counters = MadeUp(COUNTERS, "slot")
    counters.counters = {"task_clock": 0.0, "cpu_instructions": 7.0}
    bench = Bench(counters)
    bench.sampler.begin(RUN)
    bench.wait(2)
    counters.problem = "cpu_cycles: the CPU has no counter left"
    bench.wait(2)
    bench.sampler.end(RUN)
    found = bench.sampler.result({RUN: 4.0})
    assert found.metrics == {}
    assert found.not_counted["counters"] == "slot: cpu_cycles: the CPU has no counter left"


def test_throttled_seconds_are_those_of_the_most_throttled_gpu() -> None:
    gpus = [MadeUp(device=f"GPU-{name}", watts=1) for name in "ab"]
    bench = Bench(*gpus)
    bench.sampler.begin(RUN)
    for second in range(10):
        gpus[1].values = GAUGES | {"gpu_throttled": float(second < 3), "gpu_temperature": 80.0 + second}
        bench.wait(1)
    bench.sampler.end(RUN)
    found = bench.sampler.result({RUN: 10.0})
    assert found.metrics["gpu_throttled_seconds"] == 3
    assert found.metrics["gpu_temperature_peak_celsius"] == 89


def test_samples_stay_below_their_limit_and_keep_the_peak() -> None:
    gpus = [MadeUp(device=f"GPU-{number}", watts=100) for number in range(8)]
    bench = Bench(*gpus, MadeUp(CPU, "package-0", watts=50))
    bench.sampler.begin(RUN)
    bench.wait(1000)
    gpus[3].advance(bench.now)
    gpus[3].watts = 700
    bench.wait(1)
    gpus[3].watts = 100
    bench.wait(1000)
    bench.sampler.end(RUN)
    found = bench.sampler.result({RUN: 2001.0})
    assert sum(len(json.loads(one.points)) for one in found.samples) <= MOST_POINTS
    assert len({(one.quantity, one.device) for one in found.samples}) == len(found.samples) == 25
    [points] = [
        json.loads(one.points)
        for one in found.samples
        if (one.quantity, one.device) == ("gpu_power", "GPU-3")
    ]
    assert max(point[-1] for point in points) == 700
    times = [point[0] for point in points]
    assert times == sorted(times)
    assert found.metrics["power_peak_watts"] == pytest.approx(8 * 100 + 600 + 50)


@pytest.mark.parametrize(("most", "kept"), [(0, 0), (1, 0), (7, 3), (600, 3)])
def test_nodes_of_a_large_attempt_keep_few_samples(most: int, kept: int) -> None:
    found = Bench(MadeUp(watts=1), most_points=most).run(50)
    assert len(found.samples) == kept
    assert sum(len(json.loads(one.points)) for one in found.samples) <= most
    assert found.metrics["energy_joules"] == pytest.approx(50)


def test_an_nvml_gpu_is_sampled_from_its_counter() -> None:
    from orchestrator.host.meters.nvml import NvmlGpu

    gpu = Gpu(energy=1_000_000)
    bench = Bench(NvmlGpu(Nvml(GPU_a=gpu), "GPU-a", 1.0))
    bench.sampler.begin(RUN)
    for _ in range(5):
        gpu.values["energy"] += 250_000
        bench.wait(1)
    bench.sampler.end(RUN)
    found = bench.sampler.result({RUN: 5.0})
    assert found.metrics["energy_joules"] == pytest.approx(1250)
    assert found.sources == {"gpu": "nvml"}
    assert {one.quantity for one in found.samples} == {"gpu_power", "gpu_utilisation", "gpu_memory"}
