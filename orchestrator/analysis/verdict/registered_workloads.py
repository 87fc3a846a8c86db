"""The workloads of a campaign as they were registered with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from db.documents import read_documents
from db.events import EventKind
from db.plain import RowReader
from orchestrator.catalog.registered_description import absent, workload_of
from orchestrator.rulebooks.provenance import DescriptionFacts
from workloads.description import FOM_UNITS, Workload, WorkloadError

if TYPE_CHECKING:
    from db.rows import BenchmarkRow


def registered_descriptions(reader: RowReader, campaign_id: int) -> dict[str, Any]:
    """Return the document that describes each benchmark's workload; None where the ledger lost it.

    Campaigns that were launched before descriptions were kept have none.
    """
    noted = {
        event.subject: str((event.data or {}).get("document"))
        for event in reader.events(campaign_id, kinds=[EventKind.WORKLOAD_RECORDED])
    }
    documents = read_documents(reader, set(noted.values())) if noted else {}
    return {benchmark: documents.get(key) for benchmark, key in noted.items()}


def registered_workloads(
    reader: RowReader, campaign_id: int, rows: Iterable[BenchmarkRow]
) -> list[tuple[Workload, DescriptionFacts]]:
    """Return the workload of each benchmark, and which description of it that is.

    Today's description stands for one that was not registered; `absent` where there is neither.
    """
    known = registered_descriptions(reader, campaign_id)
    return [
        _registered(known[row.benchmark]) or _absent(row.workload, "its registered description is gone")
        if row.benchmark in known
        else _todays(row.workload)
        for row in rows
    ]


def fom_units(reader: RowReader, campaign_id: int, rows: Iterable[BenchmarkRow]) -> dict[str, str]:
    """Return the unit of the FOM time by benchmark."""
    known = list(rows)
    found = registered_workloads(reader, campaign_id, known)
    return {row.benchmark: FOM_UNITS[one.fom_time] for row, (one, _) in zip(known, found, strict=True)}


def _registered(document: Any) -> tuple[Workload, DescriptionFacts] | None:
    if document is None:
        return None
    try:
        return workload_of(document), DescriptionFacts(registered=True)
    except WorkloadError as error:
        return _absent(str(document.get("workload", "unknown")), str(error))


def _todays(reference: str) -> tuple[Workload, DescriptionFacts]:
    from orchestrator.catalog.registry import describe  # here: a registered description needs no other
    from workloads.external.reference import is_file, pin

    try:
        workload = describe(reference)
    except WorkloadError as error:
        return _absent(reference, str(error).replace("\n", "; "))
    changed = ""
    if is_file(reference):
        try:
            pin(reference)
        except WorkloadError:
            changed = "the workload file has changed since the campaign was registered"
    return workload, DescriptionFacts(registered=False, problem=changed)


def _absent(reference: str, problem: str) -> tuple[Workload, DescriptionFacts]:
    return absent(reference), DescriptionFacts(registered=False, problem=problem)
