"""Chooses and orders the metrics of a sweep's points for the table of a study. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.analysis.study.sweep_summary import PointRuns, Summary


@dataclass(frozen=True, slots=True)
class Section:
    """One table of a study.

    Parameters
    ----------
    names
        Expressions of the names of metrics, in the order of columns.
    drawn
        Expression of the names that have a figure of their own.
    """

    title: str
    names: tuple[str, ...]
    drawn: str = ""

    def chosen(self, units: Mapping[str, str]) -> list[str]:
        """Return the metrics of this table among those with their units."""
        return list(
            dict.fromkeys(name for one in self.names for name in sorted(units) if re.fullmatch(one, name))
        )


_PHASES = (
    "start_up", "import", "load", "preprocess", "build", "broadcast_wait",
    "broadcast", "compare_weights", "train", "allreduce", "checkpoint", "evaluate",
)  # fmt: skip
SECTIONS: Mapping[str, Section] = {
    "phases": Section(
        "seconds of each phase, on its slowest rank", tuple(f"{one}_seconds" for one in _PHASES)
    ),
    "epochs": Section(
        "epochs, and the share of communication in them",
        (
            "epochs_run", "median_epoch_seconds", "first_epoch_seconds", "samples_per_second",
            "timeline_allreduce_share",
        ),
        drawn="median_epoch_seconds|timeline_allreduce_share",
    ),
    "communication": Section(
        "operations of Horovod and the waits before them, on rank 0, within the recorded timeline",
        (
            "timeline_seconds", "timeline_(negotiate_)?broadcast_(seconds|calls|bytes)",
            "timeline_(negotiate_)?allreduce_(seconds|calls|bytes)", "timeline_mean_.*_seconds",
        ),
    ),
    "exchange": Section(
        "bytes of a rank in a step, error against the reference, and staleness",
        (
            "error_over_bound", "(handed|expected_sent)_bytes_per_step",
            "socket_(sent|received)_bytes_per_step", "staleness_(mean|highest)", "lead_highest",
            "distance_of_ranks",
        ),
        drawn="socket_sent_bytes_per_step",
    ),
    "accuracy": Section(
        "accuracy and test loss",
        (
            "epochs_run", "batch_size_of_rank", "accuracy", "uncompressed_test_accuracy", "test_loss",
            "uncompressed_test_loss",
        ),
        drawn="accuracy",
    ),
    "loading": Section("reading each file", (".*_file_(seconds|rows_per_second|mb_per_second)",)),
    "energy": Section(
        "power and energy",
        (
            "(gpu_)?power_per_rank_watts", "power_mean_watts", "power_peak_watts", "energy_per_rank_joules",
            "energy_joules", ".*_energy_joules", "energy_per_.*_joules",
        ),
        drawn="power_per_rank_watts|energy_per_rank_joules|energy_joules",
    ),
}  # fmt: skip
"""Tables of metrics by name; those without a metric in the ledger are left out."""


def metric_units(points: Iterable[PointRuns]) -> dict[str, str]:
    """Return the unit of every metric of points; of one that some have in another, both."""
    found: dict[str, dict[str, None]] = {}
    for point in points:
        for name, (unit, _) in point.metrics.items():
            found.setdefault(name, {})[unit] = None
    return {
        name: " or ".join(unit or "no unit" for unit in units) if len(units) > 1 else next(iter(units))
        for name, units in found.items()
    }


def columns_of(section: Section, found: Sequence[Summary], units: Mapping[str, str]) -> list[str]:
    """Return the metrics of a table that a point of these has."""
    there = {name for one in found for name in one.metrics}
    return [name for name in section.chosen(units) if name in there]
