"""The pages and what they are read from, as an application of Starlette."""

from __future__ import annotations

import asyncio
import dataclasses
import difflib
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from db.errors import LedgerError, RefusedError, UnknownCampaignError
from db.events import now_us
from db.queries.labels import NO_LABELS, Labels
from orchestrator.analysis.verdict.registered_workloads import fom_units
from orchestrator.errors import OrchestratorError
from orchestrator.monitoring.outcome_words import state_words
from orchestrator.report.facts.instances import instance_facts
from orchestrator.report.facts.verdicts import read_verdict_facts
from orchestrator.serve import metrics
from orchestrator.serve.access import Access, Guard
from orchestrator.serve.actions import act
from orchestrator.serve.api.app import api_app
from orchestrator.serve.api.live_answers import Context
from orchestrator.serve.live_reads import (
    figures_seconds,
    poll_seconds,
    read_figures,
    read_live,
    verdict_seconds,
)
from orchestrator.serve.pages import page as pages
from orchestrator.serve.pages.action_forms import Notices, campaign_forms, chosen_in, instance_forms
from orchestrator.serve.pages.addresses import of_campaign, of_instance, with_query
from orchestrator.serve.pages.campaign_list import campaign_list, listed, measured
from orchestrator.serve.pages.event_stream import follow
from orchestrator.serve.pages.instance_list import instance_list
from orchestrator.serve.pages.instance_sections import head, story
from orchestrator.serve.pages.list_verdicts import ListVerdicts
from orchestrator.serve.pages.live_drawings import drawings_seconds, read_drawings
from orchestrator.serve.pages.page import Page
from orchestrator.serve.pages.report_page import read_report, report_seconds
from orchestrator.serve.problems import is_api
from orchestrator.serve.shared_reads import FollowedReads, SharedReads
from workloads.description import WorkloadError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from db.reader import Reader
    from orchestrator.monitoring.campaign_status import CampaignStatus
    from orchestrator.serve.ledger_source import LedgerSource

T = TypeVar("T")
_NEAR = 5
_REPORTS_KEPT = 16  # whole pages, of megabytes each
_AGAIN_SECONDS = "5"
_STATIC = {
    "report.css": ("orchestrator.report", "text/css"),
    "serve.css": ("orchestrator.serve", "text/css"),
    "live.js": ("orchestrator.serve", "text/javascript"),
    "icon.svg": ("orchestrator.serve", "image/svg+xml"),
}


class _Live(NamedTuple):
    status: CampaignStatus
    part: str


class LedgerPages:
    """The pages and the API of one ledger.

    Parameters
    ----------
    files
        Folder of the campaign files that the API may launch; None without a folder.
    stopping
        Set when the server ends: event streams end then.
    """

    def __init__(self, source: LedgerSource, files: Path | None = None) -> None:
        self.stopping = asyncio.Event()
        self._source = source
        self._access = Access(None, loopback=True)
        self._notices = Notices()
        self._figures = FollowedReads(partial(read_figures, source), figures_seconds, self._status_of)
        self._drawings = FollowedReads(partial(read_drawings, source), drawings_seconds, self._status_of)
        self._verdicts = ListVerdicts(partial(read_figures, source))
        self._live = SharedReads(self._read_live, lambda found, took: poll_seconds(found.status, took))
        self._judged = SharedReads(self._read_verdict, verdict_seconds)
        self._files = files
        self._reports = SharedReads(partial(read_report, source), report_seconds, kept=_REPORTS_KEPT)

    def app(self, access: Access) -> ASGIApp:
        """Return the application, for those who have access."""
        context = Context(
            self._source, self._status, self._judged.get, self._report_of, self.stopping, self._files
        )
        served = _Served(self._pages(access), api_app(context, access, self._live.forget))
        return Guard(served, access)

    def _pages(self, access: Access) -> Starlette:
        self._access = access
        pages_read = [
            ("/", self.campaigns),
            ("/campaigns/{name}", self.campaign),
            ("/campaigns/{name}/live", self.stream),
            ("/campaigns/{name}/instances", self.instances),
            ("/campaigns/{name}/instances/{label:path}", self.instance),
            ("/campaigns/{name}/report", self.report),
            ("/metrics", self.metrics),
            ("/static/{file}", _static),
        ]
        return Starlette(
            routes=[
                *(Route(path, handler, methods=["GET"]) for path, handler in pages_read),
                Route("/campaigns/{name}/actions/{action}", self.change, methods=["POST"]),
            ],
            exception_handlers={
                UnknownCampaignError: self._unknown,
                RefusedError: _refused,
                LedgerError: _away,
                OSError: _away,
                OrchestratorError: _unanswered,
                WorkloadError: _unanswered,
                HTTPException: _http_error,
            },
        )

    async def campaigns(self, request: Request) -> Response:
        """Return the list of campaigns."""
        before = request.query_params.get("before")
        tags = tuple(filter(None, request.query_params.get("tag", "").split(",")))
        wanted = Labels(request.query_params.get("owner", ""), tags)
        found, older = await self._read(lambda reader: listed(reader, before, now_us(), wanted))
        ended = {one.verdict_key: one.row.name for one in found if one.verdict_key}
        section = campaign_list(found, await self._verdicts.known(ended))
        onward = [("Newest", "/")] if before else []
        onward += [("All campaigns", "/")] if wanted != NO_LABELS else []
        facts = {"ledger": str(self._source), **wanted.words()}
        page = Page(
            "Campaigns", [section], facts=facts, onward=[*onward, *([("Older", older)] if older else [])]
        )
        return HTMLResponse(pages.html(page))

    async def campaign(self, request: Request) -> Response:
        """Return the page of a campaign, as far as it is now."""
        name = request.path_params["name"]
        found = await self._live_of(name)
        page = pages.live_page(found.status, self._figures.known(name), self._drawings.known(name))
        page = dataclasses.replace(
            page,
            actions=campaign_forms(found.status) if self._access.actions else (),
            notice=self._notices.take(request.query_params.get("notice")),
        )
        return HTMLResponse(await to_thread.run_sync(pages.html, page))

    async def change(self, request: Request) -> Response:
        """Do what a form asks for, and lead to the campaign's page, which says what became of it."""
        if problem := self._access.action_problem(request.headers):
            return _problem(403, "Nothing was changed", problem)
        name, action = request.path_params["name"], request.path_params["action"]
        chosen, address = await chosen_in(request), request.client.host if request.client else "-"
        outcome = await to_thread.run_sync(act, action, name, chosen, self._source.given, address)
        self._live.forget(name)  # the page shows the change
        return RedirectResponse(with_query(of_campaign(name), {"notice": self._notices.keep(outcome)}), 303)

    async def stream(self, request: Request) -> Response:
        """Return the event stream of a campaign's page."""
        name = request.path_params["name"]

        async def parts() -> dict[str, str]:
            progress = (await self._live_of(name)).part
            return {"progress": progress, "figures": pages.drawings_part(self._drawings.known(name))}

        await parts()  # an unknown campaign has no stream
        return StreamingResponse(follow(parts, self.stopping), media_type="text/event-stream")

    async def instances(self, request: Request) -> Response:
        """Return a list of instances, or lead to the one whose label was typed."""
        name, given = request.path_params["name"], dict(request.query_params)
        if label := given.get("find", "").strip():
            return RedirectResponse(of_instance(name, label), 303)
        page = await self._read(lambda reader: instance_list(reader, reader.campaign(name), given))
        return HTMLResponse(await to_thread.run_sync(pages.html, page))

    async def instance(self, request: Request) -> Response:
        """Return the story of an instance."""
        name, label = request.path_params["name"], request.path_params["label"]

        def read(reader: Reader) -> Page:
            row = reader.campaign(name)
            found = reader.find_instance(row.campaign_id, label)
            tried = reader.attempts_of(row.campaign_id, found.instance_id)
            facts = instance_facts(reader, row, label, found, tried)
            kind = {"done": "good", "exhausted": "bad"}.get(found.state, "plain")
            above = [
                ("Campaigns", "/"),
                (name, of_campaign(name)),
                ("Instances", of_campaign(name, "instances")),
            ]
            forms = instance_forms(name, label, found.state) if self._access.actions else ()
            verdict = (state_words(found.state), kind)
            units = fom_units(reader, row.campaign_id, reader.benchmarks(row.campaign_id))
            return Page(
                label, story(facts, units[found.benchmark]), verdict, head(facts), above=above, actions=forms
            )

        return HTMLResponse(pages.html(await self._read(read)))

    async def report(self, request: Request) -> Response:
        """Return the report of a campaign."""
        return await self._report_of(request.path_params["name"])

    async def _report_of(self, name: str) -> Response:
        made = await self._reports.get(name)
        return HTMLResponse(made.html, headers={"content-security-policy": made.policy})

    async def metrics(self, request: Request) -> Response:
        """Return metrics of the campaigns that are named, or else of those that run or ended just now."""
        names = list(dict.fromkeys(request.query_params.getlist("campaign")))
        try:
            if not names:
                names = await self._read(lambda reader: measured(reader, now_us()))
            statuses = [(await self._live_of(name)).status for name in names]
        except UnknownCampaignError:
            raise
        except (LedgerError, OSError):
            return Response(metrics.exposition([], {}, up=False), media_type=metrics.CONTENT_TYPE)
        figures = {name: known for name in names if (known := self._figures.known(name))}
        return Response(metrics.exposition(statuses, figures), media_type=metrics.CONTENT_TYPE)

    async def _live_of(self, name: str) -> _Live:
        """Return what a campaign's page shows, and begin to judge and draw it anew where that may differ."""
        found = await self._live.get(name)
        self._figures.begin(found.status)
        self._drawings.begin(found.status)
        return found

    async def _status(self, name: str) -> CampaignStatus:
        return (await self._live_of(name)).status

    def _read_verdict(self, name: str) -> dict[str, Any]:
        with self._source.reader() as reader:
            return read_verdict_facts(reader, name)

    def _status_of(self, name: str) -> CampaignStatus | None:
        found = self._live.known(name)
        return found and found.status

    def _read_live(self, name: str) -> _Live:
        status = read_live(self._source, name)
        return _Live(status, pages.live_part(status, self._figures.known(name)))

    async def _read(self, read: Callable[[Reader], T]) -> T:
        """Return what a function reads, in a thread."""

        def run() -> T:
            with self._source.reader() as reader:
                return read(reader)

        return await to_thread.run_sync(run)

    async def _unknown(self, request: Request, error: Exception) -> Response:
        """Return the page for a campaign or an instance that does not exist, with near names."""
        name = request.path_params.get("name") or request.query_params.get("before") or ""
        try:
            known = await self._read(lambda reader: [row.name for row in reader.campaigns()])
        except (LedgerError, OSError) as away:
            return await _away(request, away)
        if name in known:
            return _problem(404, "Not found", str(error), [("Instances", of_campaign(name, "instances"))])
        near = difflib.get_close_matches(name, known, n=_NEAR, cutoff=0.5)
        message = f"The ledger has no campaign {name!r}." + (" Near names:" if near else "")
        return _problem(404, "Not found", message, [(one, of_campaign(one)) for one in near])


class _Served:
    """Gives requests of the API to the API, and all others to the pages."""

    def __init__(self, pages: ASGIApp, api: ASGIApp) -> None:
        self._pages, self._api = pages, api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        api = scope["type"] == "http" and is_api(scope["path"])
        await (self._api if api else self._pages)(scope, receive, send)


def _problem(status: int, title: str, message: str, onward: pages.Places = ()) -> Response:
    page = Page(title, verdict=(message, "bad"), above=[("Campaigns", "/")], onward=onward)
    return HTMLResponse(pages.html(page), status)


async def _away(request: Request, error: Exception) -> Response:
    answer = _problem(
        503, "The ledger cannot be read now", str(error), [("Try again", str(request.url.path))]
    )
    answer.headers["retry-after"] = _AGAIN_SECONDS
    return answer


async def _refused(_: Request, error: Exception) -> Response:
    return _problem(400, "The ledger does not take that", str(error))


async def _unanswered(_: Request, error: Exception) -> Response:
    return _problem(400, "That cannot be answered", str(error))


async def _http_error(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    message = error.detail if isinstance(error, HTTPException) else ""
    return _problem(status, message or "Error", f"{status}: {message}")


async def _static(request: Request) -> Response:
    package, kind = _STATIC.get(request.path_params["file"], ("", ""))
    if not package:
        raise HTTPException(404)
    content = files(package).joinpath("templates", request.path_params["file"]).read_bytes()
    return Response(content, media_type=kind, headers={"cache-control": "max-age=300"})
