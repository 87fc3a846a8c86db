"""`node leftovers`: find and end what campaigns left behind."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from orchestrator.cli.options import JsonOption, LedgerOption, complete_campaign
from orchestrator.cli.terminal.tables import print_json


def leftovers(
    campaign: Annotated[
        str | None,
        typer.Argument(
            help="Campaign; by default all of the ledger, and probes.",
            autocompletion=complete_campaign,
            metavar="[NAME]",
        ),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Also end what is found.")] = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find what dead drivers left: processes of this host, scheduler jobs, orders, leases, probes' folders.

    Nothing of a campaign whose driver lives is named or touched. Exit code 1 if something is left.

    Example: orchestrator node leftovers friday --fix
    """
    from orchestrator.diagnostics.leftovers import find_leftovers

    found = find_leftovers(ledger, campaign, finish=fix)
    left = [one for one in found.leftovers if not one.ended]
    if as_json:
        print_json(
            {
                "leftovers": [
                    {
                        "kind": one.kind,
                        "campaign": one.campaign or None,
                        "description": one.description,
                        "ended": one.ended,
                        "problem": one.problem or None,
                    }
                    for one in found.leftovers
                ],
                "notes": found.notes,
            }
        )
    else:
        for one in found.leftovers:
            what = "ended" if one.ended else f"not ended: {one.problem}" if one.problem else "left behind"
            print(f"{one.campaign or 'site'}: {what}: {one.description}")
        for note in found.notes:
            print(f"note: {note}")
        if not found.leftovers:
            print("nothing is left behind")
        elif not fix:
            words = [*([campaign] if campaign else []), "--fix", *(["--ledger", ledger] if ledger else [])]
            print(f"to end it: orchestrator node leftovers {shlex.join(words)}")
    if left:
        raise typer.Exit(1)
