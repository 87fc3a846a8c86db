"""`node screen`: which nodes are slow or fail, by micro-benchmarks on every slot."""

from __future__ import annotations

import functools
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.files.workload import complete_workload
from orchestrator.cli.options import JsonOption, complete_campaign
from orchestrator.cli.run.options import check_may_write, takes
from orchestrator.cli.terminal.tables import print_json, print_table, say
from orchestrator.screening.options import ScreenOptions
from orchestrator.wording import count_of, percent_words

if TYPE_CHECKING:
    from orchestrator.analysis.nodes.screened import Judged
    from orchestrator.screening.screen import Screened

_SHOWN, _MOST_SHOWN = 10, 40
_LEAST_SECONDS, _MOST_SECONDS = 0.001, 86_400
_NameArgument = Annotated[
    str | None,
    typer.Argument(
        help="Name of the screening in the ledger: it goes on, or is shown if it has ended. By default "
        "screen-SITE-DATE.",
        autocompletion=complete_campaign,
    ),
]
_NodesOption = Annotated[
    int | None,
    typer.Option(
        "--nodes", min=1, max=100_000, help="Screen so many; by default those of the site's blocks."),
]  # fmt: skip
_WorkloadOption = Annotated[
    list[str] | None,
    typer.Option(
        "--workload",
        help="What runs on each slot; by default gemm, triad and read_bandwidth. Repeatable. links alone "
        "measures the network between the nodes.",
        autocompletion=complete_workload,
    ),
]


def _measurable(seconds: float) -> float:
    """Refuse a time that is no time; a range of the option would speak of its upper end at NaN."""
    if not _LEAST_SECONDS <= seconds <= _MOST_SECONDS:
        raise typer.BadParameter(f"give {_LEAST_SECONDS:g} to {_MOST_SECONDS:,} s, not {seconds:g}")
    return seconds


_SecondsOption = Annotated[
    float,
    typer.Option(
        "--seconds",
        callback=_measurable,
        help="Measure each slot so long before the first look, 0.001 to 86,400 s; later waves take as long "
        "each.",
    ),
]
_WavesOption = Annotated[
    int,
    typer.Option(
        "--waves", min=1, max=1000, help="Run each workload so often on each slot before the first look.",
    ),
]  # fmt: skip
_AtMostOption = Annotated[
    int,
    typer.Option(
        "--at-most", min=1, max=1000, help="Run it so often at the most, while a node is undecided.",
    ),
]  # fmt: skip
_DifferenceOption = Annotated[
    float,
    typer.Option(
        "--difference", min=0.001, max=1.0, help="Nodes that are certainly slower by less are fine.",
    ),
]  # fmt: skip
_PoolOption = Annotated[
    str | None,
    typer.Option("--pool", help="Pool of the site; by default its first."),
]
_DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show what would run; run nothing.")]
_ReportOption = Annotated[
    bool, typer.Option("--report", help="Show what the ledger says so far of NAME; run nothing.")
]
_WriteOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Write failing and slow nodes to a file for `launch --exclude`.",
        metavar="FILE",
    ),
]
_ForceOption = Annotated[bool, typer.Option("--force", help="Let --output replace a file that exists.")]


@takes(
    ScreenOptions,
    name=_NameArgument,
    nodes=_NodesOption,
    workloads=_WorkloadOption,
    seconds=_SecondsOption,
    waves=_WavesOption,
    at_most=_AtMostOption,
    difference=_DifferenceOption,
    pool=_PoolOption,
)
def screen(
    options: ScreenOptions,
    dry_run: _DryRunOption = False,
    report: _ReportOption = False,
    write: _WriteOption = None,
    force: _ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find slow and failing nodes before a campaign does: minutes of micro-benchmarks on every slot.

    All slots of a node run together, as in a campaign, wave after wave, until each node is certainly slower
    than the others by the difference, or certainly not, or has run in --at-most waves and is undecided. At
    most one screening in a hundred names a good node. Exit code 5 says that nodes are named.

    Example: orchestrator node screen --site ours.yaml --nodes 64 --output slow.txt

    Example: orchestrator node screen --site ours.yaml --nodes 64 --workload links

    Example: orchestrator node screen screen-ours-2026-11-22 --report
    """
    from orchestrator.lifecycle.driver_process.job import is_registered
    from orchestrator.screening.screen import look

    name = options.name
    _check_options(name, dry_run=dry_run, report=report, write=write, force=force)
    registered = name is not None and is_registered(name, options.ledger)
    if registered and (given := _given(options)):
        raise typer.BadParameter(
            f"{name} is in the ledger and goes on as it was launched; leave out {', '.join(given)}, or give "
            "the new screening another name"
        )
    if dry_run:
        _show_plan(options, as_json=as_json)
        return
    found = look(str(name), ledger=options.ledger) if report else _run(options, as_json=as_json)
    if as_json:
        print_json(found.to_dict())
    else:
        _show(found)
    if write is not None:
        _write(write, found, as_json=as_json)
    if code := _exit_code(found):
        raise typer.Exit(code)


def _check_options(name: str | None, *, dry_run: bool, report: bool, write: Path | None, force: bool) -> None:
    if dry_run and (report or write):
        raise typer.BadParameter("--dry-run measures nothing; leave out --report and --output")
    if report and name is None:
        raise typer.BadParameter("name the screening, such as screen-SITE-DATE", param_hint="--report")
    if force and write is None:
        raise typer.BadParameter("--force is for --output FILE", param_hint="--force")
    check_may_write("--output", write)
    if write is not None and write.exists() and not force:
        raise typer.BadParameter(f"{write} exists; --force replaces it", param_hint="--output")


def _given(options: ScreenOptions) -> list[str]:
    """Return the options that were given and that a registered screening cannot follow."""
    fixed = {"site", "nodes", "workloads", "seconds", "waves", "at_most", "difference", "pool", "overrides"}
    return [
        one.metadata.get("option", f"--{one.name}")
        for one in fields(options)
        if one.name in fixed and getattr(options, one.name) != one.default
    ]


def _run(options: ScreenOptions, *, as_json: bool) -> Screened:
    """Launch a screening, or go on with it, with a progress bar."""
    from orchestrator.cli.terminal.campaign_progress import campaign_progress
    from orchestrator.lifecycle.driver_process.job import is_registered
    from orchestrator.screening.screen import begin, go_on, prepare

    with campaign_progress(options.ledger, stderr=as_json) as progress:
        if options.name is not None and is_registered(options.name, options.ledger):
            return go_on(options.name, options, display=progress)
        return begin(prepare(options), display=progress)


def _show_plan(options: ScreenOptions, *, as_json: bool) -> None:
    from orchestrator.cli.terminal.console_log import console_log
    from orchestrator.cli.terminal.plan_view import show_plan
    from orchestrator.planning.plan_facts import plan_facts
    from orchestrator.screening.screen import plan, prepare

    with console_log(functools.partial(typer.echo, err=True)):
        made = plan(prepare(options))
    if as_json:
        print_json({**plan_facts(made), "node_hours": made.node_hours})
        return
    show_plan(made)
    if made.node_hours is not None:
        most = 60 * made.node_hours
        first = (
            f"{most * options.waves / options.at_most:.3g} if all is certain after {options.waves} waves, "
        )
        say(
            f"\nnode-minutes {first if options.waves < options.at_most else ''}{most:.3g} at the most, of "
            "which 10 s a run for its start are a guess"
        )


def _exit_code(found: Screened) -> int:
    """Return 4 where instances wait, 5 where nodes are named, and the session's own where it failed."""
    from db.states import RunOutcome
    from orchestrator.cli.exit_codes import EXIT_CODES, SLOWER

    code = EXIT_CODES[found.outcome] if found.outcome else 0
    if found.outcome not in (None, RunOutcome.COMPLETE, RunOutcome.EXHAUSTED):
        return code
    if found.unfinished:
        return EXIT_CODES[RunOutcome.DRAINED]
    return SLOWER if found.judged.named else code


def _show(found: Screened) -> None:
    judged = found.judged
    names = [one.name for one in judged.benchmarks]
    marked = len(judged.named) + len(judged.undecided)
    listed = judged.nodes[: max(_SHOWN, len(judged.named), min(marked, _MOST_SHOWN))]
    asked = "" if found.asked_nodes is None else f" of {found.asked_nodes:,} asked for"
    print_table(
        ["node", "worst slot", *(f"{name} ÷ median" for name in names), "runs", "verdict"],
        [
            [
                one.node,
                None
                if one.worst_relative is None
                else f"{one.worst_slot} ({one.worst_benchmark} {one.worst_relative:.3f})",
                *(f"{one.relative[name]:.3f}" if name in one.relative else None for name in names),
                one.values,
                one.verdict,
            ]
            for one in listed
        ],
        title=f"{found.campaign}: nodes: {len(judged.nodes):,}{asked}, slowest first",
    )
    if (rest := len(judged.nodes) - len(listed)) > 0:
        say(f"and {rest:,} faster; --json lists all")
    say()
    for bench in judged.benchmarks:
        if bench.failed_nodes:
            words = f"{bench.failed_nodes} nodes, so no node is to blame: {' '.join(bench.message.split())}"
            say(f"not judged   {bench.name} failed on {words}")
        if bench.failed_together:
            failed = count_of(bench.failed_together, "attempt")
            words = f"of {bench.name} on all nodes of a block failed, which names none"
            say(f"not counted  {failed} {words}: {' '.join(bench.message.split())}")
        if bench.unit:
            say(f"median       {bench.name} {bench.median:.4g} {bench.unit}")
    for one in listed:
        if one.verdict in ("failing", "slow", "undecided"):
            say(f"{one.verdict:<12} {one.node}: {one.why}")
    for line in found.pairs:
        say(f"slow pair    {line}")
    for line in found.silent:
        say(f"silent       {line}")
    _show_verdict(judged)
    fewest, most = found.values
    runs = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    at_most = judged.asked.at_most
    say(f"runs         {runs} of at most {at_most} of each benchmark on each slot, all of a node at once")
    minutes = [
        "unknown" if one is None else f"{one:.3g}"
        for one in (found.held_node_minutes, found.planned_node_minutes)
    ]
    say(f"node-minutes held {minutes[0]}, planned at most {minutes[1]}")
    for line in found.bill.lines() if found.bill is not None else ():
        say(f"{'cost':<12} {line}")
    if found.unfinished:
        say(f"unfinished   {found.unfinished}; `orchestrator node screen {found.campaign}` goes on")


def _show_verdict(judged: Judged) -> None:
    """Say how many nodes are named, with the rate of errors, and what would decide the rest."""
    from orchestrator.analysis.nodes.scores import FALSE_ALARMS
    from orchestrator.analysis.nodes.screened import MISSED

    if judged.no_verdict:
        say(f"no verdict   {judged.no_verdict}; failing nodes alone are named")
        return
    many = count_of(len(judged.nodes), "node")
    named = (
        f"{len(judged.named)} of {many} are failing or slow" if judged.named else "no node is failing or slow"
    )
    fine = len(judged.nodes) - len(judged.named) - len(judged.undecided)
    say(f"verdict      {named}, {fine} fine, {len(judged.undecided)} undecided")
    asked = percent_words(judged.asked.difference)
    say(f"errors       at most {FALSE_ALARMS:.0%} of screenings call a node less than {asked} slower slow,")
    say(f"             and {MISSED:.0%} one more than {asked} slower fine")
    if judged.undecided:
        say(f"to decide    {judged.to_decide}")


def _write(file: Path, found: Screened, *, as_json: bool) -> None:
    from datetime import UTC, datetime

    from orchestrator.errors import CampaignError
    from orchestrator.host.atomic_files import atomic_write
    from orchestrator.screening.screen import exclude_text

    if found.unfinished:
        typer.echo(f"not written  {file}: the screening is unfinished, {found.unfinished}", err=as_json)
        return
    try:
        atomic_write(file, exclude_text(found, datetime.now(UTC)))
    except OSError as error:
        raise CampaignError(f"--output {file}: cannot be written: {error.strerror}") from None
    if not as_json:
        say(f"written      {file}; next `orchestrator launch CAMPAIGN --exclude {file}`")
