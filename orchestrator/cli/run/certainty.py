"""The questions of a plan, and what their certainty is expected to cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from orchestrator.cli.terminal.tables import print_table, say
from orchestrator.errors import CampaignError
from orchestrator.wording import count_of, percent_words
from sites.quantities import share, shown

if TYPE_CHECKING:
    from orchestrator.analysis.sequential.forecast import Forecast, Spread
    from orchestrator.planning.plan import Plan
    from orchestrator.planning.questions import Budget
    from orchestrator.simulation.certainty import Certainty, CertaintyTable


def certainty_of(
    made: Plan, spread: str | None, like: str | None, ledger: str | None
) -> list[CertaintyTable]:
    """Return what the certainty that a plan asks for costs; empty where no spread is given.

    Raises
    ------
    CampaignError
        If the plan has no questions, or the earlier campaign no runs.
    """
    if spread is None and like is None:
        return []
    if spread is not None and like is not None:
        raise typer.BadParameter("states the spread too; give one of both", param_hint="--like")
    spec = made.campaign
    asked = spec.decide or spec.until
    if asked is None:
        raise CampaignError(
            f"campaign {made.name} has neither `until` nor `decide`: no certainty is asked for, and --spread "
            "and --like say nothing about it"
        )
    from orchestrator.simulation.certainty import certainty_tables

    return certainty_tables(made, _spread(spread, like, ledger, asked.metric))


def _spread(spread: str | None, like: str | None, ledger: str | None, metric: str) -> Spread:
    from db.reader import Reader
    from orchestrator.analysis.base.statistics import MAD_TO_SIGMA
    from orchestrator.analysis.sequential.forecast import Spread
    from orchestrator.simulation.certainty import spread_of

    if like is not None:
        with Reader(ledger) as reader:
            return spread_of(reader, like, metric)
    try:
        sigma = share(spread)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--spread") from None
    return Spread.of_median(1.0, sigma / MAD_TO_SIGMA)


def show_questions(made: Plan, tables: list[CertaintyTable], *, simulated: bool = False) -> None:
    """Print the questions that may end a campaign, and what certainty costs where that is known."""
    spec = made.campaign
    if spec.decide is None and spec.until is None:
        if spec.budget is not None:
            say(f"\nno further instance starts after {_cost(spec.budget)}")
        return
    say("")
    if (decide := spec.decide) is not None:
        with_ = f" with {decide.baseline}" if decide.baseline else ""
        say(
            f"compared by {decide.compare}{with_}: points end once it is certain which of them differ by "
            f"{percent_words(decide.difference)}, with an error of {percent_words(decide.error)}"
        )
    if (until := spec.until) is not None:
        say(
            f"points end once their median is known within {percent_words(until.width)}, "
            f"with a confidence of {percent_words(until.confidence)}"
        )
    if spec.budget is not None:
        say(f"the campaign ends undecided after {_cost(spec.budget)}")
    if simulated:
        say("the simulation runs all instances; with answers before that, it takes the share that is below")
    if not tables:
        say("`--spread 2%` or `--like CAMPAIGN` states how many runs that is expected to take")
    for table in tables:
        _show_table(table)


def _cost(budget: Budget) -> str:
    """Return a budget in words."""
    hours = f"{budget.node_hours:g} node-hours" if budget.node_hours is not None else ""
    time = shown(budget.walltime) if budget.walltime is not None else ""
    return " or ".join(filter(None, (hours, time)))


def show_searches(made: Plan, *, simulated: bool = False) -> None:
    """Print the space of each search, its rungs and what it may cost."""
    from orchestrator.planning.plan_facts import search_costs

    for one in search_costs(made):
        search = one.search
        say(f"\nsearch {one.name}: {count_of(search.trials, 'trial')}, {search.goal} of {search.metric}")
        print_table(["parameter", "values"], [[name, str(values)] for name, values in search.space.items()])
        if search.chosen_late:
            out = "as many as slots" if search.at_once is None else f"{search.at_once:,}"
            say(
                "parameters of a trial are not known yet: "
                f"sampler {search.chooser} of Optuna chooses them when "
                f"the trial may start, by the results until then; trials at once: {out}"
            )
        if search.rungs:
            rungs = " → ".join(map(str, search.rungs))
            say(f"epochs {rungs}: one trial in {search.reduction} goes on from its checkpoint")
            say(f"instances: about {one.expected:,}, all {one.at_most:,} only if no trial were pruned")
        if one.expected_hours is not None:
            most = f", at most {one.hours_at_most:,.3g}" if search.rungs else ""
            say(f"node-hours: about {one.expected_hours:,.3g}{most}")
        if simulated and search.rungs:
            say("the simulation runs all rungs of all trials")
        if simulated and search.at_once is not None:
            say("the simulation runs as many trials at once as there are slots")


def _show_table(table: CertaintyTable) -> None:
    if table.kind == "decide":
        about = f"{count_of(table.pairs, 'pair')} of points, error {percent_words(table.error)}"
    else:
        about = f"{count_of(table.points, 'point')}, confidence {percent_words(1 - table.error)}"
    say(
        f"\nexpected runs of each point: {about}, at most {table.at_most:,} runs, which spread by "
        f"{percent_words(table.sigma)}"
    )
    if table.kind == "decide":
        print_table(
            ["difference", "if twice as large", "if alike", "decided", "fixed design", "node-hours"],
            [
                [
                    percent_words(row.wanted),
                    _runs(row.twice),
                    _runs(row.expected),
                    f"{row.expected.decided:.0%}",
                    row.expected.fixed or "-",
                    _hours(row),
                ]
                for row in table.rows
            ],
        )
    else:
        print_table(
            ["width", "runs", "precise", "node-hours"],
            [
                [percent_words(row.wanted), _runs(row.expected), f"{row.expected.decided:.0%}", _hours(row)]
                for row in table.rows
            ],
        )
    say("runs: the median over simulated campaigns, in brackets what 90 % of them do not exceed")


def _runs(found: Forecast | None) -> str:
    return "-" if found is None else f"{found.runs:,.0f} ({found.runs_90:,.0f})"


def _hours(row: Certainty) -> str:
    return "-" if row.node_hours is None else f"{row.node_hours:,.3g}"
