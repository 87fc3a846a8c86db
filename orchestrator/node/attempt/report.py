"""From what was measured of an attempt to its reports, and which of its logs are kept."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec.structs

from db.states import AttemptState
from orchestrator.node.agents.remote import RemoteRank
from orchestrator.node.attempt.exit_classification import AttemptOutcome, ExitFacts, classify_exit
from orchestrator.node.ranks.environment import device_memory_cap
from orchestrator.node.ranks.mark_arrivals import arrival_fields
from orchestrator.node.ranks.process import RankProcess
from orchestrator.node.ranks.results import combine_marks, combine_results, root_cause, timed_ranks
from orchestrator.node.sampling.foreign_load import ForeignLoad
from orchestrator.protocol.block_environment import node_name
from orchestrator.protocol.foreign_load import METRIC, PERCENT, UNKNOWN, foreign_percent
from orchestrator.protocol.order import AttemptOrder, SlotOrder
from orchestrator.protocol.report import AttemptReport, Metric, TrainingResult, mark_times
from orchestrator.protocol.sampling import Sampling
from orchestrator.protocol.time_budget import is_whole
from orchestrator.wording import count_of
from workloads.runtime.host_facts import signal_name

if TYPE_CHECKING:
    from orchestrator.node.attempt.instance_hooks import HookResult

_TAIL_BYTES = 4096
_NAMED = 8
Rank = RankProcess | RemoteRank


class AttemptLogs:
    """The files of an attempt's standard output and error."""

    def __init__(self, order: AttemptOrder) -> None:
        self.stdout = Path(order.stdout_path)
        self.stderr = Path(order.stderr_path)
        self._policy = order.logs

    def kept(self, *, succeeded: bool) -> tuple[str | None, str | None]:
        """Return the paths of output and error, None for files that the campaign's policy does not keep."""
        keep = {"all": True, "none": False, "failures": not succeeded}[self._policy]
        stdout, stderr = (
            str(file) if keep and file.is_file() else None for file in (self.stdout, self.stderr)
        )
        return stdout, stderr

    def remove_others(self, kept: Sequence[str | None]) -> None:
        """Remove the files that are not kept."""
        for file in {self.stdout, self.stderr} - {Path(name) for name in kept if name}:
            with suppress(OSError):
                file.unlink(missing_ok=True)

    def tail(self) -> str | None:
        """Return the last 4 KiB of standard error; None if there are none."""
        try:
            with self.stderr.open("rb") as stream:
                stream.seek(0, os.SEEK_END)
                stream.seek(max(0, stream.tell() - _TAIL_BYTES))
                return stream.read().decode(errors="replace").replace("\0", "") or None
        except OSError:
            return None


@dataclass(slots=True)
class AttemptFacts:
    """Facts of an attempt so far.

    Parameters
    ----------
    devices
        Names of the GPUs of each rank.
    process_start_us
        When it was about to start its processes, UTC microseconds.
    clock_offset_max_us
        Upper bound of this node's clock offset from the driver's, in microseconds.
    ranks
        Its ranks on this node, or those of all nodes once their agents' reports are read.
    terminated_by
        Why the supervisor ended it, as in `ExitFacts`.
    peak_bytes
        Most resident memory of all ranks together on this node.
    foreign_load
        CPU time of other processes on its cores during the timed run; None where it was not measured.
    sampling
        Energy, power and load that were sampled on its nodes.
    oom_kills
        How often the kernel's out-of-memory killer fired on this node meanwhile.
    start_error
        Why its processes could not be started or watched, if so.
    container
        Runtime, image and digest of the container that they ran in.
    process_start
        ``processes``, where the campaign asks for warm ones: ``warm``, or ``fresh`` with
        ``fresh_because``.
    hooks
        How the shell lines before and after it ended, as far as they ran.
    unended
        Its processes that SIGKILL has not ended.
    """

    devices: list[list[str]]
    process_start_us: int | None = None
    clock_offset_max_us: int | None = None
    ranks: Sequence[Rank] = ()
    failed_rank: Rank | None = None
    terminated_by: str | None = None
    barrier_seconds: float = 0.0
    peak_bytes: int = 0
    foreign_load: ForeignLoad | None = None
    sampling: Sampling | None = None
    oom_kills: int = 0
    start_error: str | None = None
    container: dict[str, str] | None = None
    process_start: dict[str, str] = field(default_factory=dict)
    hooks: list[HookResult] = field(default_factory=list)
    unended: list[int] = field(default_factory=list)

    @property
    def failed_setup(self) -> HookResult | None:
        """The setup, if it failed by itself."""
        return next((one for one in self.hooks if one.name == "instance_setup" and one.failed), None)


def running_report(
    slot: SlotOrder, facts: AttemptFacts, at_us: int, *, at_barrier: bool = False
) -> AttemptReport:
    """Return the report of an attempt that runs, or waits at the start barrier."""
    return _report(slot, facts, AttemptState.RUNNING, at_us, at_barrier=at_barrier)


def final_report(slot: SlotOrder, facts: AttemptFacts, logs: AttemptLogs, at_us: int) -> AttemptReport:
    """Return the report of an attempt whose processes have ended, or have been given up."""
    root = root_cause(facts.ranks, facts.failed_rank)
    outcome = _outcome(slot, facts, root)
    decisive = root or next(iter(facts.ranks), None)
    exit_code = decisive.exit_code if decisive else None
    succeeded = outcome.state is AttemptState.SUCCEEDED
    stdout, stderr = logs.kept(succeeded=succeeded)
    peak = max(facts.peak_bytes, *(rank.peak_bytes for rank in facts.ranks), 0)
    return _report(
        slot,
        facts,
        outcome.state,
        at_us,
        failure_category=outcome.category,
        failure_reason=outcome.reason,
        failure_message=_remarks(outcome, facts) if succeeded else _message(outcome, facts, logs),
        process_stop_us=at_us,
        barrier_seconds=facts.barrier_seconds,
        exit_code=exit_code,
        signal=signal_name(-exit_code) if exit_code is not None and exit_code < 0 else None,
        cpu_seconds=sum(rank.cpu_seconds for rank in facts.ranks) if facts.ranks else None,
        peak_memory_bytes=peak or None,
        stdout_path=stdout,
        stderr_path=stderr,
        stderr_tail=None if succeeded else logs.tail(),
        result=_result(slot, facts),
        sampling=facts.sampling,
    )


def _outcome(slot: SlotOrder, facts: AttemptFacts, root: Rank | None) -> AttemptOutcome:
    """Classify the end of an attempt by the rank that caused a failure, else by its first rank."""
    order = slot.order
    setup = facts.failed_setup
    if setup is not None and order.hooks is not None and not facts.terminated_by and not facts.start_error:
        return AttemptOutcome(
            AttemptState.FAILED, order.hooks.charged_to, "instance_setup failed", setup.message
        )
    decisive = root or next(iter(facts.ranks), None)
    outcome = classify_exit(
        ExitFacts(
            exit_code=decisive.exit_code if decisive else None,
            result=_result(slot, facts),
            error=decisive.error if decisive else None,
            terminated_by=facts.terminated_by,
            oom_kills=facts.oom_kills,
            cores=tuple(place.cores for place in slot.places) * order.nodes,
            devices=tuple(map(tuple, facts.devices)),
            device_memory_bytes=device_memory_cap(order),
            timeout_seconds=order.timeout_seconds,
            memory_bytes=order.memory_bytes,
            had_full_block=is_whole(slot.window) and slot.first and not facts.barrier_seconds,
            start_error=facts.start_error,
        )
    )
    if root is not None and len(facts.ranks) > 1 and not facts.terminated_by and not facts.start_error:
        return replace(outcome, message=f"rank {root.number}: {outcome.message}")
    return outcome


def _remarks(outcome: AttemptOutcome, facts: AttemptFacts) -> str | None:
    """Return the message of an attempt that succeeded: what its hooks wrote, or how they failed."""
    parts = [outcome.message, *(one.remark for one in facts.hooks), _unended(facts)]
    return "; ".join(filter(None, parts)) or None


def _message(outcome: AttemptOutcome, facts: AttemptFacts, logs: AttemptLogs) -> str | None:
    """Return the message of a failure, with what a container's runtime printed and a failed teardown."""
    parts = [outcome.message]
    if outcome.reason == "container failed" and (lines := (logs.tail() or "").strip().splitlines()):
        parts = [f"{outcome.message}: {lines[-1][:300]}"]
    parts += [one.message for one in facts.hooks if one.name != "instance_setup" and one.failed]
    return "; ".join(filter(None, [*parts, _waited_for(outcome, facts), _unended(facts)])) or None


def _waited_for(outcome: AttemptOutcome, facts: AttemptFacts) -> str:
    """Return which ranks others may have waited for until the timeout, in words."""
    running = [str(rank.number) for rank in facts.ranks if rank.result is None]
    if outcome.reason != "timeout" or len(running) in (0, len(facts.ranks)):
        return ""
    more = f" and {len(running) - _NAMED:,} more" if len(running) > _NAMED else ""
    return f"of its {len(facts.ranks)} ranks these gave no result: {', '.join(running[:_NAMED])}{more}"


def _unended(facts: AttemptFacts) -> str:
    if not facts.unended:
        return ""
    number = count_of(len(facts.unended), "process")
    which = ", ".join(map(str, facts.unended))
    return f"SIGKILL did not end {number} ({which}), which may wait for a file server or a device"


def _result(slot: SlotOrder, facts: AttemptFacts) -> TrainingResult | None:
    """Return the result with what the supervisor measured and observed itself.

    Seconds are metrics, as attempts that observed the same share one row of the ledger.
    """
    result = (
        combine_results([rank.result for rank in facts.ranks], slot.order.external) if facts.ranks else None
    )
    if result is None:
        return None
    timed = timed_ranks(facts.ranks, slot.order.external)
    if slot.order.external is not None and len(timed) > 1:  # a command lasts from the first to the last rank
        marks = combine_marks([rank.marks for rank in timed])
        seconds = (
            (marks["run_stop"] - marks["run_start"]) / 1e6
            if {"run_start", "run_stop"} <= marks.keys()
            else None
        )
        result = msgspec.structs.replace(result, fom_seconds=seconds)
    load = facts.foreign_load
    metrics = [Metric(f"{one.name}_seconds", round(one.seconds, 3), "s") for one in facts.hooks]
    stated = {name: fact for name, fact in result.observed.facts.items() if name not in (PERCENT, UNKNOWN)}
    observed: dict[str, Any] = dict(facts.process_start)
    if facts.container is not None:
        observed["container"] = facts.container
    if facts.hooks:
        observed["hooks"] = {one.name: one.facts() for one in facts.hooks}
    if load is not None and load.seconds is not None:
        metrics.append(Metric(METRIC, load.seconds, "s"))
        observed[PERCENT] = foreign_percent(load.seconds, load.core_seconds)
    elif load is not None:
        observed[UNKNOWN] = load.unknown
    return msgspec.structs.replace(
        result,
        metrics=(*result.metrics, *metrics),
        observed=msgspec.structs.replace(result.observed, facts=stated | observed),
    )


def _report(
    slot: SlotOrder, facts: AttemptFacts, state: AttemptState, at_us: int, **measured: Any
) -> AttemptReport:
    timed = timed_ranks(facts.ranks, slot.order.external)
    marks = combine_marks([rank.marks for rank in timed]) if timed else {}
    remote = [rank.node for rank in facts.ranks if isinstance(rank, RemoteRank) and rank.node]
    return AttemptReport(
        token=slot.order.token,
        label=slot.order.label,
        state=state,
        at_us=at_us,
        node=node_name(),
        block_id=slot.block,
        pool=slot.pool,
        slot_index=slot.slot,
        devices=tuple(name for devices in facts.devices for name in devices),
        cores=tuple(core for place in slot.places for core in place.cores),
        nodes=tuple(dict.fromkeys(remote)),
        process_start_us=facts.process_start_us,
        clock_offset_max_us=facts.clock_offset_max_us,
        **mark_times(marks),
        **arrival_fields(timed, facts.ranks if len(timed) == len(facts.ranks) or not remote else ()),
        **measured,
    )
