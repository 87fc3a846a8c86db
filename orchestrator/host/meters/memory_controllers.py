"""Bytes that the memory controllers of a node moved, by the kernel's perf_events of Intel's uncore."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from orchestrator.host._linux import open_perf_event
from orchestrator.host.meters.cpu_counters import Descriptors, refusal
from orchestrator.host.meters.readings import DRAM, MeterError, Reading

_EVENTS = {"cas_count_read": "cpu_dram_read_bytes", "cas_count_write": "cpu_dram_written_bytes"}
_CONTROLLER = re.compile(r"uncore_imc_\d+")
_MIB = 2.0**20
_FIELD = re.compile(r"config:(\d+)-(\d+)")


class MemoryControllers:
    """Counts of all memory controllers of the node, whatever process they served.

    Parameters
    ----------
    root
        Where sysfs is.
    open_event
        Returns a descriptor; see `open_perf_event`.

    Raises
    ------
    MeterError
        If the kernel lists no events of memory controllers, or this user may not count them.
    """

    part, device, source, share = DRAM, "node", "perf_events", 1.0

    def __init__(
        self, root: Path = Path("/sys"), open_event: Callable[[int, int, int, int], int] = open_perf_event
    ) -> None:
        self._events = Descriptors()
        self._bytes: dict[str, float] = {}
        folder = root / "bus/event_source/devices"
        controllers = [one for one in sorted(folder.glob("uncore_imc_*")) if _CONTROLLER.fullmatch(one.name)]
        for controller in controllers:
            try:
                self._open(controller, open_event)
            except OSError as error:
                raise MeterError(refusal(error)) from None
            except (ValueError, KeyError, IndexError):
                raise MeterError(f"{controller} describes its events in another way") from None
        if not self._bytes:
            raise MeterError("the kernel lists no events cas_count_read and cas_count_write of uncore_imc")

    def _open(self, controller: Path, open_event: Callable[[int, int, int, int], int]) -> None:
        """Open the events of a controller on one CPU of each package; raises what does not fit."""
        kind = int((controller / "type").read_text())
        cpus = [int(cpu.partition("-")[0]) for cpu in (controller / "cpumask").read_text().split(",")]
        for event, name in _EVENTS.items():
            file = controller / "events" / event
            if not file.exists():
                continue  # a controller without memory
            unit = file.with_name(f"{event}.unit").read_text().strip()
            if unit != "MiB":
                raise ValueError(unit)
            scale = float(file.with_name(f"{event}.scale").read_text()) * _MIB
            if self._bytes.setdefault(name, scale) != scale:
                raise ValueError(scale)
            found = self._events.by_event.setdefault(name, [])
            config = _config(controller, file.read_text().strip())
            found += [open_event(kind, config, -1, cpu) for cpu in cpus]

    def read(self, seconds: float) -> Reading:  # noqa: ARG002
        """Return bytes since counting began."""
        counters: dict[str, float] = {}
        for name, scale in self._bytes.items():
            try:
                counted, enabled, running = self._events.counts(name)
            except OSError as error:
                raise MeterError(f"{name}: {error.strerror or error}") from None
            if running < enabled:
                raise MeterError("other programs take turns at the counters of the memory controllers")
            counters[name] = counted * scale
        return Reading(counters=counters)


def _config(controller: Path, words: str) -> int:
    """Return the ``config`` of an event such as ``event=0x04,umask=0x03``."""
    config = 0
    for word in words.split(","):
        name, _, value = word.partition("=")
        place = _FIELD.fullmatch((controller / "format" / name).read_text().strip())
        if place is None:
            raise ValueError(name)
        config |= int(value, 0) << int(place[1])
    return config
