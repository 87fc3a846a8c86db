"""The command line: one module per noun, this one ties them together."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from orchestrator.cli.terminal.plain_output import plain_where_needed

COMMANDS: dict[str, tuple[str, ...]] = {
    "Run": (
        "run.campaign:plan",
        "run.campaign:launch",
        "run.campaign:resume",
        "run.attach:attach",
        "run.campaign:stop",
        "run.retry:retry",
        "run.instance_requests:add",
        "run.instance_requests:cancel",
        "run.instance_requests:pause",
        "run.instance_requests:unpause",
        "run.tune:tune",
        "run.screen:screen",
        "run.reproduce:app",
    ),
    "Look": (
        "look.status:status",
        "look.status:explain",
        "look.fom:fom",
        "look.instances:instances",
        "look.instances:show",
        "explain.study:study",
        "look.events:events",
        "look.logs:logs",
        "look.query:query",
        "look.serve:serve",
    ),
    "Explain": (
        "explain.report:report",
        "explain.makespan:makespan",
        "explain.nodes:nodes",
        "explain.compare:compare",
        "explain.project:project",
        "explain.roofline:roofline",
    ),
    "Evidence": ("files.package:package", "files.package:verify"),
    "Files": (
        "files.site:app",
        "files.workload:app",
        "files.data:app",
        "files.rulebook:app",
        "files.ledger:app",
        "files.remove:remove",
        "files.schema:schema",
        "files.doctor:doctor",
    ),
}
"""Places of every command and group of commands, by the heading and in the order of ``orchestrator --help``.

A place is ``module:function`` below this package. A group of commands is ``module:app``, a `typer.Typer`, and
has the module's name. A module is imported when its command is called, completed, or listed with its help.
"""


class _Imported(Mapping[str, Any]):
    """Commands of `COMMANDS` by name, in its order; each is imported when it is asked for."""

    def __init__(self) -> None:
        self._places = {
            name_of(place): (panel, place) for panel, places in COMMANDS.items() for place in places
        }
        self._commands: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._commands:
            panel, place = self._places[name]
            module, _, attribute = place.partition(":")
            found = getattr(import_module(f"{__name__}.{module}"), attribute)
            single = typer.Typer(rich_markup_mode=app.rich_markup_mode)
            if isinstance(found, typer.Typer):
                single.add_typer(found, rich_help_panel=panel)
            else:
                single.command(rich_help_panel=panel)(found)
            self._commands[name] = typer.main.get_group(single).commands[name]
        return self._commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def name_of(place: str) -> str:
    """Return the word by which a command, or a group of commands, is called."""
    module, _, attribute = place.partition(":")
    return module.rpartition(".")[2] if attribute == "app" else attribute


class _Commands(TyperGroup):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"commands": _Imported()})


app = typer.Typer(
    name="orchestrator",
    cls=_Commands,
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
    for name in ("db", "sites", "workloads"):
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
        from orchestrator.cli.errors import fail

        sys.exit(fail(error))
    finally:  # Python takes up to a second to end, and would end with the signal in place of the exit code
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
