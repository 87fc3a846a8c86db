"""`instance list` and `instance show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from db.states import InstanceState
from orchestrator.cli.instance.curves import show_curves
from orchestrator.cli.instance.profile import show_profile
from orchestrator.cli.instance.provenance import show_provenance
from orchestrator.cli.instance.sampling_view import SHOWN_IN_LINES, sampling_lines
from orchestrator.cli.instance.timeline import show_timeline
from orchestrator.cli.look.logs import Log, kept, place_of, show_logs, text_of, why_none
from orchestrator.cli.options import (
    BenchmarkOption,
    CampaignArgument,
    JsonOption,
    LastCampaignArgument,
    LedgerOption,
    SelectionArgument,
    WhereOption,
    campaign_or_last,
    complete_instance,
)
from orchestrator.cli.terminal.tables import print_json, print_table, say
from orchestrator.errors import CampaignError
from orchestrator.monitoring.outcome_words import state_words
from orchestrator.report.blocks import cell
from orchestrator.wording import ALL_DIGITS, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from db.reader import Reader
    from db.records import CampaignRow
    from db.rows import Attempt, Instance

_MOST_RANKS = 8


def instances(
    name: LastCampaignArgument = None,
    selection: SelectionArgument = None,
    where: WhereOption = None,
    ledger: LedgerOption = None,
    state: Annotated[
        InstanceState | None,
        typer.Option(
            "--state",
            metavar="STATE",
            help="Only planned, in_flight, done, exhausted (out of retries), cancelled, not_needed or pruned "
            "instances.",
        ),
    ] = None,
    benchmark: BenchmarkOption = None,
    as_json: JsonOption = False,
) -> None:
    """List instances with the figures of their accepted, or else last, attempt.

    The verdict leaves out superseded ones, which missed their accuracy and were run again.

    Example: orchestrator instance list friday --state exhausted
    Example: orchestrator instance list friday p1b1/5..20 --where "node=n03*"

    All points of a sweep: orchestrator instance list friday --benchmark nt3
    """
    from db.reader import Reader

    with Reader(ledger) as reader:
        row = campaign_or_last(reader, name)
        frame = _listing(reader, row, state, benchmark)
        if selection or where:
            frame = frame[_named(reader, frame, row.name, selection or (), where or ())]
    if as_json:
        from orchestrator.report.facts.instances import rows_of

        print_json(rows_of(frame))
    else:
        _show_listing(frame)


def _show_listing(frame: pd.DataFrame) -> None:
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
                f"{row.benchmark}/{row.benchmark_index}",
                row.seed,
                state_words(row.state),
                row.attempts,
                row.fom_seconds if row.state == "done" else None,
                row.accuracy if row.state == "done" else None,
                row.node,
                None if row.slot_index is None else int(row.slot_index),
                None if row.peak_memory_bytes is None else round(row.peak_memory_bytes / 2**20),
                f"superseded by {row.superseded_by}" if row.superseded_by else row.failure_reason,
            ]
            for row in rows
        ],
        leave=("slot", "peak MiB", "seed"),
    )


def _listing(reader: Reader, row: CampaignRow, state: str | None, benchmark: str | None) -> pd.DataFrame:
    campaign = row.campaign_id
    frame = reader.instances(row.name, state, axes=bool(reader.sweeps(campaign)))
    if benchmark is None:
        return frame
    return frame[frame["benchmark"].isin(reader.select_benchmarks(campaign, benchmark))]


def _named(
    reader: Reader, frame: pd.DataFrame, name: str, selection: Sequence[str], where: Sequence[str]
) -> list[bool]:
    """Return which rows of a listing are of the instances that are named."""
    from orchestrator.lifecycle.requests.selection import select

    chosen = set(select(reader, name, selection, where))
    labels = reader.instance_labels(reader.campaign(name).campaign_id)
    named = {one[1:] for one in labels if one[0] in chosen}
    return [one in named for one in zip(frame.benchmark, frame.benchmark_index, strict=True)]


def show(
    name: CampaignArgument,
    instance: Annotated[
        str | None,
        typer.Argument(
            help="benchmark/number, such as p1b1/3 or 'nt3[ranks=4]/2'; without it, what the "
            "campaign ran with.",
            metavar="[INSTANCE]",
            autocompletion=complete_instance,
        ),
    ] = None,
    ledger: LedgerOption = None,
    attempt: Annotated[int | None, typer.Option("--attempt", help="Only this attempt, such as 1.")] = None,
    log: Annotated[
        Log | None,
        typer.Option(
            "--log",
            help="Print instead what the attempt, by default the last, wrote to stdout, stderr or both.",
        ),
    ] = None,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="Draw instead when its ranks communicated, if recorded.")
    ] = False,
    profile: Annotated[
        bool, typer.Option("--profile", help="Print instead the time of its kernels, if recorded.")
    ] = False,
    curves: Annotated[
        bool, typer.Option("--curves", help="Draw instead the learning curves of the attempt.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show all of one instance: attempts, times, metrics, what the process saw, end of its stderr.

    Without an instance, the workloads, code and environment variables that the campaign ran with.

    With --log, all that one attempt wrote, where the campaign's file keeps it (logs: failures, or all).

    Example: orchestrator instance show friday p1b1/3 --log stderr
    """
    from db.reader import Reader
    from orchestrator.report.facts.instances import instance_facts

    asked = {"--log": log is not None, "--timeline": timeline, "--profile": profile, "--curves": curves}
    views = [option for option, given in asked.items() if given]
    if len(views) > 1:
        raise typer.BadParameter(f"give either it or {views[1]}", param_hint=views[0])
    if instance is None:
        if views:
            raise typer.BadParameter("name an instance, such as p1b1/3", param_hint=views[0])
        show_provenance(name, ledger, as_json=as_json)
        return
    with Reader(ledger) as reader:
        row = reader.campaign(name)
        found = reader.find_instance(row.campaign_id, instance)
        tried = reader.attempts_of(row.campaign_id, found.instance_id)
        only_one = attempt is not None or bool(views)
        chosen = _chosen(tried, attempt, instance, required=only_one)
        if timeline:
            show_timeline(row, found, chosen[-1], instance, as_json=as_json)
            return
        if profile:
            show_profile(row, found, chosen[-1], instance, as_json=as_json)
            return
        if curves:
            show_curves(reader, chosen[-1], instance, as_json=as_json)
            return
        if log is not None:
            _show_log(row, found, chosen[-1], instance, log, as_json=as_json)
            return
        facts = instance_facts(reader, row, instance, found, chosen)
    if as_json:
        print_json(facts)
    else:
        _show_instance(facts)


def _show_instance(facts: Mapping[str, Any]) -> None:
    """Print what is known of an instance and its attempts."""
    from db.events import EventKind
    from orchestrator.lifecycle.data.hashes import describe

    print(f"{facts['instance']}  seed {facts['seed']}  {state_words(facts['state'])}")
    if by := facts.get("superseded_by"):
        say(f"superseded by {by}, as its accuracy missed the target; the verdict counts its time only")
    if "sweep" in facts:
        values = ", ".join(f"{axis} {cell(value, ALL_DIGITS)}" for axis, value in facts["axes"].items())
        say(f"point of sweep {facts['sweep']}: {values}")
    if read := facts.get("data"):
        say(f"data of the campaign: {describe(read)}")
    for one in facts["attempts"]:
        _show_attempt(one)
    for event in facts["events"]:
        if event["kind"] == EventKind.REJECTED_VALUES:
            say(f"\nleft out of the report on attempt {event['attempt']}: {event['detail']}")


def _chosen(tried: Sequence[Attempt], number: int | None, label: str, *, required: bool) -> list[Attempt]:
    """Return all attempts of an instance, or one of them; an error if it is required and absent."""
    chosen = [one for one in tried if number in (None, one.attempt_number)]
    if required and not chosen:
        there = ", ".join(str(one.attempt_number) for one in tried)
        problem = f"no attempt {number}; there are {there}" if tried else "it has not been tried yet"
        raise CampaignError(f"{label}: {problem}")
    return chosen


def _show_log(
    row: CampaignRow, found: Instance, attempt: Attempt, label: str, log: Log, *, as_json: bool
) -> None:
    there = kept(row, found, attempt)
    why = None if there else why_none(row, label, attempt)
    if as_json:
        texts = {stream: text_of(there.get(stream)) for stream in log.streams}
        print_json({"instance": label, "attempt": attempt.attempt_number, **texts, "missing": why})
    elif why:
        raise CampaignError(why)
    else:
        show_logs(there, log, label, attempt.attempt_number)


def _observed_pairs(observed: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield names and values of what was observed; of several ranks a line each, up to a number of them."""
    for name, value in observed.items():
        if name == "ranks" and isinstance(value, list) and all(isinstance(rank, dict) for rank in value):
            for number, rank in enumerate(value[:_MOST_RANKS]):
                known = (f"{key} {_short_value(one)}" for key, one in rank.items() if one not in (None, []))
                yield f"saw of rank {number}", ", ".join(known)
            if len(value) > _MOST_RANKS:
                yield "saw of other ranks", f"{len(value) - _MOST_RANKS:,} more, with --json"
        elif name != "sampling":
            yield f"saw {name}", _in_short(value)


def _short_value(value: Any) -> str:
    """Return a value of a rank's observation as text: a list of numbers without brackets."""
    if isinstance(value, list) and not any(isinstance(one, dict | list) for one in value):
        return "+".join(map(str, value))
    return str(value)


def _in_short(observed: Any) -> Any:
    """Return what was observed, with a number in place of the many MLLOG lines of a command."""
    mllog = observed.get("mllog") if isinstance(observed, dict) else None
    if not isinstance(mllog, dict):
        return observed
    return observed | {"mllog": mllog | {"lines": len(mllog["lines"])}}


def _show_attempt(one: dict[str, Any]) -> None:
    from db.rows import SHOWN

    print(f"\nattempt {one['attempt']}")
    pairs = [
        (name, place_of(one[name]) if name.endswith("_path") else cell(one[name], ALL_DIGITS))
        for name in SHOWN
        if one[name] is not None
    ]
    pairs += [(f"{name} (UTC)", at) for name, at in one["times"].items() if at]
    values = {name: m["value"] for name, m in one["metrics"].items()}
    pairs += sampling_lines(values, one["observed"].get("sampling")).items()
    pairs += [
        (name, f"{cell(m['value'], ALL_DIGITS)} {m['unit']}".strip())
        for name, m in one["metrics"].items()
        if name not in SHOWN_IN_LINES
    ]
    pairs += _observed_pairs(one["observed"])
    pairs += [(f"data {name}", value) for name, value in one["data_facts"].items()]
    for name, value in pairs:
        say(f"  {printable(name):<26} {printable(str(value))}")
    if one["stderr_tail"]:
        print("  end of stderr:")
        for line in one["stderr_tail"].splitlines()[-20:]:
            print(f"    {printable(line)}")
