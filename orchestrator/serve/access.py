"""Who may read the pages and act on them, and what browsers may do with them."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from orchestrator.errors import CampaignError
from orchestrator.serve.problems import is_api, json_problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SHORTEST = 22
"""Characters of a token of 128 random bits in Base64."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer, browsers send forms with "Origin: null"
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every answer that sets no other value."""
_HOST = re.compile(r"^(?P<name>\[[0-9A-Fa-f:.]+\]|[^:\[\]]*)(?::\d+)?$")
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


class TokenError(CampaignError):
    """A file does not hold a token that can be asked for."""


def make_token() -> str:
    """Return a new token of 256 random bits."""
    return secrets.token_urlsafe(32)


def token_of(file: Path) -> str:
    """Return the token of a file; a file that does not exist gets a new one, for its owner alone.

    Raises
    ------
    TokenError
        If others may read the file, or it does not hold a token.
    """
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(handle, "w") as stream:
            stream.write(made := make_token())
        return made
    with file.open(encoding="utf-8", errors="replace") as stream:
        if os.fstat(stream.fileno()).st_mode & 0o077:
            raise TokenError(
                f"{file} can be read by others: chmod 600 {file}, and write another token into it"
            )
        text = stream.read(4096).strip()
    if len(text) < _SHORTEST or not re.fullmatch(r"[\w.~+/=-]+", text, re.ASCII):
        raise TokenError(
            f"{file} needs a token of {_SHORTEST} or more letters and digits; without the file, one is made"
        )
    return text


@dataclass(frozen=True)
class Access:
    """Who may read and act.

    Parameters
    ----------
    token
        What readers must know; None if nothing.
    loopback
        Whether only this machine can connect: names of other hosts are refused, since a page of another
        site may have its own name point here (DNS rebinding).
    actions
        True if the pages may change campaigns; needs a token.
    """

    token: str | None
    loopback: bool
    cookie: str = "orchestrator"
    actions: bool = False

    @property
    def cookie_value(self) -> str:
        """Value that browsers keep in place of the token."""
        return hmac.new((self.token or "").encode(), b"cookie", hashlib.sha256).hexdigest()

    def host_allowed(self, host: str) -> bool:
        """Return whether a request's ``Host`` names this machine as its own browsers do."""
        found = _HOST.match(host)
        return not self.loopback or (found is not None and found["name"].lower() in _LOOPBACK_NAMES)

    def knows_token(self, given: str | None) -> bool:
        """Return whether a text is the token, in a time that does not depend on it."""
        return self.token is not None and hmac.compare_digest((given or "").encode(), self.token.encode())

    def may_read(self, headers: Headers) -> bool:
        """Return whether a request brings the token, or the cookie that stands for it."""
        if self.token is None:
            return True
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and self.knows_token(given.strip()):
            return True
        return any(self._is_cookie(pair) for one in headers.getlist("cookie") for pair in one.split(";"))

    def action_problem(self, headers: Headers) -> str:
        """Return why a request may change nothing; empty if it may.

        Other sites can send a form here from the browser of a reader: the cookie counts only with an
        ``Origin`` that is this server's, which browsers send with every form (RFC 6454), and where
        ``Sec-Fetch-Site`` is there, it must agree (www.w3.org/TR/fetch-metadata).
        """
        if not self.actions:
            return "these pages only read: start them with `orchestrator serve --allow-actions` to act"
        if self.token is None or not self.may_read(headers):
            return "a token is needed: open the address that `orchestrator serve` printed"
        origin = headers.get("origin")
        site = headers.get("sec-fetch-site", "same-origin")
        if origin is None and "authorization" in headers and site == "same-origin":
            return ""  # a program, which no page can start
        if origin is None or site != "same-origin" or not _same_host(origin, headers.get("host", "")):
            return "the form is of another site: use the forms of the campaign's own page"
        return ""

    def _is_cookie(self, pair: str) -> bool:
        """Return whether a pair of a ``Cookie`` header stands for the token.

        Each pair is read alone: other programs on this host share the header, and `http.cookies` reads
        nothing after the first malformed pair.
        """
        name, _, value = pair.strip().partition("=")
        return name == self.cookie and hmac.compare_digest(value.encode(), self.cookie_value.encode())


class Guard:
    """Refuses requests without access, and adds the headers of `HEADERS` to every answer."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await (self._refusal(scope) or self._app)(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the answer to a request that gets no page; None if it gets one."""
        headers = Headers(scope=scope)
        api = is_api(scope["path"])
        if not self._access.host_allowed(headers.get("host", "")):
            refusal = "this address is for localhost and 127.0.0.1 only"
            return json_problem(403, refusal) if api else PlainTextResponse(f"{refusal}\n", 403)
        if scope["path"].startswith("/static/"):
            return None
        if api:
            wanted = "a token is needed: send it as `Authorization: Bearer TOKEN`"
            known = self._access.may_read(headers)
            return None if known else json_problem(401, wanted, {"www-authenticate": "Bearer"})
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [None])[-1]
        if scope["method"] == "GET" and given is not None and self._access.knows_token(given):
            return self._welcome(scope["path"])
        if self._access.may_read(headers):
            return None
        return HTMLResponse(
            _page(
                "A token is needed", "<p>Open the address that <code>orchestrator serve</code> printed.</p>"
            ),
            401,
            {"www-authenticate": "Bearer"},
        )

    def _welcome(self, path: str) -> Response:
        """Return a page that keeps the cookie and goes on by itself, to an address without the token.

        A redirection would be part of the visit that a link elsewhere began, to which browsers do not add
        a ``SameSite=Strict`` cookie.
        """
        onwards = "/" + quote(path.lstrip("/"))  # two slashes would name another host
        head = f'<meta http-equiv="refresh" content="0;url={onwards}">'
        answer = HTMLResponse(_page("Welcome", f'<p><a href="{onwards}">Go on</a></p>', head))
        answer.set_cookie(
            self._access.cookie, self._access.cookie_value, httponly=True, samesite="strict", path="/"
        )
        return answer


def _same_host(origin: str, host: str) -> bool:
    """Return whether an ``Origin`` names the host of a request, by either scheme: a proxy may add TLS."""
    scheme, _, named = origin.lower().partition("://")
    return scheme in ("http", "https") and bool(named) and named == host.lower()


def _page(title: str, body: str, head: str = "") -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="stylesheet" href="/static/report.css"><link rel="icon" href="/static/icon.svg"></head>'
        f"<body><main><h1>{title}</h1>{body}</main></body></html>"
    )
