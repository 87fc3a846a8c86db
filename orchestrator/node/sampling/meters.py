"""The meters of an attempt on its node, and why others cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from orchestrator.host.meters.hwmon import hwmon_gpu
from orchestrator.host.meters.nvml import NvmlGpu, nvml_library
from orchestrator.host.meters.pm_counters import pm_counters
from orchestrator.host.meters.process_load import ProcessLoad, node_share, package_count, package_shares
from orchestrator.host.meters.rapl import rapl_zones
from orchestrator.host.meters.readings import CPU, GPU, NODE, Meter, MeterError
from orchestrator.node.sampling.counter_meters import CounterMeters
from orchestrator.protocol.order import RankResources, SlotOrder, unpack_slots

_SYS = Path("/sys")


class NodeMeters:
    """Opens the meters of a slot.

    Parameters
    ----------
    slot
        The slot, with the slots beside it on the node.
    devices
        Names of the GPUs of each of its ranks on this node.
    root
        Where sysfs is.
    library
        Returns the started module ``pynvml``.

    Attributes
    ----------
    meters
        Those that can be read.
    absent
        Why the others cannot, by part.
    """

    def __init__(
        self,
        slot: SlotOrder,
        devices: Sequence[Sequence[str]],
        pids: Callable[[], Sequence[int]],
        *,
        root: Path = _SYS,
        library: Callable[[], Any] = nvml_library,
    ) -> None:
        self.meters: list[Meter] = [ProcessLoad(pids)]
        self.absent: dict[str, str] = {}
        self._root, self._library = root, library
        slots = unpack_slots(slot.order.slots)
        self._open_gpus(slot, devices, slots)
        self._open_cpus(slot, slots)
        if slot.order.hardware_counters:
            counters = CounterMeters(slot, slots, devices, pids, library, root=root)
            self.meters += counters.meters
            self.absent |= counters.absent

    def _open_gpus(
        self, slot: SlotOrder, devices: Sequence[Sequence[str]], slots: Sequence[Sequence[RankResources]]
    ) -> None:
        gpus = slot.order.gpus
        names = {
            number: name
            for place, mine in zip(slot.places, devices, strict=True)
            for number, name in zip(place.gpus, mine, strict=True)
        }
        if gpus is None or not names:
            return
        try:
            library = self._library() if gpus.vendor == "nvidia" else None
            for number, name in names.items():
                holders = sum(any(number in place.gpus for place in one) for one in slots)
                share = 1 / max(1, holders)
                if library is not None:
                    self.meters.append(NvmlGpu(library, name, share))
                else:
                    self.meters.append(hwmon_gpu(gpus.vendor, name, share, gpus.count, self._root))
        except MeterError as error:
            self.meters = [one for one in self.meters if one.part != GPU]
            self.absent[GPU] = str(error)

    def _open_cpus(self, slot: SlotOrder, slots: Sequence[Sequence[RankResources]]) -> None:
        """Open counters of the blade controller, or those of the CPU packages."""
        held = [core for place in slot.places for core in place.cores]
        used = [core for one in slots for place in one for core in place.cores]
        try:
            shares = package_shares(held, used, self._root)
        except (OSError, ValueError) as error:
            self.absent[CPU] = f"the kernel does not describe this node's cores: {error}"
            return
        gpus = slot.order.gpus
        mine = {number for place in slot.places for number in place.gpus}
        whole = gpus is not None and len(mine) == gpus.count and len(slots) == 1
        if (self._root / "cray/pm_counters").is_dir():
            try:
                share = node_share(shares, package_count(self._root))
                for counter in pm_counters(share, all_gpus=whole, root=self._root):
                    self._add_counter(counter)
            except MeterError as error:
                self.absent[NODE] = str(error)
        if any(one.part == CPU for one in self.meters):
            return
        try:
            self.meters += rapl_zones(shares, self._root)
        except MeterError as error:
            self.absent[CPU] = str(error)

    def _add_counter(self, counter: Meter) -> None:
        """Add a counter of the blade controller; that of the accelerators only where no driver reads them."""
        if counter.part != GPU:
            self.meters.append(counter)
        elif GPU in self.absent:
            self.meters.append(counter)
            del self.absent[GPU]
