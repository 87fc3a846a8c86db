"""`ledger remove`: free the disk of a campaign's files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import CampaignArgument, JsonOption, LedgerOption
from orchestrator.cli.terminal.tables import print_json
from orchestrator.wording import printable

if TYPE_CHECKING:
    from pathlib import Path

    from orchestrator.lifecycle.ending.removal import Removable

_KEEPS = (
    "a ledger never loses an attempt or an event, so the rows of a campaign cannot be removed; "
    "--files removes its logs, checkpoints and other files, and keeps its journals"
)


def remove(
    name: CampaignArgument,
    files: Annotated[
        bool, typer.Option("--files", help="Remove files of its run directory; rows are never removed.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove what takes most disk of a campaign: logs, checkpoints, measured files, the engine's files.

    Rows, journals and saved rows stay, so that the verdict, `ledger verify` and `ledger rebuild` go on. An
    instance that a later resume tries again begins anew. Data sets and packages for reviewers stay.

    Example: orchestrator ledger remove friday --files
    """
    from db.ledger import Ledger
    from orchestrator.lifecycle.ending.removal import removable
    from orchestrator.lifecycle.ending.removal import remove as run

    if not files:
        raise typer.BadParameter(_KEEPS, param_hint="--files")
    if as_json and not yes:
        raise typer.BadParameter("asks nothing: add --yes, or look first without --json", param_hint="--json")
    with Ledger(ledger) as book:
        found = removable(book, name)
        if not as_json:
            _show(found)
        problems: dict[Path, str] = {}
        if not found.places:
            pass
        elif not (yes or _agreed(name)):
            typer.echo("nothing was removed; --yes removes without asking", err=True)
            raise typer.Exit(1)
        else:
            problems = run(book, found)
    gone = replace(found, places={place: n for place, n in found.places.items() if place not in problems})
    if as_json:
        content = {"bytes": gone.bytes, "removed": gone.sizes, "problems": list(problems.values())}
        print_json({"campaign": name, **content})
    else:
        for problem in problems.values():
            print(printable(f"not removed: {problem}"))
        if gone.places:
            print(f"{name}: {_size(gone.bytes)} freed")
    if problems:
        raise typer.Exit(1)


def _show(found: Removable) -> None:
    where = found.row.run_directory
    if not found.places:
        print(f"{found.row.name}: nothing to remove in {where}; what stays has {_size(found.kept_bytes)}")
        return
    print(f"{found.row.name}: of {where}")
    for name, size in found.sizes.items():
        print(f"  remove  {_size(size):>12}  {printable(name)}")
    print(f"  keep    {_size(found.kept_bytes):>12}  journals and others; and all rows of the ledger")


def _agreed(name: str) -> bool:
    try:
        return typer.confirm(f"Remove these files of {name}?", err=True)
    except typer.Abort:  # Ctrl-C, or no answer can come
        typer.echo(err=True)
        return False


def _size(size: int) -> str:
    return f"{size / 2**20:,.1f} MiB" if size >= 2**20 else f"{size / 2**10:,.1f} KiB"
