"""Options and arguments that commands share."""

from __future__ import annotations

from typing import Annotated

import typer


def no_password(url: str | None) -> str | None:
    """Refuse a password that everybody on the machine could read in the process list."""
    if url and "://" in url:
        from db.connect import parse_url

        parsed = parse_url(url)
        secret = parsed.password or "password" in parsed.query
    else:
        secret = None
    if secret:
        raise typer.BadParameter(
            "a password on the command line can be read by everybody on this machine; "
            "put the URL into $ORCHESTRATOR_LEDGER, or the password into ~/.pgpass"
        )
    return url


LedgerOption = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        callback=no_password,
        help="sqlite:///file, a path ending in .sqlite, or postgresql://user@host/name. "
        "By default $ORCHESTRATOR_LEDGER, else ./ledger.sqlite.",
        show_default=False,
    ),
]

BenchmarkOption = Annotated[
    str | None,
    typer.Option(
        "--benchmark",
        help="Only this benchmark, such as 'nt3[ranks=4]', or all points of this sweep, such as nt3.",
        show_default=False,
    ),
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def complete_campaign(incomplete: str) -> list[str]:
    """Complete campaign names from the default ledger."""
    from db.errors import LedgerError
    from db.reader import Reader

    try:
        with Reader() as reader:
            return [row.name for row in reader.campaigns() if row.name.startswith(incomplete)]
    except LedgerError:
        return []


CampaignNamesArgument = Annotated[
    list[str],
    typer.Argument(
        help="Campaign names, as in the ledger.", autocompletion=complete_campaign, metavar="NAME..."
    ),
]
CampaignArgument = Annotated[
    str,
    typer.Argument(help="Campaign name, as in the ledger.", autocompletion=complete_campaign, metavar="NAME"),
]

CampaignsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        help="Campaigns; by default all of the ledger.",
        autocompletion=complete_campaign,
        metavar="[NAME]...",
        show_default=False,
    ),
]
