"""The searches of a campaign, as the ledger keeps them from before the first attempt."""

from __future__ import annotations

from db.events import EventKind
from db.evidence.registered_design import registered_searches
from db.ledger import Ledger
from db.states import InstanceState
from orchestrator.analysis.search.registered import RegisteredSearch, search_of
from orchestrator.analysis.search.trials import values_by_benchmark
from orchestrator.driver.budget import Budget
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
            )
        )
    return found


def trial_watch(
    book: Ledger, campaign_id: int, plan: Plan, budget: Budget | None, now_us: int
) -> TrialWatch | None:
    """Register the searches of a plan, and return what watches their trials; None without any.

    What was pruned, and is not any more as a value was replaced since, is planned again, and all of the
    campaign that a former budget left out; nothing beyond a spent budget.
    """
    searches = searches_of(plan)
    if not searches:
        return None
    known = [search_of(one) for one in registered_searches(book, campaign_id)]
    if known != searches:
        message = ", ".join(f"search {one.name}: {count_of(len(one.trials), 'trial')}" for one in searches)
        data = {"searches": [one.facts() for one in searches]}
        book.note(campaign_id, EventKind.SEARCH_REGISTERED, message, data=data)
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
    return TrialWatch(searches, values, noted, pruned)
