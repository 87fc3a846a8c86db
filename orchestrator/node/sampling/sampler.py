"""Energy, power and load of an attempt on one node, from meters that are read again and again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.host.meters.readings import CPU, GPU, LOAD, MEMORY, NODE, Meter, MeterError, Reading
from orchestrator.node.sampling.hardware_counts import COUNTS, CPU_SECONDS, HardwareCounts
from orchestrator.node.sampling.series import SampleSeries, fitted
from orchestrator.protocol.sampling import MOST_POINTS, Samples, Sampling, mean

RUN, WINDOW = "run", "window"
_ATTEMPT = "attempt"
_UNITS = {
    "gpu_power": "W",
    "node_power": "W",
    "cpu_power": "W",
    "memory_power": "W",
    "gpu_utilisation": "%",
    "cpu_utilisation": "%",
    "gpu_memory": "B",
    "read_rate": "B/s",
    "write_rate": "B/s",
}
"""Quantities of which samples are kept, the most important first."""
_MEANS = {"gpu_utilisation": "gpu_utilisation_percent", "gpu_clock": "gpu_clock_mean_megahertz"}
_PEAKS = {"gpu_memory": "gpu_memory_peak_bytes", "gpu_temperature": "gpu_temperature_peak_celsius"}
_SECONDS = {"gpu_throttled": "gpu_throttled_seconds", "gpu_capped": "gpu_power_capped_seconds"}
_BYTES = ("read_bytes", "written_bytes", "storage_read_bytes", "storage_written_bytes")
_RATES = {"read_bytes": "read_rate", "written_bytes": "write_rate"}
_SHORTEST_STEP = 0.25
"""Seconds. Counters are updated up to every 0.1 s, so that power over a shorter time is noise."""
_DIFFERENCE_SECONDS = 0.1
"""Most that the time between two readings may differ from that between the marks, beside 1 % of it."""
_Key = tuple[str, str]


@dataclass(slots=True)
class _Totals:
    """Growing counts at one moment: joules by part and device, and counters by name."""

    seconds: float
    joules: dict[_Key, float]
    counters: dict[str, float]


@dataclass(slots=True)
class _Interval:
    """A part of the attempt, and what was sampled in it."""

    begin: _Totals
    end: _Totals | None = None
    weighted: dict[_Key, float] = field(default_factory=dict)
    weights: dict[_Key, float] = field(default_factory=dict)
    highest: dict[_Key, float] = field(default_factory=dict)
    peak_watts: float | None = None

    def add(self, seconds: float, values: Mapping[_Key, float], watts: float | None) -> None:
        for key, value in values.items():
            self.weighted[key] = self.weighted.get(key, 0.0) + value * seconds
            self.weights[key] = self.weights.get(key, 0.0) + seconds
            self.highest[key] = max(value, self.highest.get(key, value))
        if watts is not None:
            self.peak_watts = max(watts, self.peak_watts or 0.0)


class Sampler:
    """Reads meters, and sums up what they read.

    Parameters
    ----------
    absent
        Why other parts are not, by part.
    gpus
        Whether the attempt has GPUs; without theirs there is no energy of the attempt.
    cores
        Number of its logical CPUs on this node.
    clock
        Returns seconds by a clock that is never set.
    now_us
        Returns UTC microseconds.
    most_points
        Of all samples together.
    """

    def __init__(
        self,
        meters: Sequence[Meter],
        absent: Mapping[str, str],
        *,
        node: str,
        gpus: bool,
        cores: int,
        clock: Callable[[], float],
        now_us: Callable[[], int],
        most_points: int = MOST_POINTS,
    ) -> None:
        self._meters = list(meters)
        self._absent = dict(absent)
        self._node, self._gpus, self._cores = node, gpus, cores
        self._clock, self._most_points = clock, most_points
        self._most = max(2, min(MOST_POINTS, most_points) // max(1, len(self._meters)))
        self._shares = {(one.part, one.device): one.share for one in meters}
        self._sources = {(one.part, one.device): one.source for one in meters}
        self._series: dict[_Key, SampleSeries] = {}
        self._watts: dict[_Key, float] = {}
        self._last = _Totals(clock(), {}, {})
        self._begin_us = now_us()
        self._begin = self._last.seconds
        self._read()
        self._step = self._last
        self._intervals = {_ATTEMPT: _Interval(self._last)}

    def sample(self) -> None:
        """Read all meters."""
        values = self._read()
        seconds = self._last.seconds - self._step.seconds
        if seconds >= _SHORTEST_STEP:
            self._add_step(seconds, values)

    def begin(self, interval: str) -> None:
        """Begin `RUN` or `WINDOW` at this moment."""
        self._boundary()
        self._intervals.setdefault(interval, _Interval(self._last))

    def end(self, interval: str) -> None:
        """End what `begin` began; without an earlier reading nothing is known of it."""
        self._boundary()
        if (found := self._intervals.get(interval)) is not None and found.end is None:
            found.end = self._last

    def result(self, marked_seconds: Mapping[str, float]) -> Sampling:
        """Return what was measured until now.

        Parameters
        ----------
        marked_seconds
            Length of the intervals that were marked to their ends.
        """
        self._boundary()
        whole = self._intervals[_ATTEMPT]
        whole.end = self._last
        name = next((name for name in (WINDOW, RUN) if name in marked_seconds), None)
        metrics: dict[str, float] = {}
        parts = self._parts(whole)
        if (energy := self._energy(parts)) is not None:
            metrics["attempt_energy_joules"] = energy
        metrics |= {one: whole.end.counters[one] for one in _BYTES if one in whole.end.counters}
        if name is not None and self._covers(name, marked_seconds[name]):
            metrics |= self._metrics(self._intervals[name])
        return Sampling(
            interval=name,
            metrics=metrics,
            sources=self._described(parts),
            absent={part: why for part, why in self._absent.items() if part not in COUNTS},
            not_counted={name: why for name, why in self._absent.items() if name in COUNTS},
            samples=self._samples(),
        )

    def _read(self) -> dict[_Key, float]:
        """Read all meters and return their values of this moment; drop those that cannot be read any more."""
        now = self._clock()
        totals = _Totals(now, dict(self._last.joules), {})  # a counter that cannot be read has no value
        values: dict[_Key, float] = {}
        for meter in list(self._meters):
            try:
                reading = meter.read(now)
            except MeterError as error:
                self._meters.remove(meter)
                self._absent.setdefault(meter.part, f"{meter.device}: {error}")
                continue
            self._take(meter, reading, totals)
            values |= {(name, meter.device): value for name, value in reading.values.items()}
        self._last = totals
        return values

    def _take(self, meter: Meter, reading: Reading, totals: _Totals) -> None:
        key = meter.part, meter.device
        totals.counters |= reading.counters
        if reading.joules is not None:
            totals.joules[key] = reading.joules
        elif reading.watts is not None:
            seconds = totals.seconds - self._last.seconds
            watts = mean([self._watts.get(key, reading.watts), reading.watts])
            totals.joules[key] = self._last.joules.get(key, 0.0) + watts * seconds
        if reading.watts is not None:
            self._watts[key] = reading.watts

    def _boundary(self) -> None:
        """Take a reading with which one interval ends and another begins."""
        self.sample()
        self._step = self._last

    def _add_step(self, seconds: float, values: Mapping[_Key, float]) -> None:
        """Add what happened since the last step to the series and to all open intervals."""
        step = dict(values)
        watts: dict[_Key, float] = {}
        for key, joules in self._last.joules.items():
            if key in self._step.joules and self._measured(key[0]):
                watts[key] = (joules - self._step.joules[key]) / seconds
                step[f"{key[0]}_power", key[1]] = watts[key]
        grown = {
            name: (count - self._step.counters[name]) / seconds
            for name, count in self._last.counters.items()
            if name in self._step.counters
        }
        step |= {(_RATES[name], "slot"): rate for name, rate in grown.items() if name in _RATES}
        if CPU_SECONDS in grown:
            step["cpu_utilisation", "slot"] = 100 * grown[CPU_SECONDS] / max(1, self._cores)
        for key, value in step.items():
            if key[0] in _UNITS:
                series = self._series.setdefault(key, SampleSeries(self._most))
                series.add(self._step.seconds - self._begin, seconds, value)
        total = self._energy(self._charged(watts))
        for interval in self._intervals.values():
            if interval.end is None:
                interval.add(seconds, step, total)
        self._step = self._last

    def _measured(self, part: str) -> bool:
        return part not in self._absent

    def _charged(self, joules: Mapping[_Key, float]) -> dict[str, float]:
        """Return the attempt's share of some devices' energy or power, by part."""
        parts: dict[str, float] = {}
        for key, value in joules.items():
            if self._measured(key[0]):
                parts[key[0]] = parts.get(key[0], 0.0) + value * self._shares[key]
        return parts

    def _parts(self, interval: _Interval) -> dict[str, float]:
        """Return the joules of an interval by part."""
        end = interval.end or self._last
        return self._charged(
            {
                key: end.joules[key] - joules
                for key, joules in interval.begin.joules.items()
                if key in end.joules
            }
        )

    def _energy(self, parts: Mapping[str, float]) -> float | None:
        """Return the energy (or power) of the attempt; None where that of its GPUs, or of all, is unknown."""
        if self._gpus and GPU not in parts:
            return None
        wanted = (NODE, GPU) if NODE in parts else (GPU, CPU, MEMORY)
        found = [parts[part] for part in wanted if part in parts]
        return sum(found) if found else None

    def _covers(self, name: str, marked: float) -> bool:
        """Return whether an interval was read at its marks; else say why nothing is known of it."""
        interval = self._intervals.get(name)
        if interval is not None and interval.end is not None:
            measured = interval.end.seconds - interval.begin.seconds
            if abs(measured - marked) <= _DIFFERENCE_SECONDS + 0.01 * marked and measured > 0:
                return True
        self._absent["energy"] = f"the {name} was too short to be read at its beginning and end"
        return False

    def _metrics(self, interval: _Interval) -> dict[str, float]:
        """Return the metrics of an interval that has ended."""
        assert interval.end is not None  # noqa: S101
        seconds = interval.end.seconds - interval.begin.seconds
        parts = self._parts(interval)
        found = {f"{part}_energy_joules": joules for part, joules in parts.items() if part != NODE}
        energy = self._energy(parts)
        if energy is not None:
            found |= {"energy_joules": energy, "power_mean_watts": energy / seconds}
            if NODE in parts:
                found["node_energy_joules"] = energy
            if interval.peak_watts is not None:
                found["power_peak_watts"] = interval.peak_watts
        begin, end = interval.begin.counters, interval.end.counters
        if CPU_SECONDS in begin and CPU_SECONDS in end:
            used = end[CPU_SECONDS] - begin[CPU_SECONDS]
            found["cpu_utilisation_percent"] = 100 * used / seconds / max(1, self._cores)
        elif begin or end:
            self._absent.setdefault(LOAD, "processes had ended before their CPU time was read")
        counts = HardwareCounts(begin, end, seconds, self._absent)
        self._absent |= counts.absent
        return found | self._device_metrics(interval) | counts.metrics

    def _device_metrics(self, interval: _Interval) -> dict[str, float]:
        """Return means over all GPUs, and the highest value of any."""
        found: dict[str, float] = {}
        for quantity in {name for name, _ in interval.weights}:
            keys = [key for key in interval.weights if key[0] == quantity]
            if name := _MEANS.get(quantity):
                found[name] = mean([interval.weighted[key] / interval.weights[key] for key in keys])
            elif name := _PEAKS.get(quantity):
                found[name] = max(interval.highest[key] for key in keys)
            elif name := _SECONDS.get(quantity):
                found[name] = max(interval.weighted[key] for key in keys)
        return found

    def _described(self, parts: Mapping[str, float]) -> dict[str, str]:
        """Return where the energy of each part was read, and which share of it is charged."""
        found = {}
        for part in parts:
            keys = [key for key in self._shares if key[0] == part]
            lowest, highest = (bound(self._shares[key] for key in keys) for bound in (min, max))
            share = "" if lowest == 1 else f", share {lowest:.3g}"
            share += f" to {highest:.3g}" if share and highest - lowest > 1e-9 else ""
            found[part] = ", ".join(sorted({self._sources[key] for key in keys})) + share
        return found

    def _samples(self) -> tuple[Samples, ...]:
        order = list(_UNITS)
        keys = sorted(self._series, key=lambda key: (order.index(key[0]), key[1]))
        kept = fitted([self._series[key] for key in keys], self._most_points)
        return tuple(
            Samples(
                quantity=quantity,
                node=self._node,
                device=device,
                unit=_UNITS[quantity],
                source=self._source(quantity, device),
                begin_us=self._begin_us,
                points=series.to_json(),
            )
            for (quantity, device), series in zip(keys, kept, strict=False)
        )

    def _source(self, quantity: str, device: str) -> str:
        part = quantity.partition("_")[0]
        return self._sources.get((part, device)) or self._sources.get((LOAD, device), "")
