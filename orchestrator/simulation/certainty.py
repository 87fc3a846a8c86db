"""Expected runs and node-hours of a campaign that ends once its questions have answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from orchestrator.analysis.base.ended_values import values_of
from orchestrator.analysis.sequential.forecast import Forecast, Spread, forecast_decide, forecast_table
from orchestrator.analysis.sequential.questions import Question
from orchestrator.driver.queue.order_design import order_design
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.session.registered_questions import questions_of
from orchestrator.planning.plan import Plan

if TYPE_CHECKING:
    from db.reader import Reader

_LEAST_VALUES = 5


@dataclass(frozen=True, slots=True)
class Certainty:
    """A wanted certainty with its cost.

    Parameters
    ----------
    expected
        Runs of each point; for comparisons of points that are alike.
    twice
        Runs of each point that differs by twice the difference; None for a precision.
    node_hours
        Of the median campaign; None where the plan expects no durations.
    """

    wanted: float
    expected: Forecast
    twice: Forecast | None
    node_hours: float | None


@dataclass(frozen=True, slots=True)
class CertaintyTable:
    """Certainty against cost of alike questions of a campaign.

    Parameters
    ----------
    kind
        ``until`` or ``decide``.
    pairs, points
        Pairs and points of all these questions.
    error
        Probability of a wrong interval or decision.
    at_most
        Runs of each point at the last look.
    sigma
        Spread of runs around their median, as a share of it.
    rows
        From half the wanted width or difference to four times as much.
    """

    kind: str
    pairs: int
    points: int
    error: float
    at_most: int
    sigma: float
    rows: tuple[Certainty, ...]


def spread_of(reader: Reader, name: str, metric: str) -> Spread:
    """Return how runs of an earlier campaign spread around the median of their benchmark.

    Raises
    ------
    CampaignError
        If no benchmark has 5 values above 0.
    """
    campaign = reader.campaign(name).campaign_id
    deviations = []
    for runs in values_of(reader, campaign, [metric])[metric].values():
        values = [value for value, _ in runs.values() if value is not None and value > 0]
        if len(values) >= _LEAST_VALUES:
            deviations.append(Spread.of_values(values).deviations)
    if not deviations:
        raise CampaignError(
            f"no benchmark of campaign {name} has {_LEAST_VALUES} runs with {metric} above 0; "
            "state a guess with --spread, such as 2%"
        )
    return Spread(np.concatenate(deviations))


def certainty_tables(plan: Plan, spread: Spread) -> list[CertaintyTable]:
    """Return what the certainty that a plan asks for is expected to cost; empty without questions."""
    hours = plan.node_hours
    per_run = None if hours is None or not plan.size else hours / plan.size
    alike: dict[tuple[Any, ...], list[Question]] = {}
    for question in questions_of(plan, order_design(plan)):
        decide = question.decide
        key = (decide, len(question.design.pairs)) if decide else (question.until, 0)
        alike.setdefault(key, []).append(question)
    return [_table(questions, spread, per_run) for questions in alike.values()]


def _table(questions: list[Question], spread: Spread, per_run: float | None) -> CertaintyTable:
    first = questions[0]
    points = sum(len(one.points) for one in questions)
    pairs = len(first.design.pairs)
    asked = first.decide or first.until
    if asked is None:
        raise ValueError("a question is until or decide")
    rows = []
    for found in forecast_table(asked, spread, pairs=max(pairs, 1)):
        twice = None
        if first.decide is not None:
            decide = replace(first.decide, difference=found.wanted)
            twice = forecast_decide(decide, pairs, spread, 2 * found.wanted)
        cost = None if per_run is None else per_run * points * found.runs
        rows.append(Certainty(found.wanted, found, twice, cost))
    error = first.decide.error * len(questions) if first.decide else rows[0].expected.error
    kind = "decide" if first.decide else "until"
    return CertaintyTable(
        kind, pairs * len(questions), points, error, asked.at_most, spread.sigma, tuple(rows)
    )
