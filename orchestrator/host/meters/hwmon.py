"""Energy or power, load, temperature and clock of AMD and Intel GPUs, from their driver's files."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from orchestrator.host.meters.readings import GPU, CounterFile, EnergyCounter, MeterError, Reading
from workloads.runtime.gpu_identity import AMD, INTEL, display_devices

_MICRO = 1e-6
_ENERGY = "energy1_input"  # microjoules
_POWER = ("power1_average", "power1_input")  # microwatts
# Files below the PCI device, or below its hwmon folder, with the quantity and its unit of the file.
_VALUES = (
    ("gpu_busy_percent", "gpu_utilisation", 1.0),
    ("mem_info_vram_used", "gpu_memory", 1.0),
    ("{hwmon}/temp1_input", "gpu_temperature", 1e-3),
    ("{hwmon}/freq1_input", "gpu_clock", 1e-6),
)


class HwmonGpu:
    """One GPU.

    Parameters
    ----------
    device
        Name of the GPU.
    folder
        Its PCI device below ``/sys/bus/pci/devices``.

    Raises
    ------
    MeterError
        If its driver states neither energy nor power.
    """

    part = GPU

    def __init__(self, device: str, folder: Path, share: float) -> None:
        self.device, self.share = device, share
        hwmon = next(iter(sorted(folder.glob("hwmon/hwmon*"))), None)
        if hwmon is None:
            raise MeterError(f"{folder}/hwmon is not there")
        self._counter = EnergyCounter(_MICRO)
        self._energy = CounterFile(hwmon / _ENERGY) if (hwmon / _ENERGY).exists() else None
        power = next((name for name in _POWER if (hwmon / name).exists()), None)
        self._power = CounterFile(hwmon / power) if power else None
        if self._energy is None and self._power is None:
            raise MeterError(f"{hwmon} states neither energy nor power")
        self.source = "hwmon" if self._energy is not None else "hwmon power, integrated"
        self._values: dict[str, tuple[CounterFile, float]] = {}
        for name, quantity, unit in _VALUES:
            file = folder / name.format(hwmon=hwmon.relative_to(folder))
            if file.exists():
                self._values[quantity] = CounterFile(file), unit

    def read(self, seconds: float) -> Reading:
        """Return energy or power, and all values that the driver states."""
        counts, power = self._energy, self._power
        joules = None if counts is None else self._counter.joules(counts.read(), seconds)
        watts = None if power is None else power.read() * _MICRO
        if joules is None and not watts:  # as for the second half of an MI250X, which its first half counts
            raise MeterError("the driver states a power of 0 W")
        values = {}
        for name, (file, unit) in self._values.items():
            with suppress(MeterError):  # an idle GPU may state none
                values[name] = file.read() * unit
        return Reading(joules, watts, values)


def hwmon_gpu(vendor: str, device: str, share: float, count: int, root: Path = Path("/sys")) -> HwmonGpu:
    """Return the meter of a GPU.

    Parameters
    ----------
    vendor
        ``amd`` or ``intel``.
    device
        ``GPU-`` with the serial number, or the number of an Intel GPU or of one of its tiles.
    count
        Devices of the node, as the site file states it.

    Raises
    ------
    MeterError
        If the kernel does not know the GPU, or states neither energy nor power.
    """
    cards = display_devices(AMD if vendor == "amd" else INTEL, root)
    folder = root / "bus/pci/devices"
    if vendor == "amd":
        for card in cards:
            if _serial(folder / card) == device.removeprefix("GPU-").lower():
                return HwmonGpu(device, folder / card, share)
        raise MeterError(f"the kernel states no GPU with unique_id {device}")
    number = device.partition(".")[0]
    tiles = max(1, count // max(1, len(cards)))
    if not number.isdecimal() or int(number) // tiles >= len(cards):
        raise MeterError(f"the kernel knows no Intel GPU {device}")
    return HwmonGpu(device, folder / cards[int(number) // tiles], share / tiles)


def _serial(device: Path) -> str:
    try:
        return f"{int((device / 'unique_id').read_text(), 16):016x}"
    except (OSError, ValueError):
        return ""
