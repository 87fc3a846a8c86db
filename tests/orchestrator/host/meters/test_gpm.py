"""Use of memory and units of NVIDIA's GPUs, by a made-up NVML, and by the real one where there is a GPU."""

from __future__ import annotations

import math
from typing import Any

import pytest

from orchestrator.host.gpus import discover
from orchestrator.host.meters.gpm import GpmGpu
from orchestrator.host.meters.nvml import nvml_library
from orchestrator.host.meters.readings import MeterError
from tests.orchestrator.host.meters.trees import Gpu, Nvml, NVMLError

H100_BYTES_PER_SECOND = 5120 / 8 * 2619e6 * 2
ALL = {5: 60.0, 10: 50.0, 11: 1.0, 12: 20.0, 13: 0.0}


def test_each_unit_adds_the_time_in_which_it_was_used() -> None:
    gpu = Gpu(gpm=ALL)
    library = Nvml(GPU_a=gpu)
    meter = GpmGpu(library, "GPU-a")
    assert set(meter.read(0.0).counters.values()) == {0.0}
    meter.read(2.0)
    gpu.values["gpm"] = ALL | {10: 25.0}
    found = meter.read(6.0).counters
    assert found == pytest.approx(
        {
            "gpu_tensor:GPU-a": 3.6,
            "gpu_dram:GPU-a": 2.0,
            "gpu_dram_bytes:GPU-a": 2.0 * H100_BYTES_PER_SECOND,
            "gpu_fp64:GPU-a": 0.06,
            "gpu_fp32:GPU-a": 1.2,
            "gpu_fp16:GPU-a": 0.0,
        }
    )
    assert meter.read(6.05).counters == found  # counts with the next
    assert meter.read(7.0).counters["gpu_dram:GPU-a"] == pytest.approx(2.25)
    assert library.samples == 2
    del meter
    assert library.samples == 0


def test_what_a_gpu_does_not_give_is_left_out() -> None:
    meter = GpmGpu(Nvml(GPU_a=Gpu(gpm={5: 60.0, 10: math.nan, 12: 20.0})), "GPU-a")
    meter.read(0.0)
    assert set(meter.read(1.0).counters) == {"gpu_tensor:GPU-a", "gpu_fp32:GPU-a"}
    without_bus = GpmGpu(Nvml(GPU_a=Gpu(gpm=ALL, bus=None)), "GPU-a")
    without_bus.read(0.0)
    assert "gpu_dram_bytes:GPU-a" not in without_bus.read(1.0).counters


class Old(Nvml):
    def __getattribute__(self, name: str) -> Any:
        if "Gpm" in name:
            raise AttributeError(name)
        return super().__getattribute__(name)


@pytest.mark.parametrize(
    ("library", "why"),
    [
        (Nvml(GPU_a=Gpu()), "need Hopper or later; those of DCGM are not read"),
        (
            Nvml(GPU_a=Gpu(gpm=NVMLError("Function Not Found"))),
            "Function Not Found; those of DCGM are not read",
        ),
        (Nvml(), "Not Found"),
        (Old(GPU_a=Gpu()), "this nvidia-ml-py is too old"),
    ],
)
def test_a_gpu_without_these_metrics_has_a_reason(library: Nvml, why: str) -> None:
    with pytest.raises(MeterError, match=why):
        GpmGpu(library, "GPU-a")


def test_a_gpu_that_is_lost_is_an_error() -> None:
    gpu = Gpu(gpm=ALL)
    meter = GpmGpu(Nvml(GPU_a=gpu), "GPU-a")
    meter.read(0.0)
    gpu.values["gpm"] = NVMLError("GPU is lost")
    with pytest.raises(MeterError, match="GPU is lost"):
        meter.read(1.0)


def test_a_real_gpu_states_percentages() -> None:
    """Needs a GPU of NVIDIA, Hopper or later."""
    try:
        library = nvml_library()
        meter = GpmGpu(library, discover("nvidia", library.nvmlDeviceGetCount())[0])
    except MeterError as error:
        pytest.skip(str(error))
    meter.read(0.0)
    found = meter.read(1.0).counters
    assert {name.partition(":")[0] for name in found} >= {"gpu_dram", "gpu_dram_bytes", "gpu_tensor"}
    assert all(0 <= value <= 1 for name, value in found.items() if not name.startswith("gpu_dram_bytes"))
