"""Commands about the ledger itself."""

from __future__ import annotations

import typer

from orchestrator.cli.output import JsonOption, LedgerOption, print_json

app = typer.Typer(no_args_is_help=True, help="The database that keeps the truth.")


@app.command()
def init(ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Create the ledger's tables; an existing ledger of this schema is left as it is.

    Example: orchestrator ledger init --ledger postgresql://me@db.example/ledger
    """
    _upgrade(ledger, as_json=as_json)


@app.command()
def upgrade(ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Bring an older ledger to this program's schema.

    Example: orchestrator ledger upgrade --ledger ledger.sqlite
    """
    _upgrade(ledger, as_json=as_json)


def _upgrade(ledger: str | None, *, as_json: bool) -> None:
    from db.connect import SCHEMA, parse_url
    from db.schema import upgrade as bring

    url = bring(parse_url(ledger))
    if as_json:
        print_json({"ledger": url, "schema": SCHEMA})
    else:
        print(f"{url}: schema {SCHEMA}")
