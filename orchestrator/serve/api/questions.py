"""Queries and bodies of requests to the API."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from db.events import EventKind
from db.states import InstanceState

_Text = Annotated[str, Field(min_length=1, max_length=1000)]
_LAST_EVENT = 2**63 - 1


class Question(BaseModel):
    """Parameters of a request; others are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CampaignsQuery(Question):
    """A page of campaigns."""

    after: _Text | None = Field(None, description="Name of the last campaign of the page before.")
    limit: int = Field(20, ge=1, le=100, description="Campaigns of a page.")


class InstancesQuery(Question):
    """A page of instances, or of what belongs to instances."""

    state: InstanceState | None = Field(None, description="Only instances of this state.")
    benchmark: _Text | None = Field(None, description="Only of this benchmark, or of all points of a sweep.")
    node: _Text | None = Field(None, description="Only instances with an attempt on this node.")
    reason: _Text | None = Field(None, description="Only instances with an attempt that failed for it.")
    after: _Text | None = Field(None, description="Label of the last instance of the page before.")
    limit: int = Field(100, ge=1, le=1000, description="Instances of a page.")


class EventsQuery(Question):
    """A page of events, or the beginning of a stream."""

    after: int = Field(0, ge=0, le=_LAST_EVENT, description="Key `event` of the last event that is known.")
    kind: list[EventKind] | None = Field(None, description="Only these kinds; without it, no transitions.")
    limit: int = Field(100, ge=1, le=1000, description="Events of a page; a stream has all.")


class ReportFormat(StrEnum):
    """Formats of a report, with their media types."""

    HTML = "html"
    MARKDOWN = "md"
    JUNIT = "junit"

    @property
    def media_type(self) -> str:
        """The media type."""
        return {"html": "text/html", "md": "text/markdown", "junit": "application/xml"}[self]


class ReportQuery(Question):
    """A report."""

    format: ReportFormat = Field(ReportFormat.HTML, description="HTML, Markdown or JUnit XML.")


class Nothing(Question):
    """No parameters."""


class LaunchBody(Question):
    """A campaign to launch."""

    file: str = Field(pattern=r"^[\w=-][\w.=-]{0,199}\.yaml$", description="A name of `/api/v1/files`.")
    name: str | None = Field(
        None, min_length=1, max_length=200, description="Name in the ledger; by default the file's."
    )
    site: str | None = Field(
        None, pattern=r"^[\w-][\w.-]{0,199}$", description="Name of the site; by default that of `serve`."
    )


class PauseBody(Question):
    """Benchmarks to pause, or to let start again."""

    benchmarks: list[_Text] = Field(min_length=1, max_length=100)


class RetryBody(Question):
    """Instances to retry; without any, all that are out of retries."""

    selection: list[_Text] = Field([], max_length=100, description="Such as p1b1/3, p1b1/5..20 or p1b1.")
    where: list[_Text] = Field([], max_length=100, description="Such as node=n03*.")


class AddBody(Question):
    """Instances to add."""

    instances: list[_Text] = Field(min_length=1, max_length=100, description="Such as p1b1=+20.")
