"""`attach`, and drivers without a terminal."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from orchestrator.cli.options import CampaignArgument, JsonOption, LedgerOption, ledger_words
from orchestrator.cli.terminal.plain_output import console_of
from orchestrator.cli.terminal.tables import print_json
from orchestrator.monitoring.outcome_words import outcome_words
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from db.reader import Reader
    from orchestrator.cli.terminal.progress_bar import Progress
    from orchestrator.driver.progress import Snapshot
    from orchestrator.monitoring.campaign_status import CampaignStatus

_PERIOD_SECONDS = 1.0
_UNSHOWN = {"journal_heads", "node_described", "document_recorded"}  # of no use to people who watch


def detach_and_tell(command: Sequence[str], ledger: str | None, *, as_json: bool) -> NoReturn:
    """Run a command without a terminal, print how to follow it, and end this process."""
    from orchestrator.lifecycle.driver_process.detached import start_detached

    started = start_detached(command, lambda line: typer.echo(line, err=as_json))
    if started.output is None:
        raise typer.Exit(started.exit_code or 0)
    name = Path(started.output).parent.name
    if as_json:
        print_json({"campaign": name, "pid": started.pid, "output": str(started.output)})
    else:
        print(f"{name}: runs as process {started.pid} and prints to {started.output}")
        print(f"next     orchestrator attach {name}{ledger_words(ledger)}")
    raise typer.Exit(0)


def attach(name: CampaignArgument, ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Follow a campaign that a driver runs elsewhere, and end with its exit code. Ctrl-C leaves it running.

    Example: orchestrator attach friday
    """
    from db.reader import Reader
    from orchestrator.cli.exit_codes import exit_code_of
    from orchestrator.cli.terminal.progress_bar import Progress
    from orchestrator.monitoring.estimate import LedgerEstimate

    progress_bar = Progress(console_of(stderr=as_json), estimate=LedgerEstimate(ledger))
    with Reader(ledger) as reader, progress_bar as progress:
        status = _follow(reader, name, progress)
    code = exit_code_of(status.outcome)
    words = outcome_words(status.outcome) if status.outcome else "not finished"
    if as_json:
        outcome, counts = status.outcome and words, status.instances
        print_json({"campaign": name, "outcome": outcome, "instances": counts, "exit_code": code})
    else:
        print(
            f"{name}: {words}; {status.totals.done} of {count_of(status.totals.total, 'instance')} accepted"
        )
        if code:
            print(f"next     orchestrator resume {name}{ledger_words(ledger)}")
    raise typer.Exit(code)


def _follow(reader: Reader, name: str, progress: Progress) -> CampaignStatus:
    """Show progress and new events until no driver runs the campaign; return where it stands then."""
    from orchestrator.monitoring.campaign_status import CampaignStatus
    from orchestrator.monitoring.watched import COST

    number = reader.campaign(name).campaign_id
    last = max((one.event_id for one in reader.events(number)), default=0)
    while True:
        begin = time.monotonic()
        status = CampaignStatus.read(reader, reader.campaign(name))
        for event in reader.events(number, after=last):
            last = event.event_id
            if event.kind not in _UNSHOWN:
                progress.message(event.message)
        if status.driver is None:
            return status
        progress.update(_snapshot(status))
        time.sleep(max(_PERIOD_SECONDS, COST * (time.monotonic() - begin)))
        reader.refresh()


def _snapshot(status: CampaignStatus) -> Snapshot:
    from orchestrator.driver.progress import Snapshot

    return Snapshot(
        status.totals.total,
        done=status.totals.done,
        exhausted=status.totals.exhausted,
        running=status.attempts.get("running", 0),
        queued=status.attempts.get("submitted", 0),
        campaign=status.row.name,
    )
