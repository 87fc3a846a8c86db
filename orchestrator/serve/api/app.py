"""The API as an application of Starlette, made of the table of routes."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from anyio import to_thread
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from db.errors import LeaseError, LedgerError, RefusedError, UnknownCampaignError
from orchestrator.errors import OrchestratorError
from orchestrator.outputs.json_values import plain
from orchestrator.serve.api.actions import BODIES, Change
from orchestrator.serve.api.openapi import document
from orchestrator.serve.api.questions import EventsQuery, Question
from orchestrator.serve.api.reads import Asked, Listed
from orchestrator.serve.api.routes import ROUTES, VERSION, ApiRoute
from orchestrator.serve.problems import OPENAPI, json_problem
from orchestrator.wording import count_of
from workloads.description import WorkloadError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic_core import ErrorDetails
    from starlette.requests import Request

    from orchestrator.serve.access import Access
    from orchestrator.serve.api.live_answers import Context

_LONGEST_BYTES = 65_536
_LONGEST_NAME = 100
_AGAIN = {"retry-after": "5"}
_REVALIDATED = "private, no-cache"


def api_app(context: Context, access: Access, changed: Callable[[str], None]) -> Starlette:
    """Return the application.

    Parameters
    ----------
    changed
        Called with the name of a campaign after a change.
    """
    routes = [
        Route(
            VERSION + one.path,
            partial(_change, context, access, changed, one) if one.act else partial(_answer, context, one),
            methods=[one.method],
        )
        for one in ROUTES
    ]

    async def openapi(request: Request) -> Response:
        return await _json(request, document())

    handlers: dict[Any, Any] = {
        UnknownCampaignError: _problem(404),
        RefusedError: _problem(400),
        LeaseError: _problem(409),
        LedgerError: _problem(503, _AGAIN),
        OSError: _problem(503, _AGAIN),
        OrchestratorError: _problem(400),
        WorkloadError: _problem(400),
        ValidationError: _wrong_question,
        HTTPException: _http_problem,
        Exception: _fault,
    }
    return Starlette(routes=[*_merged(routes), Route(OPENAPI, openapi)], exception_handlers=handlers)


def _merged(routes: list[Route]) -> list[Route]:
    """Return routes in which a label, which may hold slashes, is tried after all longer paths."""
    return sorted(routes, key=lambda one: one.path.endswith(":path}"))


async def _answer(context: Context, route: ApiRoute, request: Request) -> Response:
    asked = Asked(
        request.path_params.get("name", ""), request.path_params.get("label", ""), _query(route, request)
    )
    if (read := route.read) is not None:
        found = await context.read(lambda reader: read(reader, asked))
    elif route.answer is not None:
        found = await route.answer(context, asked)
    if isinstance(found, Response):
        return found
    page = _page(found, request.url.path, asked.query) if isinstance(found, Listed) else found
    return await _json(request, page)


async def _change(
    context: Context, access: Access, changed: Callable[[str], None], route: ApiRoute, request: Request
) -> Response:
    if problem := access.action_problem(request.headers):
        return json_problem(403, problem)
    assert route.act is not None  # noqa: S101  for the type checker
    body = BODIES[route.act].model_validate_json(await _body(request))
    name = request.path_params.get("name", "")
    change = Change(name, context.source.given, _source(request), context.files, body)
    found = await to_thread.run_sync(route.act, change)
    changed(name)
    return await _json(request, found)


def _query(route: ApiRoute, request: Request) -> Question:
    """Return the parameters of an address."""
    lists = {name for name, one in route.query.model_fields.items() if "list" in str(one.annotation)}
    given = request.query_params
    query = route.query.model_validate(
        {name: given.getlist(name) if name in lists else given[name] for name in given}
    )
    seen = request.headers.get("last-event-id", "")
    if isinstance(query, EventsQuery) and route.answer and seen.isdecimal() and len(seen) < 19:
        return query.model_copy(update={"after": int(seen)})
    return query


async def _body(request: Request) -> bytes:
    """Return the body of a request; raises `HTTPException`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "send the body as application/json")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LONGEST_BYTES:
            raise HTTPException(413, f"the body is longer than {_LONGEST_BYTES:,} bytes")
    return body


def _source(request: Request) -> str:
    """Return who asks: the address, and the name that the client states of its user (RFC 9110, ``From``)."""
    stated = re.sub(r"[^\w.@+-]", "", request.headers.get("from", ""), flags=re.ASCII)[:_LONGEST_NAME]
    address = request.client.host if request.client else "-"
    return f"{stated} over the API at {address}" if stated else f"API at {address}"


def _page(found: Listed, path: str, query: Question) -> dict[str, Any]:
    if found.after is None:
        return {"items": found.items, "next": None}
    kept = query.model_dump(mode="json", exclude_defaults=True) | {"after": found.after}
    return {"items": found.items, "next": f"{path}?{urlencode(kept, doseq=True)}"}


async def _json(request: Request, content: Any) -> Response:
    """Return JSON with an entity tag, or that it has not changed; the time of reading is no change.

    A page of learning curves has millions of numbers: a thread encodes it, while others are answered.
    """
    body, tag = await to_thread.run_sync(_encoded, content)
    headers = {"etag": tag, "cache-control": _REVALIDATED}
    if request.method in ("GET", "HEAD"):
        known = {one.strip() for one in request.headers.get("if-none-match", "").split(",")}
        if known & {tag, "*"}:
            return Response(status_code=304, headers=headers)
    return Response(body, media_type="application/json", headers=headers)


def _encoded(content: Any) -> tuple[bytes, str]:
    """Return an answer as JSON, and its entity tag.

    Items of a page are encoded one by one, as other threads stand still while the encoder runs.
    """
    digest = hashlib.sha256()

    def encoded(value: Any) -> str:
        made = plain(value)
        text, unchanging = _text(made), _without_times(made)
        digest.update((text if unchanging is made else _text(unchanging)).encode())
        return text

    if isinstance(content, dict) and content.keys() == {"items", "next"}:
        items = ",".join(map(encoded, content["items"]))
        body = f'{{"items":[{items}],"next":{encoded(content["next"])}}}'
    else:
        body = encoded(content)
    return body.encode(), f'W/"{digest.hexdigest()[:32]}"'


def _text(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def _without_times(content: Any) -> Any:
    """Return a campaign without the time at which it was read; anything else as it is."""
    if isinstance(content, dict) and "progress" in content:
        return {key: value for key, value in content.items() if key != "at"}
    return content


def _problem(status: int, headers: Mapping[str, str] | None = None) -> Any:
    async def answer(_: Request, error: Exception) -> Response:
        return json_problem(status, str(error), headers)

    return answer


async def _wrong_question(_: Request, error: Exception) -> Response:
    assert isinstance(error, ValidationError)  # noqa: S101  for the type checker
    first, *rest = map(_words, error.errors(include_url=False, include_input=False, include_context=False))
    return json_problem(400, first + (f"; and {count_of(len(rest), 'more problem')}" if rest else ""))


def _words(detail: ErrorDetails) -> str:
    place = ".".join(str(one)[:_LONGEST_NAME] for one in detail["loc"]) or "body"
    if detail["type"] == "extra_forbidden":
        return f"{place}: there is no such parameter"
    return f"{place}: {detail['msg']}"


async def _http_problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  for the type checker
    words = {404: f"there is no such path; {OPENAPI} lists all", 405: "the path has no such method"}
    message = words.get(error.status_code, error.detail)
    return json_problem(error.status_code, message, error.headers)


async def _fault(_: Request, error: Exception) -> Response:
    return json_problem(500, f"the server failed: {type(error).__name__}; its log has more")
