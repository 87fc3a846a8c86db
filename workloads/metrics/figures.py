"""Measurements of a function, and the figures that summarise them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workloads.metrics.intervals import Interval
from workloads.metrics.timing import Times

if TYPE_CHECKING:
    from workloads.metrics.outputs import Difference

Figures = Iterator[tuple[str, float, str]]
"""Name, value and unit of each."""


@dataclass(slots=True)
class Measured:
    """Measurements of a function.

    Parameters
    ----------
    warm_up
        Runs before the ordinary one.
    scratch
        Directory of files; None for no files.
    times
        Of the timed reruns; empty where no metric needs them.
    flop
        Of a run; 0 where it is not known.
    readings
        Of metrics with hooks, by metric.
    files
        Files that summaries wrote, from `scratch`.
    files_absent
        Why files could not be written.
    """

    warm_up: int
    scratch: Path | None = None
    label: str = ""
    times: Times = field(default_factory=Times)
    flop: float = 0.0
    readings: dict[str, Any] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    files_absent: str = ""
    variances: Mapping[str, Any] = field(default_factory=dict)
    _difference: Difference | None = None

    @property
    def difference(self) -> Difference:
        """Return the difference to the reference."""
        assert self._difference is not None, "measure() demands a reference"  # noqa: S101
        return self._difference

    @difference.setter
    def difference(self, difference: Difference) -> None:
        self._difference = difference

    def save(self, name: str, arrays: Mapping[str, Any]) -> None:
        """Write arrays as files, where there is a directory for them."""
        if self.scratch is not None:
            from workloads.metrics.pictures import save_arrays

            try:
                self.files += save_arrays(self.scratch, f"{self.label}{name}", dict(arrays))
            except OSError as error:  # a full disk costs no figures
                self.files_absent = f"{error.strerror or error}: {error.filename or self.scratch}"


def with_interval(name: str, unit: str, interval: Interval, number: int) -> Figures:
    """Return a median, the bounds of its interval if it has one, and the number of its values."""
    yield name, interval.median, unit
    if interval.low is not None and interval.high is not None:
        yield f"{name}_low", interval.low, unit
        yield f"{name}_high", interval.high, unit
    yield f"{name}_reruns", float(number), ""
