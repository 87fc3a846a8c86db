"""`evidence package` and `evidence verify`: a campaign's evidence for reviewers, and its verification."""

from __future__ import annotations

import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import CampaignNamesArgument, JsonOption, LedgerOption, file_of
from orchestrator.cli.terminal.tables import print_json
from orchestrator.wording import count_of, printable

if TYPE_CHECKING:
    from orchestrator.review.packaging import Packaged
    from orchestrator.review.verification import Review

_FIRST_SECONDS = 2.0
_NEXT_SECONDS = 5.0


class Logs(StrEnum):
    """Attempts whose logs are taken."""

    NONE = "none"
    FAILURES = "failures"
    ALL = "all"


class Notice:
    """Prints a line on standard error now and then once a command takes longer than two seconds."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._next = time.monotonic() + _FIRST_SECONDS
        self._members = 0

    def __call__(self, what: str) -> None:
        """Count a file, and print the line if it is time."""
        self._members += 1
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _NEXT_SECONDS
            print(f"{self._doing}: {count_of(self._members, 'file')}, at {what} …", file=sys.stderr)


def package(
    names: CampaignNamesArgument,
    to: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="New file of the package. By default NAME.zip, by the first campaign.",
            metavar="FILE.zip",
        ),
    ] = None,
    logs: Annotated[
        Logs, typer.Option("--logs", help="Logs to take: of failed attempts, of all, or none.")
    ] = Logs.FAILURES,
    sign: Annotated[
        Path | None,
        typer.Option("--sign", help="Private SSH key to sign it with.", metavar="KEY"),
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a campaign's evidence into one file that `evidence verify` checks without the ledger.

    Rows, all journals, texts, the rulebook's data and the verdict, listed with their SHA-256 in a manifest.
    Its hash, the root hash, is printed here and by `fom`: publish it with the figure.

    Example: orchestrator evidence package friday --output friday.zip --sign ~/.ssh/id_ed25519
    """
    from orchestrator.review.packaging import package as write

    key = sign.expanduser() if sign is not None else None
    done = write(
        names,
        to or file_of(names[0], ".zip"),
        ledger=ledger,
        logs=logs,
        key=key,
        progress=Notice("packaging"),
    )
    show_packaged(done, as_json=as_json)


def show_packaged(done: Packaged, *, as_json: bool) -> None:
    """Print what was packaged, and warnings on standard error."""
    for warning in done.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if as_json:
        facts = {"file": str(done.file), "root": done.root, "members": done.members, "bytes": done.bytes}
        print_json(facts | {"signed": done.signed, "warnings": done.warnings})
        return
    signed = ", signed" if done.signed else ""
    print(f"{done.file}: {count_of(done.members, 'file')}, {done.bytes / 2**20:.1f} MiB{signed}")
    print(f"root hash {done.root}")


def verify(
    file: Annotated[Path, typer.Argument(help="A package.", metavar="FILE.zip")],
    signers: Annotated[
        Path | None,
        typer.Option(
            "--signers",
            help="Require a signature by one of these keys: an allowed_signers file of ssh-keygen.",
            metavar="FILE",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Verify a package, and recompute its verdict from its journals; exit code 1 if anything is not so.

    Needs no ledger, site, network or framework. Every finding is one line; missing evidence is a finding.

    Example: orchestrator evidence verify friday.zip --signers reviewers/allowed_signers
    """
    from orchestrator.review.verification import verify as check

    done = check(file, signers=signers, progress=Notice("verifying"))
    if as_json:
        print_json(done.to_dict())
    else:
        _show(done)
    if done.findings:
        raise typer.Exit(1)


def _show(done: Review) -> None:
    from orchestrator.cli.look.fom import show_fom

    if done.judged is not None:
        show_fom(done.judged.verdict)
        print()
    for finding in done.findings:
        print(f"FAIL  {printable(finding)}")
    for note in done.notes:
        print(f"note: {printable(note)}")
    if done.root is not None:
        print(f"root hash {done.root}")
    result = count_of(len(done.findings), "finding") if done.findings else "the evidence gives this verdict"
    campaigns = count_of(len(done.campaigns), "campaign")
    print(f"{done.file.name}: {campaigns}, {done.reports:,} final reports in journals: {result}")
