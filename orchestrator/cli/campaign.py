"""Commands that run campaigns: plan, launch, resume, retry, stop."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.console_log import console_log
from orchestrator.cli.options import CampaignArgument, JsonOption, LedgerOption
from orchestrator.cli.outcomes import outcome_words
from orchestrator.cli.tables import print_json

if TYPE_CHECKING:
    from orchestrator.lifecycle.session import RunResult

_RETRIES_SHOWN = 20


def complete_file(incomplete: str) -> list[str]:
    """Complete the names of shipped campaigns."""
    from orchestrator.planning.campaign_file import campaign_names

    return [name for name in campaign_names() if name.startswith(incomplete)]


FileArgument = Annotated[
    str,
    typer.Argument(
        help="Campaign file, or the name of one that comes with the project, such as demo.",
        metavar="CAMPAIGN",
        autocompletion=complete_file,
    ),
]
SiteOption = Annotated[str, typer.Option("--site", help="Site: a name (see `site list`) or a .yaml file.")]
NameOption = Annotated[
    str | None,
    typer.Option("--name", help="Name in the ledger; by default the campaign file's.", show_default=False),
]
DataOption = Annotated[
    str | None,
    typer.Option("--data", help="Directory of the data folders; by default the site's.", show_default=False),
]


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    for command in (plan, launch, resume, retry, stop):
        app.command(rich_help_panel="Run")(command)


def plan(
    campaign: FileArgument,
    site: SiteOption = "local",
    name: NameOption = None,
    data: DataOption = None,
    script: Annotated[
        bool, typer.Option("--script", help="Print the submit scripts of the blocks instead.")
    ] = False,
    simulate: Annotated[
        bool,
        typer.Option(
            "--simulate", help="Predict its length instead: run it in virtual time, from what it expects."
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Random seed of the simulation.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Show what launching would do: instances, slots, blocks, waves, node-hours. Nothing runs.

    Example: orchestrator plan demo --site local
    """
    from orchestrator.cli.plan_view import show_forecast, show_plan, show_scripts
    from orchestrator.cli.progress_bar import Progress
    from orchestrator.cli.slow_notice import reading_notice
    from orchestrator.lifecycle.launch import plan as make
    from orchestrator.lifecycle.package_checks import look_for_packages
    from orchestrator.planning.plan import without
    from orchestrator.planning.site_facts import node_facts

    with reading_notice(campaign):
        made = make(campaign, site, name=name, data=data)
    if simulate:
        from orchestrator.simulation.prediction import forecast

        with Progress(_console(as_json=True), first_seconds=2.0) as progress:
            found = forecast(made, seed, progress)
        if as_json:
            print_json(found.to_dict())
        else:
            show_forecast(found)
    elif as_json:
        packages = look_for_packages(made)
        made = without(made, packages.left_out)
        missing = {"missing_packages": packages.missing, "unknown_packages": packages.unknown}
        print_json({**made.to_dict(), **missing})
    elif script:
        show_scripts(made)
    else:
        packages = look_for_packages(made)
        made = without(made, packages.left_out)
        show_plan(made, node_facts(made.site))
        if made.left_out:
            print("\nThese optional benchmarks are left out:")
            print("\n".join(f"  {benchmark}: {why}" for benchmark, why in made.left_out.items()))
        if packages.missing:
            print("\nPackages are missing for the trainings:")
            print("\n".join(f"  {line}" for line in packages.missing))
        if packages.unknown:
            print(f"\n{packages.unknown}")


def launch(
    campaign: FileArgument,
    site: SiteOption = "local",
    ledger: LedgerOption = None,
    name: NameOption = None,
    data: DataOption = None,
    check_data: Annotated[bool, typer.Option(help="Read and hash all data files before the launch.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Register a campaign and run it to its end.

    Ctrl-C once: running instances finish. Twice: they are ended. Either way `resume` goes on.

    Example: orchestrator launch demo --name friday --ledger ledger.sqlite
    """
    from orchestrator.cli.progress_bar import Progress
    from orchestrator.lifecycle.launch import launch as run

    with Progress(_console(as_json)) as progress, console_log(progress.message):
        result = run(
            campaign, site, ledger=ledger, name=name, data=data, check_data=check_data, display=progress
        )
    _finish(result, ledger, as_json=as_json)


def resume(
    name: CampaignArgument,
    ledger: LedgerOption = None,
    retry_exhausted: Annotated[
        bool, typer.Option("--retry-exhausted", help="Also try instances again that are out of retries.")
    ] = False,
    allow_changed_code: Annotated[
        bool,
        typer.Option(
            "--allow-changed-code",
            help="Go on with the registered parameters although the code has changed; it is recorded.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Continue a campaign after a stop or a crash; finished instances are not run again.

    Example: orchestrator resume friday
    """
    from orchestrator.cli.progress_bar import Progress
    from orchestrator.lifecycle.resume import resume as run

    with Progress(_console(as_json)) as progress, console_log(progress.message):
        result = run(
            name,
            ledger=ledger,
            retry_exhausted=retry_exhausted,
            allow_changed_code=allow_changed_code,
            display=progress,
        )
    _finish(result, ledger, as_json=as_json)


def retry(
    name: CampaignArgument,
    selected: Annotated[
        list[str],
        typer.Argument(help="Benchmarks, or instances such as p1b1/3.", metavar="BENCHMARK[/N]..."),
    ],
    missed_quality: Annotated[
        bool,
        typer.Option("--missed-quality", help="Those whose accepted attempt missed the quality target."),
    ] = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plan new instances in place of accepted ones that missed their accuracy; `resume` then runs them.

    Both are kept: the verdict states how many were replaced, and the times of all count.

    Example: orchestrator retry friday p3b1 --missed-quality
    """
    from orchestrator.lifecycle.missed_quality import retry_missed_quality

    if not missed_quality:
        raise typer.BadParameter("say which instances to run again: --missed-quality")
    made = retry_missed_quality(name, selected, ledger=ledger)
    if as_json:
        again = [
            {"instance": one.missed.label, "accuracy": one.missed.accuracy, "by": one.label, "seed": one.seed}
            for one in made
        ]
        print_json({"campaign": name, "replaced": again})
        return
    for one in made[:_RETRIES_SHOWN]:
        print(
            f"{one.missed.label}, accuracy {one.missed.accuracy:.6g}: again as {one.label}, seed {one.seed}"
        )
    if len(made) > _RETRIES_SHOWN:
        print(f"and {len(made) - _RETRIES_SHOWN:,} more")
    print(f"next     orchestrator resume {name}" + (f" --ledger {ledger}" if ledger else ""))


def stop(
    name: CampaignArgument,
    ledger: LedgerOption = None,
    now: Annotated[
        bool, typer.Option("--now", help="End running instances instead of letting them finish.")
    ] = False,
    wait: Annotated[bool, typer.Option(help="Wait until the driver has stopped.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Stop a running campaign: drain (running instances finish); a second stop, or --now, cancels.

    Example: orchestrator stop friday
    """
    from orchestrator.lifecycle.stop import stop as ask
    from orchestrator.lifecycle.stop import wait_until_stopped

    asked = ask(name, ledger=ledger, cancel=now)
    if not asked:
        outcome = None
        message = f"no driver runs {name}; `orchestrator status {name}` shows where it stands"
    else:
        if not as_json:
            typer.echo(f"{name}: asked to stop")
        outcome = outcome_words(wait_until_stopped(name, ledger=ledger)) if wait else None
        message = f"{name}: {outcome}" if outcome else ""
    if as_json:
        print_json({"campaign": name, "asked": asked, "outcome": outcome})
    elif message:
        typer.echo(message)


def _console(as_json: bool):  # type: ignore[no-untyped-def]
    from rich.console import Console

    stream = sys.stderr if as_json else sys.stdout
    # Asked of the stream: a variable that says that pipes take colours does not make them live displays.
    return Console(stderr=as_json, force_terminal=stream.isatty())


def _finish(result: RunResult, ledger: str | None, *, as_json: bool) -> None:
    from orchestrator.cli.exit_codes import EXIT_CODES
    from orchestrator.cli.fom import show_fom
    from orchestrator.diagnostics.stated_verdicts import fom
    from orchestrator.driver.outcomes import RunOutcome

    verdict = None if result.outcome is RunOutcome.LEDGER_FAILED else fom(result.campaign, ledger)
    if as_json:
        print_json(
            {
                "campaign": result.campaign,
                "outcome": outcome_words(result.outcome),
                "total": result.total,
                "done": result.done,
                "exhausted": result.exhausted,
                "directory": result.directory,
                "ledger": result.ledger,
                "fom": verdict.to_dict() if verdict else None,
            }
        )
    else:
        name = result.campaign
        option = f" --ledger {ledger}" if ledger else ""
        print(
            f"\n{name}: {outcome_words(result.outcome)}; {result.done} of {result.total} instances accepted\n"
        )
        if verdict is not None and result.done:
            show_fom(verdict)
        print(f"\nledger   {result.ledger}\nfiles    {result.directory}")
        if result.outcome is RunOutcome.COMPLETE:
            print(f"next     orchestrator fom {name}{option} --rules")
        elif result.outcome is RunOutcome.EXHAUSTED:
            print(f"next     orchestrator resume {name}{option} --retry-exhausted")
        else:
            print(f"next     orchestrator resume {name}{option}")
        print(f"         orchestrator instances {name}{option}")
        question = "SELECT campaign_name, benchmark, max(fom_seconds) FROM accepted GROUP BY 1, 2"
        print(f'         orchestrator query{option} "{question}"')
    raise typer.Exit(EXIT_CODES[result.outcome])
