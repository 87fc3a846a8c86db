"""Energy of a node, its CPUs, memory and accelerators, from the files of Cray's blade controller."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from orchestrator.host.meters.readings import (
    CPU,
    GPU,
    MEMORY,
    NODE,
    CounterFile,
    EnergyCounter,
    MeterError,
    Reading,
)

_ACCELERATOR = re.compile(r"accel\d*_energy")
_STALE_SECONDS = 5.0
"""The controller counts 10 updates a second."""


class Controller:
    """Counters that tell if the blade controller still updates its files: ``startup``, ``freshness``."""

    def __init__(self, folder: Path) -> None:
        self._startup = CounterFile(folder / "startup")
        self._freshness = CounterFile(folder / "freshness")
        self._started = self._startup.read()
        self._fresh: tuple[float, float] | None = None

    def check(self, seconds: float) -> None:
        """Raise `MeterError` if the controller was started again, or has stopped updating."""
        if self._startup.read() != self._started:
            raise MeterError("the blade controller was restarted while the attempt ran")
        count = self._freshness.read()
        if self._fresh is None or count != self._fresh[0]:
            self._fresh = count, seconds
        elif seconds - self._fresh[1] > _STALE_SECONDS:
            raise MeterError(f"pm_counters were not updated for {_STALE_SECONDS:.0f} s")


class PmCounter:
    """Energy that some files count together, less what others count."""

    source = "pm_counters"

    def __init__(
        self,
        part: str,
        folder: Path,
        files: Sequence[str],
        share: float,
        controller: Controller,
        less: Sequence[str] = (),
    ) -> None:
        self.part, self.device, self.share = part, "+".join(files), share
        self._controller = controller
        self._added = [(CounterFile(folder / name), EnergyCounter(1.0)) for name in files]
        self._less = [(CounterFile(folder / name), EnergyCounter(1.0)) for name in less]

    def read(self, seconds: float) -> Reading:
        """Return the energy since the first reading."""
        self._controller.check(seconds)
        added, less = (
            sum(counter.joules(file.read(), seconds) for file, counter in files)
            for files in (self._added, self._less)
        )
        return Reading(joules=max(0.0, added - less))


def pm_counters(share: float, *, all_gpus: bool, root: Path = Path("/sys")) -> list[PmCounter]:
    """Return counters of the node without its accelerators, and of its CPUs, memory and accelerators.

    Parameters
    ----------
    share
        Share of the node's cores that the slot holds.
    all_gpus
        Whether the slot holds all accelerators: the files do not say which GPU each of them is.

    Raises
    ------
    MeterError
        If a file is missing, or this user may not read it.
    """
    folder = root / "cray/pm_counters"
    controller = Controller(folder)
    accelerators = sorted(file.name for file in folder.glob("accel*") if _ACCELERATOR.fullmatch(file.name))
    found = [PmCounter(NODE, folder, ["energy"], share, controller, accelerators)]
    for part, name in ((CPU, "cpu_energy"), (MEMORY, "memory_energy")):
        if (folder / name).exists():
            found.append(PmCounter(part, folder, [name], share, controller))
    if accelerators and all_gpus:
        found.append(PmCounter(GPU, folder, accelerators, 1.0, controller))
    return found
