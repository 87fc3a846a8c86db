"""`ledger label`: owner, tags and note of a campaign."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.cli.options import CampaignArgument, JsonOption, LedgerOption
from orchestrator.cli.terminal.tables import print_json
from orchestrator.wording import printable


def label(
    name: CampaignArgument,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Tag to add. Repeatable.")] = None,
    untag: Annotated[list[str] | None, typer.Option("--untag", help="Tag to remove. Repeatable.")] = None,
    owner: Annotated[str | None, typer.Option("--owner", help="Owner from now on; '' for none.")] = None,
    note: Annotated[str | None, typer.Option("--note", help="Note from now on; '' for none.")] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change owner, tags and note of a campaign, or show them; each change is an event.

    Example: orchestrator ledger label friday --tag acceptance --note 'after the firmware update'
    """
    from orchestrator.lifecycle.labels import label as run

    found = run(name, ledger=ledger, owner=owner, add=tag or (), remove=untag or (), note=note)
    if as_json:
        print_json({"campaign": name, **found.to_dict()})
        return
    for kind, value in found.words().items():
        print(printable(f"{kind:6} {value}"))
    if not found.words():
        print(printable(f"{name} has no owner, tags or note"))
