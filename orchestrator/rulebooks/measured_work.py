"""Work and nodes as accepted attempts measured them: steps, precision, load, software."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCount:
    """Instances that counted the same epochs and optimizer steps.

    Parameters
    ----------
    instances
        How many they are.
    epochs_run, optimizer_steps
        What they counted; None where they reported none.
    expected
        Steps that the workload's description expects; None where it cannot be computed.
    may_skip
        How many of these may be left out because float16 gradients overflow.
    """

    instances: int
    epochs_run: int | None
    optimizer_steps: int | None
    expected: int | None
    may_skip: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDifferences:
    """How the nodes that ran accepted attempts differ.

    Parameters
    ----------
    described, undescribed
        Nodes with a description in the ledger, and nodes without one.
    differing
        By the name of a fact, such as ``cpu.model``: the nodes that differ from the majority, sorted.
    """

    described: int
    undescribed: int = 0
    differing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredWork:
    """Work measured by the accepted attempts; None where their ledger lacks the measurement.

    Parameters
    ----------
    expects_steps, in_epochs
        Whether the workload's description states optimizer steps, and whether they follow from epochs.
    steps, steps_unrecorded
        Distinct counts of steps, and instances that are older than the count.
    precisions_asked
        Instances by precision asked and precision measured.
    foreign_cpu_percent
        Largest CPU time of other processes on an instance's cores, in percent of the cores' time;
        None where no instance measured it.
    foreign_cpu_unknown
        Instances that could not measure it, by the reason.
    nodes
        Differences between the nodes.
    profiled
        Instances whose profiler ran, which takes time.
    profiles_missing
        Instances of which a profile was asked for and none was recorded.
    numbers_missing
        Instances whose command did not print a number of its description, or printed none that is finite, by
        the number's name, such as ``metrics.loss``.
    sampled, not_sampled
        Distinct sentences: of which parts energy was read and where, and why that of others was not.
    """

    expects_steps: bool = False
    in_epochs: bool = False
    steps: tuple[StepCount, ...] | None = None
    steps_unrecorded: int = 0
    precisions_asked: Mapping[tuple[str, str], int] | None = None
    foreign_cpu_percent: int | None = None
    foreign_cpu_unknown: Mapping[str, int] = field(default_factory=dict)
    nodes: NodeDifferences | None = None
    profiled: int = 0
    profiles_missing: int = 0
    numbers_missing: Mapping[str, int] = field(default_factory=dict)
    sampled: tuple[str, ...] = ()
    not_sampled: tuple[str, ...] = ()
