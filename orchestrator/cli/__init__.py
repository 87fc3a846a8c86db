"""The command line: a module for each command or group of commands, and the table of all of them."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from orchestrator.cli.terminal.command import Command, CommandGroup
from orchestrator.cli.terminal.plain_output import plain_where_needed


class Group(NamedTuple):
    """Commands that are called with a word before their own: ``orchestrator node rank``."""

    help: str
    commands: Mapping[str, str | Group]
    """Places of the commands by their words, in the order of the help."""


COMMANDS: dict[str, dict[str, str | Group]] = {
    "Run": {
        "plan": "run.campaign:plan",
        "launch": "run.campaign:launch",
        "status": "look.status:status",
        "attach": "run.attach:attach",
        "stop": "run.campaign:stop",
        "resume": "run.campaign:resume",
        "instance": Group(
            "The instances of a campaign: list and show them, add, cancel, pause and retry them.",
            {
                "list": "instance.listing:instances",
                "show": "instance.listing:show",
                "add": "instance.requests:add",
                "cancel": "instance.requests:cancel",
                "pause": "instance.requests:pause",
                "unpause": "instance.requests:unpause",
                "retry": "instance.retry:retry",
            },
        ),
    },
    "Look": {
        "fom": "look.fom:fom",
        "explain": "look.status:explain",
        "report": "look.report:report",
        "logs": "look.logs:logs",
        "events": "look.events:events",
        "serve": "look.serve:serve",
    },
    "Compare": {
        "analyze": Group(
            "Sweeps, earlier campaigns, makespan, rooflines, forecasts, figures for a larger machine.",
            {
                "study": "analyze.study:study",
                "compare": "analyze.compare:compare",
                "makespan": "analyze.makespan:makespan",
                "roofline": "analyze.roofline:roofline",
                "project": "analyze.project:project",
                "forecasts": "analyze.forecasts:forecasts",
            },
        ),
        "reproduce": Group(
            "Tables and figures of published documents, regenerated on this machine.",
            {
                "list": "run.reproduce:list_documents",
                "plan": "run.reproduce:plan",
                "run": "run.reproduce:run",
                "report": "run.reproduce:report",
                "package": "run.reproduce:package",
            },
        ),
    },
    "Evidence": {
        "evidence": Group(
            "Packages that a reviewer can check: pack a campaign with its evidence, verify and list them.",
            {
                "package": "files.package:package",
                "verify": "files.package:verify",
                "list": Group(
                    "Web sites that list packages: build one, recompute its rows.",
                    {"build": "files.listing:build", "check": "files.listing:check"},
                ),
            },
        ),
    },
    "Files": {
        "site": Group(
            "The machines campaigns run on.",
            {
                "list": "files.site:list_sites",
                "show": "files.site:show",
                "copy": "files.site:copy",
                "detect": "files.site:detect",
                "check": "files.site:check",
            },
        ),
        "node": Group(
            "The nodes of a machine: screen them before a campaign, add, change and pause pools "
            "while it runs, rank them after it, tidy up.",
            {
                "screen": "node.screen:screen",
                "add": "node.pools:add",
                "set": "node.pools:set_pool",
                "pause": "node.pools:pause",
                "unpause": "node.pools:unpause",
                "remove": "node.pools:remove",
                "exclude": "node.exclusion:exclude",
                "include": "node.exclusion:include",
                "rank": "node.rank:nodes",
                "leftovers": "node.leftovers:leftovers",
            },
        ),
        "workload": Group(
            "The benchmark programs.",
            {
                "list": "files.workload:list_workloads",
                "show": "files.workload:show",
                "copy": "files.workload:copy",
                "tune": "run.tune:tune",
            },
        ),
        "data": Group(
            "The files that benchmarks read.",
            {
                "generate": "files.data:generate",
                "fetch": "files.data:fetch",
                "verify": "files.data:verify",
                "cache": "files.data:cache",
            },
        ),
        "rulebook": Group(
            "The rules that figures of merit follow.",
            {"list": "files.rulebook:list_rulebooks", "show": "files.rulebook:show"},
        ),
        "ledger": Group(
            "Query, verify, back up, move, upgrade ledgers; send traces; label and rename campaigns, remove "
            "their files.",
            {
                "query": "files.query:query",
                "init": "files.ledger:init",
                "upgrade": "files.ledger:upgrade",
                "verify": "files.ledger:verify",
                "compact": "files.ledger:compact",
                "backup": "files.ledger:backup",
                "export": "files.ledger_transfer:export",
                "import": "files.ledger_transfer:import_export",
                "copy": "files.ledger_transfer:copy",
                "rebuild": "files.ledger_transfer:rebuild",
                "trace": "files.trace:trace",
                "label": "files.label:label",
                "rename": "files.label:rename",
                "remove": "files.remove:remove",
            },
        ),
        "schema": "files.schema:schema",
        "docs": "files.docs:docs",
    },
}
"""Every command and group of commands, by the heading and in the order of ``orchestrator --help``.

A place is ``module:function`` below this package. A module is imported when its command is called, completed,
or listed with its help.
"""

FORMER = {
    "instances": "instance list",
    "show": "instance show",
    "add": "instance add",
    "cancel": "instance cancel",
    "pause": "instance pause",
    "unpause": "instance unpause",
    "retry": "instance retry",
    "query": "ledger query",
    "remove": "ledger remove",
    "study": "analyze study",
    "compare": "analyze compare",
    "makespan": "analyze makespan",
    "roofline": "analyze roofline",
    "project": "analyze project",
    "nodes": "node rank",
    "screen": "node screen",
    "doctor": "node leftovers",
    "tune": "workload tune",
    "package": "evidence package",
    "verify": "evidence verify",
}
"""Spellings of version 0.1 with those of today; they work until release 1.1, and no help lists them."""


_COLLECT_AFTER = 50_000
"""New objects between two searches for garbage; after Python's 700 they are a sixth of a short command."""


class _Imported(Mapping[str, Any]):
    """Commands and groups by name, in their order; each command is imported when it is asked for."""

    def __init__(self, places: Mapping[str, tuple[str, str | Group]]) -> None:
        self._places = places
        """Heading in the help and place, by name."""
        self._commands: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._commands:
            panel, place = self._places[name]
            self._commands[name] = (
                _group(name, panel, place) if isinstance(place, Group) else _command(name, panel, place)
            )
        return self._commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _command(name: str, panel: str, place: str) -> Any:
    module, _, function = place.partition(":")
    single = typer.Typer(rich_markup_mode=app.rich_markup_mode)
    single.command(name, cls=Command, rich_help_panel=panel)(
        getattr(import_module(f"{__name__}.{module}"), function)
    )
    return typer.main.get_group(single).commands[name]


def _group(name: str, panel: str, group: Group) -> Any:
    return CommandGroup(
        name=name,
        commands=_Imported(  # type: ignore[arg-type]  # a mapping that imports; only a dict is foreseen
            {word: ("Commands", place) for word, place in group.commands.items()}
        ),
        help=group.help,
        no_args_is_help=True,
        rich_markup_mode=app.rich_markup_mode,
        rich_help_panel=panel,
    )


class _Commands(CommandGroup):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:
        places = {name: (panel, place) for panel, row in COMMANDS.items() for name, place in row.items()}
        super().__init__(**settings | {"commands": _Imported(places)})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Take a former spelling for today's, and say so on standard error."""
        words = FORMER.get(args[0], "").split()
        if words:
            print(f"note: `{args[0]}` is `orchestrator {' '.join(words)}` now", file=sys.stderr)
        return super().resolve_command(ctx, [*words, *args[1:]] if words else args)


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
    gc.set_threshold(_COLLECT_AFTER)
    plain_where_needed()
    try:
        _take_own_modules(str(Path.cwd()))
    except FileNotFoundError:
        print("error: the working directory was removed; change to another folder", file=sys.stderr)
        sys.exit(1)
    try:
        sys.exit(app(standalone_mode=False))
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # noqa: BLE001  unforeseen ones are raised again
        from orchestrator.cli.errors import fail

        sys.exit(fail(error))
    finally:  # Python takes up to a second to end, and would end with the signal in place of the exit code
        gc.freeze()  # no search for garbage at the end, which would take a fifth of a short command
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
