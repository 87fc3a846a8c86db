"""Theoretical peaks: the file, names of drivers, and processors of /proc/cpuinfo."""

from __future__ import annotations

import pytest

from orchestrator.analysis.roofline.achieved import Place, achieved
from orchestrator.analysis.roofline.peaks import cpu_peak, gpu_peak, peaks


def cpuinfo(vendor: str, family: int, model: int, name: str, flags: str) -> str:
    first = (
        f"processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n"
        f"model name\t: {name}\nflags\t\t: fpu {flags} sse"
    )
    return f"{first}\n\nprocessor\t: 1\n"


def test_every_entry_has_a_source_and_a_title_of_its_own() -> None:
    entries = (*peaks().gpus, *peaks().cpus)
    assert all(one.source for one in entries)
    assert len({one.title for one in entries}) == len(entries)


@pytest.mark.parametrize(
    ("name", "title", "precision", "tflops"),
    [
        ("Tesla V100-SXM2-16GB", "V100 SXM2", "float16", 125),
        ("Tesla V100-PCIE-32GB", "V100 PCIe", "float32", 14),
        ("NVIDIA A100-SXM4-40GB", "A100", "tensor_float32", 156),
        ("NVIDIA A100 80GB PCIe", "A100", "tensorfloat32", 156),
        ("NVIDIA H100 80GB HBM3", "H100 SXM", "bfloat16", 989.4),
        ("NVIDIA H100 PCIe", "H100 PCIe", "bfloat16", 756),
        ("NVIDIA H200", "H200", "float64", 67),
        ("Tesla K20Xm", "K20X", "float64", 1.31),
        ("AMD Instinct MI250X", "MI250X, one of its two dies", "float64", 47.85),
    ],
)
def test_names_of_drivers_are_found(name: str, title: str, precision: str, tflops: float) -> None:
    found = gpu_peak(name)
    assert found.title == title
    assert found.of(precision) == pytest.approx(tflops * 1e12)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("NVIDIA H100 NVL", "has no NVIDIA H100 NVL; there is H100 PCIe, H100 SXM"),
        ("A100-SXM4-40GB MIG 1g.5gb", "a part of a GPU"),
        ("MI300", "did you mean MI100"),
        ("NVIDIA A100-SXM-64GB", "there is A100"),
        ("", "GPU without a name"),
    ],
)
def test_an_unknown_device_has_no_peak_and_a_reason(name: str, reason: str) -> None:
    found = gpu_peak(name)
    assert not found.flop_per_second
    assert reason in str(found)


def test_the_peak_of_a_cpu_is_cores_by_clock_by_flop_per_cycle() -> None:
    haswell = cpuinfo("GenuineIntel", 6, 63, "Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz", "avx2 fma")
    found = cpu_peak(haswell, 12)
    assert found.of("float64") == pytest.approx(12 * 2.5e9 * 16)
    assert found.of("float32") == pytest.approx(12 * 2.5e9 * 32)
    assert "derived: 12 cores × 2.5 GHz × 16 FLOP" in str(found)
    milan = cpuinfo("AuthenticAMD", 25, 1, "AMD EPYC 7763 64-Core Processor", "avx2 fma")
    assert cpu_peak(milan, 64, 2.45e9).of("float64") == pytest.approx(64 * 2.45e9 * 16)
    knl = cpuinfo("GenuineIntel", 6, 87, "Intel(R) Xeon Phi(TM) CPU 7230 @ 1.30GHz", "avx2 avx512f")
    assert cpu_peak(knl, 64).of("float64") == pytest.approx(2.6624e12)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (cpuinfo("AuthenticAMD", 25, 1, "AMD EPYC", "avx2 fma"), "states the nominal clock"),
        (cpuinfo("GenuineIntel", 6, 63, "Xeon @ 2.50GHz", "avx2"), "no FLOP per cycle of Xeon"),
        (cpuinfo("GenuineIntel", 6, 85, "Xeon Silver 4110 @ 2.10GHz", "avx512f"), "no FLOP per cycle"),
        ("", "CPU without a name"),
    ],
)
def test_a_cpu_whose_units_or_clock_are_unknown_has_no_peak(text: str, reason: str) -> None:
    found = cpu_peak(text, 2)
    assert not found.flop_per_second
    assert reason in str(found)


def test_the_ratio_of_the_published_node_of_eight_gpus() -> None:
    """HPC AI500 has 31 TFLOPS of 8 V100 as 26 % of 120; the data sheet's peak is 125.6."""
    place = Place(4, 1.0, "Tesla V100-SXM2-32GB")
    found = achieved("f/ewa", place, 8, 31e12, ("float32", "float16"))
    assert found.shares == pytest.approx({"float32": 31 / 125.6, "float16": 31 / 1000})
    assert "24.7 % of the float32 peak of 8 V100 SXM2 (125.6 TFLOP/s)" in str(found)


@pytest.mark.parametrize(
    ("place", "rate", "precision", "reason"),
    [
        (Place(4, 0.0, "CPU Z"), 1.0, "float32", "units nor the clock of a CPU"),
        (Place(4, 0.5, "NVIDIA H200"), 1.0, "float32", "a part of a GPU, 0.5"),
        (Place(4, 1.0, "Tesla V100-SXM2-32GB"), 1.0, "bfloat16", "has none in bfloat16"),
        (Place(4, 1.0, "NVIDIA H200"), None, "float32", "no FLOP/s were measured"),
    ],
)
def test_a_ratio_is_absent_with_its_reason(place: Place, rate: float, precision: str, reason: str) -> None:
    found = achieved("f/net", place, 1, rate, (precision,))
    assert found.shares == {}
    assert reason in str(found)
