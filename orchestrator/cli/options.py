"""Options and arguments that commands share."""

from __future__ import annotations

import glob
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow

_VISIBLE = (
    "a password on the command line can be read by everybody on this machine; "
    "put the URL into $ORCHESTRATOR_LEDGER, or the password into ~/.pgpass"
)
_MOST_COMPLETED = 1000  # instances offered by a shell


_PASSWORD_IN_ADDRESS = re.compile(r"://[^/@]*:[^/@]+@|[?&]password=")


def without_passwords(references: Any) -> Any:
    """Refuse passwords in a reference to campaigns, or in several, as `no_password` does."""
    for text in [references] if isinstance(references, str) else references or ():
        if _PASSWORD_IN_ADDRESS.search(text):
            raise typer.BadParameter(_VISIBLE)
    return references


def no_password(url: str | None) -> str | None:
    """Refuse a password that everybody on the machine could read in the process list."""
    if url and "://" in url:
        from db.connection.connect import parse_url

        parsed = parse_url(url)
        secret = parsed.password or "password" in parsed.query
    else:
        secret = None
    if secret:
        raise typer.BadParameter(_VISIBLE)
    return url


def ledger_words(ledger: str | None) -> str:
    """Return the option for a ledger that was named, as a command that is shown for a shell takes it."""
    return f" --ledger {shlex.quote(ledger)}" if ledger else ""


def file_of(campaign: str, suffix: str) -> Path:
    """Return the file, in this folder, that a command writes of a campaign where none is named."""
    return Path(re.sub(r"[^\w.=-]", "_", campaign) + suffix)


def campaign_or_last(reader: Reader, name: str | None) -> CampaignRow:
    """Return the campaign of a name; without one the ledger's last, and write its name to standard error.

    Raises
    ------
    UnknownCampaignError
        If there is none.
    """
    if name is not None:
        return reader.campaign(name)
    rows = reader.campaigns()
    if not rows:
        from db.errors import UnknownCampaignError

        raise UnknownCampaignError(f"{reader} has no campaign yet; launch one")
    print(f"campaign {rows[-1].name} (the last one)", file=sys.stderr)
    return rows[-1]


LedgerOption = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        "-l",
        callback=no_password,
        help="sqlite:///file, a path ending in .sqlite, or postgresql://user@host/name. "
        "By default $ORCHESTRATOR_LEDGER, else ./ledger.sqlite.",
    ),
]

BenchmarkOption = Annotated[
    str | None,
    typer.Option(
        "--benchmark",
        help=r"Only this benchmark, such as 'nt3\[ranks=4]', or all points of this sweep, such as nt3.",
    ),
]

OwnerOption = Annotated[
    str | None,
    typer.Option("--owner", help="List only campaigns of this owner.", metavar="USER"),
]
TagsOption = Annotated[
    list[str] | None,
    typer.Option("--tag", help="List only campaigns with this tag. Repeatable."),
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs, as --format json does.")]


def complete_campaign(incomplete: str) -> list[str]:
    """Complete campaign names from the default ledger."""
    from db.errors import LedgerError
    from db.reader import Reader

    try:
        with Reader() as reader:
            return [row.name for row in reader.campaigns() if row.name.startswith(incomplete)]
    except LedgerError:
        return []


def complete_instance(context: typer.Context, incomplete: str) -> list[str]:
    """Complete ``benchmark/number`` of the campaign that the command line names, from the default ledger."""
    from db.errors import LedgerError
    from db.reader import Reader

    benchmark, slash, number = incomplete.rpartition("/")
    try:
        with Reader() as reader:
            rows = reader.benchmarks(reader.campaign(context.params["name"]).campaign_id)
    except (LedgerError, KeyError):
        return []
    if not slash:
        return [f"{row.benchmark}/" for row in rows if row.benchmark.startswith(incomplete)]
    return [
        f"{row.benchmark}/{index}"
        for row in rows
        if row.benchmark == benchmark
        for index in range(min(row.instances, _MOST_COMPLETED))
        if str(index).startswith(number)
    ]


def complete_site(incomplete: str) -> list[str]:
    """Complete names of sites, and site files here."""
    import sites

    known = [one.name for one in sites.available() if one.name.startswith(incomplete)]
    return [*known, *yaml_files(incomplete)]


def yaml_files(incomplete: str) -> list[str]:
    """Return the YAML files whose paths begin with a text."""
    found = glob.glob(f"{glob.escape(incomplete)}*")  # noqa: PTH207  Path.glob takes no absolute path
    return sorted(name for name in found if name.endswith((".yaml", ".yml")))


SiteArgument = Annotated[
    str,
    typer.Argument(help="Name or .yaml file of a site.", metavar="SITE", autocompletion=complete_site),
]
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

ReferenceArgument = Annotated[
    str,
    typer.Argument(
        help="Campaign of the ledger, or SOURCE:NAME of a package, an export or another ledger.",
        autocompletion=complete_campaign,
        callback=without_passwords,
        metavar="NAME",
    ),
]
ReferencesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        help="Campaigns of the ledger, or SOURCE:NAME of a package, an export or another ledger; of a SOURCE "
        "with one campaign the name may be left out.",
        autocompletion=complete_campaign,
        callback=without_passwords,
        metavar="[NAME]...",
    ),
]
LastCampaignArgument = Annotated[
    str | None,
    typer.Argument(
        help="Campaign name; by default the ledger's last campaign.",
        autocompletion=complete_campaign,
        metavar="[NAME]",
    ),
]
CampaignsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        help="Campaigns; by default all of the ledger.", autocompletion=complete_campaign, metavar="[NAME]..."
    ),
]
LastCampaignsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        help="Campaign names; by default the ledger's last campaign.",
        autocompletion=complete_campaign,
        metavar="[NAME]...",
    ),
]
SelectionArgument = Annotated[
    list[str] | None,
    typer.Argument(
        help="Instances: p1b1 (a whole benchmark), p1b1/3, p1b1/5..20 or p1b1/5.. (to the last).",
        metavar="[SELECTION]...",
    ),
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="COLUMN=VALUE",
        help="Only those whose column of `instance list --json` has a value: state=exhausted, node=n03*, "
        "attempts>=3, failure_reason!=walltime. All of several must hold.",
    ),
]
