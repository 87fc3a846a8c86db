"""The drawn order of a campaign's instances, as the ledger keeps it from before the first attempt."""

from __future__ import annotations

from dataclasses import replace

from db.events import EventKind
from db.evidence.registered_design import registered_order
from db.ledger import Ledger
from orchestrator.driver.queue.order_design import OrderDesign, design_of, instance_counts, order_design
from orchestrator.planning.plan import Plan


def register_order(book: Ledger, campaign_id: int, plan: Plan) -> OrderDesign | None:
    """Return the registered order; None for that of the file.

    It is registered here by the first session, and again with the benchmarks that a user adds. What is
    registered stays: another site or seed changes no order.
    """
    planned = order_design(plan)
    if planned is None:
        return None
    facts = registered_order(book, campaign_id)
    design = planned
    if facts is not None:
        known = design_of(facts)
        if planned.widths.keys() <= known.widths.keys():
            return known
        design = replace(
            known, widths={**planned.widths, **known.widths}, groups={**planned.groups, **known.groups}
        )
    message = design.sentence(instance_counts(plan))
    book.note(campaign_id, EventKind.ORDER_REGISTERED, message, data=design.facts())
    return design
