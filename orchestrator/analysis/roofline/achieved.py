"""The achieved performance ratio: measured FLOP/s ÷ theoretical peak of the devices that computed. Pure.

HPC AI500 V2.0 (section 7.3.1, Table 11) divides by the float32 peak in all arithmetics, so that its ratio may
be above 1 where trainings compute in float16 on matrix units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from orchestrator.analysis.roofline.peaks import Peak, gpu_peak

_TERA = 1e12


@dataclass(frozen=True, slots=True)
class Place:
    """The part of a node that one rank has."""

    cores: int
    gpus: float
    machine: str

    def __str__(self) -> str:
        gpus = f", {self.gpus:g} GPU" if self.gpus else ""
        cores = f"{self.cores} core" + ("" if self.cores == 1 else "s")
        return f"{cores}{gpus}, {self.machine or 'kind of node not recorded'}"


@dataclass(frozen=True, slots=True)
class Achieved:
    """The part of their theoretical peak that devices achieved.

    Parameters
    ----------
    flop_per_second
        Measured, of all devices; None if it was not.
    peaks
        FLOP/s of all devices together, for each type that is known.
    """

    name: str
    flop_per_second: float | None
    devices: str
    peaks: Mapping[str, float] = field(default_factory=dict)
    absent: str = ""

    @property
    def shares(self) -> dict[str, float]:
        """Measured FLOP/s ÷ peak, for each type."""
        if self.flop_per_second is None:
            return {}
        return {name: self.flop_per_second / peak for name, peak in self.peaks.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return asdict(self) | {"shares": self.shares}

    def __str__(self) -> str:
        parts = [
            f"{100 * share:.3g} % of the {name} peak of {self.devices} "
            f"({self.peaks[name] / _TERA:.4g} TFLOP/s)"
            for name, share in self.shares.items()
        ]
        return "; ".join(parts) or f"no ratio to a theoretical peak: {self.absent}"


def _theoretical_peak(place: Place) -> Peak:
    """Return the theoretical peak of one GPU of a rank; unknown for cores and for parts of a GPU.

    The ledger has the model of a CPU, not its units, clock and threads, of which a peak is derived.
    """
    if not place.gpus:
        return Peak(place.machine, {}, "the ledger has neither the units nor the clock of a CPU")
    if place.gpus % 1:
        return Peak(place.machine, {}, f"each rank has a part of a GPU, {place.gpus:g}")
    return gpu_peak(place.machine)


def achieved(
    name: str, place: Place, ranks: int, flop_per_second: float | None, precisions: Sequence[str]
) -> Achieved:
    """Return what ranks achieved of the peak of their GPUs, for each of some types that it is known for.

    Parameters
    ----------
    flop_per_second
        Of all ranks together; None if it was not measured.
    """
    one = _theoretical_peak(place)
    devices = ranks * place.gpus
    peaks = {
        precision: devices * peak
        for precision in dict.fromkeys(precisions)
        if (peak := one.of(precision)) is not None
    }
    reason = "no FLOP/s were measured"
    if flop_per_second is not None:
        asked = " or ".join(precisions)
        reason = (
            f"{one.source} has none in {asked or 'unknown precision'}" if one.flop_per_second else one.source
        )
    shown = f"{devices:g} {one.title}"
    return Achieved(name, flop_per_second, shown, peaks, "" if peaks and flop_per_second else reason)
