"""The command line: one module per noun, this one ties them together."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli import (
    answers,
    campaign,
    data,
    doctor,
    events,
    instance_requests,
    ledger,
    package,
    query,
    retry,
    rulebook,
    schema,
    screen,
    site,
    status,
    study,
    tune,
    workload,
)
from orchestrator.cli.errors import fail

app = typer.Typer(
    name="orchestrator",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""
    Run many deep-learning trainings at once, keep a ledger of every one, and state the figure of
    merit (FOM) with every rule it keeps or breaks.

    [bold]Try it:[/bold]  orchestrator plan demo, then orchestrator launch demo, orchestrator fom demo

    The ledger is --ledger, else $ORCHESTRATOR_LEDGER, else ./ledger.sqlite.

    Exit codes: 0 done; 1 error; 2 wrong usage; 3 finished, but instances are out of retries;
    4 stopped early and can be resumed; 5 slower than compare --fail-if-slower allows,
    or nodes that screen names.
    """,
)
for module in (
    campaign,
    tune,
    screen,
    retry,
    instance_requests,
    doctor,
    status,
    study,
    answers,
    events,
    query,
    package,
    schema,
):
    module.add_to(app)
app.add_typer(workload.app, name="workload")
app.add_typer(rulebook.app, name="rulebook")
app.add_typer(site.app, name="site")
app.add_typer(data.app, name="data")
app.add_typer(ledger.app, name="ledger")


def _version(wanted: bool) -> None:
    if wanted:
        from orchestrator.version import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Take the options that come before a command."""


def main() -> None:
    """Run the command line; every foreseen error is one line on standard error."""
    sys.path.append(str(Path.cwd()))  # a user's own workloads, after everything that is installed
    try:
        sys.exit(app(standalone_mode=False))
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # noqa: BLE001  unforeseen ones are raised again
        sys.exit(fail(error))
