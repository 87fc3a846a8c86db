"""The searches of a campaign, as the ledger keeps them from before the first attempt."""

from __future__ import annotations

from dataclasses import asdict

from db.events import EventKind
from db.evidence.registered_design import registered_searches, suggested_trials
from db.ledger import Ledger
from db.states import InstanceState
from orchestrator.analysis.search.registered import RegisteredSearch, search_of
from orchestrator.analysis.search.trials import values_by_benchmark
from orchestrator.driver.budget import Budget
from orchestrator.driver.observers.suggestions import SuggestedSearch, SuggestionWatch
from orchestrator.driver.observers.trials import TrialWatch
from orchestrator.planning.plan import Plan
from orchestrator.planning.search.trials import TrialPoint
from orchestrator.wording import count_of


def searches_of(plan: Plan) -> list[RegisteredSearch]:
    """Return the searches of a plan."""
    points: dict[str, list[TrialPoint]] = {}
    workloads = {}
    for one in plan.benchmarks:
        if isinstance(one.point, TrialPoint):
            points.setdefault(one.point.sweep, []).append(one.point)
            workloads[one.point.sweep] = one.workload
    found = []
    for name, members in points.items():
        search = members[0].place.search
        trials: dict[int, list[str]] = {}
        for point in members:
            trials.setdefault(point.place.number, []).append(point.label)
        found.append(
            RegisteredSearch(
                name,
                search.method,
                search.column(workloads[name]),
                search.goal,
                search.reduction,
                tuple(search.rungs or ()),
                tuple(map(tuple, trials.values())),
                search.chooser,
            )
        )
    return found


def register_searches(book: Ledger, campaign_id: int, plan: Plan) -> list[RegisteredSearch]:
    """Register the searches of a plan where they changed; return those of earlier sessions."""
    searches = searches_of(plan)
    known = [search_of(one) for one in registered_searches(book, campaign_id)] if searches else []
    if known != searches:
        message = ", ".join(f"search {one.name}: {count_of(len(one.trials), 'trial')}" for one in searches)
        data = {"searches": [asdict(one) for one in searches]}
        book.note(campaign_id, EventKind.SEARCH_REGISTERED, message, data=data)
    return known


def trial_watch(
    book: Ledger, campaign_id: int, plan: Plan, budget: Budget | None, now_us: int
) -> TrialWatch | None:
    """Register the searches of a plan, and return what watches their trials; None without any.

    What was pruned, and is not any more as a value was replaced since, is planned again, and all of the
    campaign that a former budget left out; nothing beyond a spent budget.
    """
    known, searches = register_searches(book, campaign_id, plan), searches_of(plan)
    if not searches:
        return None
    noted = {one.subject for one in book.events(campaign_id, kinds=[EventKind.TRIAL_PROMOTED])}
    values = values_by_benchmark(book, campaign_id, searches)
    states = book.counts(campaign_id)
    pruned = {name for name, counts in states.items() if InstanceState.PRUNED in counts}
    if known and not (budget is not None and budget.spent((), now_us)):
        left_out = {name for name, counts in states.items() if InstanceState.NOT_NEEDED in counts}
        back = pruned - TrialWatch(searches, values, noted).pruned()
        if back | left_out:
            book.reopen_settled(campaign_id, back | left_out)
            pruned -= back
    return TrialWatch([one for one in searches if not one.sampler], values, noted, pruned)


def suggestion_watch(
    book: Ledger, campaign_id: int, plan: Plan, trials: TrialWatch | None
) -> SuggestionWatch | None:
    """Return what lets trials get parameters, with those that earlier sessions recorded; None without any.

    Parameters
    ----------
    trials
        Watches the other searches of the plan.
    """
    searches = [one for one in searches_of(plan) if one.sampler]
    if not searches or trials is None:
        return None
    found = []
    for one in searches:
        members = [(two, two.point) for two in plan.benchmarks if two.sweep == one.name]
        points = [point for _, point in members if isinstance(point, TrialPoint)]
        search = points[0].place.search
        slots = sum(
            stage.width for stage in plan.stages if any(b.sweep == one.name for b in stage.benchmarks)
        )
        found.append(
            SuggestedSearch(
                one.name,
                search,
                one.metric,
                {parameter.name: parameter for parameter in members[0][0].workload.parameters},
                plan.campaign.seed,
                points,
                search.at_once or slots,
            )
        )
    return SuggestionWatch(
        found,
        suggested_trials(book, campaign_id),
        values_by_benchmark(book, campaign_id, searches),
        trials.held,
    )
