"""The supervisor: one process that owns one attempt on one slot, from start to last process gone.

``python -m orchestrator.node.supervisor`` reads an order (JSON) from standard input, runs the training in
its own session and process group, pinned to the slot, and writes one report (JSON) to standard
output after it is in the journal. Whatever happens to the processes above it, it ends everything
below it: it is told of its worker's death by a signal, and adopts processes that lose their parent.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import selectors
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from db.states import AttemptState
from orchestrator.host.network import LOOPBACK, interface_address
from orchestrator.host.processes import SLOT_MARK, carrying, descendants, end, memory_of
from orchestrator.node.exit_classification import Ending, Outcome, judge, signal_name
from orchestrator.node.rank_environment import (
    device_memory_cap,
    find_devices,
    rank_environment,
    runner_request,
)
from orchestrator.node.rank_process import Rank
from orchestrator.node.rank_results import blamed, combine_marks, combine_results, culprit
from orchestrator.node.remote_ranks import Placement, RemoteRank, first_fallen
from orchestrator.node.rendezvous import Rendezvous
from orchestrator.protocol.block_environment import node_name
from orchestrator.protocol.codec import from_json
from orchestrator.protocol.order import RendezvousAddress, SlotOrder
from orchestrator.protocol.report import AttemptReport, mark_times
from orchestrator.protocol.time_budget import seconds_left
from orchestrator.rundir import journal
from orchestrator.rundir.barrier_file import announced_start, barrier_of
from orchestrator.rundir.clock_file import max_offset_us
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.stop_file import stop_requested

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SAMPLE_SECONDS = 1.0
_GATE_SECONDS = 0.5
_RESCAN_SAMPLES = 3
_UNKILLABLE_SECONDS = 60.0
_DYING_SECONDS = 1.0
_RANK_GRACE_SECONDS = 3.0  # for the ranks that one of them has let down
_TAIL_BYTES = 4096
_LOOPBACK_INTERFACE = "lo"
_libc = ctypes.CDLL(None, use_errno=True)


def main() -> int:
    """Supervise the attempt that standard input orders."""
    order = from_json(SlotOrder, json.load(sys.stdin))
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != order.worker_pid:
        return 1  # the worker died before it could be watched
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    report = Supervisor(order).run()
    sys.stdout.write(json.dumps(report.to_json()) + "\n")
    return 0


class Supervisor:
    """Runs one attempt.

    Parameters
    ----------
    order
        The attempt's order with the worker's slot.
    """

    def __init__(self, order: SlotOrder) -> None:
        self.slot = order
        self.order = order.order
        self.places = order.places
        self.devices: list[list[str]] = [[] for _ in self.places]
        self.clock_offset_ns = time.time_ns() - time.monotonic_ns()
        self.started_us: int | None = None
        self.clock_ahead_us: int | None = None
        self.ranks: list[Rank] = []
        self.placement: Placement | None = None
        self.placed: list[RemoteRank] = []
        self.fallen: Rank | RemoteRank | Placement | None = None
        self.kill_at: float | None = None
        self.gate = barrier_of(order.order)
        self.at_gate_since: float | None = None
        self.gate_seconds = 0.0
        self.block_end = float("inf")
        self.ended_for: str | None = None
        self.peak_bytes = 0
        self.leaders: list[psutil.Process] = []
        self.family: list[psutil.Process] = []
        self.wakeups, self._wakeup_writer = os.pipe()
        os.set_blocking(self.wakeups, False)
        os.set_blocking(self._wakeup_writer, False)
        self.signalled = False

    def now_us(self) -> int:
        """Return UTC microseconds; carried by the monotonic clock, so a clock step cannot bend a duration."""
        return (self.clock_offset_ns + time.monotonic_ns()) // 1000

    def run(self) -> AttemptReport:
        """Run the attempt to its end and return its final report, which is in the journal by then."""
        signal.set_wakeup_fd(self._wakeup_writer, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._ask_to_end)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        problem = None
        oom_before = _oom_kills()
        try:
            self._wait_for_slot()
            if self.order.nodes == 1:
                self.devices = find_devices(self.order, self.places)
            self.started_us = self.now_us()
            self._compare_clocks()
            self._write_journal(self._report(AttemptState.RUNNING))
            self._run_processes()
        except Exception as error:  # noqa: BLE001  whatever it was, the attempt must be reported
            problem = f"{type(error).__name__}: {error}"
        outcome, facts = self._conclude(problem, _oom_kills() - oom_before)
        good = outcome.state is AttemptState.SUCCEEDED
        report = self._report(
            outcome.state,
            category=outcome.category,
            reason=outcome.reason,
            message=outcome.message,
            process_stop_us=self.now_us(),
            stderr_tail=None if good else self._tail(),
            **facts,
        )
        kept = self._kept_logs(good=good)
        report = replace(report, stdout_path=kept.get("stdout_path"), stderr_path=kept.get("stderr_path"))
        try:
            self._write_journal(report)
        except OSError as error:  # the result still travels with the future
            problem = f"its report could not be written to its journal: {error}"
            report = replace(report, message="; ".join(filter(None, [report.message, problem])))
        for file in {*self._logs().values()} - {
            Path(name) for name in kept.values()
        }:  # after the journal, which matters more
            with suppress(OSError):
                file.unlink(missing_ok=True)
        if good:
            shutil.rmtree(self.order.scratch, ignore_errors=True)  # there is nothing left to go on with
        return report

    # -- before ------------------------------------------------------------------------------

    def _wait_for_slot(self) -> None:
        """Return when no other process carries this slot's name; end those that stay."""
        others = carrying(SLOT_MARK, os.environ[SLOT_MARK])
        if not others:
            return
        _, left = psutil.wait_procs(others, timeout=self.order.grace_seconds + 5)
        end(left, 5)
        if any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in left):
            raise OSError(f"slot {self.slot.slot} is still held by processes {[p.pid for p in left]}")

    def _compare_clocks(self) -> None:
        """Learn how far this clock is ahead of the driver's at most; the tightest bound counts."""
        bounds = [self.clock_ahead_us, max_offset_us(self.order, self.now_us)]
        self.clock_ahead_us = min((bound for bound in bounds if bound is not None), default=None)

    def _start(self, stdout: int, stderr: int, meeting: RendezvousAddress | None) -> None:
        """Start every rank on its place in the slot."""
        size = len(self.places)
        for number, (place, devices) in enumerate(zip(self.places, self.devices, strict=True)):
            variables = rank_environment(
                self.order, number, size, len(place.cores), devices, node_name(), meeting
            )
            rank = Rank(
                number,
                self.order.interpreter,
                runner_request(self.order, number, size, place, devices),
                variables,
                stdout,
                stderr,
                gated=self.gate is not None,
            )
            self.ranks.append(rank)

    # -- during ------------------------------------------------------------------------------

    def _run_processes(self) -> None:
        """Run the ranks to the end of the last one."""
        paths = [*self._logs().values()]
        paths[0].parent.mkdir(parents=True, exist_ok=True)
        # Before the ranks it may only listen: no thread may run where processes are started.
        rendezvous, meeting = self._open_rendezvous()
        processes: list[Rank | Placement] = []
        try:
            with paths[0].open("wb") as stdout, paths[1].open("wb") as stderr:
                streams = stdout.fileno(), stderr.fileno()
                if self.order.nodes > 1:
                    self.placement = Placement(
                        replace(self.slot, rendezvous=meeting),
                        RunDirectory(Path(self.order.directory)).node_order(self.order.token),
                        *streams,
                        self.now_us,
                    )
                    processes = [self.placement]
                else:
                    self._start(*streams, meeting)
                    processes = [*self.ranks]
            if rendezvous is not None:
                rendezvous.start()
            self.leaders = [psutil.Process(process.pid) for process in processes]
            self._watch(processes)
        finally:
            self._end_all(processes or [*self.ranks])
            if rendezvous is not None:
                rendezvous.stop()
            try:
                if self.placement is not None:
                    self._take_placed(self.placement)
            finally:
                for process in processes:
                    process.close()

    def _open_rendezvous(self) -> tuple[Rendezvous | None, RendezvousAddress | None]:
        """Return where several ranks meet; on one node, nobody else can reach it."""
        if len(self.places) * self.order.nodes == 1:
            return None, None
        interface, address = _LOOPBACK_INTERFACE, LOOPBACK
        if self.order.nodes > 1:
            if self.order.interface is None:
                raise OSError(f"{self.order.label} spans {self.order.nodes} nodes, its site has no interface")
            interface = self.order.interface
            address = interface_address(interface)
        store = Rendezvous(address)
        return store, RendezvousAddress(address, store.port, interface)

    def _take_placed(self, placement: Placement) -> None:
        """Take what the agents of the other nodes told, in place of ranks of our own."""
        self.placed, greedy = placement.ranks()
        self.devices = [list(rank.devices) for rank in self.placed]
        self.fallen = first_fallen(self.placed)
        if placement.failed and self.ended_for is None and not any(rank.node for rank in self.placed):
            raise OSError(
                f"{self.order.launcher} failed to start the ranks: {self._tail() or 'it printed nothing'}"
            )
        if greedy and self.ended_for is None:
            self.ended_for = "memory"

    def _watch(self, processes: list[Rank | Placement]) -> None:
        """Return when the last rank has ended, by itself or because it had to."""
        deadline = time.monotonic() + self.order.timeout_seconds
        if self.slot.window is not None:
            left = seconds_left(self.slot.window, time.time(), self.order.grace_seconds)
            self.block_end = time.monotonic() + left
        samples = 0
        next_sample = time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(self.wakeups, selectors.EVENT_READ)
            for process in processes:
                selector.register(process.reports, selectors.EVENT_READ)
            while True:
                ended = [process for process in processes if process.poll()]
                now = time.monotonic()
                for process in processes:
                    if process.silent and process.reports in selector.get_map():
                        selector.unregister(process.reports)
                self._note_fallen(ended, now)
                running = [process for process in processes if not process.ended]
                if not running:
                    return
                if now >= next_sample:
                    self._sample(rescan=samples % _RESCAN_SAMPLES == 0)
                    samples += 1
                    next_sample = now + _SAMPLE_SECONDS
                deadline += self._pass_gate(now)
                self._end_when_due(running, now, deadline)
                wake = min(next_sample, self.kill_at or min(deadline, self.block_end))
                if self.at_gate_since is not None:
                    wake = min(wake, now + _GATE_SECONDS)
                for key, _ in selector.select(max(0.0, wake - now)):
                    if key.fd == self.wakeups:
                        os.read(self.wakeups, 4096)

    def _pass_gate(self, now: float) -> float:
        """Let the ranks through when the gate opens; return how long they waited, which costs no timeout."""
        if self.gate is None:
            return 0.0
        ranks_there = all("at_gate" in rank.marks for rank in self.ranks)
        if not (ranks_there if self.placement is None else self.placement.at_gate()):
            return 0.0
        if self.at_gate_since is None:
            self.at_gate_since = now
            self._write_journal(self._report(AttemptState.RUNNING, at_gate=True))
        start_us = announced_start(self.gate)
        if start_us is None:
            return 0.0
        self._compare_clocks()
        for rank in self.ranks:  # agents let theirs through themselves
            rank.release(start_us)
        self.gate_seconds = now - self.at_gate_since
        self.gate = self.at_gate_since = None
        return self.gate_seconds

    def _note_fallen(self, ended: Sequence[Rank | Placement], now: float) -> None:
        if self.fallen is None and (fallen := culprit(ended)) is not None:
            self.fallen = fallen
            if (fallen.exit_code or 0) < 0:  # the signal that ended it may have been meant for us all
                self._decide(now, float("inf"))

    def _end_when_due(self, running: Sequence[Rank | Placement], now: float, deadline: float) -> None:
        """Ask what runs to end when it must, and make it end when its grace is over."""
        if self.fallen is None:
            self._decide(now, deadline)
        if (self.ended_for or self.fallen) and self.kill_at is None:
            grace = self.order.grace_seconds
            self.kill_at = now + (grace if self.ended_for else min(grace, _RANK_GRACE_SECONDS))
            self._signal(running, signal.SIGTERM)
        elif self.kill_at is not None and now >= self.kill_at:
            self._signal(running, signal.SIGKILL)
            self.kill_at = float("inf")

    def _signal(self, processes: Sequence[Rank | Placement], number: signal.Signals) -> None:
        for process in processes:
            process.signal(number)

    def _decide(self, now: float, deadline: float) -> None:
        """Set why the attempt must end, if it must; the first reason stands."""
        if self.ended_for:
            return
        if self.signalled:
            orphaned = os.getppid() != self.slot.worker_pid
            # Where the campaign stops, workers end first.
            self.ended_for = (
                "cancelled" if stop_requested(self.order) else "orphaned" if orphaned else "terminated"
            )
        elif now >= deadline and self.at_gate_since is None:
            self.ended_for = "timeout"
        elif now >= self.block_end:
            self.ended_for = "walltime"

    def _sample(self, *, rescan: bool) -> None:
        """Take the memory of the ranks and their descendants; descendants are looked up now and then."""
        if rescan:
            self.family = self.leaders + [
                child for leader in self.leaders for child in descendants(leader.pid)
            ]
        resident, private = memory_of(self.family)
        self.peak_bytes = max(self.peak_bytes, resident)
        limit = self.order.memory_bytes
        if limit is not None and private > limit and not self.ended_for:
            self.ended_for = "memory"

    # -- after -------------------------------------------------------------------------------

    def _conclude(self, problem: str | None, oom_kills: int) -> tuple[Outcome, dict[str, Any]]:
        """Return the verdict on the attempt, and what was measured of its processes."""
        if self.ended_for == "terminated" and self._worker_died():
            self.ended_for = "orphaned"
        ranks: Sequence[Rank | RemoteRank] = self.placed or self.ranks
        fallen = blamed(ranks, None if isinstance(self.fallen, Placement) else self.fallen)
        told = fallen or next(iter(ranks), None)
        result = combine_results([rank.result for rank in ranks]) if ranks else None
        exit_code = told.exit_code if told else None
        outcome = judge(
            Ending(
                exit_code=exit_code,
                result=result,
                error=told.error if told else None,
                ended_for=self.ended_for,
                oom_kills=oom_kills,
                cores=tuple(place.cores for place in self.places) * self.order.nodes,
                devices=tuple(map(tuple, self.devices)),
                device_memory_bytes=device_memory_cap(self.order),
                timeout_seconds=self.order.timeout_seconds,
                memory_bytes=self.order.memory_bytes,
                whole_block=self._had_whole_block(),
                problem=problem,
            )
        )
        if fallen is not None and len(ranks) > 1 and not self.ended_for and not problem:
            outcome = replace(outcome, message=f"rank {fallen.number}: {outcome.message}")
        peak = max(self.peak_bytes, *(rank.peak_bytes for rank in ranks), 0)
        return outcome, {
            "exit_code": exit_code,
            "signal": signal_name(-exit_code) if exit_code is not None and exit_code < 0 else None,
            "gate_seconds": self.gate_seconds,
            "cpu_seconds": sum(rank.cpu_seconds for rank in ranks) if ranks else None,
            "peak_memory_bytes": peak or None,
            "result": result,
        }

    def _worker_died(self) -> bool:
        """Tell whether the worker is gone; its end is signalled while the last of its threads still end."""
        deadline = time.monotonic() + _DYING_SECONDS
        while (there := os.getppid() == self.slot.worker_pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        return not there

    def _had_whole_block(self) -> bool:
        """Tell whether no block could give it more time: its worker's first, and it waited for nobody."""
        return self.slot.window is not None and self.slot.first and not self.gate_seconds

    def _end_all(self, processes: Sequence[Rank | Placement]) -> None:
        """End and reap whatever the training left behind, daemons of its own included.

        What even SIGKILL does not end, as it hangs in the kernel, is left to whoever wants the slot next.
        """
        self._signal([process for process in processes if not process.ended], signal.SIGKILL)
        deadline = time.monotonic() + _UNKILLABLE_SECONDS
        while (left := descendants(os.getpid())) and time.monotonic() < deadline:
            for child in left:
                with suppress(psutil.NoSuchProcess):
                    child.kill()
            _reap()
            if select.select([self.wakeups], [], [], 0.1)[0]:  # a child has ended
                os.read(self.wakeups, 4096)
        _reap()

    def _kept_logs(self, *, good: bool) -> dict[str, str]:
        """Return which of the logs stay, by the campaign's policy."""
        keep = {"all": True, "none": False, "failures": not good}[self.order.logs]
        return {name: str(file) for name, file in self._logs().items() if keep and file.is_file()}

    def _logs(self) -> dict[str, Path]:
        return {"stdout_path": Path(self.order.stdout_path), "stderr_path": Path(self.order.stderr_path)}

    def _tail(self) -> str | None:
        try:
            with Path(self.order.stderr_path).open("rb") as stream:
                stream.seek(0, os.SEEK_END)
                stream.seek(max(0, stream.tell() - _TAIL_BYTES))
                return stream.read().decode(errors="replace").replace("\0", "") or None
        except OSError:
            return None

    def _report(self, state: AttemptState, **facts: Any) -> AttemptReport:
        ranks = self.placed or self.ranks
        marks = combine_marks([rank.marks for rank in ranks]) if ranks else {}
        return AttemptReport(
            token=self.order.token,
            label=self.order.label,
            state=state,
            at_us=self.now_us(),
            node=node_name(),
            block=self.slot.block,
            pool=self.slot.pool,
            slot=self.slot.slot,
            devices=tuple(name for devices in self.devices for name in devices),
            cores=tuple(core for place in self.places for core in place.cores),
            nodes=tuple(dict.fromkeys(rank.node for rank in self.placed if rank.node)),
            process_start_us=self.started_us,
            clock_ahead_us=self.clock_ahead_us,
            **mark_times(marks),
            **facts,
        )

    def _write_journal(self, report: AttemptReport) -> None:
        journal.append(Path(self.slot.journal), report)

    def _ask_to_end(self, *_: object) -> None:
        self.signalled = True


def _reap() -> None:
    """Take the exit codes of all children that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _oom_kills() -> int:
    """Return how often the kernel's out-of-memory killer has fired on this node since it booted."""
    for line in Path("/proc/vmstat").read_text().splitlines():
        if line.startswith("oom_kill "):
            return int(line.split()[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
