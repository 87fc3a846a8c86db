"""The attempts of each benchmark of a campaign, as the ledger has them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from db.evidence.accepted import Accepted, Question, accepted_with_clocks
from db.evidence.clocks import Clocks, Place, Spans, clocks_of_benchmarks
from db.evidence.ended import EndedGroup, UncountedTries, ended_groups, ended_runs, uncounted_tries
from db.evidence.registered_design import registered_searches
from db.evidence.superseded import NONE_SUPERSEDED, SupersededGroup, superseded_groups
from db.plain import RowReader
from db.records import CampaignRow
from db.states import InstanceState
from orchestrator.analysis.base.overlap import MICROSECONDS
from orchestrator.analysis.verdict.registered_workloads import registered_workloads
from orchestrator.rulebooks.common_rules import CLOCK_CONTRADICTION_SECONDS
from orchestrator.rulebooks.provenance import DescriptionFacts
from workloads.description import Workload

if TYPE_CHECKING:
    from db.rows import BenchmarkRow


@dataclass(frozen=True, slots=True)
class Gathered:
    """One benchmark of a campaign with its attempts.

    Parameters
    ----------
    benchmark, workload, parameters
        Its row, the description of what it runs, and the resolved parameters.
    description
        Which description that is.
    accepted
        Its accepted attempts.
    clocks
        The clocks that timed them.
    ended, ended_runs
        Its attempts that ended without success, and when they ran.
    tried
        Its attempts that do not count, and had begun; None without any.
    superseded
        Its accepted attempts that missed their accuracy and were run again.
    """

    benchmark: BenchmarkRow
    workload: Workload
    parameters: Mapping[str, Any]
    description: DescriptionFacts
    accepted: Accepted
    clocks: Clocks
    ended: Sequence[EndedGroup]
    ended_runs: Mapping[Place, Spans]
    tried: UncountedTries | None
    superseded: SupersededGroup

    @property
    def timed(self) -> Mapping[Place, Spans]:
        """The intervals that count: runs, or windows of timed steps."""
        return self.accepted.runs if self.workload.fom_time == "run" else self.accepted.windows


def gather(reader: RowReader, row: CampaignRow) -> list[Gathered]:
    """Return the attempts of every benchmark of a campaign, but for trials of a search that were pruned."""
    rows = reader.benchmarks(row.campaign_id)
    if registered_searches(reader, row.campaign_id):
        counts = reader.counts(row.campaign_id)
        rows = [one for one in rows if counts.get(one.benchmark, {}).keys() != {InstanceState.PRUNED}]
    workloads = registered_workloads(reader, row.campaign_id, rows)
    described = [
        (one, workload, json.loads(one.parameters), facts)
        for one, (workload, facts) in zip(rows, workloads, strict=True)
    ]
    questions = [_question(*one[:3]) for one in described]
    answers = _answers(reader, questions)
    windows = {one.window for one in questions}
    groups = {window: ended_groups(reader, row.campaign_id, window=window) for window in windows}
    runs, superseded = ended_runs(reader, row.campaign_id), superseded_groups(reader, row.campaign_id)
    tried = uncounted_tries(reader, row.campaign_id)
    return [
        Gathered(
            *one,
            *answer,
            groups[asked.window].get(asked.benchmark, []),
            runs.get(asked.benchmark, {}),
            tried.get(asked.benchmark),
            superseded.get(asked.benchmark, NONE_SUPERSEDED),
        )
        for one, asked, answer in zip(described, questions, answers, strict=True)
    ]


def _answers(reader: RowReader, questions: Sequence[Question]) -> list[tuple[Accepted, Clocks]]:
    """Return the accepted attempts of each benchmark of a campaign, and the clocks that timed them."""
    if not questions:
        return []
    answers, known = accepted_with_clocks(reader, questions)
    own = {}
    if contradictory := known.contradiction_us > CLOCK_CONTRADICTION_SECONDS * MICROSECONDS:
        # A clock that was set makes the benchmarks uncertain during which it was set, and no others.
        own = clocks_of_benchmarks(reader, questions[0].campaign_id)
    return [
        (found, own.get(asked.benchmark, Clocks({}, 0)) if contradictory else known)
        for asked, found in zip(questions, answers, strict=True)
    ]


def _question(benchmark: BenchmarkRow, workload: Workload, parameters: Mapping[str, Any]) -> Question:
    own = workload.own_target
    return Question(
        benchmark.campaign_id,
        benchmark.benchmark,
        benchmark.quality_target,
        # The ledger keeps targets that are least values.
        most_accuracy=own.at_most if own is not None and benchmark.quality_target is None else None,
        window=workload.fom_time != "run",
        units=timed_units(workload, parameters),
    )


def timed_units(workload: Workload, parameters: Mapping[str, Any]) -> float | None:
    """Return how many batches or samples the timed interval holds; None where it is unknown."""
    if workload.fom_time == "run":
        return 1
    return workload.timed_product(parameters)


def together(intervals: Mapping[Place, Spans]) -> Spans:
    """Return starts and stops of all places."""
    return Spans(
        [start for times in intervals.values() for start in times.starts],
        [stop for times in intervals.values() for stop in times.stops],
    )
