"""Exclude nodes from a campaign, or let it use them again, whether its driver runs or not."""

from __future__ import annotations

from db.ledger import Ledger
from db.states import Action
from db.writing.requests import Request
from orchestrator.catalog.registered_site import registered_site
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.checks.excluded_nodes import (
    MOST_NODES,
    ExcludeList,
    check_exclude_list,
    exclude_list,
    excluded_nodes,
)
from orchestrator.lifecycle.requests.instances import Asked, ask
from orchestrator.lifecycle.requests.pools import check_no_change_waits, settled
from orchestrator.planning.registered import registered_plan
from orchestrator.rundir.signal_files import same_node
from workloads.spelling import near

_LONGEST = 200
_SHOWN = 5


def exclude_nodes(
    name: str,
    given: str,
    *,
    reason: str = "",
    ledger: str | None = None,
    included: bool = False,
) -> Asked:
    """Start nothing more on some nodes of a campaign, and ask for no further blocks with them.

    Parameters
    ----------
    given
        Names of nodes with commas between them, or a file with a node a line.
    reason
        Why, for the events; without it the first comment of the file.
    included
        Whether the campaign may use the nodes again instead.

    Raises
    ------
    CampaignError
        If the site has no batch system, a name is no name of a node, all of the nodes are excluded (not
        excluded) already, nothing is left to run, or the driver has another change to take.
    """
    action = Action.INCLUDE if included else Action.EXCLUDE
    asked = exclude_list(given, f"node {action}")
    with Ledger(ledger) as book:
        row = settled(book, name)
        check_no_change_waits(book, row)
        if registered_site(row).local:
            raise CampaignError(
                f"site {row.site_name} of {name} runs on one machine alone, which no other node replaces"
            )
        if not book.instance_counts(row.campaign_id).keys() & {"planned", "in_flight"}:
            raise CampaignError(f"nothing of {name} is left to run")
        before = excluded_nodes(book, row.campaign_id)
        if included:
            nodes = tuple(one for one in before if any(same_node(one, node) for node in asked.nodes))
        else:
            nodes = tuple(one for one in asked.nodes if not any(same_node(one, node) for node in before))
        if not asked.nodes:
            raise CampaignError(f"node {action} {given}: it names no node")
        if not nodes:
            _refuse(name, asked.nodes, before, included=included)
        if not included:
            if len(before) + len(nodes) > MOST_NODES:
                raise CampaignError(f"{name}: at most {MOST_NODES:,} nodes can be excluded")
            plan = registered_plan(row, book.benchmarks(row.campaign_id))
            hosts = [one.host for one in book.sessions_of(row.campaign_id)]
            check_exclude_list(ExcludeList((*before, *nodes)), plan, hosts[-1] if hosts else None)
        why = " ".join((reason or asked.reason).split())[:_LONGEST]
        shown = ", ".join(nodes[:_SHOWN]) + (", …" if len(nodes) > _SHOWN else "")
        request = Request(action, f"{'nodes' if len(nodes) > 1 else 'node'} {shown}", nodes=nodes, reason=why)
        return ask(book, name, request, 0)


def _refuse(name: str, asked: tuple[str, ...], before: tuple[str, ...], *, included: bool) -> None:
    """Say why nothing changes."""
    if not included:
        raise CampaignError(f"{name} excludes {', '.join(asked[:_SHOWN])} already")
    known = f"{name} excludes {', '.join(before[:_SHOWN]) or 'no node'}"
    raise CampaignError(f"{asked[0]} is not excluded{near(asked[0], before, known)}")
