"""Commands about the ledger itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.options import CampaignArgument, CampaignsArgument, JsonOption, LedgerOption
from orchestrator.cli.terminal.tables import print_json
from orchestrator.wording import count_of, printable


def init(ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Create the ledger's tables; an existing ledger of this schema is left as it is.

    Example: orchestrator ledger init --ledger postgresql://me@db.example/ledger
    """
    _upgrade(ledger, create=True, as_json=as_json)


def upgrade(ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Bring an older ledger to this program's schema.

    Example: orchestrator ledger upgrade --ledger ledger.sqlite
    """
    _upgrade(ledger, create=False, as_json=as_json)


def _upgrade(ledger: str | None, *, create: bool, as_json: bool) -> None:
    from db.columns import SCHEMA
    from db.connection.connect import parse_url
    from db.schema import upgrade as bring

    url = bring(parse_url(ledger), create=create)
    if as_json:
        print_json({"ledger": url, "schema": SCHEMA})
    else:
        print(f"{url}: schema {SCHEMA}")


def verify(
    campaigns: CampaignsArgument = None, ledger: LedgerOption = None, as_json: JsonOption = False
) -> None:
    """Verify all that a ledger promises, and hold every journal against its rows; exit code 1 if not so.

    Example: orchestrator ledger verify friday
    """
    from dataclasses import asdict

    from orchestrator.diagnostics.ledger_verification import audit

    done = audit(ledger, campaigns or ())
    if as_json:
        print_json(asdict(done))
    else:
        for one in done.findings:
            print(printable(f"{one.campaign or 'ledger'}: {one.message}; {one.remedy}"))
        for note in done.notes:
            print(f"note: {printable(note)}")
        well = "all is well" if done.reports else "the rows are consistent, and no journal was read"
        found = count_of(len(done.findings), "finding") if done.findings else well
        campaigns_seen = count_of(len(done.campaigns), "campaign")
        print(f"{campaigns_seen}, {done.reports} final reports in journals: {found}")
    if done.findings:
        raise typer.Exit(1)


def compact(name: CampaignArgument, ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Compact a finished campaign's journals and logs, as its end does by itself; exit code 1 if not all.

    Example: orchestrator ledger compact friday
    """
    from dataclasses import asdict

    from db.reader import Reader
    from orchestrator.lifecycle.ending.compaction import pack

    with Reader(ledger) as reader:
        done = pack(reader, name)
    if as_json:
        print_json(asdict(done))
    else:
        for problem in done.problems:
            print(f"not packed: {problem}")
        print(f"{name}: {count_of(done.before, 'file')}, now {done.after}")
    if done.problems:
        raise typer.Exit(1)


def backup(
    file: Annotated[Path, typer.Argument(help="New SQLite file.", metavar="FILE")],
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy an SQLite ledger as it is now into a new file, while campaigns run.

    Example: orchestrator ledger backup /backups/ledger-friday.sqlite
    """
    from db.reader import Reader
    from db.transfer.backup import back_up

    with Reader(ledger) as reader:
        size = back_up(reader, file)
        if as_json:
            print_json({"ledger": str(reader), "file": str(file), "bytes": size})
        else:
            print(f"{file}: {size / 2**20:.1f} MiB")
