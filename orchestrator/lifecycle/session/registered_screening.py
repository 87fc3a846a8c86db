"""The screening that a campaign is, as its registered file asks for it."""

from __future__ import annotations

from functools import partial

from db.ledger import Ledger
from orchestrator.analysis.nodes.judging import screened_nodes
from orchestrator.driver.observers.nodes import NodeWatch
from orchestrator.planning.plan import Plan


def node_watch(book: Ledger, campaign_id: int, plan: Plan) -> NodeWatch | None:
    """Return what watches the nodes of a screening; None for other campaigns."""
    if (asked := plan.campaign.screen) is None:
        return None
    judged = partial(screened_nodes, book, campaign_id, asked.difference, asked.at_least, asked.last)
    return NodeWatch([one.name for one in plan.benchmarks], judged)
