"""`ledger label` and `ledger rename`: owner, tags, note and name of a campaign."""

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


def rename(
    name: CampaignArgument,
    new: Annotated[str, typer.Argument(metavar="NEW", help="Its name from now on.")],
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give a campaign that no driver runs another name.

    The former name still finds it, and its run directory, packages and verdicts stay as they are.

    Example: orchestrator ledger rename friday friday-at-noon
    """
    from orchestrator.lifecycle.labels import rename as run

    directory = run(name, new, ledger=ledger)
    if as_json:
        print_json({"campaign": new, "before": name, "run_directory": directory})
    else:
        print(printable(f"{name} is {new} now; its files stay in {directory}"))
