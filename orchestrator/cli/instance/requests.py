"""`instance add`, `instance cancel`, `instance pause` and `instance unpause`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import (
    CampaignArgument,
    JsonOption,
    LedgerOption,
    SelectionArgument,
    WhereOption,
    ledger_words,
)
from orchestrator.cli.terminal.tables import print_json

if TYPE_CHECKING:
    from orchestrator.lifecycle.requests.instances import Asked

BenchmarksArgument = Annotated[
    list[str], typer.Argument(help="Names of benchmarks, such as p1b1.", metavar="BENCHMARK...")
]


def add(
    name: CampaignArgument,
    file: Annotated[
        str | None,
        typer.Argument(
            help="YAML file whose one key, benchmarks, lists those to add, sweeps included.", metavar="[FILE]"
        ),
    ] = None,
    instances: Annotated[
        list[str] | None,
        typer.Option(
            "--instances",
            metavar="BENCHMARK=+NUMBER",
            help="More instances of a benchmark, or of each point of a sweep or one, such as p1b1=+20 or "
            "'nt3[ranks=4]=+2'. Repeatable.",
        ),
    ] = None,
    ledger: LedgerOption = None,
    check_data: Annotated[
        bool, typer.Option(help="Read and hash the data files of new benchmarks first.")
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Add instances or benchmarks to a campaign that no driver runs; `resume` runs them.

    They get new numbers and seeds; nothing that is registered changes.

    Example: orchestrator instance add friday --instances p1b1=+20
    Example: orchestrator instance add friday more.yaml
    """
    from orchestrator.lifecycle.add import add as run

    added = run(name, file, instances=instances or (), ledger=ledger, check_data=check_data)
    if as_json:
        print_json({"campaign": name, "instances": added.instances, "new_benchmarks": added.benchmarks})
        return
    for benchmark, number in added.summed.items():
        typer.echo(f"{name}: {number:,} more instances of {benchmark}")
    typer.echo(f"next     orchestrator resume {name}{ledger_words(ledger)}")


def cancel(
    name: CampaignArgument,
    selection: SelectionArgument = None,
    where: WhereOption = None,
    ledger: LedgerOption = None,
    keep_running: Annotated[
        bool, typer.Option("--keep-running", help="Let attempts that run finish; a success still counts.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Cancel instances that are not done. Attempts that run are ended within seconds, and not tried again.

    `instance retry` plans cancelled instances again.

    Example: orchestrator instance cancel friday p1b1/5..20
    Example: orchestrator instance cancel friday p1b1 --keep-running
    """
    from db.states import Action
    from orchestrator.lifecycle.requests.instances import change_instances

    asked = change_instances(
        name, Action.CANCEL, selection or (), where or (), ledger=ledger, end_running=not keep_running
    )
    show_asked([asked], as_json)


def pause(
    name: CampaignArgument,
    benchmarks: BenchmarksArgument,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Start no more instances of a benchmark; attempts that are in flight finish, and no node waits for it.

    Example: orchestrator instance pause friday p1b1
    """
    from orchestrator.lifecycle.requests.instances import pause as ask

    show_asked(ask(name, benchmarks, ledger=ledger), as_json)


def unpause(
    name: CampaignArgument,
    benchmarks: BenchmarksArgument,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Start instances of a paused benchmark again.

    Example: orchestrator instance unpause friday p1b1
    """
    from orchestrator.lifecycle.requests.instances import pause as ask

    show_asked(ask(name, benchmarks, ledger=ledger, paused=False), as_json)


def show_asked(asked: Sequence[Asked], as_json: bool) -> None:
    """Print what became of requests."""
    if as_json:
        print_json(
            [{"applied": one.applied, "instances": one.instances, "message": one.message} for one in asked]
        )
        return
    for one in asked:
        typer.echo(one.message)
