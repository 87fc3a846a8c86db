"""Measurements of one benchmark of a campaign, as the ledger proves them: the input of every rulebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from orchestrator.rulebooks.accepted_facts import (
    AccuracyFacts,
    DataFacts,
    OverlapFacts,
    ProvenanceFacts,
    SlotFacts,
    SoftwareFacts,
    TimeFacts,
)
from orchestrator.rulebooks.mark_facts import MarkFacts
from orchestrator.rulebooks.measured_work import MeasuredWork
from orchestrator.wording import count_of
from workloads.description import QualityTarget

if TYPE_CHECKING:
    from orchestrator.rulebooks.recipe_file import Recipe


SUSTAINED_SHARE = 0.5
"""The share of the shortest timed interval for which instances must overlap to count as concurrent.

No suite states it. With less, runs that hardly met would count; with more, the time that a machine needs
to start a wave would decide the figure.
"""


@dataclass(frozen=True, slots=True, eq=False)
class AcceptedRuns:
    """One element per accepted instance, in the same order in every column.

    Parameters
    ----------
    start_us, stop_us
        Measured run interval, UTC microseconds by the clock of its node; both 0 where it was not measured.
    began_us
        Start of the first attempt of the instance that was ended, if it had begun; 0 without one.
    fom_seconds, accuracy
        FOM time and accuracy; NaN where not measured.
    metrics
        The metrics in `Rulebook.metrics`; NaN where an instance did not report one.
    most_on_a_node
        Most instances whose runs overlapped at one moment on one node; of an instance on several nodes,
        the node of its first rank counts.
    units
        Units of each of the metrics that an instance reported.
    """

    start_us: Sequence[int]
    stop_us: Sequence[int]
    began_us: Sequence[int]
    fom_seconds: Sequence[float]
    accuracy: Sequence[float]
    metrics: Mapping[str, Sequence[float]] = field(default_factory=dict)
    most_on_a_node: int = 1
    units: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedAttempts:
    """Attempts that ended without being accepted, whatever ended them.

    Parameters
    ----------
    outcomes
        How many, by state and reason: ``timed_out: timeout``.
    begun
        How many of them had begun their timed part, by state and reason.
    unknown
        How many of them may have run for a time that is not known, as no report of their end came.
    longest_seconds
        The longest of the timed parts until it was ended, in the unit of the FOM time; the time that it
        would have taken is not shorter. None where none was timed.
    longest
        Outcome of that attempt.
    longest_killed_seconds, longest_killed
        The same of the attempts that did not run into the timeout.
    longest_process_seconds
        The longest time of the processes of those that had begun their timed part.
    timed_out
        How many of those that had begun their timed part ran into the benchmark's timeout.
    shortest_timed_out_seconds
        The shortest of the timed parts of these, in the unit of the FOM time.
    most_unknown_seconds
        The longest time from the start of a process in `unknown` until its driver noticed that it is lost.
    least_unknown_seconds
        The longest time from the start of a process that was lost with its driver until the last report that
        the driver received.
    """

    outcomes: Mapping[str, int] = field(default_factory=dict)
    begun: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    longest_seconds: float | None = None
    longest: str = ""
    longest_killed_seconds: float | None = None
    longest_killed: str = ""
    longest_process_seconds: float | None = None
    timed_out: int = 0
    shortest_timed_out_seconds: float | None = None
    most_unknown_seconds: float | None = None
    least_unknown_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SupersededInstances:
    """Accepted instances that missed their accuracy, and in whose place new ones were run.

    Parameters
    ----------
    number
        How many; they are no accepted instances otherwise.
    longest_seconds
        Their longest FOM time; None where none has one.
    """

    number: int = 0
    longest_seconds: float | None = None
    lowest_accuracy: float | None = None
    highest_accuracy: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignFacts:
    """The registered order of a campaign, and the questions that may end it.

    Parameters
    ----------
    order
        ``file``, ``shuffled`` or ``interleaved``.
    takes_turns
        Whether its instances took turns with those of other benchmarks, by that order.
    deviations
        Instances of the benchmark that events name as handed out outside of their block.
    contradictions
        Others that were handed out after instances of a later block.
    looks
        Runs at the last look at the benchmark; None where no question is about it.
    left_out
        Ended instances that the looks left out, as they have no value above 0.
    not_needed
        Instances that never ran, as the questions had their answers or the budget was spent.
    times_asked
        How often questions were registered; above 1 they changed after the launch.
    raised
        Instances that were tried again with a longer timeout than the benchmark's.
    longest_timeout
        Longest timeout of these in seconds; None without any.
    larger
        Instances that ran out of memory, and were tried again in a larger slot.
    largest_memory_bytes
        Most memory of a rank of these; None without any.
    more_disk
        Instances that ran out of their node's disk, and were tried again in a larger slot.
    largest_disk_share, largest_disk_bytes
        Share of its node's disk that the largest slot of these had, and its bytes; None without any, or
        without a known size.
    search
        Method of the search that it is a trial of; empty where it is none.
    pruned
        Instances of that search that never ran, as other trials were better.
    sampler
        Chose the parameters of that trial by the results of earlier ones, such as ``tpe of Optuna 5.0.0``;
        empty where they are drawn or none has been chosen.
    suggestion_problem
        How these parameters differ from the recorded ones; empty where they do not.
    times_searched
        How often the searches of the campaign were registered; above 1 they changed after the launch.
    """

    order: str = "file"
    takes_turns: bool = False
    deviations: int = 0
    contradictions: int = 0
    looks: int | None = None
    left_out: int = 0
    not_needed: int = 0
    times_asked: int = 0
    raised: int = 0
    longest_timeout: float | None = None
    larger: int = 0
    largest_memory_bytes: float | None = None
    more_disk: int = 0
    largest_disk_share: float | None = None
    largest_disk_bytes: float | None = None
    search: str = ""
    pruned: int = 0
    sampler: str = ""
    suggestion_problem: str = ""
    times_searched: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChanges:
    """Changes that users made to a benchmark's instances after the launch.

    "With results known" means that an instance of the benchmark had been accepted by then.

    Parameters
    ----------
    added, added_knowing
        Instances added, and those of them that were added with results known.
    cancelled, cancelled_knowing, cancelled_started
        Instances that are cancelled, those of them that were cancelled with results known, and those of
        which an attempt had started.
    pauses
        How often the benchmark was paused.
    rerun
        Instances that were cancelled while an attempt of them ran, which was ended, and planned again.
    stopped
        Instances whose running attempt was ended by `stop`, and that were planned again.
    reopened
        How often an instance that was out of retries was planned again.
    excluded_knowing
        Nodes that were excluded with results known.
    copied_knowing
        Sessions that went on with another ledger file or run directory, a copy, with results known.
    """

    added: int = 0
    added_knowing: int = 0
    cancelled: int = 0
    cancelled_knowing: int = 0
    cancelled_started: int = 0
    pauses: int = 0
    rerun: int = 0
    stopped: int = 0
    reopened: int = 0
    excluded_knowing: int = 0
    copied_knowing: int = 0

    def __str__(self) -> str:
        parts = []
        if self.added:
            parts.append(
                f"{count_of(self.added, 'instance', 'were')} added after the launch, "
                f"{self.added_knowing:,} of them with "
                "results known"
            )
        if self.cancelled:
            parts.append(
                f"{count_of(self.cancelled, 'instance', 'were')} cancelled, "
                f"{self.cancelled_knowing:,} of them with "
                f"results known and {self.cancelled_started:,} after they had started"
            )
        if self.rerun:
            parts.append(f"{count_of(self.rerun, 'instance', 'were')} cancelled while running, and ran again")
        if self.stopped:
            parts.append(
                f"{count_of(self.stopped, 'instance', 'were')} ended by a stop while running, and ran again"
            )
        if self.reopened:
            parts.append(f"{count_of(self.reopened, 'instance', 'were')} out of retries, and ran again")
        if self.excluded_knowing:
            parts.append(f"{count_of(self.excluded_knowing, 'node', 'were')} excluded with results known")
        if self.copied_knowing:
            sessions = count_of(self.copied_knowing, "session")
            parts.append(f"{sessions} went on with a copied or restored ledger or run directory")
        if self.pauses:
            parts.append(f"it was paused {self.pauses:,} times")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurements:
    """Facts that the ledger proves about one benchmark of a campaign; counts are of instances.

    "Instance" below always means an accepted one unless it says planned.

    Parameters
    ----------
    benchmark
        Label of the benchmark in the campaign.
    run_class
        The campaign's ``class``, one of the rulebook's run classes.
    program
        ``shipped`` with this project, ``external`` command, or a user's ``module``.
    broken_parameters
        One sentence, which begins with the parameter's name, for each broken rule of the workload's own.
    own_target
        Quality target that the workload's author set; None where it has none.
    planned, accepted
        Instances planned, without those that are not needed, and those with an accepted attempt.
    states
        Instances by state; empty unless the rulebook `needs_runs`.
    ended
        Attempts that were not accepted.
    superseded
        Accepted instances that missed their accuracy and were run again as new ones.
    design
        The registered order, and the questions that may end the campaign.
    distinct_seeds
        Whether no two instances of the campaign share a seed.
    fewest_epochs_run
        Fewest epochs any instance trained; None where none reported a count.
    marks
        What supervisors saw of their marks.
    work
        What instances measured of their steps, arithmetic, load and nodes.
    sweep
        Name of the sweep that it is a point of, if it is one.
    recipe
        The registered recipe that it follows; None under other rulebooks.
    runs
        Every instance; None unless the rulebook `needs_runs`.
    node_facts
        Distinct values of facts of the nodes, such as ``cpu.model``: those below the groups that the rulebook
        names in `Rulebook.node_facts`.

    Raises
    ------
    ValueError
        If the counts contradict each other; such measurements are a defect of the code that gathered them.
    """

    benchmark: str
    workload: str
    run_class: str
    program: str = "shipped"
    parameters: Mapping[str, Any]
    broken_parameters: tuple[str, ...] = ()
    own_target: QualityTarget | None = None
    planned: int
    accepted: int
    times: TimeFacts
    accuracy: AccuracyFacts
    overlap: OverlapFacts
    slots: SlotFacts
    data: DataFacts
    software: SoftwareFacts
    provenance: ProvenanceFacts = field(default_factory=ProvenanceFacts)
    states: Mapping[str, int] = field(default_factory=dict)
    ended: EndedAttempts = EndedAttempts()
    superseded: SupersededInstances = SupersededInstances()
    plan_changes: PlanChanges = PlanChanges()
    design: DesignFacts = DesignFacts()
    distinct_seeds: bool
    fewest_epochs_run: int | None = None
    marks: MarkFacts = field(default_factory=MarkFacts)
    work: MeasuredWork = field(default_factory=MeasuredWork)
    sweep: str | None = None
    recipe: Recipe | None = None
    runs: AcceptedRuns | None = None
    node_facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        over = self.overlap
        if not 0 <= over.sustained <= over.concurrent <= self.accepted <= self.planned:
            raise ValueError(
                f"{self.benchmark}: {self.planned} planned, {self.accepted} accepted, {over.concurrent} "
                f"concurrent and {over.sustained} sustained contradict each other"
            )
        if not 0 <= over.counted <= over.sustained:
            raise ValueError(
                f"{self.benchmark}: {over.sustained} sustained and {over.counted} guaranteed "
                "contradict each other"
            )
        for name, number in (
            ("missing times", self.times.missing),
            ("missing accuracies", self.accuracy.missing),
            ("accuracies below the target", self.accuracy.below_target),
            ("slot mismatches", self.slots.mismatches),
            ("instances beside other benchmarks", over.beside_others),
        ):
            if not 0 <= number <= self.accepted:
                raise ValueError(f"{self.benchmark}: {number} {name} of {self.accepted} accepted")
        if self.slots.largest_devices < 0:
            raise ValueError(
                f"{self.benchmark}: an instance cannot hold {self.slots.largest_devices} devices"
            )

    @property
    def attempts(self) -> dict[str, int]:
        """Attempts by state, and reason where they were not accepted."""
        again = {"succeeded, below target and run again": self.superseded.number}
        return {
            "succeeded": self.accepted,
            **(again if self.superseded.number else {}),
            **self.ended.outcomes,
        }

    @property
    def least_max_seconds(self) -> float | None:
        """Longest FOM time, superseded instances included, or that after which an attempt was ended."""
        given = (self.times.max_seconds, self.superseded.longest_seconds, self.ended.longest_seconds)
        return max((one for one in given if one is not None), default=None)
