"""Rows of a registered campaign, and its changes: other texts, more instances, chosen parameters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, field, fields
from itertools import islice
from typing import Any

from sqlalchemy import Connection, insert, select, update

from db.column_values import now_us, sha256
from db.connection.bulk_sql import insert_rows
from db.documents import document_key
from db.errors import CampaignExistsError, LedgerError
from db.events import EventKind
from db.records import NewBenchmark, NewCampaign, NewInstance, NewPoint, SuggestedTrial
from db.states import InstanceState
from db.tables import benchmarks, campaigns, events, instances, points
from db.writing.documents import write_documents
from db.writing.noting import note

PLANNED_COLUMNS = ["campaign_id", "instance_id", "benchmark", "benchmark_index", "seed", "state"]
_POINT_COLUMNS = ["campaign_id", *(one.name for one in fields(NewPoint))]
_BATCH = 5_000


@dataclass(frozen=True, slots=True)
class CampaignChange:
    """A change of a registered campaign.

    Parameters
    ----------
    kind, message, subject, data
        The event that keeps it; `data` gets the keys of the documents that hold the texts before and after.
    text_of
        ``site`` or ``campaign``: whose text changes.
    name
        The site's name; empty for the text of a campaign.
    slots
        New slot, as JSON, of benchmarks whose slot changes.
    counts
        New number of instances of benchmarks that get more.
    descriptions
        Descriptions of the new benchmarks' workloads, by benchmark.
    """

    kind: EventKind
    message: str
    subject: str
    data: Mapping[str, Any]
    text_of: str
    name: str
    before: str
    after: str
    slots: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    new_benchmarks: tuple[NewBenchmark, ...] = ()
    new_points: tuple[NewPoint, ...] = ()
    new_instances: tuple[NewInstance, ...] = ()
    descriptions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewName:
    """Another name of a registered campaign; no hash is over the name, and the former one finds it too."""

    before: str
    after: str


Change = CampaignChange | NewName


def apply_change(connection: Connection, campaign_id: int, change: Change) -> None:
    """Write a change; the caller has made sure that no other driver holds the campaign.

    Raises
    ------
    LedgerError
        If the text or name before is not the ledger's any more, or a new name is or was another campaign's.
    """
    if isinstance(change, NewName):
        _rename(connection, campaign_id, change)
        return
    key = f"{change.text_of}_yaml"
    known = select(campaigns.c[f"{change.text_of}_sha256"]).where(campaigns.c.campaign_id == campaign_id)
    if connection.execute(known).scalar() != sha256(change.before):
        raise LedgerError("another command has changed the campaign in this moment; try again")
    before, after = write_documents(connection, campaign_id, [{key: change.before}]) + write_documents(
        connection, campaign_id, [{key: change.after}]
    )
    values = {key: change.after, f"{change.text_of}_sha256": sha256(change.after)}
    if change.name:
        values["site_name"] = change.name
    connection.execute(update(campaigns).where(campaigns.c.campaign_id == campaign_id).values(**values))
    for column, new in (("slot", change.slots), ("instances", change.counts)):
        for benchmark, value in new.items():
            connection.execute(
                update(benchmarks)
                .where(benchmarks.c.campaign_id == campaign_id, benchmarks.c.benchmark == benchmark)
                .values({column: value})
            )
    if change.new_benchmarks:
        connection.execute(
            insert(benchmarks), [{"campaign_id": campaign_id, **asdict(row)} for row in change.new_benchmarks]
        )
    insert_points(connection, campaign_id, change.new_points)
    insert_planned(connection, campaign_id, change.new_instances)
    describe_workloads(connection, campaign_id, change.descriptions)
    data = {**change.data, "before": before, "after": after}
    note(connection, campaign_id, change.kind, change.message, subject=change.subject, data=data)


def _rename(connection: Connection, campaign_id: int, new: NewName) -> None:
    c, e = campaigns.c, events.c
    others = select(c.campaign_id).where(c.name == new.after)
    former = select(e.campaign_id).where(
        e.kind == EventKind.CAMPAIGN_RENAMED, e.subject == new.after, e.campaign_id != campaign_id
    )
    if connection.execute(others.union_all(former)).first():
        raise LedgerError(f"{new.after} is, or was, the name of another campaign; choose another name")
    done = connection.execute(
        update(campaigns).where(c.campaign_id == campaign_id, c.name == new.before).values(name=new.after)
    )
    if not done.rowcount:
        raise LedgerError(f"{new.before} has another name since this moment; try again")
    data = {"before": new.before, "after": new.after}
    message = f"renamed from {new.before} to {new.after}"
    note(connection, campaign_id, EventKind.CAMPAIGN_RENAMED, message, subject=new.before, data=data)


def suggest(connection: Connection, campaign_id: int, chosen: Iterable[SuggestedTrial]) -> None:
    """Write the parameters of trials, each once: those of a trial that has some stay as they are."""
    for one in chosen:
        kept = select(events.c.event_id).where(
            events.c.campaign_id == campaign_id,
            events.c.kind == EventKind.TRIAL_SUGGESTED.value,
            events.c.subject == one.benchmark,
        )
        if connection.execute(kept).first() is None:
            _write_suggested(connection, campaign_id, one)


def _write_suggested(connection: Connection, campaign_id: int, one: SuggestedTrial) -> None:
    mine = benchmarks.c.campaign_id == campaign_id, benchmarks.c.benchmark == one.benchmark
    before = connection.execute(select(benchmarks.c.parameters).where(*mine)).scalar()
    if before is None:
        raise LedgerError(f"no benchmark {one.benchmark} is registered, and it was to get parameters")
    parameters = json.dumps({**json.loads(before), **one.parameters}, sort_keys=True)
    connection.execute(update(benchmarks).where(*mine).values(parameters=parameters))
    insert_points(connection, campaign_id, one.points)
    note(
        connection,
        campaign_id,
        EventKind.TRIAL_SUGGESTED,
        one.message,
        subject=one.benchmark,
        data=one.data,
        at_us=one.at_us,
    )


def describe_workloads(
    connection: Connection, campaign_id: int, descriptions: Mapping[str, Mapping[str, Any]]
) -> None:
    """Keep the description of each benchmark's workload, by which the benchmark is judged."""
    write_documents(connection, campaign_id, descriptions.values())
    for benchmark, content in descriptions.items():
        key = document_key(content)
        note(
            connection,
            campaign_id,
            EventKind.WORKLOAD_RECORDED,
            f"workload of {benchmark}: {key[:12]}",
            subject=benchmark,
            data={"document": key},
        )


def insert_campaign(connection: Connection, campaign: NewCampaign) -> int:
    """Insert a campaign, and return its number; raises `CampaignExistsError` if the name is taken."""
    taken = select(campaigns.c.campaign_id).where(campaigns.c.name == campaign.name)
    if connection.execute(taken).first():
        raise CampaignExistsError(campaign.name)
    key = connection.execute(
        insert(campaigns),
        {
            **asdict(campaign),
            "campaign_sha256": sha256(campaign.campaign_yaml),
            "site_sha256": sha256(campaign.site_yaml),
            "created_us": now_us(),
        },
    ).inserted_primary_key
    return int(key[0])  # type: ignore[index]


def insert_points(connection: Connection, campaign_id: int, new: Iterable[NewPoint]) -> None:
    """Insert the axes of points of sweeps."""
    insert_rows(connection, points, _POINT_COLUMNS, [(campaign_id, *astuple(one)) for one in new])


def insert_planned(connection: Connection, campaign_id: int, planned: Iterable[NewInstance]) -> None:
    """Insert planned instances, some thousands a statement."""
    state = InstanceState.PLANNED.value
    source = iter(planned)
    while batch := [
        (campaign_id, one.instance_id, one.benchmark, one.benchmark_index, one.seed, state)
        for one in islice(source, _BATCH)
    ]:
        insert_rows(connection, instances, PLANNED_COLUMNS, batch)
