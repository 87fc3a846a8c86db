"""`plan --simulate`: length and node-hours of a campaign that is simulated several times."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from orchestrator.cli.terminal.plain_output import console_of
from orchestrator.cli.terminal.tables import print_table, say
from orchestrator.errors import CampaignError
from orchestrator.monitoring.outcome_words import outcome_words
from orchestrator.wording import count_of, few, number_words
from sites.quantities import seconds, shown

_log = logging.getLogger(__name__)

if TYPE_CHECKING:
    from collections.abc import Callable

    from orchestrator.lifecycle.options import LaunchOptions
    from orchestrator.planning.plan import Plan
    from orchestrator.simulation.history import History
    from orchestrator.simulation.prediction import Prediction

_SIMULATED_ONCE = 20_000
"""Instances; simulating a larger campaign takes so long that once is enough unless more is asked for."""
_FORECAST_UNASKED = 500
"""Instances of the largest campaign whose forecast takes about two seconds."""
_NAMES_SHOWN = 3
_JOBS = "jobs"


def refuse_without_simulation(**options: object) -> None:
    """Refuse the options that say something of a simulation alone."""
    for name, value in options.items():
        if value is not None:
            raise typer.BadParameter("needs --simulate", param_hint=f"--{name.replace('_', '-')}")


def queued(made: Plan) -> bool:
    """Return whether any block of a plan waits in the queue of a batch system."""
    return any(not stage.site.local and not stage.whole_blocks for stage in made.all_stages)


def predicted(
    made: Plan, ledger: str | None, seed: int, runs: int | None, queue_wait: str | None
) -> Prediction:
    """Simulate a campaign, with progress, from the history that the ledger has.

    Raises
    ------
    CampaignError
        If a benchmark says no expected duration and has no earlier runs.
    LedgerError
        If a named ledger cannot be read.
    """
    from orchestrator.cli.terminal.progress_bar import SimulationProgress
    from orchestrator.simulation.prediction import USUAL_RUNS, predict

    if queue_wait is not None and not queued(made):
        why = "has no batch system" if made.site.local else "gives an allocation, which waits in no queue"
        raise typer.BadParameter(f"site {made.site.site} {why}: leave it out", param_hint="--queue-wait")
    history = _history(made, ledger, needed=ledger is not None)
    wait = 0.0
    if queue_wait == _JOBS:
        history = _with_waits_of_jobs(history, made)
    elif queue_wait is not None:
        try:
            wait = seconds(queue_wait)
        except ValueError:
            raise typer.BadParameter(
                f"must be a time such as 2h, or {_JOBS}, not {queue_wait!r}", param_hint="--queue-wait"
            ) from None
        history = replace(history, waits={})
    number = runs or (USUAL_RUNS if made.size <= _SIMULATED_ONCE else 1)
    with SimulationProgress(console_of(stderr=True), first_seconds=2.0) as progress:
        return predict(made, seed, progress, runs=number, history=history, queue_seconds=wait)


def _with_waits_of_jobs(history: History, made: Plan) -> History:
    """Return a history with the waits of the user's jobs that the batch systems of a plan list."""
    from orchestrator.schedulers.client import SchedulerClient
    from orchestrator.schedulers.model import SchedulerError
    from orchestrator.simulation.history import with_waits

    sites = {stage.site.pool: stage.site for stage in made.all_stages if not stage.site.local}
    advice = "state a median wait, such as --queue-wait 2h"
    waits = {}
    for pool, site in sites.items():
        try:
            waits[pool or ""] = SchedulerClient(site).waits()
        except SchedulerError as error:
            whose = f"pool {pool}: " if pool else ""
            raise CampaignError(f"{whose}{error}; {advice}") from None
    found = with_waits(history, made, waits)
    if not found.waits:
        jobs = count_of(sum(map(len, waits.values())), "job")
        raise CampaignError(
            f"the batch system lists {jobs} of yours that started, and none of about the size of a block; "
            f"{advice}"
        )
    return found


def to_register(options: LaunchOptions) -> Callable[[Plan], dict[str, Any] | None] | None:
    """Return what makes the forecast that a launch records; None if it is to record none."""
    if options.forecast is False:
        return None

    def facts(made: Plan) -> dict[str, Any] | None:
        if options.forecast is None and not (queued(made) and made.size <= _FORECAST_UNASKED):
            return None
        from orchestrator.simulation.prediction import predict

        try:
            return predict(made, history=_history(made, options.ledger, needed=False)).registered()
        except CampaignError as error:
            if options.forecast:
                raise
            _log.info("no forecast: %s", error)
            return None

    return facts


def _history(made: Plan, ledger: str | None, *, needed: bool) -> History:
    """Return what a ledger has; a ledger that does not exist is an error where it is needed."""
    from db.ledger import Ledger
    from db.reader import Reader
    from orchestrator.simulation.history import History, history_of

    if not needed and not Ledger.exists(ledger):
        return History()
    with Reader(ledger) as reader:
        return history_of(reader, made)


def show_prediction(made: Plan, found: Prediction) -> None:
    """Print how long a simulated campaign takes, and what that rests on."""
    middle = found.middle
    basis = _basis(found, waits=queued(made))
    say(
        f"A prediction, no measurement: campaign {middle.campaign} on site {middle.site}, "
        f"simulated with seed {found.seed}.\n{_answer(found)}\n\n{basis}\n"
    )
    if found.runs > 1:
        say("The simulated campaign of median length:")
    print_table(
        ["stage", "instances", "waves", "at once", "attempts", "length", "node-hours"],
        [
            [
                stage.slot,
                stage.instances,
                stage.waves,
                stage.most_at_once,
                stage.attempts,
                shown(stage.seconds),
                number_words(stage.node_hours, 3),
            ]
            for stage in middle.stages
        ],
    )
    words = {"cancelled": "cancelled (mostly by the end of a block)"}
    ended = ", ".join(f"{number:,} {words.get(state, state)}" for state, number in middle.attempts.items())
    say(
        f"\n{outcome_words(middle.outcome)}: {middle.done:,} of {count_of(middle.instances, 'instance')} in "
        f"{shown(middle.makespan_seconds)} and {number_words(middle.node_hours, 3)} node-hours\n"
        f"attempts: {ended}; {middle.retried:,} of them retries, {count_of(middle.nodes_lost, 'node')} lost"
    )


def _answer(found: Prediction) -> str:
    length, hours = found.makespan_seconds, found.node_hours
    median = f"{shown(length.median)} from launch to end, {number_words(hours.median, 3)} node-hours"
    if length.low is None or length.high is None or hours.low is None or hours.high is None:
        return f"{median}; 19 or more --runs state a range."
    ranges = f"{shown(length.low)} to {shown(length.high)}, nine in ten\n"
    ranges += f"{number_words(hours.low, 3)} to {number_words(hours.high, 3)} node-hours"
    unfinished = found.runs - found.complete
    return (
        f"{median}.\nNine in ten such campaigns take {ranges} "
        f"(by {count_of(found.runs, 'simulated campaign')}"
        + (f", of which {unfinished:,} did not end complete)" if unfinished else ")")
        + "."
    )


def _basis(found: Prediction, *, waits: bool) -> str:
    """Say what durations, waits and failures are drawn from."""
    assumed, drawn = found.middle.assumed, found.drawn_from
    lines = []
    if measured := drawn["runs"]:
        runs = count_of(sum(measured.values()), "run")
        names = few(drawn["campaigns"], _NAMES_SHOWN)
        lines.append(f"Durations of {few(list(measured), _NAMES_SHOWN)} are drawn from {runs} in {names}.")
    if found.stated:
        lines.append(
            f"Durations of {few(found.stated, _NAMES_SHOWN)} are drawn around\n`expected_runtime`, within "
            f"{assumed['spread']:.0%}; {assumed['stragglers']:.0%} are stragglers, up to "
            f"{assumed['max_straggler_factor']:.0f} times as long.\nTheir attempts take "
            f"{assumed['ready_seconds']:.0f} s to start."
        )
    if waits:
        lines.append(_wait_words(drawn["waits"], assumed["queue_seconds"]))
    lines.append(
        f"A node takes up to {number_words(assumed['pool_seconds'], 2)} s to start, and fails once in "
        f"{assumed['node_hours_to_failure']:,.0f} hours"
        + (f"; {assumed['failures']:.1%} of attempts fail or time out." if assumed["failures"] else ".")
    )
    return "\n".join(lines)


def _wait_words(blocks: int, median: float) -> str:
    if blocks:
        return f"Waits are drawn from {count_of(blocks, 'earlier wait')}, here {shown(median)} in the median."
    if median:
        return f"Blocks wait {shown(median)} in the median, as --queue-wait states."
    return "Time in the batch system's queue is left out; --queue-wait states it."
