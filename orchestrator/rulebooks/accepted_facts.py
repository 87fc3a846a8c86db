"""Facts about the accepted instances of a benchmark, in groups: those that `Measurements` has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from orchestrator.rulebooks.provenance import CodeFacts, DescriptionFacts, VariableFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeFacts:
    """Times of accepted instances.

    Parameters
    ----------
    unit
        Unit of the FOM time.
    max_seconds
        Longest FOM time; None where no instance has one.
    process_seconds
        The longest time of a whole process, imports and start-up included; None where none was measured.
    share
        Lowest and highest (FOM time × timed steps) ÷ measured interval; None where no instance has both.
    missing
        Instances whose FOM time is missing or not a number.
    makespan_seconds
        Last run stop − first run start, also of an attempt that did not count; None where no run was
        measured.
    resumed
        Whether any instance continued from a checkpoint of an earlier attempt, so that its time lacks the
        time of that attempt.
    contradiction_seconds
        By how much the times of different processes contradict each other; 0 if they do not.
    """

    unit: str = "s"
    max_seconds: float | None
    process_seconds: float | None = None
    share: tuple[float, float] | None = None
    missing: int
    makespan_seconds: float | None = None
    resumed: bool = False
    contradiction_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyFacts:
    """Accuracies of accepted instances.

    Parameters
    ----------
    metric
        What the accuracy is, in the workload's words; empty where it reports none.
    lowest, highest
        Lowest and highest accuracy; None where no instance has one.
    missing
        Instances whose accuracy is missing or not a number.
    below_target
        Instances below the target that the ledger holds for the benchmark.
    """

    metric: str = ""
    lowest: float | None
    highest: float | None = None
    missing: int
    below_target: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GuaranteedOverlap:
    """How many instances overlapped within the bounds of the clocks of the nodes that timed them.

    Parameters
    ----------
    overlap
        How many instances overlapped for `OverlapFacts.sustained_seconds`, for every clock error within
        its bounds.
    node
        The node with the widest bounds.
    ahead_seconds
        How far that node's clock was ahead of the driver's, at least and at most; None where unknown.
    """

    overlap: int
    node: str
    ahead_seconds: tuple[float | None, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapFacts:
    """How many accepted instances ran at the same time.

    Parameters
    ----------
    concurrent
        Peak overlap of the measured intervals.
    sustained, sustained_seconds
        Most instances that overlapped for `sustained_seconds`, `SUSTAINED_SHARE` of the shortest interval.
    guaranteed
        How much of `sustained` the clocks guarantee; None where one clock timed all instances.
    beside_others
        Instances during whose measured interval another benchmark of the campaign ran.
    """

    concurrent: int
    sustained: int
    sustained_seconds: float | None = None
    guaranteed: GuaranteedOverlap | None = None
    beside_others: int = 0

    @property
    def counted(self) -> int:
        """Instances that overlapped for `sustained_seconds` for certain."""
        return self.sustained if self.guaranteed is None else self.guaranteed.overlap


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotFacts:
    """Slots, nodes and devices of accepted instances.

    Parameters
    ----------
    mismatches
        Instances that saw other cores or devices than assigned, or did not report any.
    devices_used
        Whether every instance computed on its assigned devices; None where none was assigned.
    largest_devices
        Most devices any one instance held: GPUs (or parts of one), or ranks on CPU slots.
    ranks
        Numbers of ranks that instances had.
    nodes_used
        Nodes that ran them.
    largest_share_of_system
        Nodes of the widest instance ÷ nodes of the whole system; None where unknown.
    cores_shared
        Whether another campaign was on the same cores while an accepted instance ran.
    site_changes
        Sentences about which sessions ran by another text of the site file.
    pools
        Accepted instances by pool of the site, in words; empty where the site has none.
    mixed
        How the slot changed after instances were accepted; empty if it did not.
    """

    mismatches: int
    devices_used: bool | None
    largest_devices: int
    ranks: frozenset[int] = frozenset()
    nodes_used: int = 1
    largest_share_of_system: float | None
    cores_shared: bool = False
    site_changes: tuple[str, ...] = ()
    pools: Mapping[str, int] = field(default_factory=dict)
    mixed: str = ""


@dataclass(frozen=True, slots=True)
class DataPlace:
    """Where data files lie: their folder, and the type of its file system.

    `generator_seed` is the seed of the generator whose draws the launch recognised in them; `changed` is
    true if they were no longer the same when a session ended; `linked` are the types of other file systems
    to which links in the folder lead. `published` says who publishes the checksums that all files
    have, empty where files were not compared, None where it was not recorded; `unlike_published` are the
    files that differ.
    """

    path: str
    file_system: str
    generator_seed: int | None = None
    changed: bool = False
    linked: tuple[str, ...] = ()
    published: str | None = None
    unlike_published: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFacts:
    """Data that accepted instances read.

    Parameters
    ----------
    synthetic
        Whether any instance read data made by this project; None if none reported it or none reads data.
    facts
        Distinct facts (rows, columns, classes) of the data that instances read.
    place
        Path and type of file system of the data at launch; None where it was not recorded, or none is read.
    """

    synthetic: bool | None
    facts: tuple[Mapping[str, Any], ...] = ()
    place: DataPlace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftwareFacts:
    """Frameworks and arithmetic of accepted instances, as they reported them.

    Parameters
    ----------
    frameworks, precisions
        Distinct values that the instances reported; ``unknown`` stands for one that reported none.
    versions
        Distinct software versions they reported, for the reader.
    """

    frameworks: frozenset[str]
    precisions: frozenset[str]
    versions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenanceFacts:
    """Description, code and environment of what ran; each None where it was not asked for.

    Parameters
    ----------
    description
        By which description of the workload the benchmark is judged.
    """

    description: DescriptionFacts | None = None
    code: CodeFacts | None = None
    variables: VariableFacts | None = None
