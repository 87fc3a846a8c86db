"""Commands that look at campaigns: status, fom, instances, show."""

from __future__ import annotations

import json
import shlex
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.logs import Log, kept, show_logs, text_of, why_none
from orchestrator.cli.output import (
    CampaignArgument,
    JsonOption,
    LedgerOption,
    cell,
    complete_campaign,
    print_json,
    print_table,
    utc,
)
from orchestrator.errors import CampaignError

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import Campaign
    from orchestrator.rulebooks.model import SuiteFom


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    for command in (status, fom, instances, show):
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
        bool, typer.Option("--watch", help="Repeat every two seconds until it has stopped.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show where campaigns stand: instances by state, attempts, failures, who runs it.

    Example: orchestrator status friday --watch
    """
    from db.reader import Reader

    with Reader(ledger) as reader:
        while True:
            facts = [
                _status(reader, row) for row in ([reader.campaign(name)] if name else reader.campaigns())
            ]
            if watch and not as_json:
                _clear_screen()
            if as_json:
                print_json(facts[0] if name else facts)
            elif name:
                _show_status(facts[0])
            else:
                _show_all(facts)
            if not as_json:
                for one in facts:
                    _show_next(one["next"], ledger)
            if not watch or not any(one["driver"] for one in facts):
                return
            time.sleep(2)


def fom(
    name: CampaignArgument,
    ledger: LedgerOption = None,
    rules: Annotated[
        bool, typer.Option("--rules", help="List every rule, kept or broken, with its reason.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """State the figure of merit, and whether it counts.

    Example: orchestrator fom friday --rules
    """
    from db.reader import Reader
    from orchestrator.analysis.fom import verdict_and_makespans

    with Reader(ledger) as reader:
        judged, spans = verdict_and_makespans(reader, reader.campaign(name))
    if as_json:
        from dataclasses import asdict

        print_json({**judged.to_dict(), "makespan": {key: asdict(value) for key, value in spans.items()}})
        return
    show_fom(judged, rules=rules)
    if spans:
        print()
        print_table(
            ["benchmark", "runs", "slots", "span s", "start skew s", "median run s", "tail s", "slot use %"],
            [
                [
                    key,
                    one.runs,
                    one.slots,
                    one.span_seconds,
                    one.start_skew_seconds,
                    one.median_run_seconds,
                    one.tail_seconds,
                    100 * one.slot_use,
                ]
                for key, one in spans.items()
            ],
            title="where the time went",
        )


def instances(
    name: CampaignArgument,
    ledger: LedgerOption = None,
    state: Annotated[
        str | None,
        typer.Option("--state", help="Only planned, in_flight, done or exhausted ones.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List instances with the figures of their accepted, or else last, attempt.

    Example: orchestrator instances friday --state exhausted
    """
    from db.reader import Reader
    from db.states import InstanceState

    if state is not None and state not in set(InstanceState):
        raise typer.BadParameter(f"{state!r} is none of {', '.join(InstanceState)}", param_hint="--state")
    with Reader(ledger) as reader:
        frame = reader.instances(name, state)
    if as_json:
        print_json(frame.astype(object).where(frame.notna(), None).to_dict("records"))
        return
    rows: Any = frame.astype(object).where(frame.notna(), None).itertuples()
    print_table(
        [
            "instance",
            "seed",
            "state",
            "attempts",
            "fom seconds",
            "accuracy",
            "node",
            "slot",
            "peak MiB",
            "reason",
        ],
        [
            [
                f"{row.benchmark}/{row.number}",
                row.seed,
                row.state,
                row.attempts,
                row.fom_seconds if row.state == "done" else None,
                row.accuracy if row.state == "done" else None,
                row.node,
                None if row.slot is None else int(row.slot),
                None if row.peak_memory_bytes is None else round(row.peak_memory_bytes / 2**20),
                row.reason,
            ]
            for row in rows
        ],
    )


def show(
    name: CampaignArgument,
    instance: Annotated[str, typer.Argument(help="benchmark/number, such as p1b1/3.", metavar="INSTANCE")],
    ledger: LedgerOption = None,
    attempt: Annotated[
        int | None, typer.Option("--attempt", help="Only this attempt, such as 1.", show_default=False)
    ] = None,
    log: Annotated[
        Log | None,
        typer.Option(
            "--log",
            help="Print instead what the attempt, by default the last, wrote to stdout, stderr or both.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show all of one instance: attempts, times, metrics, what the process saw, end of its stderr.

    With --log, all that one attempt wrote, where the campaign's file keeps it (logs: failures, or all).

    Example: orchestrator show friday p1b1/3 --log stderr
    """
    from db.reader import Reader

    with Reader(ledger) as reader:
        row = reader.campaign(name)
        found = reader.find_instance(row.campaign, instance)
        tried = reader.attempts_of(row.campaign, found.instance)
        chosen = [one for one in tried if attempt in (None, one.attempt)]
        if (attempt is not None or log is not None) and not chosen:
            there = ", ".join(str(one.attempt) for one in tried)
            said = f"no attempt {attempt}; there are {there}" if tried else "it has not been tried yet"
            raise CampaignError(f"{instance}: {said}")
        if log is not None:
            _show_log(row, found, chosen[-1], instance, log, as_json=as_json)
            return
        attempts = [
            _attempt(one, reader.metrics_of(row.campaign, found.instance, one.attempt)) for one in chosen
        ]
        events = [
            {
                "at": utc(e.at_us),
                "kind": e.kind,
                "attempt": e.attempt,
                "from": e.from_state,
                "to": e.to_state,
                "detail": e.detail,
            }
            for e in reader.events_of(row.campaign, found.instance)
        ]
    facts = {
        "instance": instance,
        "seed": found.seed,
        "state": found.state,
        "accepted_attempt": found.accepted_attempt,
        "attempts": attempts,
        "events": events,
    }
    if as_json:
        print_json(facts)
        return
    print(f"{instance}  seed {found.seed}  {found.state}")
    for one in attempts:
        _show_attempt(one)
    for event in events:
        if event["kind"] == "refused":
            print(f"\nleft out of the report on attempt {event['attempt']}: {event['detail']}")


def _show_log(row: Campaign, found: Any, attempt: Any, label: str, log: Log, *, as_json: bool) -> None:
    there = kept(row, found, attempt)
    why = None if there else why_none(row, label, attempt)
    if as_json:
        texts = {stream: text_of(there.get(stream)) for stream in log.streams}
        print_json({"instance": label, "attempt": attempt.attempt, **texts, "missing": why})
    elif why:
        raise CampaignError(why)
    else:
        show_logs(there, log, label, attempt.attempt)


def show_fom(verdict: SuiteFom, *, rules: bool = False) -> None:
    """Print the figures of merit, and why they do not count where they do not."""
    print_table(
        ["benchmark", "at once", "max s", "reference s", "accuracy", "target", "FOM", "reportable"],
        [
            [
                one.benchmark,
                one.instances,
                one.seconds,
                one.reference_seconds,
                one.accuracy,
                one.target,
                one.fom,
                one.reportable,
            ]
            for one in verdict.benchmarks
        ],
        title=f"figure of merit, rulebook {verdict.rulebook}",
    )
    print()
    print_table(
        ["group", "weight", "FOM", "reportable", "missing"],
        [[g.name, g.weight, g.fom, g.reportable, ", ".join(g.missing) or None] for g in verdict.groups]
        + [["overall", None, verdict.overall, verdict.reportable, None]],
    )
    if rules:
        for one in verdict.benchmarks:
            print(f"\n{one.benchmark}: {one.arithmetic}" if one.arithmetic else f"\n{one.benchmark}")
            for rule in one.rules:
                print(f"  {'pass' if rule.passed else 'FAIL'}  {rule.name}: {rule.reason}")
    elif not verdict.reportable:
        print("\nnot reportable:")
        outside = [
            f"{b.benchmark}: {reason}" for b in verdict.benchmarks if b.group is None for reason in b.reasons
        ]
        for reason in (*outside, *verdict.reasons):
            print(f"  {reason}")


def _status(reader: Reader, row: Any) -> dict[str, Any]:
    from collections import Counter

    from orchestrator.lifecycle.driver_identity import driver_of, may_live

    counts = reader.counts(row.campaign)
    instances = dict(sum(map(Counter, counts.values()), Counter()))
    return {
        "campaign": row.name,
        "site": row.site_name,
        "class": row.run_class,
        "created": utc(row.created_us),
        "driver": driver_of(row),
        "outcome": row.outcome or ("its driver died" if row.lease_owner and not driver_of(row) else None),
        "stop_request": row.stop_request,
        "next": None if may_live(row) else next_step(row.name, instances),
        "instances": instances,
        "benchmarks": counts,
        "attempts": reader.attempt_counts(row.campaign),
        "reasons": dict(reader.failure_counts(row.campaign)),
        "directory": row.directory,
        "sessions": [
            {
                "session": s.session,
                "kind": s.kind,
                "host": s.host,
                "started": utc(s.started_us),
                "ended": utc(s.ended_us),
                "outcome": s.outcome,
            }
            for s in reader.sessions_of(row.campaign)
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


_STATES = ("done", "in_flight", "planned", "exhausted")


def _clear_screen() -> None:
    from rich.console import Console

    Console().clear()


def _show_all(facts: list[dict[str, Any]]) -> None:
    print_table(
        ["campaign", "site", "class", "created", "done", "of", "exhausted", "state"],
        [
            [
                one["campaign"],
                one["site"],
                one["class"],
                one["created"],
                one["instances"].get("done", 0),
                sum(one["instances"].values()),
                one["instances"].get("exhausted", 0),
                "running" if one["driver"] else one["outcome"] or "not finished",
            ]
            for one in facts
        ],
    )


def _show_status(one: dict[str, Any]) -> None:
    state = f"run by {one['driver']}" if one["driver"] else one["outcome"] or "not finished"
    print(
        f"{one['campaign']}: {state}" + (f" ({one['stop_request']} requested)" if one["stop_request"] else "")
    )
    print_table(
        ["benchmark", *_STATES, "total"],
        [
            [name, *(states.get(state, 0) for state in _STATES), sum(states.values())]
            for name, states in one["benchmarks"].items()
        ],
    )
    print("attempts: " + (", ".join(f"{n} {s}" for s, n in sorted(one["attempts"].items())) or "none yet"))
    if one["reasons"]:
        print("reasons:  " + ", ".join(f"{n} × {reason}" for reason, n in one["reasons"].items()))
    for session in one["sessions"]:
        ended = f"{session['ended']} {session['outcome']}" if session["ended"] else "now"
        where = f"{session['kind']} on {session['host']}"
        print(f"session {session['session']}: {where}, {session['started']} to {ended}")


_TIMES = (
    "submitted",
    "process_start",
    "ready",
    "run_start",
    "window_start",
    "window_stop",
    "run_stop",
    "process_stop",
    "received",
)
_FACTS = (
    "state",
    "category",
    "reason",
    "message",
    "fom_seconds",
    "accuracy",
    "node",
    "block",
    "slot",
    "cores",
    "exit_code",
    "signal",
    "cpu_seconds",
    "peak_memory_bytes",
    "stdout_path",
    "stderr_path",
)


def _attempt(row: Any, metrics: list[Any]) -> dict[str, Any]:
    return {
        "attempt": row.attempt,
        **{name: getattr(row, name) for name in _FACTS},
        "times": {name: utc(getattr(row, f"{name}_us")) for name in _TIMES},
        "seen": json.loads(row.seen or "{}"),
        "data": json.loads(row.data or "{}"),
        "metrics": {m.name: {"value": m.value, "unit": m.unit} for m in metrics},
        "stderr_tail": row.stderr_tail or _end_of(row.stderr_path),
    }


def _end_of(path: str | None) -> str | None:
    """Return the end of a log that was kept; a successful attempt has none in the ledger."""
    from orchestrator.rundir.packed_reader import read_log

    end = read_log(path, last=4096) if path is not None else None
    return end.decode(errors="replace") if end else None


def _place_of(path: str) -> str:
    """Return a log's path, and where it is packed if it is."""
    from orchestrator.rundir.packed_reader import archive_of

    archive = archive_of(path)
    return path if archive is None else f"{path} (packed in {archive.parent.name}/{archive.name})"


def _show_attempt(one: dict[str, Any]) -> None:
    print(f"\nattempt {one['attempt']}")
    pairs = [
        (name, _place_of(one[name]) if name.endswith("_path") else cell(one[name]))
        for name in _FACTS
        if one[name] is not None
    ]
    pairs += [(f"{name} (UTC)", at) for name, at in one["times"].items() if at]
    pairs += [(name, f"{cell(m['value'])} {m['unit']}".strip()) for name, m in one["metrics"].items()]
    pairs += [(f"saw {name}", value) for name, value in one["seen"].items()]
    pairs += [(f"data {name}", value) for name, value in one["data"].items()]
    for name, value in pairs:
        print(f"  {name:<26} {value}")
    if one["stderr_tail"]:
        print("  end of stderr:")
        print("\n".join(f"    {line}" for line in one["stderr_tail"].splitlines()[-20:]))
