"""Answers of the API that are read from the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from db.errors import UnknownCampaignError
from db.queries.attempts import attempts_of_instances, curves_of_instances, metrics_of_instances
from db.queries.instance_pages import InstancePage, Wanted, instance_page
from orchestrator.errors import CampaignError
from orchestrator.monitoring.campaign_status import CampaignStatus
from orchestrator.report.facts.events import event_facts
from orchestrator.report.facts.instances import attempts_facts, curves_facts, instance_facts, rows_of
from orchestrator.report.facts.verdicts import read_verdict_facts
from orchestrator.serve.api.questions import (
    CampaignsQuery,
    EventsQuery,
    InstancesQuery,
    Question,
    ReportFormat,
)
from orchestrator.serve.pages.live_drawings import DRAWING

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow
    from db.rows import Attempt

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Listed:
    """Some objects of a list.

    Parameters
    ----------
    after
        Key of the last one, for those that follow; None where none do.
    """

    items: Sequence[Any]
    after: str | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a ledger.

    Parameters
    ----------
    name
        Name of the campaign; empty for the list of campaigns.
    label
        Label of the instance, if the path names one.
    """

    name: str
    label: str
    query: Question


def campaigns(reader: Reader, asked: Asked) -> Listed:
    """Return campaigns, the newest first."""
    query = asked.query
    assert isinstance(query, CampaignsQuery)  # noqa: S101  as the table of routes says
    rows = reader.campaigns()[::-1]
    if query.after is not None:
        last = _key(lambda: reader.campaign(str(query.after))).campaign_id
        rows = [row for row in rows if row.campaign_id < last]
    page = rows[: query.limit]
    items = [CampaignStatus.read(reader, row).to_dict() for row in page]
    return Listed(items, page[-1].name if len(rows) > len(page) else None)


def instances(reader: Reader, asked: Asked) -> Listed:
    """Return instances in the order of benchmark and number."""
    row, found, after = _instances(reader, asked)
    numbers = [line.instance_id for line in found.lines]
    axes = bool(reader.sweeps(row.campaign_id))
    facts = rows_of(reader.instances(row.name, axes=axes, chosen=numbers))
    labelled = {f"{one['benchmark']}/{one['benchmark_index']}": one for one in facts}
    return Listed([labelled[line.label] for line in found.lines], after)


def instance(reader: Reader, asked: Asked) -> dict[str, Any]:
    """Return an instance with its attempts and events."""
    row = reader.campaign(asked.name)
    found = reader.find_instance(row.campaign_id, asked.label)
    tried = reader.attempts_of(row.campaign_id, found.instance_id)
    return instance_facts(reader, row, asked.label, found, tried)


def attempts(reader: Reader, asked: Asked) -> Listed:
    """Return the attempts of the instances of a page."""
    tried, labels, after = _attempts(reader, asked)
    facts = attempts_facts(reader, tried)
    return Listed(
        [{"instance": labels[one.instance_id], **found} for one, found in zip(tried, facts, strict=True)],
        after,
    )


def metrics(reader: Reader, asked: Asked) -> Listed:
    """Return the metrics of the attempts of the instances of a page."""
    tried, labels, after = _attempts(reader, asked)
    known = metrics_of_instances(reader, tried[0].campaign_id, labels) if tried else {}
    return Listed(
        [
            {
                "instance": labels[one.instance_id],
                "attempt": one.attempt_number,
                "name": metric.name,
                "value": metric.value,
                "unit": metric.unit,
            }
            for one in tried
            for metric in known.get((one.instance_id, one.attempt_number), ())
        ],
        after,
    )


def curves(reader: Reader, asked: Asked) -> Listed:
    """Return the learning curves of those attempts of the instances of a page that have some."""
    tried, labels, after = _attempts(reader, asked)
    known = curves_of_instances(reader, tried[0].campaign_id, labels) if tried else {}
    return Listed(
        [
            curves_facts(one, labels[one.instance_id], known[one.instance_id, one.attempt_number])
            for one in tried
            if (one.instance_id, one.attempt_number) in known
        ],
        after,
    )


def events(reader: Reader, asked: Asked) -> Listed:
    """Return events, oldest first."""
    query = asked.query
    assert isinstance(query, EventsQuery)  # noqa: S101  as the table of routes says
    found = list(islice(events_after(reader, asked.name, query, query.after), query.limit + 1))
    items = found[: query.limit]
    return Listed(items, str(items[-1]["event"]) if len(found) > query.limit else None)


def events_after(reader: Reader, name: str, query: EventsQuery, after: int) -> Iterator[dict[str, Any]]:
    """Yield the events of a campaign that follow an event."""
    number = reader.campaign(name).campaign_id
    return map(event_facts, reader.events(number, after=after, kinds=query.kind))


def verdict(reader: Reader, asked: Asked) -> dict[str, Any]:
    """Return the verdict; nothing is written."""
    return read_verdict_facts(reader, asked.name)


def report_text(reader: Reader, name: str, form: ReportFormat) -> str:
    """Return a report as Markdown or JUnit XML."""
    row = reader.campaign(name)
    if form is ReportFormat.JUNIT:
        from orchestrator.report.junit import verdict_cases
        from orchestrator.review.dossier import Dossier

        return verdict_cases(reader, Dossier.read(reader, [row], reviews=False)).xml()
    from orchestrator.report.writing import report

    with DRAWING:
        return report(reader, row).markdown(None)


def _instances(reader: Reader, asked: Asked) -> tuple[CampaignRow, InstancePage, str | None]:
    """Return a campaign, a page of its instances, and the key for the next page."""
    query = asked.query
    assert isinstance(query, InstancesQuery)  # noqa: S101  as the table of routes says
    row = reader.campaign(asked.name)
    wanted = Wanted(query.state, query.benchmark, query.node, query.reason)
    found = _key(lambda: instance_page(reader, row.campaign_id, wanted, after=query.after, limit=query.limit))
    return row, found, found.lines[-1].label if found.has_later else None


def _attempts(reader: Reader, asked: Asked) -> tuple[list[Attempt], dict[int, str], str | None]:
    """Return the attempts of a page of instances in their order, labels of these, and the next key."""
    row, found, after = _instances(reader, asked)
    labels = {line.instance_id: line.label for line in found.lines}
    places = {instance: place for place, instance in enumerate(labels)}
    tried = attempts_of_instances(reader, row.campaign_id, labels)
    return sorted(tried, key=lambda one: (places[one.instance_id], one.attempt_number)), labels, after


def _key(read: Callable[[], T]) -> T:
    """Return what a function reads from a key on; raises `CampaignError` where the key is of no row."""
    try:
        return read()
    except UnknownCampaignError as error:
        raise CampaignError(f"after: {error}") from None
