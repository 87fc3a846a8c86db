"""The tables of rooflines: ceilings, trainings, and why figures are absent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from orchestrator.report.blocks import Table

if TYPE_CHECKING:
    from orchestrator.analysis.roofline.ceilings import Ceiling, Roofline, Standing

_GIGA = 1e9


def ceilings_table(found: Roofline) -> Table:
    """Return the measured ceilings."""
    return Table(
        "measured ceilings of one rank",
        ["ceiling", "type", "slot", "ranks", "nodes", "sustained", "lowest", "highest", "unit", "runs", "by"],
        [_ceiling(one) for one in found.ceilings],
    )


def trainings_table(found: Roofline) -> Table:
    """Return where each training stands."""
    return Table(
        "trainings below measured ceilings, one rank of each",
        [
            "training", "ranks", "type", "runs", "GFLOP/s", "% of peak", "FLOP/B", "attainable GFLOP/s",
            "% of it", "bound by",
        ],
        [_training(one) for one in found.trainings],
    )  # fmt: skip


def notes(trainings: Sequence[Standing]) -> list[str]:
    """Return the ratios to theoretical peaks, and why figures are absent or doubtful.

    Trainings with the same note share a line.
    """
    named: dict[str, list[str]] = {}
    for one in trainings:
        ratio = () if one.flop_per_second is None else (str(one.achieved),)
        for note in (*ratio, *one.notes):
            named.setdefault(note, []).append(one.name)
    return [f"{', '.join(names)}: {note}" for note, names in named.items()]


def _ceiling(one: Ceiling) -> list[object]:
    unit = "GB/s" if one.kind not in ("gemm", "conv") else "GFLOP/s"
    rates = [rate / _GIGA for rate in (one.value, one.lowest, one.highest)]
    return [
        one.kind, one.precision or None, str(one.place), one.ranks, one.nodes, *rates, unit, one.runs,
        one.measured_by,
    ]  # fmt: skip


def _training(one: Standing) -> list[object]:
    return [
        one.name,
        one.ranks,
        one.precision or None,
        one.runs,
        _times(one.flop_per_second, 1 / _GIGA),
        _times(one.share_of_peak, 100),
        one.intensity,
        _times(one.attainable, 1 / _GIGA),
        _times(one.share_of_attainable, 100),
        one.bound or None,
    ]


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
