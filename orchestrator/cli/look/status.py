"""`status` and `explain`: where campaigns stand, and what they wait for."""

from __future__ import annotations

import shlex
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from db.states import RunOutcome
from db.times import utc_seconds
from orchestrator.cli.exit_codes import exit_code_of
from orchestrator.cli.options import (
    BenchmarkOption,
    JsonOption,
    LastCampaignArgument,
    LedgerOption,
    OwnerOption,
    TagsOption,
    campaign_or_last,
    complete_campaign,
)
from orchestrator.cli.terminal.answer_lines import answer_lines, search_lines
from orchestrator.cli.terminal.plain_output import console_of
from orchestrator.cli.terminal.tables import print_json, print_json_line, print_table, say
from orchestrator.monitoring.outcome_words import outcome_words, session_words, state_words
from orchestrator.wording import count_of, rate_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from db.queries.labels import Labels
    from db.reader import Reader
    from db.rows import Session
    from orchestrator.lifecycle.driver_process.place import DriverPlace
    from orchestrator.monitoring.campaign_status import CampaignStatus
    from orchestrator.monitoring.outlook import BlockNow

_BLOCKS_SHOWN, _REASONS_SHOWN = 20, 5


def status(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Campaign; all of them by default, and with --log or --benchmark the last one.",
            autocompletion=complete_campaign,
            metavar="[NAME]",
        ),
    ] = None,
    ledger: LedgerOption = None,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            "-w",
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
        ),
    ] = None,
    log: Annotated[
        bool, typer.Option("--log", help="Also print the last lines of the campaign's driver log.")
    ] = False,
    benchmark: BenchmarkOption = None,
    owner: OwnerOption = None,
    tag: TagsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show where campaigns stand: instances by state, attempts, failures, who runs it.

    Example: orchestrator status friday --watch

    What the driver did last: orchestrator status friday --log

    Each point of a sweep: orchestrator status friday --benchmark nt3

    One's own with a tag: orchestrator status --owner $USER --tag acceptance
    """
    from db.queries.labels import NO_LABELS, Labels

    wanted = Labels(owner or "", tuple(tag or ()))
    if name is not None and wanted != NO_LABELS:
        raise typer.BadParameter("--owner and --tag choose from the list: leave NAME out")
    if name is None and (log or benchmark is not None):
        from db.reader import Reader

        with Reader(ledger) as reader:
            name = campaign_or_last(reader, None).name
    if interval is not None and not watch:
        raise typer.BadParameter("--interval needs --watch")
    if not watch:
        _show(ledger, name, benchmark, wanted, log=log, printed_json=print_json if as_json else None)
    elif name is None:
        _watch_all(ledger, interval, wanted, as_json=as_json)
    else:
        from orchestrator.cli.look.watch import watch as watch_campaign

        look = watch_campaign(ledger, name, benchmark, interval, log=log, as_json=as_json)
        if look is None:
            return
        if not as_json:
            _show(ledger, name, benchmark, log=log)
        raise typer.Exit(exit_code_of(look.status.outcome))


def _show(
    ledger: str | None,
    name: str | None,
    benchmark: str | None = None,
    wanted: Labels | None = None,
    *,
    log: bool = False,
    printed_json: Callable[[Any], None] | None = None,
    jobs: Callable[[Reader], Mapping[str, DriverPlace]] | None = None,
) -> bool:
    """Print where one or all campaigns stand; return whether a driver runs one."""
    from db.errors import UnknownCampaignError
    from db.queries.labels import NO_LABELS, labelled
    from db.reader import Reader
    from orchestrator.lifecycle.driver_process.place import launch_jobs
    from orchestrator.monitoring.campaign_status import CampaignStatus
    from orchestrator.monitoring.driver_log import log_lines

    jobs = jobs or launch_jobs
    every = name is None and wanted in (None, NO_LABELS)
    with Reader(ledger) as reader:
        try:
            rows = [reader.campaign(name)] if name else labelled(reader, wanted or NO_LABELS)
        except UnknownCampaignError:
            job = jobs(reader).get(str(name))
            if job is None:
                raise
            waiting, rows = {str(name): job}, []
        else:
            known = {row.name for row in rows}
            waiting = {one: job for one, job in jobs(reader).items() if one not in known} if every else {}
        statuses = [CampaignStatus.read(reader, row) for row in rows]
        if benchmark is not None:
            statuses = [statuses[0].only(reader.select_benchmarks(rows[0].campaign_id, benchmark))]
    if waiting:
        return _show_with_launches(statuses, waiting, ledger, whole=name is None, printed_json=printed_json)
    lines = log_lines(rows[0].run_directory) if log else []
    if printed_json:
        facts = [status.to_dict() | ({"log": lines} if log else {}) for status in statuses]
        printed_json(facts[0] if name else facts)
    else:
        if name:
            _show_status(statuses[0], by_sweep=benchmark is None)
        else:
            _show_all(statuses, chosen=not every)
        if log:
            typer.echo("\n".join(["", *lines]))
        for status in statuses:
            _show_next(status, ledger)
    return any(status.driver for status in statuses)


def _show_with_launches(
    statuses: list[CampaignStatus],
    waiting: Mapping[str, DriverPlace],
    ledger: str | None,
    *,
    whole: bool,
    printed_json: Callable[[Any], None] | None,
) -> bool:
    """Print where campaigns stand, and the jobs that will launch others; return True: one will run."""
    from orchestrator.monitoring.campaign_status import waiting_launch

    if printed_json:
        later = [waiting_launch(name, job) for name, job in waiting.items()]
        printed_json([*(status.to_dict() for status in statuses), *later] if whole else later[0])
        return True
    if statuses:
        _show_all(statuses)
    for name, job in waiting.items():
        say(f"{name}: not in the ledger yet, {job.waits()}")
    for status in statuses:
        _show_next(status, ledger)
    return True


def _watch_all(ledger: str | None, interval: float | None, wanted: Labels, *, as_json: bool) -> None:
    """Print where all campaigns stand until no driver runs one."""
    from orchestrator.cli.look.watch import PLAIN_SECONDS, TERMINAL_SECONDS
    from orchestrator.lifecycle.driver_process.place import launch_jobs_each_minute

    jobs = launch_jobs_each_minute()
    console = console_of()
    seconds = interval or (TERMINAL_SECONDS if console.is_terminal else PLAIN_SECONDS)
    with suppress(KeyboardInterrupt):
        while True:
            if not as_json:
                console.clear()  # only a terminal
            printed = print_json_line if as_json else None
            if not _show(ledger, None, None, wanted, printed_json=printed, jobs=jobs):
                return
            time.sleep(seconds)


def _show_next(status: CampaignStatus, ledger: str | None) -> None:
    if command := status.next_command:
        print(f"next     {shlex.join([*command, *(['--ledger', ledger] if ledger else [])])}")


_STATES = ("done", "in_flight", "planned", "exhausted", "cancelled")


def _show_all(statuses: Sequence[CampaignStatus], *, chosen: bool = False) -> None:
    if chosen and not statuses:
        say("no campaign has these labels")
        return
    words = [status.labels.words() for status in statuses]
    kinds = [kind for kind in ("owner", "tags") if len({one.get(kind) for one in words}) > 1]
    print_table(
        ["campaign", "site", "class", "created (UTC)", "done", "of", "out of retries", "state", *kinds],
        [
            [
                status.row.name,
                status.row.site_name,
                status.row.run_class,
                utc_seconds(status.row.created_us),
                status.totals.done,
                status.totals.total,
                status.totals.exhausted,
                "running" if status.driver else _outcome(status),
                *(label.get(kind) for kind in kinds),
            ]
            for status, label in zip(statuses, words, strict=True)
        ],
        leave=("class", "created (UTC)", "site", "out of retries", "of", "owner", "tags"),
    )


def _outcome(status: CampaignStatus) -> str:
    return outcome_words(status.outcome) if status.outcome else "not finished"


def _with_superseded(status: CampaignStatus) -> dict[str, dict[str, int]]:
    """Return instances by state, superseded ones no longer among the done."""
    shown = {one.benchmark for one in status.progress.benchmarks}
    rows = {name: dict(states) for name, states in status.counts.items() if name in shown}
    for name, number in status.superseded.items():
        if name in rows:
            rows[name] |= {"done": rows[name]["done"] - number, "superseded": number}
    return rows


def _by_sweep(status: CampaignStatus, rows: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """Return instances by state, of a sweep's points together."""
    points = Counter(status.sweeps.values())
    totals: dict[str, Counter[str]] = {}
    for name, states in rows.items():
        sweep = status.sweeps.get(name)
        key = f"{sweep} ({count_of(points[sweep], 'point')})" if sweep else name
        totals.setdefault(key, Counter()).update(states)
    return {name: dict(states) for name, states in totals.items()}


def _show_status(status: CampaignStatus, *, by_sweep: bool) -> None:
    columns = (
        *_STATES,
        *(state for state in ("not_needed", "pruned") if status.instances.get(state)),
        *(["superseded"] if status.superseded else []),
    )
    state = f"run by {status.driver}" if status.driver else _outcome(status)
    left = any(status.instances.get(state) for state in ("planned", "in_flight", "exhausted"))
    if not (status.driver or left or status.outcome == "complete"):
        state += "; nothing is left to run"
    asked = f" ({status.stop_request} requested)" if status.stop_request else ""
    say(f"{status.row.name}: {state}{asked}")
    rows = _with_superseded(status)
    print_table(
        ["benchmark", *map(state_words, columns), "total"],
        [
            [name, *(states.get(state, 0) for state in columns), sum(states.values())]
            for name, states in (_by_sweep(status, rows) if by_sweep else rows).items()
        ],
        leave=[state_words(state) for state in ("cancelled", "planned", "in_flight")],
    )
    if status.superseded:
        say("superseded instances missed their accuracy and were run again; the verdict leaves them out")
    attempts = ", ".join(
        f"{number:,} {state_words(state)}" for state, number in sorted(status.attempts.items())
    )
    say(f"attempts: {attempts or 'none yet'}")
    known = status.labels.words() | status.forecasts
    for kind, value in known.items():
        say(f"{kind + ':':9} {value}")
    if status.left_out:
        from orchestrator.cli.look.fom import LEFT_OUT

        say(LEFT_OUT + ", ".join(status.left_out))
    if status.paused:
        say(f"paused:   {', '.join(status.paused)}; `orchestrator instance unpause` lets them start again")
    if status.paused_pools:
        pools = ", ".join(status.paused_pools)
        say(f"paused:   pool {pools}; `orchestrator node unpause` lets instances start there again")
    for line in status.pool_changes:
        say(f"pools:    {line}")
    if status.reasons:
        reasons = (f"{number} × {reason}" for reason, number in status.reasons[:_REASONS_SHOWN])
        say("reasons:  " + ", ".join(reasons))
    for line in (*answer_lines(status.answers), *search_lines(status.searches)):
        say(line)
    _show_outlook(status)
    for session in status.sessions:
        say(f"session {session.session_number}: {session.kind} on {session.host}, {_when(session, status)}")


def _when(session: Session, status: CampaignStatus) -> str:
    """Return when a session began and ended; of one that died, when that was found."""
    began, ended = utc_seconds(session.started_us), utc_seconds(session.ended_us)
    if not session.ended_us:
        return f"{began} to {'now' if status.driver else 'an end that was not recorded'}"
    if session.outcome == RunOutcome.DRIVER_DIED:
        return f"from {began}, died; found at {ended} UTC"
    return f"{began} to {ended} UTC, {session_words(session.outcome)}"


def _show_outlook(status: CampaignStatus) -> None:
    now = status.outlook
    if now.driver is not None:
        say(f"driver:   {'' if status.driver else 'was '}{now.driver}")
    if (job := now.driver_job) is not None:
        begins = f"was submitted at {utc_seconds(job.since_us)} UTC and has not begun"
        say(f"next driver: job {job.job} {begins}; it prints to {job.output}")
    if now.blocks:
        pool = ["pool"] if any(block.pool for block in now.blocks) else []
        columns = ["block", *pool, "job", "state", "nodes", "since (UTC)", "walltime left", "reason"]
        print_table(
            columns,
            [_block_cells(block, columns) for block in now.blocks[:_BLOCKS_SHOWN]],
            leave=("job", "since (UTC)", "pool", "reason", "walltime left"),
        )
        if (rest := len(now.blocks) - _BLOCKS_SHOWN) > 0:
            say(f"and {rest:,} more blocks; --json lists all")
        if not status.driver:
            say("blocks as the driver saw them last; `orchestrator explain` says what may still run there")
    for node, why in now.excluded_nodes.items():
        say(f"node {node} is excluded: {why}")
    if now.wave is not None:
        say(f"wave {now.wave} waits at the start barrier")
    if status.driver and status.progress.per_minute is not None:
        say(f"rate:     {rate_words(status.progress.per_minute)}, {status.progress.time_left}")


def _block_cells(block: BlockNow, columns: Sequence[str]) -> list[Any]:
    """Return the cells of a block; columns without a computed cell are its facts of that name."""
    from sites.quantities import shown

    computed = {
        "since (UTC)": utc_seconds(block.started_us or block.requested_us),
        "walltime left": None if block.left_seconds is None else shown(block.left_seconds),
    }
    return [computed[name] if name in computed else getattr(block, name) for name in columns]


def explain(
    name: LastCampaignArgument = None,
    instance: Annotated[
        str | None,
        typer.Argument(
            help="benchmark/number, such as p1b1/3, or a whole benchmark; without it, the campaign.",
            metavar="[INSTANCE]",
        ),
    ] = None,
    sooner: Annotated[
        bool,
        typer.Option(
            "--sooner",
            help="Simulate what is left with other blocks, queues and packings: which would end it sooner.",
        ),
    ] = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what a campaign or one of its instances waits for: blocks, slots, nodes, a barrier, a driver.

    Example: orchestrator explain friday p1b1/3
    Example: orchestrator explain friday --sooner
    """
    from db.events import now_us
    from db.reader import Reader
    from orchestrator.cli.look.gains import gains_of, gains_words
    from orchestrator.monitoring.outlook import explain_campaign, explain_instance

    if sooner and instance is not None:
        raise typer.BadParameter("is of whole campaigns; leave INSTANCE out", param_hint="--sooner")
    with Reader(ledger) as reader:
        row = campaign_or_last(reader, name)
        if instance is None:
            lines = explain_campaign(reader, row, now_us())
        else:
            lines = explain_instance(reader, row, instance, now_us())
        gains = gains_of(reader, row) if sooner else None
    if as_json:
        found = {} if gains is None else {"sooner": asdict(gains)}
        print_json({"campaign": row.name, "instance": instance, "waits_for": lines, **found})
        return
    say(f"{row.name}{f' {instance}' if instance else ''} waits for:")
    say("\n".join(f"  {line}" for line in lines))
    if gains is not None:
        say("\n" + gains_words(row.name, gains))
