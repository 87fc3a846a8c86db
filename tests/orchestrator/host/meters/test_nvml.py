"""NVIDIA's GPUs, by a made-up NVML, and by the real one where there is a GPU."""

from __future__ import annotations

import builtins
import time
from typing import Any

import pytest

from orchestrator.host.gpus import discover
from orchestrator.host.meters.nvml import POWER_CAP, NvmlGpu, nvml_library
from orchestrator.host.meters.readings import MeterError
from tests.orchestrator.host.meters.trees import Gpu, Nvml, NVMLError


def test_the_energy_counter_is_read_where_there_is_one() -> None:
    gpu = Gpu(energy=5_000_000, throttle=0x20 | POWER_CAP)
    meter = NvmlGpu(Nvml(GPU_a=gpu), "GPU-a", 0.25)
    assert (meter.source, meter.share, meter.device) == ("nvml", 0.25, "GPU-a")
    first = meter.read(0.0)
    assert (first.joules, first.watts) == (0, 100.0)
    assert first.values == {
        "gpu_utilisation": 50,
        "gpu_memory": 2**30,
        "gpu_temperature": 60,
        "gpu_clock": 1400,
        "gpu_throttled": 1.0,
        "gpu_capped": 1.0,
    }
    gpu.values |= {"energy": 5_300_500, "throttle": 1}
    second = meter.read(1.0)
    assert second.joules == pytest.approx(300.5)
    assert (second.values["gpu_throttled"], second.values["gpu_capped"]) == (0.0, 0.0)


def test_power_is_marked_as_integrated_where_there_is_no_counter() -> None:
    meter = NvmlGpu(Nvml(GPU_a=Gpu(energy=None)), "GPU-a", 1.0)
    assert meter.source == "nvml power, integrated"
    assert meter.read(0.0).joules is None


def test_a_gpu_that_reads_neither_is_named() -> None:
    with pytest.raises(MeterError, match="neither energy nor power"):
        NvmlGpu(Nvml(GPU_a=Gpu(energy=None, power=None)), "GPU-a", 1.0)
    with pytest.raises(MeterError, match="NVML: Not Found"):
        NvmlGpu(Nvml(), "GPU-a", 1.0)


def test_values_that_a_gpu_does_not_support_are_left_out() -> None:
    meter = NvmlGpu(Nvml(GPU_a=Gpu(utilisation=None, throttle=None)), "GPU-a", 1.0)
    for _ in range(2):
        assert set(meter.read(0.0).values) == {"gpu_memory", "gpu_temperature", "gpu_clock"}


def test_a_gpu_that_is_lost_or_reset_is_an_error() -> None:
    gpu = Gpu(energy=9000)
    meter = NvmlGpu(Nvml(GPU_a=gpu), "GPU-a", 1.0)
    meter.read(0.0)
    gpu.values["energy"] = NVMLError("GPU is lost")
    with pytest.raises(MeterError, match="NVML: GPU is lost"):
        meter.read(1.0)
    gpu.values["energy"] = 10
    with pytest.raises(MeterError, match="reset"):
        meter.read(2.0)


def test_a_mig_instance_has_its_slices_of_its_gpus_energy() -> None:
    gpu = Gpu()
    meter = NvmlGpu(Nvml(GPU_a=gpu), "MIG-1", 0.5)
    assert meter.share == pytest.approx(0.5 * 3 / 7)
    meter.read(0.0)
    gpu.values["energy"] = 7000
    assert meter.read(1.0).joules == 7


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any, **more: Any) -> Any:
        if name == "pynvml":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MeterError, match="nvidia-ml-py is not installed"):
        nvml_library()


def test_a_real_gpu_draws_a_plausible_power() -> None:
    """Needs a GPU of NVIDIA; the counter and the power agree within what an idle GPU varies."""
    try:
        library = nvml_library()
    except MeterError as error:
        pytest.skip(str(error))
    name = discover("nvidia", library.nvmlDeviceGetCount())[0]
    meter = NvmlGpu(library, name, 1.0)
    begin, first = time.monotonic(), meter.read(time.monotonic())
    deadline = begin + 30
    last, now = first, begin
    while now - begin < 2.0 and now < deadline:
        now = time.monotonic()
        last = meter.read(now)
    assert last.watts is not None
    assert 1 < last.watts < 2000
    assert 0 < last.values["gpu_temperature"] < 120
    assert last.values["gpu_memory"] > 0
    if last.joules is not None and not name.startswith("MIG-"):
        assert 0.2 < last.joules / (now - begin) / last.watts < 5
