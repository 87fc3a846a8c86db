"""What commands share: options, errors, tables and JSON."""

from __future__ import annotations

import errno
import json
import math
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

_OS_ADVICE = {
    errno.EACCES: "; this user may not: `ls -ld` tells whose it is; change that, or name another place",
    errno.EPERM: "; this user may not: `ls -ld` tells whose it is; change that, or name another place",
    errno.EROFS: "; name a place that can be written",
    errno.ENOSPC: "; free some space (`df -h` tells where), and try again",
    errno.EDQUOT: "; free some space of your quota, and try again",
    errno.EMFILE: "; allow more open files, such as with `ulimit -n 65536`, and try again",
}
_NARROWEST = 16  # characters that a column of text keeps on a narrow terminal


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


def fail(error: Exception) -> int:
    """Print a foreseen error as one line and return its exit code; others keep their traceback.

    Only a file's problems, and a campaign's, may be several, a line each.
    """
    usage = getattr(error, "format_message", None)  # typer's own errors: an unknown option, a bad value
    if usage is not None:
        if message := " ".join(usage().split()):  # empty where the help was shown instead
            message = message.replace(": Value error, ", ": ", 1)  # typer has its choices from pydantic
            print(f"error: {message} (--help shows how)", file=sys.stderr)
        return 2
    from db.errors import LedgerError
    from orchestrator.errors import CampaignError, OrchestratorError
    from sites import FileError
    from workloads.description import WorkloadError

    if isinstance(error, FileError | CampaignError):
        for line in filter(None, map(str.split, str(error).splitlines())):
            print(f"error: {' '.join(line)}", file=sys.stderr)
        return 1
    if isinstance(error, LedgerError | OrchestratorError | WorkloadError):
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    if isinstance(error, OSError) and error.strerror:
        advice = _OS_ADVICE.get(error.errno or 0, "")
        place = f"{error.filename}: " if error.filename else ""
        print(f"error: {place}{error.strerror}{advice}", file=sys.stderr)
        return 1
    raise error


def print_json(content: Any) -> None:
    """Print strict JSON: what is not a finite number is null."""
    print(json.dumps(_plain(content), indent=2, allow_nan=False))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None) -> None:
    """Print a table; numbers to the right. Only a terminal's width folds its cells."""
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    given = [list(row) for row in rows]
    listed = [[Text(cell(value)) for value in row] for row in given]
    table = Table(header_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for position, column in enumerate(columns):
        numeric = any(isinstance(row[position], int | float) for row in given)
        widest = max([cell_len(column), *(row[position].cell_len for row in listed)])
        table.add_column(
            column,
            justify="right" if numeric else "left",
            overflow="fold",
            no_wrap=numeric,  # a number folded over two lines reads as another number
            min_width=min(widest, _NARROWEST),
        )
    for cells in listed:
        table.add_row(*cells)
    console = Console(width=sys.maxsize)
    if sys.stdout.isatty():  # and not what a variable says: pipes that take colours have no width
        console = Console(width=max(Console().width, console.measure(table).minimum))
    if title:
        console.print(Text(title, style="italic"), soft_wrap=True)
    console.print(table, crop=False)


def cell(value: Any) -> str:
    """Return a value as people read it in a table."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}" if 1e-4 <= abs(value) < 1e6 or value == 0 else f"{value:.4e}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return str(value)


def utc(microseconds: int | None) -> str | None:
    """Return microseconds since the epoch as ISO 8601 UTC text."""
    if microseconds is None:
        return None
    return (
        datetime.fromtimestamp(microseconds / 1e6, UTC)
        .isoformat(timespec="microseconds")
        .replace("+00:00", "Z")
    )


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str | int) or value is None:
        return value
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return str(value)
