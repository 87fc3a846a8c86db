"""Every metric of a measured part, as data: unit, direction, hooks, reruns and summary."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal

from workloads.metrics import node_counters, series
from workloads.metrics.figures import Figures, Measured, with_interval
from workloads.metrics.measured_run import MeasuredRun
from workloads.metrics.outputs import largest_magnitude
from workloads.spelling import near

Better = Literal["lower", "higher", "none"]


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """A metric.

    Parameters
    ----------
    name, unit
        As in the ledger.
    better
        Which values are better: ``lower``, ``higher``, or ``none``.
    description
        One line.
    summary
        Returns its figures from what was measured. None: the run records it with `Context.record`.
    begin, end
        Called before and after the ordinary run; `end` gets what `begin` returned, and returns the reading.
    timed
        Whether it needs reruns that are timed.
    around
        Entered with the context around the ordinary run and the timed reruns.
    reruns
        Further runs, over which the variance of the outputs is taken.
    needs
        Arguments of `Context.measure` without which there is no such figure.
    of_series
        Returns its figures from what was recorded.
    taken
        Returns a value as it is recorded; raises `TypeError` or `ValueError` for one that is not of its kind.
    """

    name: str
    unit: str
    better: Better
    description: str
    summary: Callable[[Measured], Figures] | None = None
    begin: Callable[[], Any] | None = None
    end: Callable[[Any], Any] | None = None
    timed: bool = False
    around: Callable[[MeasuredRun], AbstractContextManager[None]] | None = None
    reruns: int = 0
    needs: tuple[str, ...] = ()
    of_series: Callable[[str, str, Sequence[Any]], Figures] | None = None
    taken: Callable[[Any], Any] = float


def _wallclock(measured: Measured) -> Figures:
    times = measured.times
    yield from with_interval("wallclock_seconds", "s", times.interval(), len(times.seconds))
    yield "wallclock_seconds_warmup_reruns", float(measured.warm_up), ""
    yield "wallclock_seconds_calls", float(times.calls), ""


def _rate(measured: Measured) -> Figures:
    interval = measured.times.interval()
    bounds = {"": interval.median, "_low": interval.high, "_high": interval.low}
    for suffix, seconds in bounds.items():
        if seconds is not None:
            yield f"flop_per_second{suffix}", measured.flop / seconds, "FLOP/s"
    yield "flop_per_second_reruns", float(len(measured.times.seconds)), ""


def _energy(measured: Measured) -> Figures:
    """Count the runs: the sampler of the node reads the energy of the window that they are in."""
    yield "runs_in_window", float(measured.times.runs), ""


def _window(context: MeasuredRun) -> AbstractContextManager[None]:
    if context.has_window:
        raise ValueError("energy_joules is that of the timed window, and this run has had one already")
    return context.window()


def _peak_memory(measured: Measured) -> Figures:
    peak, was_reset = measured.readings["peak_memory_bytes"]
    yield "peak_memory_bytes", float(peak), "B"
    yield "peak_memory_is_of_process", float(not was_reset), ""


def _interfaces(measured: Measured) -> Figures:
    counts: Mapping[str, tuple[int, int]] = measured.readings["interface_sent_bytes"]
    for direction, name in enumerate(("interface_received_bytes", "interface_sent_bytes")):
        yield name, float(sum(pair[direction] for pair in counts.values())), "B"
        yield from (
            (f"{name}_{one}", float(pair[direction]), "B") for one, pair in counts.items() if any(pair)
        )


def _interfaces_since(before: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    now = node_counters.interface_bytes()
    return {
        name: (max(0, pair[0] - before[name][0]), max(0, pair[1] - before[name][1]))
        for name, pair in now.items()
        if name in before
    }


def _error(name: str, of: Callable[[Any], float]) -> Callable[[Measured], Figures]:
    def figures(measured: Measured) -> Figures:
        value = of(measured.difference)
        if math.isfinite(value):  # else the number of such outputs is all that there is to say
            yield name, value, ""
        if measured.difference.nonfinite:
            yield "nonfinite_outputs", float(measured.difference.nonfinite), ""

    return figures


def _difference_heatmap(measured: Measured) -> Figures:
    relative = measured.difference.relative()
    measured.save("difference_heatmap", relative)
    if math.isfinite(largest := largest_magnitude(relative)):
        yield "difference_heatmap", largest, ""


def _variance_heatmap(measured: Measured) -> Figures:
    measured.save("variance_heatmap", measured.variances)
    if math.isfinite(largest := largest_magnitude(measured.variances)):
        yield "variance_heatmap", largest, ""
    yield "variance_heatmap_reruns", float(_VARIANCE_RERUNS), ""


_VARIANCE_RERUNS = 10
_REFERENCE = ("reference",)
_DEFINED = (
    MetricDefinition("wallclock_seconds", "s", "lower", "median seconds of a run", _wallclock, timed=True),
    MetricDefinition(
        "flop_per_second", "FLOP/s", "higher", "FLOP of a run ÷ its median seconds", _rate,
        timed=True, needs=("flop",),
    ),
    MetricDefinition(
        "energy_joules", "J", "lower",
        "of all timed runs, read by the sampler of the node; energy_per_run_joules is that of one",
        _energy, timed=True, around=_window,
    ),
    MetricDefinition(
        "peak_memory_bytes", "B", "lower", "resident memory of this process, highest in the ordinary run",
        _peak_memory, begin=node_counters.reset_peak_memory,
        end=lambda was_reset: (node_counters.peak_memory_bytes(), was_reset),
    ),
    MetricDefinition(
        "interface_sent_bytes", "B", "lower",
        "of all processes of the node in the ordinary run, with loopback; by interface too, and received",
        _interfaces, begin=node_counters.interface_bytes, end=_interfaces_since,
    ),
    MetricDefinition(
        "l1_error", "", "lower", "sum of the differences' magnitudes",
        _error("l1_error", lambda one: one.total()), needs=_REFERENCE,
    ),
    MetricDefinition(
        "l2_error", "", "lower", "square root of the sum of their squares",
        _error("l2_error", lambda one: one.root_of_squares()), needs=_REFERENCE,
    ),
    MetricDefinition(
        "max_error", "", "lower", "largest magnitude",
        _error("max_error", lambda one: one.largest()), needs=_REFERENCE,
    ),
    MetricDefinition(
        "error_over_bound", "", "lower", "largest magnitude ÷ tolerance; 1 or less is valid",
        _error("error_over_bound", lambda one: one.over_bound()), needs=("reference", "tolerance"),
    ),
    MetricDefinition(
        "difference_heatmap", "", "lower",
        "2(o-r)/(|o|+|r|+1e-12) of each element, as files; the figure is the largest magnitude",
        _difference_heatmap, needs=_REFERENCE,
    ),
    MetricDefinition(
        "variance_heatmap", "", "lower",
        "variance of each element over ten further runs, as files; the figure is the largest",
        _variance_heatmap, reruns=_VARIANCE_RERUNS,
    ),
    MetricDefinition(
        "training_accuracy", "", "higher", "share of right answers in the last epoch", of_series=series.last,
    ),
    MetricDefinition(
        "test_accuracy", "", "higher", "share of right answers after the best epoch", of_series=series.best,
    ),
    MetricDefinition(
        "dataset_bias", "", "lower",
        "half the sum of |share of a label - 1/labels|: 0 is uniform, 1 - 1/labels is one label alone",
        of_series=series.bias, taken=series.histogram,
    ),
    MetricDefinition(
        "sampling_seconds", "s", "lower", "median seconds of a sampling call",
        of_series=series.seconds, taken=series.number,
    ),
    MetricDefinition(
        "dataset_seconds", "s", "lower", "median seconds of a batch from the data set",
        of_series=series.seconds, taken=series.number,
    ),
    MetricDefinition(
        "latency_seconds", "s", "lower", "50th and 99th percentile of the seconds of a request",
        of_series=series.percentiles, taken=series.number,
    ),
    MetricDefinition(
        "communicated_bytes", "B", "lower", "bytes that this rank gave to collective operations",
        of_series=series.total,
    ),
)  # fmt: skip
METRICS: Mapping[str, MetricDefinition] = {one.name: one for one in _DEFINED}


def definition(name: str) -> MetricDefinition:
    """Return the definition of a metric.

    Raises
    ------
    ValueError
        If there is none of this name.
    """
    try:
        return METRICS[name]
    except KeyError:
        raise ValueError(f"no metric {name!r}{near(name, METRICS)}; there are {', '.join(METRICS)}") from None
