"""Answers of the API that are shared by all who ask, or that last: live progress, verdicts, event streams."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from anyio import to_thread
from starlette.responses import Response, StreamingResponse

from db.errors import LedgerError
from orchestrator.lifecycle.driver_process.identity import may_be_alive
from orchestrator.outputs.json_values import plain
from orchestrator.serve.api.actions import stored_files
from orchestrator.serve.api.questions import EventsQuery, ReportFormat, ReportQuery
from orchestrator.serve.api.reads import Asked, events_after, report_text

if TYPE_CHECKING:
    from db.reader import Reader
    from orchestrator.monitoring.campaign_status import CampaignStatus
    from orchestrator.serve.ledger_source import LedgerSource

T = TypeVar("T")
_PAUSE_SECONDS = 1.0
_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Context:
    """Readings from which answers are made.

    Parameters
    ----------
    status
        Returns where a campaign stands; the pages share it.
    verdict
        Returns an object `VerdictFacts` of a campaign.
    report
        Returns a campaign's report as HTML, with its headers.
    stopping
        Set when the server ends.
    files
        Folder of the campaign files that may be launched; None without a folder.
    """

    source: LedgerSource
    status: Callable[[str], Awaitable[CampaignStatus]]
    verdict: Callable[[str], Awaitable[dict[str, Any]]]
    report: Callable[[str], Awaitable[Response]]
    stopping: asyncio.Event
    files: Path | None

    async def read(self, read: Callable[[Reader], T]) -> T:
        """Return what a function reads, in a thread."""

        def run() -> T:
            with self.source.reader() as reader:
                return read(reader)

        return await to_thread.run_sync(run)


async def campaign(context: Context, asked: Asked) -> dict[str, Any]:
    """Return where a campaign stands."""
    return (await context.status(asked.name)).to_dict()


async def verdict(context: Context, asked: Asked) -> dict[str, Any]:
    """Return the verdict on a campaign."""
    return await context.verdict(asked.name)


async def files(context: Context, _: Asked) -> list[dict[str, str]]:
    """Return the campaign files that may be launched."""
    return await to_thread.run_sync(stored_files, context.files)


async def report(context: Context, asked: Asked) -> Response:
    """Return the report of a campaign."""
    query = asked.query
    assert isinstance(query, ReportQuery)  # noqa: S101  as the table of routes says
    if query.format is ReportFormat.HTML:
        return await context.report(asked.name)
    text = await context.read(lambda reader: report_text(reader, asked.name, query.format))
    return Response(text, media_type=query.format.media_type)


async def stream(context: Context, asked: Asked) -> Response:
    """Return the events of a campaign as they happen."""
    query = asked.query
    assert isinstance(query, EventsQuery)  # noqa: S101  as the table of routes says
    await context.read(lambda reader: reader.campaign(asked.name))  # an unknown campaign has no stream
    return StreamingResponse(_events(context, asked.name, query), media_type="text/event-stream")


async def _events(context: Context, name: str, query: EventsQuery) -> AsyncIterator[bytes]:
    """Yield events until no driver runs the campaign, or the server ends."""
    last = query.after

    def read(reader: Reader) -> tuple[bool, list[dict[str, Any]]]:
        driven = may_be_alive(reader.campaign(name))  # before its events: the last ones are read once more
        return driven, list(islice(events_after(reader, name, query, last), _AT_ONCE))

    while not context.stopping.is_set():
        try:
            driven, found = await context.read(read)
        except (LedgerError, OSError) as error:
            yield _event("problem", {"error": {"status": 503, "message": str(error)}})
            driven, found = True, []
        for one in found:
            last = one["event"]
            yield f"id: {last}\n".encode() + _event("event", one)
        if len(found) == _AT_ONCE:
            continue
        if not driven:
            yield _event("end", {"campaign": name})
            return
        yield b":\n\n"  # a comment: a client that left is noticed
        try:
            await asyncio.wait_for(context.stopping.wait(), _PAUSE_SECONDS)
        except TimeoutError:
            continue


def _event(kind: str, facts: dict[str, Any]) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(plain(facts), allow_nan=False)}\n\n".encode()
