"""The campaigns behind a document: what they would cost, and running them to their end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TypeVar

from db.ledger import Ledger
from db.reader import Reader
from db.states import RunOutcome
from orchestrator.analysis.reproduction.exhibits import Scale, exhibit_named, reproduction_of
from orchestrator.driver.progress import ProgressDisplay
from orchestrator.errors import CampaignError
from orchestrator.lifecycle import launch, resume
from orchestrator.lifecycle.options import LaunchOptions, PlanOptions, ResumeOptions
from orchestrator.lifecycle.session.run_session import RunResult
from orchestrator.planning.campaign_reading import load_campaign

_Options = TypeVar("_Options", PlanOptions, LaunchOptions)
_ENDED = {RunOutcome.COMPLETE, RunOutcome.EXHAUSTED}
Display = Callable[[], AbstractContextManager[ProgressDisplay | None]]
"""Makes what shows where a campaign stands."""


@dataclass(frozen=True, slots=True)
class Part:
    """A campaign behind a document.

    Parameters
    ----------
    name
        Name in the ledger, such as ``candle-small-demo``.
    file
        Campaign file that comes with the project.
    overrides
        Values in place of those of the file, each ``PATH=VALUE``.
    elsewhere
        Benchmarks of the document's other campaigns that this one has not.
    """

    name: str
    file: str
    overrides: tuple[str, ...]
    elsewhere: frozenset[str] = frozenset()

    def with_given(self, given: Sequence[str]) -> tuple[str, ...]:
        """Return its overrides with those that a user gives, without those for other campaigns."""
        others = tuple(f"{name}." for name in self.elsewhere)
        return (*self.overrides, *(one for one in given if not one.strip().startswith(others)))


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a campaign on a site.

    Parameters
    ----------
    node_hours
        By the expected durations; None where they are not known.
    node_hours_at_most
        By the timeouts.
    problem
        Why it cannot run there; the other values are absent then.
    """

    instances: int = 0
    nodes: int = 0
    node_hours: float | None = None
    node_hours_at_most: float | None = None
    problem: str = ""


def parts(document: str, scale: Scale, only: str | None = None) -> list[Part]:
    """Return the campaigns behind a document, or behind one of its tables or figures.

    Raises
    ------
    CampaignError
        If there is no such document, table or figure.
    """
    _, made = reproduction_of(document)
    names = made.names(scale, None if only is None else exhibit_named(made, only))
    campaigns = [made.campaigns[scale][name] for name in names]
    loaded = [load_campaign(campaign.file, campaign.set)[0] for campaign in campaigns]
    benchmarks = [{one.sweep or one.name for one in campaign.benchmarks} for campaign in loaded]
    every = frozenset().union(*benchmarks)
    return [
        Part(f"{document}-{scale}-{name}", campaign.file, campaign.set, every - own)
        for name, campaign, own in zip(names, campaigns, benchmarks, strict=True)
    ]


def cost(part: Part, options: PlanOptions) -> Cost:
    """Return what a campaign would take on a site."""
    try:
        plan = launch.plan(part.file, _options(part, options))
    except CampaignError as error:
        return Cost(problem=str(error))
    nodes = max((stage.blocks * stage.nodes_per_block for stage in plan.stages), default=0)
    return Cost(plan.size, nodes, plan.node_hours, plan.node_hours_at_most)


def in_ledger(parts: Sequence[Part], ledger: str | None) -> list[str]:
    """Return the names of the campaigns that the ledger has."""
    if not Ledger.exists(ledger):
        return []
    with Reader(ledger) as reader:
        known = {row.name for row in reader.campaigns()}
    return [part.name for part in parts if part.name in known]


def run(
    parts: Sequence[Part], options: LaunchOptions, display: Display = nullcontext
) -> Iterator[tuple[Part, RunResult | None]]:
    """Launch each campaign, or go on with it, one after the other; yields how it ended.

    What has ended is not run again, and has no result. A campaign that did not end is the last.

    Raises
    ------
    CampaignError
        If the ledger has a campaign of the same name by another text, or a campaign cannot run.
    """
    for part in parts:
        result = None
        if not in_ledger([part], options.ledger):
            with display() as shown:
                result = launch.launch(part.file, _options(part, options), display=shown)
        elif not _has_ended(part, options):
            going_on = ResumeOptions(
                ledger=options.ledger, notify=options.notify, exclude=options.exclude, here=options.here,
                pool=options.pool,
            )  # fmt: skip
            with display() as shown:
                result = resume.resume(part.name, going_on, display=shown)
        yield part, result
        if result is not None and result.outcome not in _ENDED:
            return


def _options(part: Part, options: _Options) -> _Options:
    return replace(options, name=part.name, overrides=part.with_given(options.overrides))


def _has_ended(part: Part, options: LaunchOptions) -> bool:
    """Return whether the ledger's campaign has ended; refuse one of another text."""
    with Reader(options.ledger) as reader:
        row = reader.campaign(part.name)
        _, text = load_campaign(part.file, part.with_given(options.overrides))
        if text != row.campaign_yaml:
            raise CampaignError(
                f"campaign {part.name} of this ledger was launched by another text of {part.file}; "
                f"give another --ledger, or the same --set as then"
            )
        sessions = reader.sessions_of(row.campaign_id)
        return bool(sessions) and sessions[-1].outcome in _ENDED
