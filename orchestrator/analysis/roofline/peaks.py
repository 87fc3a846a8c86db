"""Theoretical peaks of GPUs, from data sheets, and of CPUs, derived from their units and clock. Pure.

A GPU is found by the words of the name that its driver gives. A CPU's peak is cores × nominal clock × FLOP
per cycle of a core. A device that the file lacks has no peak: the reason names the nearest that it has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from sites import parse, read_text
from workloads.spelling import near

Precision = Literal["float64", "float32", "tensor_float32", "bfloat16", "float16"]
_FILE = Path(__file__).with_name("peaks.yaml")
_TERA = 1e12
_ALIASES = {"tensorfloat32": "tensor_float32"}


class _Entry(BaseModel):
    """A processor with the source of its figures."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    title: str
    source: str


class GpuPeak(_Entry):
    """Dense peak of one device, in TFLOP/s for each type.

    A driver's name has the first of `words`, or its spelling in `also`, all others, and none of `excluded`.
    """

    words: tuple[str, ...]
    also: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    tflops: dict[Precision, float]

    def matches(self, words: frozenset[str]) -> bool:
        """Return whether a driver's name with these words is this device."""
        first, *others = self.words
        spelled = not words.isdisjoint((first, *self.also)) and words.issuperset(others)
        return spelled and words.isdisjoint(self.excluded)


class CpuPeak(_Entry):
    """A CPU with the float64 FLOP per cycle of a core; the model name contains an entry of `name`."""

    vendor: str
    family: int
    models: tuple[int, ...]
    name: tuple[str, ...] = ()
    flags: tuple[str, ...]
    flop_per_cycle: int

    def matches(self, facts: Mapping[str, str]) -> bool:
        """Return whether a processor of /proc/cpuinfo is this CPU."""
        numbers = (facts.get("cpu family"), facts.get("model"))
        model = facts.get("model name", "").lower()
        return (
            facts.get("vendor_id") == self.vendor
            and numbers in {(str(self.family), str(number)) for number in self.models}
            and (not self.name or any(part in model for part in self.name))
            and set(self.flags) <= set(facts.get("flags", "").split())
        )


class Peaks(BaseModel):
    """Contents of peaks.yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    gpus: tuple[GpuPeak, ...]
    cpus: tuple[CpuPeak, ...]


@dataclass(frozen=True, slots=True)
class Peak:
    """The peak of devices.

    Parameters
    ----------
    flop_per_second
        For each type; empty where it is not known.
    source
        Data sheet or formula; where the peak is not known, the reason.
    """

    title: str
    flop_per_second: Mapping[str, float]
    source: str

    def of(self, precision: str) -> float | None:
        """Return FLOP/s in a type; None where that is not known."""
        return self.flop_per_second.get(_ALIASES.get(precision, precision))

    def __str__(self) -> str:
        if not self.flop_per_second:
            return f"no theoretical peak: {self.source}"
        values = ", ".join(f"{name} {value / _TERA:.4g}" for name, value in self.flop_per_second.items())
        return f"peak TFLOP/s of {self.title}: {values} ({self.source})"


@cache
def peaks() -> Peaks:
    """Return the peaks of the file."""
    return parse(read_text(_FILE, "peaks"), Peaks, str(_FILE))


def gpu_peak(name: str) -> Peak:
    """Return the peak of one GPU, by the name that nvidia-smi, rocm-smi or a framework gives it."""
    words = frozenset(re.findall(r"[a-z0-9]+", name.lower()))
    if "mig" in words:
        return Peak(name, {}, f"{name} is a part of a GPU")
    for one in peaks().gpus:
        if one.matches(words):
            return Peak(one.title, {key: value * _TERA for key, value in one.tflops.items()}, one.source)
    known = {one.title: one.words[0] for one in peaks().gpus}
    alike = ", ".join(title for title, word in known.items() if word in words)
    hint = f"; there is {alike}" if alike else near(name, known)
    return Peak(name, {}, f"peaks.yaml has no {name or 'GPU without a name'}{hint}")


def cpu_peak(cpuinfo: str, cores: int, nominal_hertz: float | None = None) -> Peak:
    """Return the derived peak of CPU cores: cores × nominal clock × FLOP per cycle.

    Parameters
    ----------
    cpuinfo
        Text of /proc/cpuinfo, of which the first processor is read.
    cores
        Number of cores, without their further threads.
    nominal_hertz
        Clock that the kernel states; by default that of the model name, such as ``@ 2.90GHz``.
    """
    pairs = (line.partition(":") for line in cpuinfo.partition("\n\n")[0].splitlines())
    facts = {key.strip(): value.strip() for key, _, value in pairs}
    model = facts.get("model name", "") or "CPU without a name"
    unit = next((one for one in peaks().cpus if one.matches(facts)), None)
    if unit is None:
        return Peak(model, {}, f"peaks.yaml has no FLOP per cycle of {model}")
    stated = re.search(r"@ ([\d.]+)GHz", model)
    hertz = nominal_hertz or (float(stated[1]) * 1e9 if stated else None)
    if hertz is None:
        return Peak(model, {}, f"neither the kernel nor the name {model} states the nominal clock")
    double = cores * hertz * unit.flop_per_cycle
    formula = f"derived: {cores} cores × {hertz / 1e9:.4g} GHz × {unit.flop_per_cycle} FLOP in float64"
    return Peak(model, {"float64": double, "float32": 2 * double}, f"{formula}; {unit.source}")
