"""Statements on campaigns: read once, shown by `fom`, by the report and by packages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from db.events import EventKind
from db.evidence.plan_changes import CHANGES
from db.times import utc
from orchestrator.analysis.search.trials import SearchResult, search_results
from orchestrator.analysis.sequential.registered import answers
from orchestrator.analysis.verdict.fom import Judged, data_read, judge
from orchestrator.analysis.verdict.nodes_used import NodesUsed, campaign_nodes
from orchestrator.analysis.verdict.review import Review, review
from orchestrator.diagnostics.stated_verdicts import Checked, check_verdict
from orchestrator.planning.left_out import left_out
from orchestrator.review.noted_packages import noted_packages
from orchestrator.review.warnings import warnings

if TYPE_CHECKING:
    from db.plain import RowReader
    from db.records import CampaignRow
    from orchestrator.analysis.sequential.questions import Answer
    from orchestrator.rulebooks.model import Verdict


@dataclass(frozen=True, slots=True, eq=False)
class Dossier:
    """A verdict on campaigns and what stands beside it.

    Parameters
    ----------
    judged
        Its verdict has the rule `ledger`, which checks the rows.
    checked
        That verdict, and the one that was stored before.
    reviews
        Evidence by benchmark; empty where it was not asked for.
    data
        Path, file system and hashes of the data that each benchmark was launched with.
    packages
        Packages that were written of each campaign that has some, the oldest first.
    nodes
        Nodes of each campaign.
    pools
        Accepted instances by pool, of each benchmark on a site with pools.
    left_out
        Benchmarks that were left out at launch, named as the verdict names benchmarks.
    warnings
        Facts that break no rule and that a reader of the figures must know, a sentence each.
    changes
        What users changed of the campaigns after their launch, the oldest first.
    answers
        Of each campaign with questions that may end it, what is known of them.
    searches
        Of each campaign with searches, what is known of them.
    """

    campaigns: Sequence[CampaignRow]
    judged: Judged
    checked: Checked
    reviews: Mapping[str, Review]
    data: Mapping[str, Mapping[str, Any]]
    packages: Mapping[str, Sequence[Mapping[str, Any]]]
    nodes: Sequence[NodesUsed]
    pools: Mapping[str, Mapping[str, int]]
    left_out: Sequence[str]
    warnings: Sequence[str]
    changes: Sequence[Mapping[str, str | None]]
    answers: Mapping[str, Sequence[Answer]]
    searches: Mapping[str, Sequence[SearchResult]]

    @classmethod
    def read(cls, reader: RowReader, rows: Sequence[CampaignRow], *, reviews: bool = True) -> Self:
        """Return the dossier of campaigns of one rulebook.

        Raises
        ------
        CampaignError
            If the campaigns cannot be judged.
        """
        judged = judge(reader, rows)
        checked = check_verdict(reader, rows, judged.verdict)
        judged = replace(judged, verdict=checked.verdict)
        measured = [benchmark.measurements for benchmark in judged.judged]
        return cls(
            campaigns=rows,
            judged=judged,
            checked=checked,
            reviews=review(reader, judged) if reviews else {},
            data=data_read(reader, rows),
            packages={row.name: packages for row in rows if (packages := noted_packages(reader, row))},
            nodes=[campaign_nodes(reader, row) for row in rows],
            pools={one.benchmark: dict(one.slots.pools) for one in measured if one.slots.pools},
            left_out=_left_out(reader, rows),
            warnings=list(warnings(reader, rows, judged)),
            changes=[
                {"campaign": row.name, "at": utc(event.at_us), "kind": event.kind, "what": event.message}
                for row in rows
                for event in reader.events(row.campaign_id, kinds=CHANGES)
                # A request about nodes or pools has two events of the same words, of which one is left out.
                if event.kind != EventKind.INSTANCES_CHANGED or not _TWICE & (event.data or {}).keys()
            ],
            answers={row.name: known for row in rows if (known := answers(reader, row.campaign_id))},
            searches={
                row.name: results for row in rows if (results := search_results(reader, row.campaign_id))
            },
        )

    @property
    def verdict(self) -> Verdict:
        """The verdict on the campaigns."""
        return self.judged.verdict


_TWICE = {"nodes", "site_text"}


def _left_out(reader: RowReader, rows: Sequence[CampaignRow]) -> list[str]:
    return [
        (f"{row.name}/" if len(rows) > 1 else "") + benchmark
        for row in rows
        for benchmark in left_out(
            row.campaign_yaml, [one.benchmark for one in reader.benchmarks(row.campaign_id)]
        )
    ]
