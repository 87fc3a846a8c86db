"""Renders pages: the head with its facts, sections, and forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from orchestrator.report.blocks import Section
from orchestrator.report.rendering import environment
from orchestrator.serve.pages import live_sections
from orchestrator.serve.pages.addresses import of_campaign

if TYPE_CHECKING:
    from jinja2 import Environment

    from orchestrator.analysis.live.progress import FigureSoFar
    from orchestrator.monitoring.campaign_status import CampaignStatus
    from orchestrator.report.figures import Drawing
    from orchestrator.serve.pages.action_forms import ActionForm

Places = Sequence[tuple[str, str]]
"""Names and addresses of pages."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page.

    Parameters
    ----------
    verdict
        What it says in a line, with its kind: ``good``, ``bad`` or ``plain``; empty for none.
    beside
        Pages of the same campaign; the present one is not a link.
    stream
        Address of its event stream; empty for a page that does not change by itself.
    drawings
        Figures before the sections, which have an event of their own in the stream.
    form
        What the form of filters shows; None without a form.
    onward
        Pages of the same list, such as the next one.
    notice
        What became of an action, in a line.
    """

    title: str
    sections: Sequence[Section] = ()
    verdict: tuple[str, str] = ("", "plain")
    facts: Mapping[str, str] = field(default_factory=dict)
    above: Places = ()
    beside: Places = ()
    stream: str = ""
    drawings: Sequence[Section] = ()
    form: Mapping[str, Any] | None = None
    onward: Places = ()
    actions: Sequence[ActionForm] = ()
    notice: str = ""


@cache
def _templates() -> Environment:
    return environment("orchestrator.serve")


def html(page: Page) -> str:
    """Return a page."""
    return _templates().get_template("page.html").render(page=page)


def live_part(status: CampaignStatus, figures: Sequence[FigureSoFar] | None) -> str:
    """Return what changes of the page of a running campaign, without its drawings."""
    return _templates().get_template("part.html").render(page=live_page(status, figures))


def drawings_part(drawings: Sequence[Drawing] | None) -> str:
    """Return the drawings of the page of a running campaign."""
    return _templates().get_template("drawings.html").render(sections=_drawn(drawings))


def live_page(
    status: CampaignStatus,
    figures: Sequence[FigureSoFar] | None,
    drawings: Sequence[Drawing] | None = None,
) -> Page:
    """Return the page of a running campaign."""
    name = status.row.name
    return Page(
        name,
        live_sections.sections(status, figures),
        live_sections.headline(status, figures),
        live_sections.facts(status),
        above=[("Campaigns", "/")],
        beside=beside(name),
        stream=of_campaign(name, "live"),
        drawings=_drawn(drawings),
    )


def _drawn(drawings: Sequence[Drawing] | None) -> list[Section]:
    return [Section("over-time", "Over time", drawings)] if drawings else []


def beside(name: str) -> Places:
    """Return the pages of a campaign."""
    return [
        ("Progress", of_campaign(name)),
        ("Instances", of_campaign(name, "instances")),
        ("Report", of_campaign(name, "report")),
    ]
