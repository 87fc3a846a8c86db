"""`evidence list`: a web site of packages whose rows are recomputed, and its check."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.files.package import Notice
from orchestrator.cli.options import JsonOption
from orchestrator.cli.terminal.tables import print_json
from orchestrator.wording import count_of, printable

SignersOption = Annotated[
    Path | None,
    typer.Option(
        "--signers",
        help="Require signatures by these keys: an allowed_signers file of ssh-keygen.",
        metavar="FILE",
    ),
]


def build(
    folder: Annotated[Path, typer.Argument(help="Folder with packages (*.zip).", metavar="FOLDER")],
    site: Annotated[
        Path,
        typer.Option("--output", "-o", help="Folder of the site, new or to be continued.", metavar="SITE"),
    ],
    pyodide: Annotated[
        Path | None,
        typer.Option(
            "--pyodide",
            help="Folder with Pyodide and wheels: rows get a button that recomputes them in the browser.",
            metavar="FOLDER",
        ),
    ] = None,
    withdraw: Annotated[
        str, typer.Option("--withdraw", help="Strike out the package with this root hash.", metavar="ROOT")
    ] = "",
    because: Annotated[str, typer.Option("--because", help="Reason of the withdrawal.", metavar="TEXT")] = "",
    signers: SignersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a web site that lists packages by rulebook and class, each verified and with its verdict.

    A later build adds rows to the site and lines to its log. Nothing leaves it: a package that is withdrawn,
    or superseded by a newer one of the same campaign, stays there, struck out.

    Example: orchestrator evidence list build packages --output site
    """
    if bool(withdraw) != bool(because.strip()):
        raise typer.BadParameter("--withdraw and --because go together", param_hint="--withdraw")
    from orchestrator.listing.building import Wanted
    from orchestrator.listing.building import build as write

    wanted = Wanted(pyodide, signers, withdraw, " ".join(because.split()))
    done = write(folder, site, wanted, now_us=time.time_ns() // 1000, progress=Notice("verifying"))
    for note in done.notes:
        print(f"note: {printable(note)}", file=sys.stderr)
    if as_json:
        changes = [{name: text for name, text in asdict(entry).items() if text} for entry in done.new]
        facts = {"site": str(site), "rows": [row.to_dict() for row in done.rows], "changes": changes}
        print_json(facts | {"log": {"lines": len(done.log.lines), "root": done.log.root}})
        return
    for entry in done.new:
        print(f"{entry.root[:12]}  {printable(entry.words())}")
    print(f"{site}: {count_of(len(done.rows), 'row')}, {count_of(len(done.new), 'change')}")
    print(f"Merkle root of the log {done.log.root}")


def check(
    site: Annotated[Path, typer.Argument(help="Folder of the site.", metavar="SITE")],
    signers: SignersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Recompute every row of a list from its package, and compare the site with them.

    Exit code 1 if anything differs; every finding is one line.

    Example: orchestrator evidence list check site
    """
    from orchestrator.listing.checking import check as recompute

    done = recompute(site, signers=signers, progress=Notice("verifying"))
    if as_json:
        print_json(
            {"site": str(site), "rows": done.rows, "root": done.root}
            | {"findings": done.findings, "notes": done.notes}
        )
    else:
        for finding in done.findings:
            print(f"FAIL  {printable(finding)}")
        for note in done.notes:
            print(f"note: {printable(note)}")
        print(f"Merkle root of the log {done.root}")
        result = count_of(len(done.findings), "finding") if done.findings else "the packages give this list"
        print(f"{site}: {count_of(done.rows, 'row')}: {result}")
    if done.findings:
        raise typer.Exit(1)
