"""`workload tune`: the slot shape with the best figure per node."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.files.workload import complete_workload
from orchestrator.cli.options import JsonOption, complete_campaign, complete_site, no_password
from orchestrator.cli.run.options import check_may_write, complete_file, takes
from orchestrator.cli.terminal.tables import print_json, print_table, say
from orchestrator.tuning.options import TuneOptions

if TYPE_CHECKING:
    from orchestrator.analysis.base.statistics import Estimate
    from orchestrator.tuning.request import Ready
    from orchestrator.tuning.tune import TuneResult

_PREVIEW = (
    "these are both ends and a coarse grid; then up to two slots at a time around the best, until its "
    "neighbours are measured, {most} in all at the most; slots whose memory cannot fit are refused"
)
_WorkloadArgument = Annotated[
    str,
    typer.Argument(help="Name of a workload, or a .yaml file.", autocompletion=complete_workload),
]
_SiteOption = Annotated[
    str | None,
    typer.Option("--site", "-s", help="Site: a name or a .yaml file.", autocompletion=complete_site),
]
_NotifyOption = Annotated[
    str | None,
    typer.Option("--notify", help="Run at the first failure and the end.", metavar="COMMAND"),
]
_HereOption = Annotated[
    bool | None,
    typer.Option("--here/--no-here", help="Use the allocation of this shell."),
]
_NameOption = Annotated[
    str | None,
    typer.Option("--name", "-n", help="By default tune-WORKLOAD-SITE.", autocompletion=complete_campaign),
]
_FromOption = Annotated[
    str | None,
    typer.Option(
        "--from", help="Has parameters, data, times.", metavar="CAMPAIGN", autocompletion=complete_file
    ),
]
_SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Replace a value, as at launch."),
]
_DataOption = Annotated[str | None, typer.Option("--data", help="Directory of the data folders.")]
_CheckDataOption = Annotated[
    bool, typer.Option("--check-data/--no-check-data", help="Hash all data files first.", show_default=False)
]
_LedgerOption = Annotated[
    str | None,
    typer.Option("--ledger", "-l", callback=no_password, help="By default $ORCHESTRATOR_LEDGER."),
]
_EpochsOption = Annotated[int | None, typer.Option("--epochs", min=1, help="As --set WORKLOAD.epochs=N.")]
_WavesOption = Annotated[int, typer.Option("--waves", min=1, max=1000, help="Fills before the first look.")]
_AtMostOption = Annotated[int, typer.Option("--at-most", min=1, max=1000, help="Fills at the most.")]
_DifferenceOption = Annotated[
    float, typer.Option("--difference", min=0.001, max=1.0, help="Smaller ones are ties.")
]
_ReserveOption = Annotated[
    float, typer.Option("--reserve", min=0.0, max=0.9, help="Share of memory left free.")
]
_WriteOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write the slot into a copy of the site.", metavar="FILE"),
]
_DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show points and cost; run nothing.")]
_ReportOption = Annotated[bool, typer.Option("--report", help="Show the ledger's; run nothing.")]
_SvgOption = Annotated[Path | None, typer.Option("--figures", help="Write the curve as a plot.")]
_ForceOption = Annotated[bool, typer.Option("--force", help="Let --output change a file that exists.")]


@takes(
    TuneOptions,
    workload=_WorkloadArgument,
    name=_NameOption,
    like=_FromOption,
    waves=_WavesOption,
    at_most=_AtMostOption,
    difference=_DifferenceOption,
    reserve=_ReserveOption,
    site=_SiteOption,
    overrides=_SetOption,
    data=_DataOption,
    check_data=_CheckDataOption,
    ledger=_LedgerOption,
    notify=_NotifyOption,
    here=_HereOption,
)
def tune(
    options: TuneOptions,
    epochs: _EpochsOption = None,
    dry_run: _DryRunOption = False,
    report: _ReportOption = False,
    svg: _SvgOption = None,
    write: _WriteOption = None,
    force: _ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find how many instances of a workload a node should run at once.

    Fills a node with slots of one shape after another. The same command goes on after a stop.
    `orchestrator docs tune` has the details.

    Example: orchestrator workload tune lstm --from demo --dry-run

    Example: orchestrator workload tune lstm --report --output tuned.yaml
    """
    from orchestrator.tuning.request import prepare
    from orchestrator.tuning.tune import look

    _check_options(dry_run=dry_run, report=report, svg=svg, write=write, force=force)
    if epochs is not None:
        workload = options.workload
        own = Path(workload).stem if workload.endswith((".yaml", ".yml")) else workload
        options = replace(options, overrides=(f"{own}.epochs={epochs}", *options.overrides))
    if report:
        name = options.name or prepare(options).name
        found = look(name, options)
    else:
        ready = prepare(options)
        if dry_run:
            _show_plan(ready, as_json=as_json)
            return
        found = _measure(ready, as_json=as_json)
    if svg is not None:
        _write_plot(svg, found)
    if as_json:
        print_json(_to_dict(found))
    else:
        _show(found)
    if write is not None:
        _write_slot(write, found, options.site, force=force, as_json=as_json)
    if found.outcome is not None:
        from orchestrator.cli.exit_codes import EXIT_CODES

        raise typer.Exit(EXIT_CODES[found.outcome])


def _measure(ready: Ready, *, as_json: bool) -> TuneResult:
    """Run the tuning with a progress bar."""
    from orchestrator.cli.terminal.campaign_progress import campaign_progress
    from orchestrator.tuning.tune import tune

    with campaign_progress(ready.options.ledger, stderr=as_json) as progress:
        return tune(ready, display=progress)


def _check_options(*, dry_run: bool, report: bool, svg: Path | None, write: Path | None, force: bool) -> None:
    if dry_run and (report or svg or write):
        raise typer.BadParameter("--dry-run measures nothing; leave out --report, --figures and --output")
    if force and write is None:
        raise typer.BadParameter("--force is for --output FILE", param_hint="--force")
    check_may_write("--figures", svg)
    check_may_write("--output", write)
    if write is not None and write.suffix not in (".yaml", ".yml"):
        raise typer.BadParameter(f"{write}: a site file's name ends in .yaml", param_hint="--output")
    if write is not None and write.exists() and not force:
        raise typer.BadParameter(
            f"{write} exists; --force sets the slot in it, another name makes a copy of the site",
            param_hint="--output",
        )


def _show_plan(ready: Ready, *, as_json: bool) -> None:
    from orchestrator.cli.terminal.console_log import console_log
    from orchestrator.cli.terminal.plan_view import show_plan
    from orchestrator.planning.plan_facts import plan_facts
    from orchestrator.tuning.slot_ladder import MOST_TRIED
    from orchestrator.tuning.tune import plan_first_pass

    with console_log(functools.partial(typer.echo, err=True)):
        plan = plan_first_pass(ready)
    rungs = {one.shape for ladder in ready.ladders.values() for one in ladder}
    most = min(MOST_TRIED, len(rungs))
    if as_json:
        print_json({**plan_facts(plan), "node_hours": plan.node_hours, "most_points": most})
        return
    show_plan(plan)
    hours = "unknown without an expected runtime: --set WORKLOAD.expected_runtime=10min"
    if plan.node_hours is not None:
        hours = f"{plan.node_hours:.3g}, if instances take what is expected at every point"
    say(f"\n{_PREVIEW.format(most=most)}\nnode-hours {hours}")


def _to_dict(found: TuneResult) -> dict[str, Any]:
    return {
        **found.tuned.to_dict(),
        "refused": dict(found.refused),
        "unfinished": found.unfinished,
        "planned_node_hours": found.planned_node_hours,
        "outcome": found.outcome,
    }


def _show(found: TuneResult) -> None:
    tuned, best = found.tuned, found.tuned.recommendation.best
    dropped = tuned.recommendation.dropped
    limit = "" if tuned.limit_bytes is None else f", {tuned.limit_bytes / 2**30:.1f} GiB a node for instances"
    keys = [key for key in ("ranks", "cores", "gpus") if any(key in one.slot for one in tuned.shapes)]
    columns = ["instances/node", *keys, "nodes filled", f"longest {tuned.time_unit}"]
    print_table(
        [*columns, tuned.unit, "95 % interval", "peak GiB", ""],
        [
            [
                one.instances,
                *(one.slot.get(key, 1) for key in keys),
                one.nodes,
                one.seconds.value if one.seconds else None,
                one.figure.value if one.figure else None,
                _interval(one.figure),
                one.peak_bytes / 2**30 if one.peak_bytes else None,
                "best" if one is best else "dropped" if one.benchmark in dropped else "",
            ]
            for one in tuned.shapes
        ],
        title=f"{tuned.campaign}: {tuned.workload} on site {tuned.site}{limit}",
    )
    say()
    if best is not None and best.figure is not None:
        slot = ", ".join(f"{key}: {value}" for key, value in best.slot.items())
        many = f"{best.instances} instance{'s'[: best.instances != 1]} per node"
        say(f"recommended  {many}, slot {{{slot}}}: {_words(best.figure)} {tuned.unit}")
    else:
        say(f"recommended  nothing yet; `orchestrator status {tuned.campaign}` shows where it stands")
    for label, sentence in tuned.recommendation.sentences.items():
        say(f"{'as good' if label in tuned.recommendation.as_good else 'worse':<12} {label}: {sentence}")
    for label, why in dropped.items():
        say(f"dropped      {label}: {why}")
    for label, why in found.refused.items():
        say(f"not tried    {label}: {why}")
    for note in tuned.recommendation.notes:
        say(f"note         {note}")
    partial = sum(one.partial for one in tuned.shapes if one.benchmark not in dropped)
    if partial:
        many = "1 wave is" if partial == 1 else f"{partial:,} waves are"
        say(f"note         {many} left out: not all slots of the node were busy at once")
    fills = [one.nodes + one.partial for one in tuned.shapes]
    if fills and sum(fills) < (alike := max(fills) * len(fills)):
        say(f"fills        {sum(fills):,} of a node; {alike:,} if each slot had as many as the most measured")
    held = "none yet" if tuned.held_node_hours is None else f"{tuned.held_node_hours:.3g}"
    planned = (
        "no runtime was expected" if found.planned_node_hours is None else f"{found.planned_node_hours:.3g}"
    )
    say(f"node-hours   held {held}, planned {planned}")
    for line in tuned.bill.lines() if tuned.bill is not None else ():
        say(f"{'cost':<12} {line}")
    if found.unfinished:
        say(f"unfinished   {found.unfinished}; the same command without --report goes on")


def _interval(estimate: Estimate | None) -> str | None:
    if estimate is None or estimate.low is None:
        return None
    return f"{estimate.low:.4g} to {estimate.high:.4g}"


def _words(estimate: Estimate) -> str:
    interval = _interval(estimate)
    return f"{estimate.value:.4g}" + (f" ({interval})" if interval else "")


def _write_plot(file: Path, found: TuneResult) -> None:
    from orchestrator.errors import CampaignError
    from orchestrator.host.atomic_files import atomic_write
    from orchestrator.report.line_figures import line_svg
    from orchestrator.tuning.packing import packing_figure

    tuned = found.tuned
    if not any(one.figure for one in tuned.shapes):
        raise CampaignError(f"--figures {file}: {tuned.campaign} has no full node to draw")
    title = f"{tuned.workload} on {tuned.site}: figure of a full node"
    try:
        atomic_write(file, line_svg(packing_figure(title, tuned.unit, tuned.shapes)))
    except OSError as error:
        raise CampaignError(f"--figures {file}: cannot be written: {error.strerror}") from None


def _write_slot(file: Path, found: TuneResult, site: str | None, *, force: bool, as_json: bool) -> None:
    from orchestrator.errors import CampaignError
    from orchestrator.tuning.written_slot import write_slot
    from sites import default, find, load

    tuned = found.tuned
    if found.unfinished:
        typer.echo(f"not written  {file}: the tuning is unfinished, {found.unfinished}", err=as_json)
        return
    best = tuned.recommendation.best
    if best is None or best.figure is None:
        raise CampaignError(f"--output {file}: {tuned.campaign} recommends no slot yet")
    comment = f"{best.instances} per node: {_words(best.figure)} {tuned.unit}, campaign {tuned.campaign}"
    given = site or default().site
    source = find(given)
    if not file.exists() and (other := load(given)[0].site) != tuned.site:
        raise CampaignError(
            f"--output {file}: {tuned.campaign} is of site {tuned.site}, and the copy would be of site "
            f"{other}; add --site with the name or file of {tuned.site}"
        )
    write_slot(file, source, tuned.workload, best.slot, pool=tuned.pool, comment=comment, force=force)
    if not as_json:
        say(f"written      {file}")
