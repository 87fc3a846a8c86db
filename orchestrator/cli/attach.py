"""`attach`, and drivers without a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from orchestrator.cli.options import CampaignArgument, JsonOption, LedgerOption
from orchestrator.cli.outcomes import outcome_words
from orchestrator.cli.tables import print_json

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import Campaign
    from orchestrator.cli.progress_bar import Progress
    from orchestrator.driver.progress import Snapshot

_PERIOD_SECONDS = 1.0
_UNSHOWN = {"journal_heads", "node_described", "document_recorded"}  # of no use to people who watch


def detach_and_tell(words: Sequence[str], options: Mapping[str, str | None], *, as_json: bool) -> NoReturn:
    """Run a command without a terminal, print how to follow it, and end this process.

    Parameters
    ----------
    options
        Options of the command with their values; those without one are left out.
    """
    from orchestrator.lifecycle.detached import start_detached

    given = [word for option, value in options.items() if value is not None for word in (option, value)]
    started = start_detached([*words, *given], lambda line: typer.echo(line, err=as_json))
    if started.output is None:
        raise typer.Exit(started.exit_code or 0)
    name = Path(started.output).parent.name
    if as_json:
        print_json({"campaign": name, "pid": started.pid, "output": str(started.output)})
    else:
        ledger = f" --ledger {options['--ledger']}" if options["--ledger"] else ""
        print(f"{name}: runs as process {started.pid} and prints to {started.output}")
        print(f"next     orchestrator attach {name}{ledger}")
    raise typer.Exit(0)


def attach(name: CampaignArgument, ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Follow a campaign that a driver runs elsewhere, and end with its exit code. Ctrl-C leaves it running.

    Example: orchestrator attach friday
    """
    from rich.console import Console

    from db.instance_totals import instance_totals
    from db.reader import Reader
    from orchestrator.cli.exit_codes import exit_code_of
    from orchestrator.cli.progress_bar import Progress

    console = Console(stderr=as_json, force_terminal=(sys.stderr if as_json else sys.stdout).isatty())
    with Reader(ledger) as reader:
        with Progress(console) as progress:
            row = _follow(reader, name, progress)
        counts, totals = reader.instance_counts(row.campaign_id), instance_totals(reader, row.campaign_id)
    outcome = row.outcome or ("driver_died" if row.lease_owner else None)
    code = exit_code_of(outcome)
    words = outcome_words(outcome) if outcome else "not finished"
    if as_json:
        print_json({"campaign": name, "outcome": outcome and words, "instances": counts, "exit_code": code})
    else:
        print(f"{name}: {words}; {totals.done} of {totals.total} instances accepted")
        if code:
            option = f" --ledger {ledger}" if ledger else ""
            print(f"next     orchestrator resume {name}{option}")
    raise typer.Exit(code)


def _follow(reader: Reader, name: str, progress: Progress) -> Campaign:
    """Show progress and new events until no driver runs the campaign; return its row then."""
    from orchestrator.lifecycle.driver_identity import live_driver

    number = reader.campaign(name).campaign_id
    last = max((one.event_id for one in reader.events(number)), default=0)
    while True:
        row = reader.campaign(name)
        driven = live_driver(row) is not None
        for event in reader.events(number, after=last):
            last = event.event_id
            if event.kind not in _UNSHOWN:
                progress.message(event.message)
        if not driven:
            return row
        progress.update(_snapshot(reader, number))
        time.sleep(_PERIOD_SECONDS)
        reader.refresh()


def _snapshot(reader: Reader, campaign: int) -> Snapshot:
    from db.instance_totals import instance_totals
    from orchestrator.driver.progress import Snapshot

    totals, attempts = instance_totals(reader, campaign), reader.attempt_counts(campaign)
    return Snapshot(
        totals.total,
        done=totals.done,
        exhausted=totals.exhausted,
        running=attempts.get("running", 0),
        queued=attempts.get("submitted", 0),
    )
