"""`status` and `explain`: where campaigns stand, and what they wait for."""

from __future__ import annotations

import shlex
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.driver_log import log_lines
from orchestrator.cli.exit_codes import exit_code_of
from orchestrator.cli.fom import LEFT_OUT, fom
from orchestrator.cli.instances import instances, show
from orchestrator.cli.options import (
    BenchmarkOption,
    CampaignArgument,
    JsonOption,
    LedgerOption,
    complete_campaign,
)
from orchestrator.cli.outcomes import outcome_words, session_words
from orchestrator.cli.tables import count_of, print_json, print_json_line, print_table, rate_words, utc

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from db.reader import Reader
    from db.records import Campaign
    from orchestrator.analysis.live_progress import LiveProgress
    from orchestrator.lifecycle.driver_place import DriverPlace

_BLOCKS_SHOWN = 20


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    for command in (status, explain, fom, instances, show):
        app.command(rich_help_panel="Look")(command)


def status(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Campaign; all of them by default.", autocompletion=complete_campaign, metavar="[NAME]"
        ),
    ] = None,
    ledger: LedgerOption = None,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Show it until it ends, and end with its exit code. q or Ctrl-C leaves it running.",
        ),
    ] = False,
    interval: Annotated[
        float | None,
        typer.Option(
            "--interval",
            metavar="SECONDS",
            min=1,
            help="Seconds between two looks of --watch; by default 2 on a terminal and 10 elsewhere.",
            show_default=False,
        ),
    ] = None,
    log: Annotated[
        bool, typer.Option("--log", help="Also print the last lines of the campaign's driver log.")
    ] = False,
    benchmark: BenchmarkOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show where campaigns stand: instances by state, attempts, failures, who runs it.

    Example: orchestrator status friday --watch

    What the driver did last: orchestrator status friday --log

    Each point of a sweep: orchestrator status friday --benchmark nt3
    """
    for option, given in (("--log", log), ("--benchmark", benchmark is not None)):
        if given and name is None:
            raise typer.BadParameter(f"{option} needs the name of a campaign")
    if interval is not None and not watch:
        raise typer.BadParameter("--interval needs --watch")
    if not watch:
        _show(ledger, name, benchmark, log=log, printed_json=print_json if as_json else None)
    elif name is None:
        _watch_all(ledger, interval, as_json=as_json)
    else:
        from orchestrator.cli.watch import watch as watch_campaign

        seen = watch_campaign(ledger, name, benchmark, interval, log=log, as_json=as_json)
        if seen is None:
            return
        if not as_json:
            _show(ledger, name, benchmark, log=log)
        raise typer.Exit(exit_code_of(seen.outcome))


def _show(
    ledger: str | None,
    name: str | None,
    benchmark: str | None = None,
    *,
    log: bool = False,
    printed_json: Callable[[Any], None] | None = None,
    jobs: Callable[[Reader], Mapping[str, DriverPlace]] | None = None,
) -> bool:
    """Print where one or all campaigns stand; return whether a driver runs one."""
    from db.errors import UnknownCampaignError
    from db.reader import Reader
    from orchestrator.lifecycle.driver_place import launch_jobs

    jobs = jobs or launch_jobs
    with Reader(ledger) as reader:
        try:
            rows = [reader.campaign(name)] if name else reader.campaigns()
        except UnknownCampaignError:
            job = jobs(reader).get(str(name))
            if job is None:
                raise
            waiting, rows = {str(name): job}, []
        else:
            known = {row.name for row in rows}
            waiting = {} if name else {one: job for one, job in jobs(reader).items() if one not in known}
        facts = [_status(reader, row, benchmark) for row in rows]
    if waiting:
        return _show_with_launches(facts, waiting, ledger, whole=name is None, printed_json=printed_json)
    if log:
        facts[0]["log"] = log_lines(facts[0]["directory"])
    if printed_json:
        printed_json(facts[0] if name else facts)
    else:
        if name:
            _show_status(facts[0], by_sweep=benchmark is None)
        else:
            _show_all(facts)
        if log:
            typer.echo("\n".join(["", *facts[0]["log"]]))
        for one in facts:
            _show_next(one["next"], ledger)
    return any(one["driver"] for one in facts)


def _show_with_launches(
    facts: list[dict[str, Any]],
    waiting: Mapping[str, DriverPlace],
    ledger: str | None,
    *,
    whole: bool,
    printed_json: Callable[[Any], None] | None,
) -> bool:
    """Print where campaigns stand, and the jobs that will launch others; return True: one will run."""
    if printed_json:
        empty: dict[str, Any] = {"driver": None, "outcome": None, "instances": {}, "benchmarks": {}}
        later = [{"campaign": name, **empty, "driver_job": job.to_dict()} for name, job in waiting.items()]
        printed_json([*facts, *later] if whole else later[0])
        return True
    if facts:
        _show_all(facts)
    for name, job in waiting.items():
        print(f"{name}: not in the ledger yet, {job.waits()}")
    for one in facts:
        _show_next(one["next"], ledger)
    return True


def _watch_all(ledger: str | None, interval: float | None, *, as_json: bool) -> None:
    """Print where all campaigns stand until no driver runs one."""
    from rich.console import Console

    from orchestrator.cli.watch import PLAIN_SECONDS, TERMINAL_SECONDS
    from orchestrator.lifecycle.driver_place import launch_jobs_each_minute

    jobs = launch_jobs_each_minute()
    console = Console(force_terminal=sys.stdout.isatty())
    seconds = interval or (TERMINAL_SECONDS if console.is_terminal else PLAIN_SECONDS)
    with suppress(KeyboardInterrupt):
        while True:
            if not as_json:
                console.clear()  # only a terminal
            if not _show(ledger, None, printed_json=print_json_line if as_json else None, jobs=jobs):
                return
            time.sleep(seconds)


def _status(reader: Reader, row: Campaign, benchmark: str | None = None) -> dict[str, Any]:
    """Return where a campaign stands; `benchmark` is the only one, or sweep, whose instances are listed."""
    from collections import Counter

    from db.events import now_us
    from db.requests import FLAG, paused
    from db.superseding import superseded_counts
    from orchestrator.analysis.live_progress import live_progress
    from orchestrator.lifecycle.driver_identity import live_driver, may_be_alive
    from orchestrator.lifecycle.outlook import outlook
    from orchestrator.planning.campaign_file import left_out

    counts, superseded = reader.counts(row.campaign_id), superseded_counts(reader, row.campaign_id)
    outcome = row.outcome or ("driver_died" if row.lease_owner and not live_driver(row) else None)
    instances = dict(sum(map(Counter, counts.values()), Counter()))
    absent = left_out(row.campaign_yaml, [one.benchmark for one in reader.benchmarks(row.campaign_id)])
    held_back = sorted(paused(reader.applied_requests(row.campaign_id)))
    listed = list(counts) if benchmark is None else reader.select_benchmarks(row.campaign_id, benchmark)
    sweeps: dict[str, list[str]] = {}
    for point, sweep in reader.sweeps(row.campaign_id).items():
        sweeps.setdefault(sweep, []).append(point)
    return {
        "campaign": row.name,
        "site": row.site_name,
        "class": row.run_class,
        "created": utc(row.created_us),
        "driver": live_driver(row),
        "outcome": outcome and outcome_words(outcome),
        "stop_request": None if row.stop_request == FLAG else row.stop_request,
        "next": None if may_be_alive(row) else next_step(row.name, instances),
        "instances": instances,
        "benchmarks": {name: counts[name] for name in listed},
        **({"sweeps": sweeps} if sweeps else {}),
        **({"superseded": superseded} if superseded else {}),
        **({"left_out": absent} if absent else {}),
        **({"paused": held_back} if held_back else {}),
        "attempts": reader.attempt_counts(row.campaign_id),
        "reasons": dict(reader.failure_counts(row.campaign_id)),
        "directory": row.run_directory,
        **_now(outlook(reader, row, now_us()).to_dict()),
        **(_pace(live_progress(reader, row, now_us())) if live_driver(row) else {}),
        "sessions": [
            {
                "session": s.session_number,
                "kind": s.kind,
                "host": s.host,
                "started": utc(s.started_us),
                "ended": utc(s.ended_us),
                "outcome": session_words(s.outcome),
            }
            for s in reader.sessions_of(row.campaign_id)
        ],
    }


def next_step(name: str, instances: dict[str, int]) -> list[str] | None:
    """Return the command that goes on with a campaign without a driver; None if nothing is left to run.

    Parameters
    ----------
    instances
        How many there are in each state.
    """
    if instances.get("planned", 0) + instances.get("in_flight", 0):
        return ["orchestrator", "resume", name]
    return ["orchestrator", "resume", name, "--retry-exhausted"] if instances.get("exhausted") else None


def _show_next(command: list[str] | None, ledger: str | None) -> None:
    if command:
        print(f"next     {shlex.join([*command, *(['--ledger', ledger] if ledger else [])])}")


_STATES = ("done", "in_flight", "planned", "exhausted", "cancelled")


def _show_all(facts: list[dict[str, Any]]) -> None:
    from db.instance_totals import totals_of

    totals = [totals_of(one["instances"], sum(one.get("superseded", {}).values())) for one in facts]
    print_table(
        ["campaign", "site", "class", "created", "done", "of", "exhausted", "state"],
        [
            [
                one["campaign"],
                one["site"],
                one["class"],
                one["created"],
                found.done,
                found.total,
                found.exhausted,
                "running" if one["driver"] else one["outcome"] or "not finished",
            ]
            for one, found in zip(facts, totals, strict=True)
        ],
    )


def _with_superseded(one: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Return instances by state, superseded ones no longer among the done."""
    found = dict(one["benchmarks"])
    for name, number in one.get("superseded", {}).items():
        if name in found:
            found[name] = found[name] | {"done": found[name]["done"] - number, "superseded": number}
    return found


def _by_sweep(one: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Return instances by state, of a sweep's points together."""
    sweep_of = {point: sweep for sweep, points in one.get("sweeps", {}).items() for point in points}
    found: dict[str, dict[str, int]] = {}
    for name, states in one["benchmarks"].items():
        sweep = sweep_of.get(name)
        key = f"{sweep} ({count_of(len(one['sweeps'][sweep]), 'point')})" if sweep else name
        total = found.setdefault(key, {})
        for state, number in states.items():
            total[state] = total.get(state, 0) + number
    return found


def _show_status(one: dict[str, Any], *, by_sweep: bool) -> None:
    one = one | {"benchmarks": _with_superseded(one)}
    columns = (*_STATES, *(["superseded"] if "superseded" in one else []))
    state = f"run by {one['driver']}" if one["driver"] else one["outcome"] or "not finished"
    left = any(one["instances"].get(state) for state in ("planned", "in_flight", "exhausted"))
    if not (one["driver"] or left or one["outcome"] == "complete"):
        state += "; nothing is left to run"
    print(
        f"{one['campaign']}: {state}" + (f" ({one['stop_request']} requested)" if one["stop_request"] else "")
    )
    print_table(
        ["benchmark", *columns, "total"],
        [
            [name, *(states.get(state, 0) for state in columns), sum(states.values())]
            for name, states in (_by_sweep(one) if by_sweep else one["benchmarks"]).items()
        ],
    )
    if "superseded" in one:
        print("superseded instances missed their accuracy and were run again; the verdict leaves them out")
    print("attempts: " + (", ".join(f"{n} {s}" for s, n in sorted(one["attempts"].items())) or "none yet"))
    if one.get("left_out"):
        print(LEFT_OUT + ", ".join(one["left_out"]))
    if one.get("paused"):
        print(f"paused:   {', '.join(one['paused'])}; `orchestrator unpause` lets them start again")
    if one["reasons"]:
        print("reasons:  " + ", ".join(f"{n} × {reason}" for reason, n in one["reasons"].items()))
    _show_outlook(one)
    for session in one["sessions"]:
        ended = f"{session['ended']} {session['outcome']}" if session["ended"] else "now"
        ended = ended if session["ended"] or one["driver"] else "an end that was not recorded"
        where = f"{session['kind']} on {session['host']}"
        print(f"session {session['session']}: {where}, {session['started']} to {ended}")


def _now(facts: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of the present, with the driver under a name that `driver` does not take."""
    named = {"driver_place" if key == "driver" else key: value for key, value in facts.items()}
    return {key: value for key, value in named.items() if value}


def _pace(progress: LiveProgress) -> dict[str, Any]:
    """Return how fast a campaign goes on; what is not known is left out."""
    facts = {
        "per_minute": progress.per_minute,
        "seconds_left": progress.time_left.seconds,
        "without_time": list(progress.time_left.unmeasured) or None,
        "slots": progress.slots,
        "slots_busy": progress.slots_busy,
        "last_failures": [asdict(one) for one in progress.failures] or None,
    }
    return {name: value for name, value in facts.items() if value is not None}


def _show_outlook(one: dict[str, Any]) -> None:
    from orchestrator.lifecycle.driver_place import DriverPlace

    if place := one.get("driver_place"):
        print(f"driver:   {'' if one['driver'] else 'was '}{DriverPlace(**place)}")
    if job := one.get("driver_job"):
        begins = f"was submitted at {utc(job['since_us'])} and has not begun"
        print(f"next driver: job {job['job']} {begins}; it prints to {job['output']}")
    blocks = one.get("blocks", ())
    if blocks:
        pool = ["pool"] if any(block["pool"] for block in blocks) else []
        columns = ["block", *pool, "job", "state", "nodes", "since", "walltime left", "reason"]
        print_table(columns, [_block_cells(block, columns) for block in blocks[:_BLOCKS_SHOWN]])
        if (rest := len(blocks) - _BLOCKS_SHOWN) > 0:
            print(f"and {rest:,} more blocks; --json lists all")
        if not one["driver"]:
            print("blocks as the driver saw them last; `orchestrator explain` says what may still run there")
    for node, why in one.get("excluded_nodes", {}).items():
        print(f"node {node} is excluded: {why}")
    if "wave" in one:
        print(f"wave {one['wave']} waits at the start barrier")
    if "per_minute" in one:
        from orchestrator.analysis.time_left import TimeLeft

        left = TimeLeft(one.get("seconds_left"), tuple(one.get("without_time", ())))
        print(f"rate:     {rate_words(one['per_minute'])}, {left}")


def _block_cells(block: dict[str, Any], columns: Sequence[str]) -> list[Any]:
    """Return the cells of a block; columns without a computed cell are its facts of that name."""
    from sites.quantities import shown

    computed = {
        "since": f"{str(utc(block['started_us'] or block['requested_us']))[:19]}Z",
        "walltime left": None if block["left_seconds"] is None else shown(block["left_seconds"]),
    }
    return [computed[name] if name in computed else block[name] for name in columns]


def explain(
    name: CampaignArgument,
    instance: Annotated[
        str | None,
        typer.Argument(
            help="benchmark/number, such as p1b1/3; without it, the campaign.",
            metavar="[INSTANCE]",
            show_default=False,
        ),
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what a campaign or one of its instances waits for: blocks, slots, nodes, a barrier, a driver.

    Example: orchestrator explain friday p1b1/3
    """
    from db.events import now_us
    from db.reader import Reader
    from orchestrator.lifecycle.outlook import explain_campaign, explain_instance

    with Reader(ledger) as reader:
        row = reader.campaign(name)
        if instance is None:
            lines = explain_campaign(reader, row, now_us())
        else:
            lines = explain_instance(reader, row, instance, now_us())
    if as_json:
        print_json({"campaign": name, "instance": instance, "waits_for": lines})
    else:
        print(f"{name}{f' {instance}' if instance else ''} waits for:")
        print("\n".join(f"  {line}" for line in lines))
