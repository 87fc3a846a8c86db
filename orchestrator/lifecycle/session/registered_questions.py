"""Questions, kept from before the first attempt, screening and budget, which may end a campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from db.events import EventKind
from db.evidence.node_hours import node_hours
from db.evidence.registered_design import registered_questions
from db.ledger import Ledger
from db.queries.instance_totals import instance_totals
from orchestrator.analysis.base.ended_values import values_of
from orchestrator.analysis.nodes.judging import screened_nodes
from orchestrator.analysis.sequential.boundaries import Method
from orchestrator.analysis.sequential.decisions import Decide, Until, prepare
from orchestrator.analysis.sequential.questions import Question, question_of
from orchestrator.driver.budget import Budget
from orchestrator.driver.observers.answers import AnswerWatch
from orchestrator.driver.observers.nodes import NodeWatch
from orchestrator.driver.queue.order_design import OrderDesign
from orchestrator.planning.plan import Plan
from orchestrator.planning.questions import BENCHMARK, Asked, baseline_of, compared_rows, looks_of
from orchestrator.wording import count_of


def questions_of(plan: Plan, design: OrderDesign | None) -> list[Question]:
    """Return the questions of a plan: a comparison for each row of points, a precision for each point.

    The runs of a block are pairs where a block of the order has one run of each point; those of a node are
    wherever that is asked.
    """
    spec, asked = plan.campaign, [Asked(one.name, one.point, one.instances) for one in plan.benchmarks]
    found = []
    if (decide := spec.decide) is not None:
        rows = compared_rows(decide, asked)
        for row in rows:
            points = list(row.points.values())
            in_blocks = design is not None and all(design.widths[one.name] == 1 for one in points)
            method: Method = "ranks" if in_blocks or decide.pair == "node" else "unpaired"
            axis = "" if decide.compare == BENCHMARK else f"{decide.compare} "
            most = looks_of(decide, "decide", points)
            baseline = decide.baseline and f"{axis}{baseline_of(decide.baseline, row)}"
            error = decide.error / len(rows)
            own = Decide(decide.difference, error, baseline, decide.at_least, most, method, decide.pair)
            names = {one.name: f"{axis}{value}" for value, one in row.points.items()}
            found.append(Question(row.label, decide.metric, names, decide=own))
    if (until := spec.until) is not None:
        for one in asked:
            most = looks_of(until, "until", [one])
            wanted = Until(until.width, until.confidence, until.at_least, most)
            found.append(Question("", until.metric, {one.name: one.name}, until=wanted))
    return found


def register_questions(book: Ledger, campaign_id: int, plan: Plan, questions: Sequence[Question]) -> None:
    """Record the questions of a plan, unless the ledger has the same ones.

    Instances that former questions did not need are planned again where the questions or the budget changed.
    """
    budget = plan.campaign.budget.model_dump() if plan.campaign.budget else {}
    facts: Mapping[str, Any] = {"questions": [one.facts() for one in questions], "budget": budget}
    known = registered_questions(book, campaign_id)
    if known is not None and [question_of(one) for one in known["questions"]] == list(questions):
        if known["budget"] == budget:
            return
    elif known is None and not questions:
        return
    pairs = sum(len(one.design.pairs) for one in questions)
    precise = sum(one.until is not None for one in questions)
    message = f"questions: {count_of(pairs, 'pair')} of points, {count_of(precise, 'point')} to a precision"
    book.note(campaign_id, EventKind.QUESTIONS_REGISTERED, message, data=facts)
    if known is not None:
        book.reopen_settled(campaign_id)


def answer_watch(book: Ledger, campaign_id: int, questions: Sequence[Question]) -> AnswerWatch | None:
    """Return what watches the answers of a session, by the values of earlier ones; None without any."""
    if not questions:
        return None
    for one in questions:
        prepare(one.design)  # here, as the driver's loop must not wait for it
    return AnswerWatch(questions, values_of(book, campaign_id, [one.metric for one in questions]))


def node_watch(book: Ledger, campaign_id: int, plan: Plan) -> NodeWatch | None:
    """Return what watches the nodes of a screening; None for other campaigns."""
    if (asked := plan.campaign.screen) is None:
        return None
    judged = partial(screened_nodes, book, campaign_id, asked.difference, asked.at_least, asked.last)
    return NodeWatch([one.name for one in plan.benchmarks], judged)


def reopen_needed(
    book: Ledger, campaign_id: int, watch: AnswerWatch | NodeWatch | None, budget: Budget | None, now_us: int
) -> None:
    """Plan again what is needed after all: a value that an answer rested on was replaced since.

    Nothing is planned beyond a spent budget.
    """
    if watch is None or (budget is not None and budget.spent((), now_us)):
        return
    if instance_totals(book, campaign_id).not_needed:
        book.reopen_settled(campaign_id, watch.needed())


def budget_of(book: Ledger, campaign_id: int, plan: Plan, now_us: int) -> Budget | None:
    """Return the budget of a session that begins now; None without one."""
    asked = plan.campaign.budget
    if asked is None:
        return None
    earlier = [one.started_us for one in book.sessions_of(campaign_id)[:-1]]
    return Budget(
        node_hours=asked.node_hours,
        walltime_seconds=asked.walltime,
        used_hours=node_hours(book, campaign_id) or 0.0,
        began_us=min([*earlier, now_us]),
        session_us=now_us,
    )
