"""`ledger rename`: another name for a campaign."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.cli.options import CampaignArgument, JsonOption, LedgerOption
from orchestrator.cli.terminal.tables import print_json
from orchestrator.wording import printable


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
    from orchestrator.lifecycle.renaming import rename as run

    directory = run(name, new, ledger=ledger)
    if as_json:
        print_json({"campaign": new, "before": name, "run_directory": directory})
    else:
        print(printable(f"{name} is {new} now; its files stay in {directory}"))
