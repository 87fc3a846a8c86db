"""Commands that run campaigns: plan, launch, resume, attach, stop."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from orchestrator.cli.options import (
    CampaignArgument,
    JsonOption,
    LedgerOption,
    complete_campaign,
    ledger_words,
)
from orchestrator.cli.run.attach import detach_and_tell
from orchestrator.cli.run.driver_job import launch_as_job, resume_as_job
from orchestrator.cli.run.options import FileArgument, ResumedSiteOption, takes
from orchestrator.cli.terminal.campaign_progress import campaign_progress
from orchestrator.cli.terminal.console_log import console_log
from orchestrator.cli.terminal.tables import print_json, say
from orchestrator.host.terminal import surviving_hangup
from orchestrator.lifecycle.options import LaunchOptions, PlanOptions, ResumeOptions, words
from orchestrator.monitoring.outcome_words import outcome_words
from orchestrator.wording import count_of, printable

if TYPE_CHECKING:
    from orchestrator.analysis.roofline.ceilings import Roofline
    from orchestrator.lifecycle.session.run_session import RunResult
    from orchestrator.planning.plan import Plan
    from orchestrator.rulebooks.model import Verdict


_CLOSED = "the terminal has closed; the campaign goes on"
_Options = TypeVar("_Options", LaunchOptions, ResumeOptions)
DetachOption = Annotated[
    bool,
    typer.Option("--detach", help="Return at once; the driver goes on without a terminal. See `attach`."),
]
ScriptOption = Annotated[
    bool, typer.Option("--script", help="Print the submit scripts of the blocks instead.")
]
AskOption = Annotated[
    bool,
    typer.Option(
        "--ask",
        help="Ask the batch system instead when it would start a block of each stage; nothing is submitted. "
        "Exit code 5 where it refuses one.",
    ),
]
SimulateOption = Annotated[
    bool,
    typer.Option(
        "--simulate",
        help="Predict length and node-hours instead: run it in virtual time, as earlier campaigns of the "
        "ledger went on this site, or from `expected_runtime`.",
    ),
]
RunsOption = Annotated[
    int | None,
    typer.Option(
        "--runs",
        metavar="N",
        min=1,
        help="With --simulate: how many campaigns are simulated; 19 (or 39, 59) state ranges of 90 %. 19 by "
        "default, and 1 for more than 20,000 instances.",
    ),
]
QueueWaitOption = Annotated[
    str | None,
    typer.Option(
        "--queue-wait",
        metavar="TIME|jobs",
        help="With --simulate, instead of waits of earlier blocks: a median wait in the queue, such as "
        "30min, or `jobs` for the waits of your jobs that the batch system lists (Slurm, PBS Pro, Flux).",
    ),
]
SpreadOption = Annotated[
    str | None,
    typer.Option(
        "--spread",
        metavar="SHARE",
        help="With `until` or `decide`: how runs spread around their median, such as 2%, a guess from which "
        "the cost of certainty follows.",
    ),
]
LikeOption = Annotated[
    str | None,
    typer.Option(
        "--like",
        metavar="NAME",
        help="As --spread, by the runs of an earlier campaign of the ledger.",
        autocompletion=complete_campaign,
    ),
]
QuietOption = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print only how it ended; the log has all messages."),
]
AsJobOption = Annotated[
    bool,
    typer.Option(
        "--as-job",
        help="Run the driver as a scheduler job, which submits itself again before its walltime ends.",
    ),
]


@takes(PlanOptions)
def plan(
    campaign: FileArgument,
    options: PlanOptions,
    script: ScriptOption = False,
    asks: AskOption = False,
    simulate: SimulateOption = False,
    seed: Annotated[int, typer.Option(help="Random seed of the simulation.")] = 0,
    runs: RunsOption = None,
    queue_wait: QueueWaitOption = None,
    spread: SpreadOption = None,
    like: LikeOption = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what launching would do: instances, slots, blocks, waves, node-hours. Nothing runs.

    Example: orchestrator plan demo --site local

    When the batch system would start its blocks: orchestrator plan demo --site ours.yaml --ask

    How long it takes, with the wait in the queue: orchestrator plan demo --site ours.yaml --simulate

    What certainty costs, for a campaign with `until` or `decide`: orchestrator plan compare.yaml --spread 2%
    """
    from orchestrator.cli.run.ask import ask
    from orchestrator.cli.run.certainty import certainty_of, show_questions, show_searches
    from orchestrator.cli.run.prediction import predicted, refuse_without_simulation, show_prediction
    from orchestrator.cli.terminal.plan_view import show_plan, show_scripts
    from orchestrator.cli.terminal.slow_notice import reading_notice
    from orchestrator.driver.queue.order_design import order_design
    from orchestrator.lifecycle.checks.packages import look_for_packages
    from orchestrator.lifecycle.launch import plan as make
    from orchestrator.planning.plan import without
    from orchestrator.planning.plan_facts import plan_facts

    if not simulate:
        refuse_without_simulation(runs=runs, queue_wait=queue_wait)
    with reading_notice(campaign), console_log(functools.partial(typer.echo, err=True)):
        made = make(campaign, options)
    if asks:
        ask(made, as_json=as_json)
        return
    packages = look_for_packages(made)
    made = without(made, packages.left_out)
    tables = certainty_of(made, spread, like, ledger)
    certainty = {"certainty": [asdict(one) for one in tables]} if tables else {}
    if simulate:
        found = predicted(made, ledger, seed, runs, queue_wait)
        if as_json:
            print_json(found.to_dict() | certainty)
        else:
            show_prediction(made, found)
            show_questions(made, tables, simulated=True)
            show_searches(made, simulated=True)
            _show_left_out(made)
    elif as_json:
        missing = {"missing_packages": packages.missing, "unknown_packages": packages.unknown}
        design = order_design(made)
        order = design.facts() if design else {"order": "file"}
        print_json({**plan_facts(made), "order": order, **certainty, **missing})
    elif script:
        show_scripts(made)
    else:
        show_plan(made)
        show_questions(made, tables)
        show_searches(made)
        _show_left_out(made)
        if packages.missing:
            say("\nPackages are missing for the trainings:")
            say("\n".join(f"  {line}" for line in packages.missing))
        if packages.unknown:
            say(f"\n{packages.unknown}")


def _show_left_out(made: Plan) -> None:
    if made.left_out:
        say("\nThese optional benchmarks are left out:")
        say("\n".join(f"  {benchmark}: {why}" for benchmark, why in made.left_out.items()))


@takes(LaunchOptions)
def launch(
    campaign: FileArgument,
    options: LaunchOptions,
    detach: DetachOption = False,
    as_job: AsJobOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Register a campaign and run it to its end.

    Ctrl-C once: running instances finish. Twice: they are ended. Either way `resume` goes on.

    Example: orchestrator launch demo --name friday --ledger ledger.sqlite

    Example: orchestrator launch coral2-base --site ours.yaml --exclude slow.txt
    """
    if detach or as_job:
        from sites import default

        options = replace(_for_another_directory(options), site=options.site or default().site)
        if as_job:
            _refuse_job_here(options)
            launch_as_job(campaign, options, as_json=as_json)
        detach_and_tell(["launch", campaign, *words(options)], options.ledger, as_json=as_json)
    from orchestrator.cli.run.prediction import to_register
    from orchestrator.lifecycle.launch import launch as run

    with surviving_hangup(_CLOSED):
        with campaign_progress(options.ledger, stderr=as_json, quiet=quiet) as progress:
            result = run(campaign, options, display=progress, forecast=to_register(options))
        _finish(result, options.ledger, as_json=as_json)


@takes(ResumeOptions, site=ResumedSiteOption)
def resume(
    name: CampaignArgument,
    options: ResumeOptions,
    detach: DetachOption = False,
    as_job: AsJobOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Continue a campaign after a stop or a crash; finished instances are not run again.

    With --site or --set, on another site or with another account, partition, walltime or node count, for
    example; the ledger keeps which sessions ran by which text.

    Example: orchestrator resume friday
    Example: orchestrator resume friday --set site.scheduler.account=abc
    """
    if detach or as_job:
        options = _for_another_directory(options)
        if as_job:
            _refuse_job_here(options)
            resume_as_job(name, options, as_json=as_json)
        detach_and_tell(["resume", name, *words(options)], options.ledger, as_json=as_json)
    from orchestrator.lifecycle.resume import resume as run

    with surviving_hangup(_CLOSED):
        with campaign_progress(options.ledger, stderr=as_json, quiet=quiet) as progress:
            result = run(name, options, display=progress)
        _finish(result, options.ledger, as_json=as_json)


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
    from orchestrator.lifecycle.requests.stop import stop as ask
    from orchestrator.lifecycle.requests.stop import wait_until_stopped

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
    return "; ".join([f"ended {count_of(ended, 'process')} and jobs that it left", *stay]) if found else ""


def _refuse_job_here(options: LaunchOptions | ResumeOptions) -> None:
    if options.here or options.pool:
        from orchestrator.errors import CampaignError

        raise CampaignError(
            "--as-job runs the driver in a job of its own, --here uses this allocation; leave one out"
        )


def _for_another_directory(options: _Options) -> _Options:
    """Return options for a process that may run in another directory; raises `CampaignError`."""
    if options.exclude is None:
        return options
    from orchestrator.lifecycle.checks.excluded_nodes import exclude_list

    return replace(options, exclude=exclude_list(options.exclude).source or options.exclude)


def _finish(result: RunResult, ledger: str | None, *, as_json: bool) -> None:
    from db.states import RunOutcome
    from orchestrator.cli.exit_codes import EXIT_CODES
    from orchestrator.cli.terminal.plain_output import closed_output_is_no_error

    if result.moved:
        ledger = result.ledger
    readable = result.outcome is not RunOutcome.LEDGER_FAILED
    verdict, warnings = _verdict(result.campaign, ledger) if readable else (None, ())
    roofline = _roofline(result.campaign, ledger) if readable else None
    lines = _answers(result.campaign, ledger) if readable else []
    with closed_output_is_no_error():
        if lines and not as_json:
            say("\n" + "\n".join(lines))
        for warning in () if as_json else warnings:
            say("\n" + printable(f"warning: {warning}"))
        _show_end(result, ledger, verdict, warnings, roofline, as_json=as_json)
    raise typer.Exit(EXIT_CODES[result.outcome])


def _verdict(name: str, ledger: str | None) -> tuple[Verdict, Sequence[str]]:
    """Return the verdict on a campaign, and the warnings beside it."""
    from db.reader import Reader
    from orchestrator.review.dossier import Dossier

    with Reader(ledger) as reader:
        dossier = Dossier.read(reader, [reader.campaign(name)], reviews=False)
    return dossier.verdict, dossier.warnings


def _answers(name: str, ledger: str | None) -> list[str]:
    from db.reader import Reader
    from orchestrator.cli.terminal.answer_lines import lines_of_campaign

    with Reader(ledger) as reader:
        return lines_of_campaign(reader, reader.campaign(name).campaign_id)


def _show_end(
    result: RunResult,
    ledger: str | None,
    verdict: Verdict | None,
    warnings: Sequence[str],
    roofline: Roofline | None,
    *,
    as_json: bool,
) -> None:
    from orchestrator.cli.analyze.roofline import show_trainings
    from orchestrator.cli.look.fom import show_fom
    from orchestrator.cli.run import first_campaign

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
                **({"warnings": list(warnings)} if warnings else {}),
                **({"roofline": roofline.to_dict()} if roofline else {}),
            }
        )
    else:
        name = result.campaign
        first = name == first_campaign.NAME
        print(
            f"\n{name}: {outcome_words(result.outcome)}; {result.done} of "
            f"{count_of(result.total, 'instance')} accepted\n"
        )
        if verdict is not None and result.done:
            show_fom(verdict)
            if first:
                print("\n" + "\n".join(first_campaign.in_words(verdict)))
        if roofline is not None:
            print()
            show_trainings(roofline)
        print(f"\nledger   {result.ledger}\nfiles    {result.directory}")
        commands = _next_commands(result, ledger, roofline)
        say("next     " + "\n         ".join(commands))


def _next_commands(result: RunResult, ledger: str | None, roofline: Roofline | None) -> list[str]:
    """Return what a user most likely wants after a launch or resume."""
    from db.states import RunOutcome
    from orchestrator.cli.run import first_campaign
    from orchestrator.rundir.layout import RunDirectory, recorded_instance

    name, option = result.campaign, ledger_words(ledger)
    found = []
    if result.outcome is RunOutcome.COMPLETE:
        found = [f"orchestrator fom {name}{option} --rules", f"orchestrator report {name}{option}"]
        if name == first_campaign.NAME:
            found.append(first_campaign.NEXT)
        if recorded := sorted(RunDirectory(Path(result.directory)).profiles.glob("*.json.gz")):
            label = shlex.quote(recorded_instance(recorded[0].name))
            found.append(f"orchestrator instance show {name} {label}{option} --profile")
        if roofline is not None:
            found.append(f"orchestrator analyze roofline {name}{option} --figures roofline.svg")
    elif result.outcome is RunOutcome.EXHAUSTED:
        label = _first_exhausted(name, ledger)
        found = [f"orchestrator logs {name} {label}{option}"] if label else []
        found.append(f"orchestrator resume {name}{option} --retry-exhausted")
    else:
        found.append(f"orchestrator resume {name}{option}")
    question = "SELECT campaign_name, benchmark, max(fom_seconds) FROM counted GROUP BY 1, 2"
    return [
        *found,
        f"orchestrator instance list {name}{option}",
        f'orchestrator ledger query{option} "{question}"',
    ]


def _first_exhausted(name: str, ledger: str | None) -> str:
    """Return the first instance that is out of retries now; empty where none is."""
    from db.queries.instance_pages import Wanted, instance_page
    from db.reader import Reader
    from db.states import InstanceState

    with Reader(ledger) as reader:
        number = reader.campaign(name).campaign_id
        page = instance_page(reader, number, Wanted(state=InstanceState.EXHAUSTED), limit=1)
    return page.lines[0].label if page.lines else ""


def _roofline(name: str, ledger: str | None) -> Roofline | None:
    """Return what the campaign's rulebook shows beside its figure."""
    from db.reader import Reader
    from orchestrator.analysis.roofline.runs import figure_roofline

    with Reader(ledger) as reader:
        return figure_roofline(reader, [reader.campaign(name)])
