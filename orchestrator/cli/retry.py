"""`retry`: plan instances again that are out of retries or were cancelled."""

from __future__ import annotations

import typer

from orchestrator.cli.instance_requests import SelectionArgument, WhereOption, show_asked
from orchestrator.cli.options import CampaignArgument, JsonOption, LedgerOption


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command(rich_help_panel="Run")(retry)


def retry(
    name: CampaignArgument,
    selection: SelectionArgument = None,
    where: WhereOption = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plan instances again that are out of retries, or that were cancelled; done ones stay done.

    Without a selection, all that are out of retries. A driver that runs the campaign starts them; otherwise
    `resume` does.

    Example: orchestrator retry friday p1b1/5..20
    Example: orchestrator retry friday --where "node=n03*" --where "attempts>=2"
    """
    from db.requests import Action
    from orchestrator.lifecycle.instance_requests import change_instances

    show_asked([change_instances(name, Action.RETRY, selection or (), where or (), ledger=ledger)], as_json)
