"""Commands that run campaigns: plan, launch, resume, attach, stop."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.attach import attach, detach_and_tell
from orchestrator.cli.console_log import console_log
from orchestrator.cli.driver_job import launch_as_job, resume_as_job
from orchestrator.cli.options import CampaignArgument, JsonOption, LedgerOption, complete_site
from orchestrator.cli.outcomes import outcome_words
from orchestrator.cli.tables import print_json

if TYPE_CHECKING:
    from orchestrator.analysis.roofline import Roofline
    from orchestrator.lifecycle.session import RunResult


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
SiteOption = Annotated[
    str | None,
    typer.Option(
        "--site",
        help="Site: a name (see `site list`, which also shows the default) or a .yaml file.",
        autocompletion=complete_site,
        show_default=False,
    ),
]
ResumedSiteOption = Annotated[
    str | None,
    typer.Option(
        "--site",
        help="Go on by another site: a name or a .yaml file; by default the one of the ledger.",
        autocompletion=complete_site,
        show_default=False,
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Replace a value, written as YAML: p1b1.instances=8, p1b1.parameters.epochs=8 (or "
        "p1b1.epochs=8), campaign.start=synchronized, site.scheduler.account=abc. Repeatable.",
        show_default=False,
    ),
]
NameOption = Annotated[
    str | None,
    typer.Option("--name", help="Name in the ledger; by default the campaign file's.", show_default=False),
]
DataOption = Annotated[
    str | None,
    typer.Option("--data", help="Directory of the data folders; by default the site's.", show_default=False),
]
NotifyOption = Annotated[
    str | None,
    typer.Option(
        "--notify",
        help="Shell command that is run at the first failed attempt and at the end, with JSON on its "
        "standard input.",
        metavar="COMMAND",
        show_default=False,
    ),
]
ExcludeOption = Annotated[
    str | None,
    typer.Option(
        "--exclude",
        help="Never use these nodes: a file with one a line, as of screen --write, or n1,n2.",
        metavar="FILE|NODES",
        show_default=False,
    ),
]
DetachOption = Annotated[
    bool,
    typer.Option("--detach", help="Return at once; the driver goes on without a terminal. See `attach`."),
]
HereOption = Annotated[
    bool | None,
    typer.Option(
        "--here/--no-here",
        help="Use the allocation that this command runs in (salloc, qsub -I, bsub -Is, flux alloc): submit "
        "no jobs, start the workers on its nodes, end before it does. By default as the site file's "
        "scheduler.inside_allocation says.",
        show_default=False,
    ),
]
PoolOption = Annotated[
    str | None,
    typer.Option(
        "--pool",
        help="With --here: the pool of the site that the allocation is of, in this session alone.",
        show_default=False,
    ),
]
ScriptOption = Annotated[
    bool, typer.Option("--script", help="Print the submit scripts of the blocks instead.")
]
SimulateOption = Annotated[
    bool,
    typer.Option(
        "--simulate", help="Predict its length instead: run it in virtual time, from what it expects."
    ),
]
MixedOption = Annotated[
    bool,
    typer.Option(
        "--mixed",
        help="Go on although the site gives other slots to a benchmark that has accepted instances; the "
        "figure of merit is not reportable then.",
    ),
]
RetryExhaustedOption = Annotated[
    bool, typer.Option("--retry-exhausted", help="Also try instances again that are out of retries.")
]
ChangedCodeOption = Annotated[
    bool,
    typer.Option(
        "--allow-changed-code",
        help="Go on with the registered parameters although the code has changed; it is recorded.",
    ),
]
EndRunningOption = Annotated[
    bool,
    typer.Option(
        "--end-running", help="End attempts that outlived their driver instead of waiting for them."
    ),
]
AsJobOption = Annotated[
    bool,
    typer.Option(
        "--as-job",
        help="Run the driver as a scheduler job, which submits itself again before its walltime ends.",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    for command in (plan, launch, resume, attach, stop):
        app.command(rich_help_panel="Run")(command)


def plan(
    campaign: FileArgument,
    site: SiteOption = None,
    name: NameOption = None,
    data: DataOption = None,
    overrides: SetOption = None,
    script: ScriptOption = False,
    simulate: SimulateOption = False,
    seed: Annotated[int, typer.Option(help="Random seed of the simulation.")] = 0,
    here: HereOption = None,
    pool: PoolOption = None,
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
    from orchestrator.planning.plan_facts import plan_facts

    with reading_notice(campaign), console_log(functools.partial(typer.echo, err=True)):
        made = make(campaign, site, name=name, data=data, overrides=overrides or (), here=here, pool=pool)
    if simulate:
        from orchestrator.simulation.prediction import forecast

        with Progress(console_of(as_json=True), first_seconds=2.0) as progress:
            found = forecast(made, seed, progress)
        if as_json:
            print_json(found.to_dict())
        else:
            show_forecast(found)
    elif as_json:
        packages = look_for_packages(made)
        made = without(made, packages.left_out)
        missing = {"missing_packages": packages.missing, "unknown_packages": packages.unknown}
        print_json({**plan_facts(made), **missing})
    elif script:
        show_scripts(made)
    else:
        packages = look_for_packages(made)
        made = without(made, packages.left_out)
        show_plan(made)
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
    site: SiteOption = None,
    ledger: LedgerOption = None,
    name: NameOption = None,
    data: DataOption = None,
    overrides: SetOption = None,
    check_data: Annotated[bool, typer.Option(help="Read and hash all data files before the launch.")] = True,
    notify: NotifyOption = None,
    exclude: ExcludeOption = None,
    here: HereOption = None,
    pool: PoolOption = None,
    detach: DetachOption = False,
    as_job: AsJobOption = False,
    as_json: JsonOption = False,
) -> None:
    """Register a campaign and run it to its end.

    Ctrl-C once: running instances finish. Twice: they are ended. Either way `resume` goes on.

    Example: orchestrator launch demo --name friday --ledger ledger.sqlite

    Example: orchestrator launch coral2-base --site ours.yaml --exclude slow.txt
    """
    if detach or as_job:
        from sites import default

        site, values = site or default().site, overrides or []
        words = ["launch", campaign, "--site", site, *_repeated("--set", values), *_here_words(here, pool)]
        words += [*([] if check_data else ["--no-check-data"]), *_exclude_words(exclude)]
        options = {"--ledger": ledger, "--name": name, "--data": data, "--notify": notify}
        if as_job:
            _refuse_job_here(here, pool)
            launch_as_job(words, site, values, options, as_json=as_json)
        detach_and_tell(words, options, as_json=as_json)
    from orchestrator.cli.progress_bar import Progress
    from orchestrator.lifecycle.launch import launch as run

    with Progress(console_of(as_json)) as progress, console_log(progress.message):
        result = run(
            campaign,
            site,
            ledger=ledger,
            name=name,
            data=data,
            overrides=overrides or (),
            check_data=check_data,
            notify=notify,
            exclude=exclude,
            here=here,
            pool=pool,
            display=progress,
        )
    _finish(result, ledger, as_json=as_json)


def resume(
    name: CampaignArgument,
    ledger: LedgerOption = None,
    site: ResumedSiteOption = None,
    overrides: SetOption = None,
    mixed: MixedOption = False,
    retry_exhausted: RetryExhaustedOption = False,
    allow_changed_code: ChangedCodeOption = False,
    end_running: EndRunningOption = False,
    notify: NotifyOption = None,
    exclude: ExcludeOption = None,
    here: HereOption = None,
    pool: PoolOption = None,
    detach: DetachOption = False,
    as_job: AsJobOption = False,
    as_json: JsonOption = False,
) -> None:
    """Continue a campaign after a stop or a crash; finished instances are not run again.

    With --site or --set, on another site or with another account, partition, walltime or node count, for
    example; the ledger keeps which sessions ran by which text.

    Example: orchestrator resume friday
    Example: orchestrator resume friday --set site.scheduler.account=abc
    """
    if detach or as_job:
        values = overrides or []
        flags = {
            "--mixed": mixed,
            "--retry-exhausted": retry_exhausted,
            "--allow-changed-code": allow_changed_code,
            "--end-running": end_running,
        }
        words = ["resume", name, *(flag for flag, given in flags.items() if given), *_exclude_words(exclude)]
        words += [*(["--site", site] if site else []), *_repeated("--set", values), *_here_words(here, pool)]
        options = {"--ledger": ledger, "--notify": notify}
        if as_job:
            _refuse_job_here(here, pool)
            resume_as_job(words, site, values, options, as_json=as_json)
        detach_and_tell(words, options, as_json=as_json)
    from orchestrator.cli.progress_bar import Progress
    from orchestrator.lifecycle.resume import resume as run

    with Progress(console_of(as_json)) as progress, console_log(progress.message):
        result = run(
            name,
            ledger=ledger,
            site=site,
            overrides=overrides or (),
            mixed=mixed,
            retry_exhausted=retry_exhausted,
            allow_changed_code=allow_changed_code,
            end_running=end_running,
            notify=notify,
            exclude=exclude,
            here=here,
            pool=pool,
            display=progress,
        )
    _finish(result, ledger, as_json=as_json)


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

    Of a campaign whose driver has died, --now ends what still runs.

    Example: orchestrator stop friday
    """
    from orchestrator.lifecycle.stop import stop as ask
    from orchestrator.lifecycle.stop import wait_until_stopped

    asked = ask(name, ledger=ledger, cancel=now)
    if not asked:
        outcome = None
        message = f"no driver runs {name}; `orchestrator status {name}` shows where it stands"
        if now and (ended := _end_leftovers(name, ledger)):
            message = f"{name}: no driver runs it; {ended}; `orchestrator resume {name}` goes on"
    else:
        if not as_json:
            typer.echo(f"{name}: asked to stop")
        outcome = outcome_words(wait_until_stopped(name, ledger=ledger)) if wait else None
        message = f"{name}: {outcome}" if outcome else ""
    if as_json:
        print_json({"campaign": name, "asked": asked, "outcome": outcome})
    elif message:
        typer.echo(message)


def _end_leftovers(name: str, ledger: str | None) -> str:
    """End what a dead driver left running; return what was ended, and what was not, for people."""
    from orchestrator.diagnostics.leftovers import find_leftovers

    kinds = ("process", "job", "allocation")
    found = [one for one in find_leftovers(ledger, name, finish=True).leftovers if one.kind in kinds]
    stay = [f"{one.description} goes on: {one.problem}" for one in found if not one.ended]
    ended = sum(one.ended for one in found if one.kind != "allocation")
    stay += [one.description for one in found if one.ended and one.kind == "allocation"]
    return "; ".join([f"ended {ended} processes and jobs that it left", *stay]) if found else ""


def _refuse_job_here(here: bool | None, pool: str | None) -> None:
    if here or pool:
        from orchestrator.errors import CampaignError

        raise CampaignError(
            "--as-job runs the driver in a job of its own, --here uses this allocation; leave one out"
        )


def _here_words(here: bool | None, pool: str | None) -> list[str]:
    words = [] if here is None else ["--here" if here else "--no-here"]
    return [*words, *(["--pool", pool] if pool else [])]


def _exclude_words(exclude: str | None) -> list[str]:
    """Return the option for a process that may run in another directory; raises `CampaignError`."""
    if exclude is None:
        return []
    from orchestrator.lifecycle.excluded_nodes import exclude_list

    return ["--exclude", exclude_list(exclude).source or exclude]


def _repeated(option: str, values: Sequence[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


def console_of(as_json: bool):  # type: ignore[no-untyped-def]
    """Return the console of messages and progress: standard error where JSON is printed."""
    from rich.console import Console

    stream = sys.stderr if as_json else sys.stdout
    # Asked of the stream: a variable that says that pipes take colours does not make them live displays.
    return Console(stderr=as_json, force_terminal=stream.isatty())


def _finish(result: RunResult, ledger: str | None, *, as_json: bool) -> None:
    from orchestrator.cli.exit_codes import EXIT_CODES
    from orchestrator.cli.fom import show_fom
    from orchestrator.cli.roofline import show_trainings
    from orchestrator.diagnostics.stated_verdicts import fom
    from orchestrator.driver.outcomes import RunOutcome

    readable = result.outcome is not RunOutcome.LEDGER_FAILED
    verdict = fom(result.campaign, ledger) if readable else None
    roofline = _roofline(result.campaign, ledger) if readable else None
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
                **({"roofline": roofline.to_dict()} if roofline else {}),
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
        if roofline is not None:
            print()
            show_trainings(roofline)
        print(f"\nledger   {result.ledger}\nfiles    {result.directory}")
        if result.outcome is RunOutcome.COMPLETE:
            print(f"next     orchestrator fom {name}{option} --rules")
            print(f"         orchestrator report {name}{option}")
            if roofline is not None:
                print(f"         orchestrator roofline {name}{option} --figure roofline.svg")
        elif result.outcome is RunOutcome.EXHAUSTED:
            print(f"next     orchestrator resume {name}{option} --retry-exhausted")
        else:
            print(f"next     orchestrator resume {name}{option}")
        print(f"         orchestrator instances {name}{option}")
        question = "SELECT campaign_name, benchmark, max(fom_seconds) FROM accepted GROUP BY 1, 2"
        print(f'         orchestrator query{option} "{question}"')
    raise typer.Exit(EXIT_CODES[result.outcome])


def _roofline(name: str, ledger: str | None) -> Roofline | None:
    """Return what the campaign's rulebook shows beside its figure."""
    from db.reader import Reader
    from orchestrator.analysis.roofline_runs import figure_roofline

    with Reader(ledger) as reader:
        return figure_roofline(reader, [reader.campaign(name)])
