"""`instance retry`: plan instances again that ran out of retries, were cancelled, or missed accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from orchestrator.cli.instance.requests import show_asked
from orchestrator.cli.options import (
    CampaignArgument,
    JsonOption,
    LedgerOption,
    SelectionArgument,
    WhereOption,
    ledger_words,
)
from orchestrator.cli.terminal.tables import print_json

_SHOWN = 20


def retry(
    name: CampaignArgument,
    selection: SelectionArgument = None,
    where: WhereOption = None,
    missed_quality: Annotated[
        bool,
        typer.Option(
            "--missed-quality",
            help="Plan new instances, with new seeds, in place of accepted ones that missed their accuracy. "
            "Both are kept and stated in the verdict, and the times of all count. Rulebooks hpcai500 and "
            "recipe then fail, as they let nothing be replaced.",
        ),
    ] = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plan instances again that are out of retries, or that were cancelled; done ones stay done.

    Without a selection, all that are out of retries. A driver that runs the campaign starts them; otherwise
    `resume` does. --missed-quality is for a campaign that no driver runs.

    Example: orchestrator instance retry friday p1b1/5..20
    Example: orchestrator instance retry friday --where "node=n03*" --where "attempts>=2"
    Example: orchestrator instance retry friday p3b1 --missed-quality
    """
    if missed_quality:
        _retry_missed(name, selection or (), where or (), ledger, as_json=as_json)
        return
    from db.states import Action
    from orchestrator.lifecycle.requests.instances import change_instances

    show_asked([change_instances(name, Action.RETRY, selection or (), where or (), ledger=ledger)], as_json)


def _retry_missed(
    name: str, selection: Sequence[str], where: Sequence[str], ledger: str | None, *, as_json: bool
) -> None:
    from orchestrator.lifecycle.requests.missed_quality import retry_missed_quality

    made = retry_missed_quality(name, selection, where, ledger=ledger)
    if as_json:
        again = [
            {"instance": one.missed.label, "accuracy": one.missed.accuracy, "by": one.label, "seed": one.seed}
            for one in made
        ]
        print_json({"campaign": name, "replaced": again})
        return
    for one in made[:_SHOWN]:
        print(
            f"{one.missed.label}, accuracy {one.missed.accuracy:.6g}: again as {one.label}, seed {one.seed}"
        )
    if len(made) > _SHOWN:
        print(f"and {len(made) - _SHOWN:,} more")
    print(f"next     orchestrator resume {name}{ledger_words(ledger)}")
