"""The command line: one module per noun, this one ties them together."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from orchestrator.cli.errors import fail
from orchestrator.cli.explain import compare, makespan, nodes, project, report, roofline, study
from orchestrator.cli.files import data, doctor, ledger, package, rulebook, schema, site, workload
from orchestrator.cli.look import events, fom, instances, query, serve, status
from orchestrator.cli.run import attach, campaign, instance_requests, retry, screen, tune
from orchestrator.cli.terminal.plain_output import plain_where_needed

COMMANDS: dict[str, tuple[Callable[..., None] | typer.Typer, ...]] = {
    "Run": (
        campaign.plan,
        campaign.launch,
        campaign.resume,
        attach.attach,
        campaign.stop,
        retry.retry,
        instance_requests.add,
        instance_requests.cancel,
        instance_requests.pause,
        instance_requests.unpause,
        tune.tune,
        screen.screen,
    ),
    "Look": (
        status.status,
        status.explain,
        fom.fom,
        instances.instances,
        instances.show,
        study.study,
        events.events,
        query.query,
        serve.serve,
    ),
    "Explain": (
        report.report,
        makespan.makespan,
        nodes.nodes,
        compare.compare,
        project.project,
        roofline.roofline,
    ),
    "Evidence": (package.package, package.verify),
    "Files": (site.app, workload.app, data.app, rulebook.app, ledger.app, schema.schema, doctor.doctor),
}
"""Every command and group of commands, by the heading and in the order of ``orchestrator --help``."""


class _InOrder(TyperGroup):
    """Lists commands in the order of `COMMANDS`: Typer puts groups of commands first."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        order = [name_of(command) for row in COMMANDS.values() for command in row]
        return sorted(super().list_commands(ctx), key=order.index)


def name_of(command: Callable[..., None] | typer.Typer) -> str:
    """Return the word by which a command, or a group of commands, is called."""
    return str(command.info.name) if isinstance(command, typer.Typer) else command.__name__


app = typer.Typer(
    name="orchestrator",
    cls=_InOrder,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""
    Run many deep-learning trainings at once, keep a ledger of every one, and state the figure of
    merit (FOM) with every rule it keeps or breaks.

    [bold]Try it:[/bold]  orchestrator launch hello, then orchestrator fom hello, orchestrator plan demo

    The ledger is --ledger, else $ORCHESTRATOR_LEDGER, else ./ledger.sqlite.

    Exit codes: 0 done; 1 error; 2 wrong usage; 3 finished, but instances are out of retries;
    4 stopped early and can be resumed; 5 slower than compare --fail-if-slower allows,
    or nodes that screen names.
    """,
)
for panel, row in COMMANDS.items():
    for command in row:
        if isinstance(command, typer.Typer):
            app.add_typer(command, rich_help_panel=panel)
        else:
            app.command(rich_help_panel=panel)(command)


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


def _take_own_modules(folder: str) -> None:
    """Find a user's own workloads in a folder, after everything that is installed.

    Python finds an editable install after all of its path. A folder ``sites`` there is not this project's.
    """
    for name in ("db", "sites"):
        if PathFinder.find_spec(name, [folder]) is not None:
            import_module(name)
    sys.path.append(folder)


def main() -> None:
    """Run the command line; every foreseen error is one line on standard error."""
    plain_where_needed()
    _take_own_modules(str(Path.cwd()))
    try:
        sys.exit(app(standalone_mode=False))
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # noqa: BLE001  unforeseen ones are raised again
        sys.exit(fail(error))
    finally:  # Python takes up to a second to end, and would end with the signal in place of the exit code
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
