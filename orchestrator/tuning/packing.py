"""Finds the slot shape that makes the most of a node, by runs that filled it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from typing import Any

from db.queries.packed_runs import PackedRun
from orchestrator.analysis.base.line_figure import LineFigure, Series
from orchestrator.analysis.base.overlap import peak_overlap
from orchestrator.analysis.base.statistics import Estimate, median_interval
from orchestrator.analysis.verdict.concurrency import lasting_us
from orchestrator.tuning.certainty import decisions_of, sentences_beside
from orchestrator.tuning.options import AT_MOST, DIFFERENCE
from orchestrator.wording import count_of, verb_of

Figure = Callable[[int, float], float]
"""Returns the figure of a node with so many instances at once, given their longest time."""


@dataclass(frozen=True, slots=True)
class FullNodes:
    """Runs of one slot shape that filled a node at one time.

    Parameters
    ----------
    longest
        Longest FOM time of each full node.
    partial
        How often a node ran fewer instances than it has slots, or not all of them at once.
    """

    longest: tuple[float, ...]
    partial: int


@dataclass(frozen=True, slots=True)
class Packing:
    """A slot shape and what it measured.

    Parameters
    ----------
    cores, ranks, gpus
        Of the slot: cores and GPUs are those of each rank.
    nodes
        Full nodes that were measured, one after another or side by side.
    partial
        As of `FullNodes`.
    seconds, figure
        Longest FOM time on a full node, and the figure per node: medians with intervals; None without a
        full node.
    peak_bytes
        Most memory of one instance; None where it was not measured.
    missing
        Planned instances without an accepted run, by the reason.
    planned
        How often its planned instances fill a node.
    figures
        Figure of each full node, in the order of time.
    """

    benchmark: str
    cores: int
    ranks: int
    gpus: Fraction
    instances: int
    nodes: int = 0
    partial: int = 0
    seconds: Estimate | None = None
    figure: Estimate | None = None
    peak_bytes: int | None = None
    missing: Mapping[str, int] = field(default_factory=dict)
    planned: int = 0
    figures: tuple[float, ...] = ()

    @property
    def slot(self) -> dict[str, Any]:
        """The slot as a site file has it; what has its default is left out."""
        gpus = str(self.gpus) if self.gpus.denominator > 1 else int(self.gpus)
        return {
            **({"ranks": self.ranks} if self.ranks > 1 else {}),
            "cores": self.cores,
            **({"gpus": gpus} if self.gpus else {}),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {**asdict(self), "gpus": str(self.gpus), "slot": self.slot}


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The slot shape with the best figure per node.

    Parameters
    ----------
    best
        None where no shape filled a node.
    as_good
        Labels of other shapes that are not certainly worse.
    sentences
        What is known of each other shape beside the best, by label.
    open
        Labels of the shapes of which further fills would tell whether they are the best.
    dropped
        Why a shape is not compared, by its label.
    notes
        Sentences on what the measurements cannot say.
    """

    best: Packing | None
    as_good: tuple[str, ...] = ()
    dropped: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sentences: Mapping[str, str] = field(default_factory=dict)
    open: tuple[str, ...] = ()


def full_nodes(runs: Sequence[PackedRun], slots: int) -> FullNodes:
    """Return what the runs of one shape measured while all slots of their node were busy.

    Runs of one node that overlap, directly or by others, belong together. They fill the node if they are as
    many as its slots, on different ones, and if their timed steps all overlap for half of the shortest.
    """
    longest: list[float] = []
    partial = 0
    for wave in _waves(runs):
        begins = [one.timed_begin_us for one in wave]
        ends = [one.timed_end_us for one in wave]
        full = len(wave) == slots == len({one.slot for one in wave})
        if full and peak_overlap(begins, ends, lasting_us(begins, ends)) == slots:
            longest.append(max(one.fom_seconds for one in wave))
        else:
            partial += 1
    return FullNodes(tuple(longest), partial)


def _waves(runs: Sequence[PackedRun]) -> list[list[PackedRun]]:
    """Return runs that overlap on one node, directly or by others."""
    found: list[list[PackedRun]] = []
    where, until = None, 0
    for one in sorted(runs, key=lambda run: (run.session, run.node, run.begin_us)):
        if where != (one.session, one.node) or one.begin_us >= until:
            found.append([])
            where, until = (one.session, one.node), 0
        found[-1].append(one)
        until = max(until, one.end_us)
    return found


def measured(shape: Packing, runs: Sequence[PackedRun], figure: Figure) -> Packing:
    """Return a shape with what its runs measured."""
    found = full_nodes(runs, shape.instances)
    peaks = [one.peak_bytes for one in runs if one.peak_bytes]
    longest = found.longest
    figures = tuple(figure(shape.instances, one) for one in longest)
    return replace(
        shape,
        nodes=len(longest),
        partial=found.partial,
        seconds=median_interval(longest) if longest else None,
        figure=median_interval(figures) if figures else None,
        figures=figures,
        peak_bytes=max(peaks, default=None),
    )


def recommend(
    shapes: Sequence[Packing], limit_bytes: int | None, difference: float = DIFFERENCE, at_most: int = AT_MOST
) -> Recommendation:
    """Return the shape with the highest median figure; of equal ones, that with the fewest instances.

    Shapes that are certainly worse than another are not recommended, whatever their median.

    Parameters
    ----------
    limit_bytes
        Memory of a node for instances; shapes that need more by their measured peak are dropped. None where
        it is not known.
    difference
        Shapes that certainly differ by less are as good as each other.
    at_most
        Fills of a node at the last look.
    """
    dropped = {one.benchmark: why for one in shapes if (why := _unfit(one, limit_bytes))}
    figures = {one.benchmark: one.figure for one in shapes if one.figure and one.benchmark not in dropped}
    kept = [one for one in shapes if one.benchmark in figures]
    if not kept:
        return Recommendation(None, (), dropped)
    decided = decisions_of({one.benchmark: one.figures for one in kept}, difference, at_most)
    beaten = decided.beaten if decided is not None else ()
    contenders = [one for one in kept if one.benchmark not in beaten]
    best = min(contenders, key=lambda one: (-figures[one.benchmark].value, one.instances, one.ranks))
    as_good = tuple(one.benchmark for one in contenders if one is not best)
    sentences = sentences_beside(best.benchmark, decided)
    needed = decided.needed if decided is not None else ()
    notes = tuple(_notes(kept, best, limit_bytes))
    return Recommendation(best, as_good, dropped, notes, sentences, needed)


def _unfit(one: Packing, limit_bytes: int | None) -> str:
    if one.figure is None:
        reasons = [f"{number} {why}" for why, number in sorted(one.missing.items())]
        if one.partial:
            times = count_of(one.partial, "time")
            reasons.append(f"{times}, not all {one.instances} slots were busy at once")
        return f"never filled a node: {', '.join(reasons) or 'no run'}"
    if limit_bytes is not None and one.peak_bytes and one.peak_bytes * one.instances > limit_bytes:
        need = verb_of(one.instances, "need")
        return (
            f"{count_of(one.instances, 'instance')} of {one.peak_bytes / 2**30:.2f} GiB {need} more than the "
            f"{limit_bytes / 2**30:.2f} GiB that a node has for them"
        )
    return ""


def _notes(kept: Sequence[Packing], best: Packing, limit_bytes: int | None) -> list[str]:
    found = []
    if len(kept) == 1:
        found.append("only one slot shape filled a node, so there is nothing to compare it with")
    if best.figure is not None and best.figure.low is None:
        found.append(f"no interval below 6 full nodes; {best.benchmark} has {best.nodes}")
    alone = [one for one in kept if one.ranks == 1 and not one.gpus and one.seconds is not None]
    fewest = min(alone, key=lambda one: one.cores, default=best)
    most = max(alone, key=lambda one: one.cores, default=best)
    if fewest.seconds and most.seconds and most.cores > fewest.cores:
        ratio = fewest.seconds.value / most.seconds.value
        if ratio <= 1:
            found.append(
                f"more cores make no instance faster: with {most.cores} it takes {1 / ratio:.3g} times as "
                f"long as with {fewest.cores}"
            )
    if limit_bytes is None:
        found.append("the memory of a node is not known, so it bounds nothing")
    elif best.peak_bytes is None:
        found.append("no peak of memory was measured, so it bounds nothing")
    return found


def packing_figure(title: str, unit: str, shapes: Sequence[Packing]) -> LineFigure:
    """Return the figure per node over instances per node, a curve for each thing that differs."""
    series = []
    for name, members in (
        ("cores of one rank", [one for one in shapes if one.ranks == 1]),
        ("ranks", [one for one in shapes if one.ranks > 1]),
    ):
        points = [(float(one.instances), one.figure) for one in members if one.figure is not None]
        if points:
            series.append(Series(name, tuple(sorted(points, key=lambda one: one[0]))))
    return LineFigure(title, ("instances per node", unit), tuple(series))
