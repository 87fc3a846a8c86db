"""The client, and how it asks."""

from __future__ import annotations

import getpass
import http.client
import json
import socket
import urllib.request
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode

from orchestrator.errors import OrchestratorError

if TYPE_CHECKING:
    from orchestrator.outputs.campaigns import (
        AddedFacts,
        AskedFacts,
        CampaignFacts,
        EventFacts,
        Launched,
        StopAsked,
        StoredFile,
    )
    from orchestrator.outputs.instances import (
        AttemptOfInstance,
        CurvesOfAttempt,
        InstanceFacts,
        InstanceRow,
        MetricFacts,
    )
    from orchestrator.outputs.verdicts import VerdictFacts

_VERSION = "/api/v1"
_BROKEN = (OSError, http.client.HTTPException)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the token would go to another host, and a change would become a question."""

    def redirect_request(self, *_: Any) -> None:
        """Leave the answer as it is, an error."""


class ApiError(OrchestratorError):
    """The server refused a request, or cannot be reached.

    Parameters
    ----------
    status
        Status of HTTP; 0 without an answer.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Client:
    """A served ledger. Lists are read page by page while they are walked.

    Parameters
    ----------
    address
        The one that `orchestrator serve` prints, without its token.
    token
        The token, where the server asks for it. It goes to this address alone: no redirection is followed.
    user
        Who asks, for the events of changes; by default user and host of this process.
    timeout
        Seconds without a byte after which a request fails.

    Raises
    ------
    ApiError
        Every method raises it if the server refuses the request, cannot be reached, or is no such server.
    """

    def __init__(
        self, address: str, token: str | None = None, *, user: str = "", timeout: float = 60.0
    ) -> None:
        if "?" in address or "#" in address:  # not shown, as it may have the token
            raise ApiError("give the address without its token, and the token as `token`", 0)
        self._address = address.rstrip("/")
        self._timeout = timeout
        self._headers = {"accept": "application/json"}
        stated = user or f"{getpass.getuser()}@{socket.gethostname()}"
        self._headers["from"] = stated.encode("ascii", "ignore").decode()
        if token is not None:
            if not (token := token.strip()).isascii() or not token.isprintable():
                raise ApiError("the token has characters that no token has", 0)
            self._headers["authorization"] = f"Bearer {token}"
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._known: dict[str, tuple[str, Any]] = {}

    def campaigns(self) -> Iterator[CampaignFacts]:
        """Yield where campaigns stand, the newest first."""
        return cast("Iterator[CampaignFacts]", self._pages("/campaigns"))

    def campaign(self, name: str) -> CampaignFacts:
        """Return where a campaign stands."""
        return cast("CampaignFacts", self._get(_of(name)))

    def instances(self, name: str, **wanted: str) -> Iterator[InstanceRow]:
        """Yield instances; `wanted` may hold state, benchmark, node and reason."""
        return cast("Iterator[InstanceRow]", self._pages(_of(name, "instances"), **wanted))

    def instance(self, name: str, label: str) -> InstanceFacts:
        """Return an instance, ``benchmark/number``, with its attempts and events."""
        return cast("InstanceFacts", self._get(_of(name, f"instances/{quote(label)}")))

    def attempts(self, name: str, **wanted: str) -> Iterator[AttemptOfInstance]:
        """Yield attempts; `wanted` is that of `instances`."""
        return cast("Iterator[AttemptOfInstance]", self._pages(_of(name, "attempts"), **wanted))

    def metrics(self, name: str, **wanted: str) -> Iterator[MetricFacts]:
        """Yield metrics of attempts; `wanted` is that of `instances`."""
        return cast("Iterator[MetricFacts]", self._pages(_of(name, "metrics"), **wanted))

    def curves(self, name: str, **wanted: str) -> Iterator[CurvesOfAttempt]:
        """Yield learning curves of attempts; `wanted` is that of `instances`."""
        return cast("Iterator[CurvesOfAttempt]", self._pages(_of(name, "curves"), **wanted))

    def events(self, name: str, *kinds: str, after: int = 0) -> Iterator[EventFacts]:
        """Yield the events that follow an event; without kinds, no transitions."""
        return cast("Iterator[EventFacts]", self._pages(_of(name, "events"), kind=kinds, after=after))

    def follow(self, name: str, *kinds: str, after: int = 0) -> Iterator[EventFacts]:
        """Yield events as they happen, until no driver runs the campaign."""
        query = urlencode({"kind": kinds, "after": after}, doseq=True)
        with self._open(f"{_VERSION}{_of(name, 'events/stream')}?{query}") as answer:
            event = ""
            for line in _lines(answer, self._address):
                key, _, value = line.partition(": ")
                if key == "event":
                    event = value
                elif key == "data" and event == "event":
                    yield json.loads(value)
                elif key == "data" and event == "end":
                    return
        raise ApiError(f"{self._address}: the stream ended before the campaign did; follow it again", 0)

    def verdict(self, name: str) -> VerdictFacts:
        """Return the verdict on a campaign, with every rule."""
        return cast("VerdictFacts", self._get(_of(name, "verdict")))

    def report(self, name: str, form: str = "html") -> str:
        """Return a report as ``html``, ``md`` (Markdown) or ``junit`` (XML)."""
        with self._open(f"{_VERSION}{_of(name, 'report')}?format={quote(form)}") as answer:
            return self._content(answer).decode()

    def files(self) -> list[StoredFile]:
        """Return the campaign files that can be launched."""
        return cast("list[StoredFile]", self._get("/files"))

    def launch(self, file: str, name: str | None = None, site: str | None = None) -> Launched:
        """Launch a stored campaign file, and return once the campaign is registered."""
        given = {"file": file, "name": name, "site": site}
        return cast("Launched", self._post("/campaigns", given))

    def drain(self, name: str) -> StopAsked:
        """Let what runs finish, and start nothing new."""
        return cast("StopAsked", self._post(_of(name, "drain"), {}))

    def pause(self, name: str, *benchmarks: str) -> list[AskedFacts]:
        """Start no more instances of benchmarks."""
        return cast("list[AskedFacts]", self._post(_of(name, "pause"), {"benchmarks": benchmarks}))

    def unpause(self, name: str, *benchmarks: str) -> list[AskedFacts]:
        """Start instances of paused benchmarks again."""
        return cast("list[AskedFacts]", self._post(_of(name, "unpause"), {"benchmarks": benchmarks}))

    def retry(self, name: str, *selection: str, where: Sequence[str] = ()) -> list[AskedFacts]:
        """Plan instances again; without a selection, all that are out of retries."""
        body = {"selection": selection, "where": list(where)}
        return cast("list[AskedFacts]", self._post(_of(name, "retry"), body))

    def add(self, name: str, *instances: str) -> AddedFacts:
        """Add instances, each such as ``p1b1=+20``, to a campaign that no driver runs."""
        return cast("AddedFacts", self._post(_of(name, "add"), {"instances": instances}))

    def _pages(self, path: str, **query: Any) -> Iterator[Any]:
        given = urlencode({key: value for key, value in query.items() if value}, doseq=True)
        address: str | None = f"{_VERSION}{path}" + (f"?{given}" if given else "")
        while address is not None:
            page = self._read(address)
            yield from page["items"]
            address = page["next"]

    def _get(self, path: str) -> Any:
        """Return an answer; the one that was read before where it has not changed."""
        tag, known = self._known.get(path, ("", None))
        try:
            with self._open(_VERSION + path, headers={"if-none-match": tag} if tag else {}) as answer:
                found = self._json_of(answer)
                self._known = {path: (answer.headers.get("etag", ""), found)}  # who polls asks for the same
                return found
        except ApiError as error:
            if error.status == 304:
                return known
            raise

    def _read(self, address: str) -> Any:
        with self._open(address) as answer:
            return self._json_of(answer)

    def _post(self, path: str, body: Any) -> Any:
        content = json.dumps(body).encode()
        with self._open(_VERSION + path, content, {"content-type": "application/json"}) as answer:
            return self._json_of(answer)

    def _open(self, address: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Any:
        try:
            request = urllib.request.Request(  # noqa: S310  the address is the caller's
                self._address + address, body, self._headers | (headers or {})
            )
            return self._opener.open(request, timeout=self._timeout)
        except HTTPError as error:
            with error:
                raise ApiError(_message(error), error.code) from None
        except (URLError, ValueError, *_BROKEN) as error:
            reason = getattr(error, "reason", error)
            raise ApiError(f"{self._address} cannot be reached: {reason}", 0) from None

    def _json_of(self, answer: Any) -> Any:
        content = self._content(answer)
        try:
            return json.loads(content)
        except ValueError:
            raise ApiError(
                f"{self._address} answers without JSON: no `orchestrator serve` is there", 0
            ) from None

    def _content(self, answer: Any) -> bytes:
        try:
            return bytes(answer.read())
        except _BROKEN as error:
            raise ApiError(f"{self._address}: the answer broke off: {error}", 0) from None


def _of(name: str, part: str = "") -> str:
    return f"/campaigns/{quote(name, safe='')}" + (f"/{part}" if part else "")


def _lines(answer: Any, address: str) -> Iterator[str]:
    """Yield the lines of a stream."""
    try:
        for line in answer:
            yield bytes(line).decode().rstrip("\n")
    except _BROKEN as error:
        raise ApiError(f"{address}: the stream broke: {error}", 0) from None


def _message(error: HTTPError) -> str:
    """Return the line of an error of the API, or that of HTTP."""
    if 300 <= error.code < 400 and (place := error.headers.get("location")):
        return f"{error.code} {error.reason}: it leads to {place}, which is not followed; give its address"
    try:
        return str(json.loads(error.read())["error"]["message"])
    except (ValueError, KeyError, TypeError, *_BROKEN):
        return f"{error.code} {error.reason}"
