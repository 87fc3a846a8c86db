"""The hardware counters of an attempt on its node, and why others are not read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from orchestrator.host.meters.cpu_counters import CpuCounters, flop_events
from orchestrator.host.meters.gpm import GpmGpu
from orchestrator.host.meters.memory_controllers import MemoryControllers
from orchestrator.host.meters.readings import COUNTERS, DRAM, FLOP, GPU_COUNTERS, Meter, MeterError
from orchestrator.protocol.order import RankResources, SlotOrder

_NO_GPU_COUNTERS = {
    "amd": "rocprofiler counts only programs that it starts, and is not read",
    "intel": "no counters of Intel's GPUs are read",
}


class CounterMeters:
    """Opens the hardware counters of a slot.

    Parameters
    ----------
    slots
        All slots of the node.
    devices
        Names of the GPUs of each of its ranks on this node.
    pids
        Returns the attempt's processes.
    library
        Returns the started module ``pynvml``.

    Attributes
    ----------
    meters
        Those that can be read.
    absent
        Why the others cannot, by quantity.
    """

    def __init__(
        self,
        slot: SlotOrder,
        slots: Sequence[Sequence[RankResources]],
        devices: Sequence[Sequence[str]],
        pids: Callable[[], Iterable[int]],
        library: Callable[[], Any],
        *,
        root: Path = Path("/sys"),
        cpuinfo: Path = Path("/proc/cpuinfo"),
    ) -> None:
        self.meters: list[Meter] = []
        self.absent: dict[str, str] = {}
        try:
            self._open_cpus(pids, cpuinfo)
        except (MeterError, OSError) as error:
            self.absent[COUNTERS] = str(error)
        if len(slots) > 1:
            self.absent[DRAM] = f"memory controllers count for all {len(slots)} slots of the node together"
        else:
            try:
                self.meters.append(MemoryControllers(root))
            except (MeterError, OSError) as error:
                self.absent[DRAM] = str(error)
        if slot.order.gpus is not None and any(devices):
            try:
                self._open_gpus(slot, slots, sorted({name for one in devices for name in one}), library)
            except MeterError as error:
                self.absent[GPU_COUNTERS] = str(error)

    def _open_cpus(self, pids: Callable[[], Iterable[int]], cpuinfo: Path) -> None:
        try:
            flop = flop_events(cpuinfo.read_text(), os.uname().release)
        except MeterError as error:
            flop = {}
            self.absent[FLOP] = str(error)
        found = CpuCounters(pids(), flop)
        self.meters.append(found)
        self.absent |= found.absent

    def _open_gpus(
        self,
        slot: SlotOrder,
        slots: Sequence[Sequence[RankResources]],
        names: Sequence[str],
        library: Callable[[], Any],
    ) -> None:
        """Open the counters of all GPUs of the slot, or none."""
        gpus = slot.order.gpus
        assert gpus is not None  # noqa: S101
        if gpus.vendor in _NO_GPU_COUNTERS:
            raise MeterError(_NO_GPU_COUNTERS[gpus.vendor])
        mine = {number for place in slot.places for number in place.gpus}
        holders = [one for one in slots if any(mine & set(place.gpus) for place in one)]
        if len(holders) > 1 or gpus.sharing == "mig":
            raise MeterError("GPM metrics are of whole GPUs, which this slot does not hold alone")
        started = library()
        self.meters += [GpmGpu(started, name) for name in names]
