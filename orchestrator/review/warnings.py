"""Facts of campaigns that break no rule, and that a reader of their figures must know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from db.events import EventKind
from orchestrator.wording import count_of, few

if TYPE_CHECKING:
    from db.plain import RowReader
    from db.records import CampaignRow
    from orchestrator.analysis.verdict.fom import Judged, JudgedBenchmark
    from orchestrator.rulebooks.model import BenchmarkVerdict

_WARNED = (EventKind.RESULTS_NOT_JOURNALLED, EventKind.LEDGER_REMOVED, EventKind.LEDGER_REBUILT)
_NAMED = 5


def warnings(reader: RowReader, rows: Sequence[CampaignRow], judged: Judged) -> Iterator[str]:
    """Yield a sentence for each fact, with the names of its benchmarks; `judged` is of the campaigns."""
    for row in rows:
        for event in reader.events(row.campaign_id, kinds=_WARNED):
            yield f"{row.name}: {event.message}"
    found: dict[str, list[str]] = {}
    for one, verdict in zip(judged.judged, judged.verdict.benchmarks, strict=True):
        for text in _of_benchmark(one, verdict):
            found.setdefault(text, []).append(one.measurements.benchmark)
    for text, names in found.items():
        yield f"{few(names, _NAMED)}: {text}"


def _of_benchmark(one: JudgedBenchmark, verdict: BenchmarkVerdict) -> Iterator[str]:
    """Yield the sentences about accepted instances of a benchmark."""
    work, accepted = one.measurements.work, one.measurements.accepted
    if missing := work.profiles_missing:
        yield (
            f"{count_of(missing, 'accepted instance')} recorded no profile; `orchestrator instance show NAME "
            "INSTANCE --profile` says why"
        )
    for name, missing in sorted(work.numbers_missing.items()):
        yield (
            f"{count_of(missing, 'accepted instance')} of {accepted:,} printed no finite number for {name}; "
            "`orchestrator instance show NAME INSTANCE` says what was found"
        )
    gathered = one.gathered
    ran = {session for runs in (gathered.accepted.runs, gathered.ended_runs) for session, _ in runs}
    sessions = len(ran | (gathered.tried.sessions if gathered.tried else frozenset()))
    if sessions > 1 and any(figure.name == "makespan_seconds" for figure in verdict.figures):
        yield (
            f"attempts are of {sessions:,} sessions; makespan and rate, and the slot use beside them, count "
            "the time between these, too"
        )
