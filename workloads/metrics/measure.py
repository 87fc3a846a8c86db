"""Run a function as often as its metrics need."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from workloads.metrics.definitions import METRICS, MetricDefinition, definition
from workloads.metrics.figures import Measured
from workloads.metrics.measured_run import MeasuredRun
from workloads.metrics.timing import Times, sample, timed_seconds
from workloads.result import Metric

Value = TypeVar("Value")
_LABEL = re.compile(r"[A-Za-z0-9_.-]{0,100}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a function is measured.

    Parameters
    ----------
    metrics
        Names of `workloads.metrics.definitions.METRICS`.
    reference
        Right outputs: an array, or mappings, tuples and lists of arrays, like the value of the function.
    tolerance
        Most by which an element may differ: a number, or arrays with the structure of the reference.
    flop
        Floating-point operations of a run.
    budget_seconds, relative_width
        Timed reruns go on until so many seconds are spent, or until the 95 % interval is no wider than
        this share of the median.
    warm_up
        Runs before all others, which count for nothing.
    reruns
        Exactly so many timed runs instead, the ordinary one included: the same on all ranks.
    synchronise
        Waits until what the function started is computed.
    label
        Put before the names of the metrics, where a run measures several functions.
    """

    metrics: Sequence[str] = ("wallclock_seconds",)
    reference: Any = None
    tolerance: Any = None
    flop: float | None = None
    budget_seconds: float = 10.0
    relative_width: float = 0.05
    warm_up: int = 1
    reruns: int | None = None
    synchronise: Callable[[], Any] = lambda: None
    label: str = ""

    def definitions(self, ranks: int) -> list[MetricDefinition]:
        """Return the definitions of the metrics.

        Raises
        ------
        ValueError
            If an option is out of range, missing for a metric, or a metric is unknown.
        """
        names = [self.metrics] if isinstance(self.metrics, str) else self.metrics
        found = [definition(name) for name in dict.fromkeys(names)]
        for one in found:
            if missing := [name for name in one.needs if getattr(self, name) is None]:
                raise ValueError(f"{one.name} needs the argument {' and '.join(missing)}")
        for name, value in (("budget_seconds", self.budget_seconds), ("relative_width", self.relative_width)):
            if not 0 <= value < math.inf:
                raise ValueError(f"{name} must be a number from 0, not {value!r}")
        if self.flop is not None and not 0 < self.flop < math.inf:
            raise ValueError(f"flop must be a number above 0, not {self.flop!r}")
        if not _LABEL.fullmatch(self.label):
            raise ValueError(f"label must have letters, digits, '.', '_' and '-' alone, not {self.label!r}")
        if self.warm_up < 0 or (self.reruns is not None and self.reruns < 1):
            raise ValueError("warm_up must be at least 0, and reruns at least 1")
        if ranks > 1 and self.reruns is None and any(one.timed for one in found):
            raise ValueError(
                f"{ranks} ranks would not stop after the same number of reruns: give the argument reruns"
            )
        return found


def measure(context: MeasuredRun, function: Callable[[], Value], options: Options) -> Value:
    """Measure a function, keep the figures in the context, and return the value of its ordinary run."""
    chosen = options.definitions(context.size)
    context.claim(f"{options.label}{one.name}" for one in chosen if one.summary is not None)
    measured = Measured(options.warm_up, context.scratch, options.label, flop=options.flop or 0.0)
    with _not_recorded(context):
        for _ in range(options.warm_up):
            function()
    with ExitStack() as around:
        for one in chosen:
            if one.around is not None:
                around.enter_context(one.around(context))
        value, seconds = _ordinary(function, options, chosen, measured)
        if any(one.timed for one in chosen):
            with _not_recorded(context):
                measured.times = _times(function, options, seconds)
    _compare(context, function, options, chosen, measured, value)
    figures = {
        name: Metric(f"{options.label}{name}", figure, unit)
        for one in chosen
        if one.summary is not None
        for name, figure, unit in one.summary(measured)
    }
    context.metrics += figures.values()
    if measured.files:
        context.observed.setdefault("measured_files", []).extend(measured.files)
    if measured.files_absent:
        context.observed["measured_files_absent"] = measured.files_absent
    return value


def _ordinary(
    function: Callable[[], Value],
    options: Options,
    chosen: Sequence[MetricDefinition],
    measured: Measured,
) -> tuple[Value, float]:
    """Run the function once between the hooks of the metrics; return its value and seconds."""
    values: list[Value] = []
    begun = {one.name: one.begin() for one in chosen if one.begin is not None}
    seconds = timed_seconds(lambda: values.append(function()), 1, options.synchronise)
    measured.readings = {one.name: one.end(begun[one.name]) for one in chosen if one.end is not None}
    return values[0], seconds


def _times(function: Callable[[], Any], options: Options, first_seconds: float) -> Times:
    return sample(
        function,
        options.synchronise,
        first_seconds,
        reruns=options.reruns,
        budget_seconds=options.budget_seconds,
        relative_width=options.relative_width,
    )


def _compare(
    context: MeasuredRun,
    function: Callable[[], Any],
    options: Options,
    chosen: Sequence[MetricDefinition],
    measured: Measured,
    value: Any,
) -> None:
    """Compare the output with the reference, and with those of further runs."""
    if any("reference" in one.needs for one in chosen):
        from workloads.metrics.outputs import Difference

        measured.difference = Difference(value, options.reference, options.tolerance)
    if reruns := max((one.reruns for one in chosen), default=0):
        from workloads.metrics.outputs import variances

        with _not_recorded(context):
            measured.variances = variances(function() for _ in range(reruns))


@contextmanager
def _not_recorded(context: MeasuredRun) -> Iterator[None]:
    """Keep what runs other than the ordinary one record out of the figures."""
    before, context.is_recording = context.is_recording, False
    try:
        yield
    finally:
        context.is_recording = before


def recorded_metrics(context: MeasuredRun) -> list[Metric]:
    """Return the figures of what a run recorded."""
    return [
        Metric(name, figure, unit)
        for recorded, values in context.recorded.items()
        if (summary := METRICS[recorded].of_series) is not None
        for name, figure, unit in summary(recorded, METRICS[recorded].unit, values)
    ]
