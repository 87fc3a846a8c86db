"""The routes of the API: one table, from which the application, OpenAPI and the reference are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
from orchestrator.serve.api import actions, reads
from orchestrator.serve.api.live_answers import campaign, files, report, stream, verdict
from orchestrator.serve.api.questions import (
    CampaignsQuery,
    EventsQuery,
    InstancesQuery,
    Nothing,
    Question,
    ReportQuery,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from db.reader import Reader
    from orchestrator.serve.api.live_answers import Context
    from orchestrator.serve.api.reads import Asked

VERSION = "/api/v1"


@dataclass(frozen=True, slots=True)
class ApiRoute:
    """A path of the API.

    Parameters
    ----------
    path
        Below `VERSION`.
    result
        Type of the answer, or of the items of its list; None for a text.
    summary
        Sentence for people.
    command
        Command that prints the same object; empty without a command.
    read
        Returns the answer from a reader, in a thread.
    answer
        Returns the answer or a response, in the event loop.
    act
        Changes something, by POST.
    """

    path: str
    result: Any
    summary: str
    command: str = ""
    query: type[Question] = Nothing
    read: Callable[[Reader, Asked], Any] | None = None
    answer: Callable[[Context, Asked], Awaitable[Any]] | None = None
    act: actions.Act | None = None
    media: str = "application/json"

    @property
    def paged(self) -> bool:
        """True for a list that is read page by page."""
        return self.media == "application/json" and "after" in self.query.model_fields

    @property
    def method(self) -> str:
        """Its method of HTTP."""
        return "POST" if self.act else "GET"


_ONE = "/campaigns/{name}"
ROUTES: Sequence[ApiRoute] = (
    ApiRoute("/campaigns", CampaignFacts, "Campaigns, the newest first.", "status", CampaignsQuery,
             read=reads.campaigns),
    ApiRoute(_ONE, CampaignFacts, "Where a campaign stands.", "status NAME", answer=campaign),
    ApiRoute(f"{_ONE}/instances", InstanceRow, "Instances in the order of benchmark and number.",
             "instance list NAME", InstancesQuery, read=reads.instances),
    ApiRoute(f"{_ONE}/instances/{{label:path}}", InstanceFacts, "An instance with its attempts and events.",
             "instance show NAME INSTANCE", read=reads.instance),
    ApiRoute(f"{_ONE}/attempts", AttemptOfInstance, "Attempts of the instances of a page.", "",
             InstancesQuery, read=reads.attempts),
    ApiRoute(f"{_ONE}/metrics", MetricFacts, "Metrics of the attempts of the instances of a page.", "",
             InstancesQuery, read=reads.metrics),
    ApiRoute(f"{_ONE}/curves", CurvesOfAttempt, "Learning curves of the attempts of the instances of a page.",
             "instance show NAME INSTANCE --curves", InstancesQuery, read=reads.curves),
    ApiRoute(f"{_ONE}/events", EventFacts, "Events, oldest first.", "events NAME", EventsQuery,
             read=reads.events),
    ApiRoute(f"{_ONE}/events/stream", EventFacts,
             "Events as they happen, as server-sent events; `end` says that no driver runs the campaign.",
             "events NAME --follow", EventsQuery, answer=stream, media="text/event-stream"),
    ApiRoute(f"{_ONE}/verdict", VerdictFacts, "Figure of merit with every rule; nothing is stored.",
             "fom NAME", answer=verdict),
    ApiRoute(f"{_ONE}/report", None, "The report as HTML, Markdown or JUnit XML.", "", ReportQuery,
             answer=report, media="text/html"),
    ApiRoute("/files", list[StoredFile], "Campaign files that may be launched.", answer=files),
    ApiRoute("/campaigns", Launched, "Launch a stored campaign file.", "launch FILE --detach",
             act=actions.launch),
    ApiRoute(f"{_ONE}/drain", StopAsked, "Ask the driver to drain.", "stop NAME --no-wait",
             act=actions.drain),
    ApiRoute(f"{_ONE}/pause", list[AskedFacts], "Start no more instances of benchmarks.",
             "instance pause NAME BENCHMARK...", act=actions.pause),
    ApiRoute(f"{_ONE}/unpause", list[AskedFacts], "Start instances of paused benchmarks again.",
             "instance unpause NAME BENCHMARK...", act=actions.unpause),
    ApiRoute(f"{_ONE}/retry", list[AskedFacts], "Plan instances again that are out of retries or cancelled.",
             "instance retry NAME [SELECTION]...", act=actions.retry),
    ApiRoute(f"{_ONE}/add", AddedFacts, "Add instances to a campaign that no driver runs.",
             "instance add NAME --instances BENCHMARK=+NUMBER", act=actions.add),
)  # fmt: skip
"""All routes below `VERSION`."""
