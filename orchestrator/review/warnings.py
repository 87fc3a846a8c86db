"""Facts of campaigns that break no rule, and that a reader of their figures must know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from db.events import EventKind
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow
    from orchestrator.analysis.verdict.fom import Judged
    from orchestrator.rulebooks.measurements import Measurements

_WARNED = (EventKind.RESULTS_NOT_JOURNALLED, EventKind.LEDGER_REMOVED, EventKind.LEDGER_REBUILT)


def warnings(reader: Reader, rows: Sequence[CampaignRow], judged: Judged) -> Iterator[str]:
    """Yield a sentence for each fact; `judged` is the verdict on the campaigns."""
    for row in rows:
        for event in reader.events(row.campaign_id, kinds=_WARNED):
            yield f"{row.name}: {event.message}"
    for one, verdict in zip(judged.judged, judged.verdict.benchmarks, strict=True):
        for text in _of_benchmark(one.measurements):
            yield f"{one.measurements.benchmark}: {text}"
        sessions = len({session for session, _ in one.gathered.accepted.runs})
        if sessions > 1 and any(figure.name == "makespan_seconds" for figure in verdict.figures):
            yield (
                f"{one.measurements.benchmark}: its accepted runs are of {sessions:,} sessions; its "
                "makespan, rate and slot use count the time between these, too"
            )


def _of_benchmark(found: Measurements) -> Iterator[str]:
    """Yield the sentences about accepted instances of a benchmark."""
    if missing := found.work.profiles_missing:
        yield (
            f"{count_of(missing, 'accepted instance')} recorded no profile; `orchestrator instance show NAME "
            "INSTANCE --profile` says why"
        )
    for name, missing in sorted(found.work.numbers_missing.items()):
        yield (
            f"{count_of(missing, 'accepted instance')} of {found.accepted:,} printed no finite number for "
            f"{name}; `orchestrator instance show NAME INSTANCE` says what was found"
        )
