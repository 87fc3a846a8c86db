"""Energy of CPU packages and their memory, from the kernel's powercap files (RAPL of Intel and AMD)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from orchestrator.host.meters.readings import CPU, MEMORY, CounterFile, EnergyCounter, MeterError, Reading

_PACKAGE = re.compile(r"package-(\d+)(-die-\d+)?")
_MEMORY = "dram"
_MICRO = 1e-6


class RaplZone:
    """One zone: a package, or the memory of one, which its package does not count."""

    source = "rapl"

    def __init__(self, part: str, device: str, folder: Path, share: float) -> None:
        self.part, self.device, self.share = part, device, share
        self._file = CounterFile(folder / "energy_uj")
        self._counter = EnergyCounter(_MICRO, CounterFile(folder / "max_energy_range_uj").read())

    def read(self, seconds: float) -> Reading:
        """Return the energy since the first reading."""
        return Reading(joules=self._counter.joules(self._file.read(), seconds))


def rapl_zones(shares: Mapping[int, float], root: Path = Path("/sys")) -> list[RaplZone]:
    """Return the zones of packages that a slot has cores of.

    The zones ``core`` and ``uncore`` are parts of their package, and ``psys`` contains packages; neither is
    read.

    Parameters
    ----------
    shares
        Share of each package, by its number.

    Raises
    ------
    MeterError
        If there is none, or this user may not read them: many systems let root alone.
    """
    folder = root / "class/powercap"
    if not folder.is_dir():
        raise MeterError(f"{folder} is not there")
    found: dict[str, RaplZone] = {}
    zones = {zone.name: (zone, _name(zone)) for zone in sorted(folder.glob("intel-rapl:*"))}
    for number, (zone, name) in zones.items():
        package = _PACKAGE.fullmatch(name)
        parent = zones.get(number.rpartition(":")[0], (zone, ""))[1]
        owner = package or (_PACKAGE.fullmatch(parent) if name == _MEMORY else None)
        if owner is None or not shares.get(int(owner[1])):
            continue
        part, device = (CPU, name) if package else (MEMORY, f"{_MEMORY} of {parent}")
        if device not in found:
            found[device] = RaplZone(part, device, zone, shares[int(owner[1])])
    if not any(zone.part == CPU for zone in found.values()):
        raise MeterError(f"{folder} has no RAPL zone of the slot's packages")
    return list(found.values())


def _name(zone: Path) -> str:
    try:
        return (zone / "name").read_text().strip()
    except OSError:
        return ""
