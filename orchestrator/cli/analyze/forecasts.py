"""`analyze forecasts`: what launches expected, beside what came."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import JsonOption, LedgerOption, campaign_or_last, complete_campaign
from orchestrator.cli.terminal.plain_output import console_of
from orchestrator.cli.terminal.tables import print_json, print_table, say
from orchestrator.wording import count_of, number_words
from sites.quantities import shown

if TYPE_CHECKING:
    from orchestrator.analysis.projection.forecasts import ForecastScores, Range, RegisteredForecast


def forecasts(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Campaigns; all of the ledger by default.",
            autocompletion=complete_campaign,
            metavar="[NAME]...",
            show_default=False,
        ),
    ] = None,
    update: Annotated[
        bool,
        typer.Option(
            "--update",
            help="Predict anew when a campaign that runs will end, by default the last; record it.",
        ),
    ] = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score forecasts: when campaigns were to end, when they did, and how many kept within the range.

    A launch records the forecast before the campaign begins, on batch systems by itself, elsewhere with
    --forecast; its driver then runs --update from time to time. Nine in ten campaigns should keep within
    their ranges. Campaigns that were changed, took several sessions, or were stopped within their range are
    left out.

    Example: orchestrator analyze forecasts
    Example: orchestrator analyze forecasts friday --update
    """
    from db.reader import Reader
    from orchestrator.analysis.projection.forecasts import scores

    if update:
        with Reader(ledger) as reader:
            rows = [reader.campaign(name) for name in names or ()] or [campaign_or_last(reader, None)]
        made = [(row.name, _updated(row.name, ledger)) for row in rows]
        if as_json:
            print_json([{"campaign": name, "forecast": forecast.to_dict()} for name, forecast in made])
        else:
            for name, forecast in made:
                say(f"{name}: {forecast.words()}")
        return
    with Reader(ledger) as reader:
        found = scores(reader, names or ())
    if as_json:
        print_json(found.to_dict())
        return
    _show(found)


def _updated(name: str, ledger: str | None) -> RegisteredForecast:
    """Predict what is left of a campaign, with progress."""
    from orchestrator.cli.terminal.progress_bar import SimulationProgress
    from orchestrator.simulation.rest import update_forecast

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # removes the simulation's files
    with SimulationProgress(console_of(stderr=True), first_seconds=2.0) as progress:
        return update_forecast(ledger, name, progress)


def _show(found: ForecastScores) -> None:
    if not found.rows:
        say("no campaign has a forecast; `orchestrator launch --forecast` records one")
        return
    say(_answer(found))
    print_table(
        ["campaign", "forecast", "took", "node-hours", "used"],
        [
            [
                one.campaign,
                _span(one.forecast.makespan_seconds),
                ("" if one.ended else "over ") + shown(one.makespan_seconds) + _mark(one.inside),
                _hours(one.forecast.node_hours),
                one.node_hours and number_words(one.node_hours, 3) + _mark(one.hours_inside),
            ]
            for one in found.rows
        ],
    )
    if any(one.inside is False or one.hours_inside is False for one in found.rows):
        say("! outside of its range")
    updates_inside, updates_scored = found.updates_inside
    if updates_scored:
        say(
            f"{updates_inside:,} of {count_of(updates_scored, 'campaign')} ended in the range that was "
            "predicted after half of their time."
        )
    for one in found.rows:
        if one.left_out:
            say(f"{one.campaign} is left out: {one.left_out}")


def _answer(found: ForecastScores) -> str:
    inside, scored = found.inside
    if not scored:
        return "no campaign with a forecast has ended without a change: nothing can be scored yet"
    hours_inside, hours_scored = found.hours_inside
    return (
        f"{inside:,} of {count_of(scored, 'campaign')} ended in the range of the forecast, and "
        f"{hours_inside:,} of {hours_scored:,}\ntook node-hours in theirs; nine in ten should.\n"
        f"In the median, campaigns took {_times(found.length_ratio)} the forecast's time and "
        f"{_times(found.hours_ratio)} its node-hours."
    )


def _times(ratio: float | None) -> str:
    return "an unknown multiple of" if ratio is None else f"{ratio:.2f} ×"


def _mark(inside: bool | None) -> str:
    return " !" if inside is False else ""


def _span(found: Range) -> str:
    if found.low is None or found.high is None:
        return shown(found.median)
    return f"{shown(found.low)} to {shown(found.high)}"


def _hours(found: Range) -> str:
    if found.low is None or found.high is None:
        return number_words(found.median, 3)
    return f"{number_words(found.low, 3)} to {number_words(found.high, 3)}"
