"""Commands about the ledger itself."""

from __future__ import annotations

import typer

from orchestrator.cli.output import LedgerOption

app = typer.Typer(no_args_is_help=True, help="The database that keeps the truth.")


@app.command()
def init(ledger: LedgerOption = None) -> None:
    """Create the ledger's tables; an existing ledger of this schema is left as it is.

    Example: orchestrator ledger init --ledger postgresql://me@db.example/ledger
    """
    _upgrade(ledger)


@app.command()
def upgrade(ledger: LedgerOption = None) -> None:
    """Bring an older ledger to this program's schema.

    Example: orchestrator ledger upgrade --ledger ledger.sqlite
    """
    _upgrade(ledger)


def _upgrade(ledger: str | None) -> None:
    from db.connect import SCHEMA, parse_url
    from db.schema import upgrade as bring

    print(f"{bring(parse_url(ledger))}: schema {SCHEMA}")
