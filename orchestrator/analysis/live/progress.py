"""How far a running campaign is, for displays: counts, rate, time left, longest run and FOM so far."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from db.evidence.superseded import superseded_counts
from db.queries.blocks import unended_blocks
from db.queries.instance_totals import left_to_run, totals_of
from db.queries.live_counts import (
    Durations,
    Failure,
    accepted_in_session,
    durations,
    failed_attempts,
    last_failures,
    open_by_instance,
)
from db.reader import Reader
from db.records import CampaignRow
from db.writing.requests import paused
from orchestrator.analysis.live.time_left import TimeLeft, Work, time_left
from orchestrator.analysis.verdict.registered_workloads import fom_units
from orchestrator.catalog.registered_site import registered_places

if TYPE_CHECKING:
    from db.rows import BenchmarkRow
    from orchestrator.rulebooks.model import Figure, Rulebook, Verdict

SO_FAR = (
    "So far, and not the verdict: the longest time can only grow, and a FOM falls with it; more instances at "
    "once raise it."
)
"""What a display says beside figures of a campaign that is not over."""


@dataclass(frozen=True, slots=True)
class BenchmarkProgress:
    """How far a benchmark is.

    Parameters
    ----------
    total
        Its instances without those that were cancelled or superseded.
    planned, running, done, exhausted
        Instances that wait, run, have an accepted attempt, and are out of retries; they add up to `total`.
    failed_attempts
        Attempts that failed, timed out or were lost; most are tried again.
    longest
        The longest FOM time so far, in `unit`; None where none was measured.
    longest_running_seconds
        How long the oldest of those that run does; None where none runs.
    paused
        Whether none of its instances starts until a user lets them.
    """

    benchmark: str
    total: int
    planned: int
    running: int
    done: int
    exhausted: int
    failed_attempts: int
    longest: float | None
    unit: str
    longest_running_seconds: float | None
    paused: bool


@dataclass(frozen=True, slots=True)
class LiveProgress:
    """How far a campaign is.

    Parameters
    ----------
    benchmarks
        In the plan's order.
    slots, slots_busy
        Slots of the last session when every block has its nodes, None where they are not known; and how
        many run an instance.
    per_minute
        Instances accepted per minute of the last session; None before the first.
    time_left
        Until the last instance ends, by the ledger's durations, and before the first by expected ones.
    failures
        The last ones, the latest first.
    """

    benchmarks: tuple[BenchmarkProgress, ...]
    slots: int | None
    slots_busy: int
    per_minute: float | None
    time_left: TimeLeft
    failures: tuple[Failure, ...]

    @property
    def total(self) -> int:
        """Instances of all benchmarks."""
        return sum(one.total for one in self.benchmarks)

    @property
    def done(self) -> int:
        """Instances with an accepted attempt."""
        return sum(one.done for one in self.benchmarks)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {"total": self.total, "done": self.done, **asdict(self)}


@dataclass(frozen=True, slots=True)
class FigureSoFar:
    """A figure of merit from the instances that are accepted by now; see `SO_FAR`.

    Parameters
    ----------
    subject
        Benchmark or group; empty for the whole campaign.
    value
        None where instances that it needs have not ended.
    reportable
        Whether the rulebook lets it be reported; None where that was not judged.
    """

    subject: str
    name: str
    value: float | None
    unit: str
    reportable: bool | None = None


def live_progress(
    reader: Reader,
    row: CampaignRow,
    now_us: int,
    expected: Callable[[CampaignRow], Mapping[str, float]] = lambda _: {},
) -> LiveProgress:
    """Return how far a campaign is; the database adds up, so that this costs little at any size.

    Parameters
    ----------
    now_us
        UTC microseconds.
    expected
        Returns the seconds that an instance of each benchmark is expected to run; only asked where a
        benchmark of which none has ended is left.
    """
    campaign = row.campaign_id
    rows, counts = reader.benchmarks(campaign), reader.counts(campaign)
    superseded, failed = superseded_counts(reader, campaign), failed_attempts(reader, campaign)
    took, ages = durations(reader, campaign), _ages(reader, campaign, now_us)
    held_back = paused(reader.applied_requests(campaign))
    units = fom_units(reader, campaign, rows)
    benchmarks = tuple(
        _benchmark(
            one.benchmark,
            counts.get(one.benchmark, {}),
            superseded.get(one.benchmark, 0),
            failed.get(one.benchmark, 0),
            ages.get(one.benchmark, []),
            took.get(one.benchmark),
            units[one.benchmark],
            held_back,
        )
        for one in rows
    )
    sessions = reader.sessions_of(campaign)
    session = sessions[-1] if sessions else None
    accepted = accepted_in_session(reader, campaign, session.session_number) if session else 0
    until = session.ended_us or now_us if session else now_us
    nodes, width = _nodes_by_pool(reader, campaign), session.slots if session else None
    left = [pair for pair in zip(rows, benchmarks, strict=True) if pair[1].planned or pair[1].running]
    unmeasured = any(one.benchmark not in took or took[one.benchmark].mean is None for one, _ in left)
    densest = max((_slots_per_node(one) for one in rows), default=Fraction(1))
    full_nodes = width / densest if width and densest else Fraction(0)
    stated = expected(row) if unmeasured else {}
    works = _works(row, left, ages, took, stated, nodes, full_nodes) if left else []
    return LiveProgress(
        benchmarks,
        session.slots if session else None,
        sum(one.running for one in benchmarks),
        60e6 * accepted / max(until - session.started_us, 1) if session and accepted else None,
        time_left(works),
        tuple(last_failures(reader, campaign)),
    )


def figures_so_far(
    reader: Reader, row: CampaignRow, check: Callable[[Verdict], Verdict] | None = None
) -> list[FigureSoFar]:
    """Return the figures of merit of what is accepted by now, those of the whole campaign first.

    This judges the campaign, which takes seconds where it has a million instances: ask rarely. A rulebook
    without a figure of merit gives none, nor does one that is not installed here.

    Parameters
    ----------
    check
        Adds the rules that need more than the ledger's facts; figures then say if they are reportable.
    """
    book = _rulebook(row)
    if book is None or not book.headline:
        return []
    from orchestrator.analysis.verdict.fom import judge

    verdict = judge(reader, [row]).verdict
    if check is not None:
        verdict = check(verdict)
    found: list[tuple[str, Figure | None, bool | None]] = [
        ("", verdict.headline, verdict.reportable),
        *((one.name, one.headline, one.reportable) for one in verdict.groups),
        *((one.benchmark, one.headline, one.reportable) for one in verdict.benchmarks),
    ]
    return [
        FigureSoFar(subject, one.name, one.value, one.unit, reportable if check is not None else None)
        for subject, one, reportable in found
        if one is not None
    ]


def _ages(reader: Reader, campaign_id: int, now_us: int) -> dict[str, list[float]]:
    """Return for how many seconds the attempts of each benchmark have run."""
    ages: dict[str, list[float]] = {}
    for (name, _), one in open_by_instance(reader, campaign_id).items():
        if one.since_us is not None:
            ages.setdefault(name, []).append(max(now_us - one.since_us, 0) / 1e6)
    return ages


def _benchmark(
    name: str,
    counts: Mapping[str, int],
    superseded: int,
    failed: int,
    ages: Sequence[float],
    took: Durations | None,
    unit: str,
    held_back: Collection[str],
) -> BenchmarkProgress:
    totals = totals_of(counts, superseded)
    open_ = left_to_run(counts)
    running = min(len(ages), open_)
    return BenchmarkProgress(
        benchmark=name,
        total=totals.total,
        planned=open_ - running,
        running=running,
        done=totals.done,
        exhausted=totals.exhausted,
        failed_attempts=failed,
        longest=took.longest_fom if took else None,
        unit=unit,
        longest_running_seconds=max(ages, default=None),
        paused=name in held_back,
    )


def _rulebook(row: CampaignRow) -> Rulebook | None:
    """Return the campaign's rulebook; None for a plugin that is not installed here."""
    from orchestrator.errors import RulebookError  # here: `status` of a campaign that is over needs no rules
    from orchestrator.rulebooks import registry

    try:
        return registry.load(row.rulebook)
    except RulebookError:
        return None


def _nodes_by_pool(reader: Reader, campaign_id: int) -> dict[str, int]:
    """Return how many nodes the running blocks of each pool hold; the pool of a site without any is empty."""
    nodes: dict[str, int] = {}
    for one in unended_blocks(reader, campaign_id):
        if one.started_us is not None:
            nodes[one.pool or ""] = nodes.get(one.pool or "", 0) + one.nodes
    return nodes


def _slots_per_node(row: BenchmarkRow) -> Fraction:
    """Return how many instances of a benchmark a node runs at a time, below 1 where one spans several."""
    places = registered_places(row.slot).values()
    return max(Fraction(int(slot.get("slots", 1)), max(int(slot.get("nodes", 1)), 1)) for slot in places)


def _works(
    row: CampaignRow,
    left: Sequence[tuple[BenchmarkRow, BenchmarkProgress]],
    ages: Mapping[str, Sequence[float]],
    took: Mapping[str, Durations],
    expected: Mapping[str, float],
    nodes: Mapping[str, int],
    full_nodes: Fraction,
) -> list[Work]:
    """Return what is left of each benchmark; paused ones wait for a user, and not for slots.

    Parameters
    ----------
    nodes, full_nodes
        Nodes that blocks hold by pool, and how many they hold when every block has its nodes; 0 where that is
        not known.
    """
    book = _rulebook(row)
    alone = book is not None and book.one_benchmark_at_a_time
    works = []
    for planned, one in left:
        places, measured = registered_places(planned.slot), took.get(one.benchmark)
        mean, longest = (measured.mean, measured.longest) if measured else (None, None)
        if unmeasured := mean is None:
            mean = longest = expected.get(one.benchmark)
        pool = next(iter(places))
        slots = sum(
            nodes.get(name, 0) * slot.get("slots", 0) // max(slot.get("nodes", 1), 1)
            for name, slot in places.items()
        )
        works.append(
            Work(
                benchmark=one.benchmark,
                lane="" if alone else pool,
                stage=one.benchmark if alone else planned.slot,
                slots=slots or max(1, int(full_nodes * _slots_per_node(planned))),
                waiting=0 if one.paused else one.planned,
                ages=ages.get(one.benchmark, ()),
                mean_seconds=mean,
                longest_seconds=longest,
                expected=unmeasured,
            )
        )
    return works
