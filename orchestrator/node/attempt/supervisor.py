"""The supervisor: a process that runs one attempt at a time on one slot, from its start to its report.

It runs the training in its own session and process group, pinned to the slot, and reports when the journal
has the report. It leaves no process behind: it receives a signal when its worker dies, and adopts descendants
that lose their parent. Where attempts outlive their driver, it goes on without its worker as long as the
driver is silent, too.

Most are forked, and take one order after another (`supervisor_loop`). Where none can be forked,
``python -m orchestrator.node.attempt.supervisor`` reads an order (JSON) from standard input, and writes its
report (JSON) to standard output.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec.structs

from db.states import AttemptState
from orchestrator.host._linux import adopt_orphans, oom_kill_count, signal_when_parent_dies
from orchestrator.host.network import LOOPBACK, interface_address
from orchestrator.host.processes import (
    SLOT_MARK,
    UNKILLABLE_SECONDS,
    kill_descendants,
    runs,
    terminate,
    wait_ended,
    with_mark,
)
from orchestrator.node.agents.keeper import Keeper
from orchestrator.node.agents.kept_agents import AgentsProcess
from orchestrator.node.agents.remote import LauncherProcess, first_to_fail, start_launcher, write_order
from orchestrator.node.attempt.driver_watch import DriverWatch
from orchestrator.node.attempt.report import AttemptFacts, AttemptLogs, final_report, running_report
from orchestrator.node.attempt.worker_death import ENDING_SIGNALS, WORKER_DIED, without_false_death
from orchestrator.node.ranks.barrier import node_barrier_of
from orchestrator.node.ranks.child_process import ChildProcess
from orchestrator.node.ranks.environment import find_devices, rank_environment
from orchestrator.node.ranks.local import start_ranks
from orchestrator.node.ranks.monitor import RankLimits, RankMonitor, RankObserver, SignalWakeups, TreeMemory
from orchestrator.node.ranks.process import RankProcess, memory_roots
from orchestrator.node.ranks.process_start import fork_source, process_start
from orchestrator.node.ranks.results import timed_ranks
from orchestrator.node.sampling.foreign_load import ForeignLoadMeter
from orchestrator.node.sampling.slot_sampling import SlotSampling
from orchestrator.protocol.block_environment import node_name
from orchestrator.protocol.codec import from_json
from orchestrator.protocol.order import RendezvousAddress, SlotOrder
from orchestrator.protocol.report import AttemptReport
from orchestrator.protocol.time_budget import seconds_left
from orchestrator.rundir import journal
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import (
    CANCEL_PERIOD_SECONDS,
    WITHDRAWN,
    announced_us,
    cancel_reason,
    clock_file_of,
    max_offset_us,
    stop_requested,
)
from workloads.forking.forked_child import Template
from workloads.metrics import FOLDER

if TYPE_CHECKING:
    from orchestrator.node.attempt.instance_hooks import HookResult
    from orchestrator.node.ranks.rendezvous import Rendezvous

_log = logging.getLogger(__name__)
_KILLED_AGAIN_SECONDS = 5.0  # for what has had its SIGKILL
_WORKER_EXIT_SECONDS = 1.0
_LOOKED_SECONDS = 0.5
_LOOPBACK_INTERFACE = "lo"


def main() -> int:
    """Supervise the attempt that standard input orders."""
    slot = from_json(SlotOrder, json.load(sys.stdin))
    report = supervise(slot, lambda: os.getppid() == slot.worker_pid, signal_when_parent_dies)
    if report is None:
        return 1
    sys.stdout.write(json.dumps(report.to_json()) + "\n")
    return 0


def supervise(
    slot: SlotOrder,
    worker_lives: Callable[[], bool],
    signal_when_it_dies: Callable[[signal.Signals], None],
    template: Template | None = None,
) -> AttemptReport | None:
    """Supervise an attempt in this process and return its report; None if its worker has died before.

    Parameters
    ----------
    worker_lives, signal_when_it_dies
        Tells whether the worker lives, and has this process get a signal when it dies.
    template
        With what this process was forked, for a training that shares it.
    """
    wakeups = SignalWakeups(*ENDING_SIGNALS)
    signal_when_it_dies(WORKER_DIED)
    if not worker_lives():
        return None  # it died before that took effect
    adopt_orphans()
    return Supervisor(slot, wakeups, worker_lives, template).run()


class Supervisor(RankObserver):
    """Runs one attempt; see `supervise`.

    Parameters
    ----------
    holds_slot
        Whether no other process has the mark of its slot; known before only from an earlier attempt.
    keeper
        Has agents and servers for one attempt after another; None where they end with their attempt.
    """

    def __init__(
        self,
        slot: SlotOrder,
        wakeups: SignalWakeups,
        worker_lives: Callable[[], bool],
        template: Template | None = None,
        *,
        holds_slot: bool = False,
        keeper: Keeper | None = None,
    ) -> None:
        self._keeper = keeper
        self.holds_slot = holds_slot
        self._slot = slot
        self._order = slot.order
        self._wakeups = wakeups
        self._worker_lives = worker_lives
        self._template = template
        self._facts = AttemptFacts(devices=[[] for _ in slot.places])
        self._logs = AttemptLogs(slot.order)
        self._load = ForeignLoadMeter([core for place in slot.places for core in place.cores])
        self._sampling = SlotSampling(slot, self._now_us)
        self._epoch_ns = time.time_ns() - time.monotonic_ns()
        self._driver: DriverWatch | None = None
        self._made = time.monotonic()
        self._next_look = self._made + CANCEL_PERIOD_SECONDS

    def run(self) -> AttemptReport:
        """Run the attempt to its end and return its final report, which the journal has by then."""
        facts = self._facts
        oom_kills = oom_kill_count()
        try:
            self._wait_for_slot()
            self.holds_slot = True
            if self._order.nodes == 1:
                facts.devices = find_devices(self._order, self._slot.places)
            self._pin_image()
            facts.process_start_us = self._now_us()
            self._bound_clock_offset()
            self._write_journal(running_report(self._slot, facts, self._now_us()))
            if self._set_up():
                self._run_processes()
        except Exception as error:  # noqa: BLE001  the attempt must be reported whatever went wrong
            _log.debug("the attempt could not start", exc_info=True)
            facts.start_error = f"{type(error).__name__}: {error}"
        if facts.terminated_by == "terminated" and self._worker_died():
            facts.terminated_by = "orphaned"
        facts.oom_kills = oom_kill_count() - oom_kills
        self._tear_down()
        report = final_report(self._slot, facts, self._logs, self._now_us())
        try:
            self._write_journal(report)
        except OSError as error:  # the worker still sends the report to the driver
            problem = f"its report could not be written to its journal: {error}"
            report = msgspec.structs.replace(
                report, failure_message="; ".join(filter(None, [report.failure_message, problem]))
            )
        self._logs.remove_others((report.stdout_path, report.stderr_path))  # less urgent than the journal
        if self._order.external is not None and self._order.nodes * len(self._slot.places) > 1:
            from workloads.external.scratch import remove_shared  # which few attempts need

            remove_shared(Path(self._order.scratch))
        if report.state is AttemptState.SUCCEEDED:
            self._remove_scratch()
        return report

    def termination_requested(self) -> str | None:
        """Return why this process was signalled, or who cancelled the attempt; else None."""
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + CANCEL_PERIOD_SECONDS
            if (reason := cancel_reason(self._order)) is not None:
                return "withdrawn" if reason == WITHDRAWN else "user"
        received = without_false_death(self._wakeups, self._worker_lives)
        if not received:
            return None
        if received == {WORKER_DIED} and self._order.outlives_driver:
            if self._driver is None:
                self._driver = DriverWatch(clock_file_of(self._order))
            return "orphaned" if self._driver.is_lost() is False else None
        if stop_requested(self._order):  # checked first: a campaign that stops ends its workers first
            return "cancelled"
        return "terminated" if self._worker_lives() else "orphaned"

    def polled(self) -> None:
        """Measure load by other processes where the ranks run on this node."""
        if self._order.nodes == 1:
            marks = [rank.marks for rank in timed_ranks(self._facts.ranks, self._order.external)]
            self._load.update(marks)
            self._facts.foreign_load = self._load.result()
            self._sampling.update(marks)

    def barrier_reached(self) -> None:
        """Report to the driver that the attempt waits."""
        self._write_journal(running_report(self._slot, self._facts, self._now_us(), at_barrier=True))

    def barrier_opened(self, start_us: int) -> None:
        """Take the clock's bound again: times that count are measured from now on.

        The announcement is read within half a second; the file of the driver's time may be older.
        """
        self._bound_clock_offset(self._now_us() - announced_us(self._order, start_us))

    def _now_us(self) -> int:
        """Return UTC microseconds by the monotonic clock, so that setting the clock changes no duration."""
        return (self._epoch_ns + time.monotonic_ns()) // 1000

    def _wait_for_slot(self) -> None:
        """Return when no other process has this slot's mark; end those that stay."""
        if self.holds_slot:
            return  # since an earlier attempt
        others = with_mark(SLOT_MARK, os.environ[SLOT_MARK])
        if not others:
            return
        left = wait_ended(others, self._order.grace_seconds + 5)
        terminate(left, 5)
        if left := list(filter(runs, left)):
            raise OSError(
                f"slot {self._slot.slot} is still held by processes {[process.pid for process in left]}"
            )

    def _pin_image(self) -> None:
        """Find the image of the attempt's container; raises `ContainerError` if it is not on this node."""
        if self._order.container is not None:
            from orchestrator.node.ranks.container_image import pinned_order  # which few attempts need

            self._order, self._facts.container = pinned_order(self._order)
            self._slot = replace(self._slot, order=self._order)

    def _set_up(self) -> bool:
        """Run the lines before the attempt; return whether its processes may start."""
        hooks = self._order.hooks
        if hooks is None:
            return True
        limits = self._limits(hooks.timeout_seconds)
        result = self._run_hook("instance_setup", hooks.setup, limits, self)
        if result is not None and result.ended_by not in (None, "timeout"):
            self._facts.terminated_by = result.ended_by
        return result is None or not result.failed

    def _tear_down(self) -> None:
        """Run the lines after the attempt, for its grace period at most if it was ended from outside."""
        hooks, facts = self._order.hooks, self._facts
        if hooks is None or facts.process_start_us is None:
            return
        asked = facts.terminated_by not in (None, "timeout", "memory")
        longest = min(hooks.timeout_seconds, self._order.grace_seconds) if asked else hooks.timeout_seconds
        limits = self._limits(longest)
        if self._slot.window is not None:  # the attempt's grace period is this hook's
            limits = replace(limits, block_seconds=seconds_left(self._slot.window, time.time(), 0.0))
        try:  # the report must be written before the block ends
            self._run_hook("instance_teardown", hooks.teardown, limits, RankObserver())
        except Exception as error:  # noqa: BLE001  the attempt must be reported whatever went wrong
            _log.warning("instance_teardown of %s could not run: %s", self._order.label, error)

    def _run_hook(
        self, name: str, lines: Sequence[str], limits: RankLimits, observer: RankObserver
    ) -> HookResult | None:
        """Run shell lines in the slot, note how they ended, and leave nothing of them running."""
        if not lines:
            return None
        from orchestrator.node.attempt.instance_hooks import run_instance_hook  # which few attempts need

        order, place = msgspec.structs.replace(self._order, container=None), self._slot.places[0]
        of_ranks = self._facts.devices if order.nodes == 1 else []  # of other nodes they are not known here
        devices = [name for one in of_ranks for name in one]
        variables = rank_environment(order, 0, 1, len(place.cores), devices, node_name(), None)
        variables |= {
            "ORCHESTRATOR_INSTANCE": order.label,
            "ORCHESTRATOR_ATTEMPT": str(order.attempt),
            "ORCHESTRATOR_SCRATCH": order.scratch,
        }
        cores = {core for one in self._slot.places for core in one.cores}
        logs = self._logs.stdout, self._logs.stderr
        try:
            result = run_instance_hook(name, lines, variables, cores, logs, limits, observer, self._wakeups)
        finally:
            self._kill_descendants(UNKILLABLE_SECONDS)
        self._facts.hooks.append(result)
        return result

    def _limits(self, timeout_seconds: float) -> RankLimits:
        """Return the limits of processes that must end before the attempt's block does."""
        order, window = self._order, self._slot.window
        limits = RankLimits(grace_seconds=order.grace_seconds, timeout_seconds=timeout_seconds)
        if window is None:
            return limits
        return replace(limits, block_seconds=seconds_left(window, time.time(), order.grace_seconds))

    def _bound_clock_offset(self, *found: int) -> None:
        """Bound how far this clock is ahead of the driver's; the tightest bound counts."""
        bounds = [*found, self._facts.clock_offset_max_us, max_offset_us(self._order, self._now_us)]
        self._facts.clock_offset_max_us = min((bound for bound in bounds if bound is not None), default=None)

    def _run_processes(self) -> None:
        """Run the ranks to the end of the last one."""
        rendezvous, address = self._open_rendezvous()
        processes: list[ChildProcess] = []
        started = time.monotonic()
        try:
            self._start(processes, address)
            if rendezvous is not None:
                rendezvous.start()  # after the processes: starting them beside a thread is not safe
            self._monitor(processes, started)
        finally:
            self._end_all(processes)
            if rendezvous is not None:
                rendezvous.stop()
            try:
                self._read_remote_ranks(processes)
            finally:
                for process in processes:
                    process.close()

    def _start(self, processes: list[ChildProcess], address: RendezvousAddress | None) -> None:
        """Append the ranks, or the launcher that starts them on other nodes, as they are started."""
        self._logs.stdout.parent.mkdir(parents=True, exist_ok=True)
        with self._logs.stdout.open("ab") as stdout, self._logs.stderr.open("ab") as stderr:
            streams = stdout.fileno(), stderr.fileno()
            slot = replace(self._slot, rendezvous=address)
            if self._order.nodes > 1:
                processes.append(self._start_agents(slot, streams))
                return
            servers = None if self._keeper is None else self._keeper.servers
            # It was looked at when the order came: only a setup, or a wait, leaves time for changes.
            looked = self._order.hooks is None and time.monotonic() <= self._made + _LOOKED_SECONDS
            source = fork_source(slot, self._template, servers, self.termination_requested, looked=looked)
            self._facts.ranks = ranks = []
            for rank in start_ranks(slot, 0, self._facts.devices, *streams, source):
                ranks.append(rank)
                processes.append(rank)
            if len(timed := timed_ranks(ranks, self._order.external)) < len(ranks):
                timed[0].time_others(ranks[1:])
            self._facts.process_start = process_start(self._slot, ranks, source)

    def _start_agents(self, slot: SlotOrder, streams: tuple[int, int]) -> LauncherProcess:
        """Start the agents of all nodes, or have those that are kept begin."""
        file = RunDirectory(Path(self._order.directory)).node_order(self._order.token)
        if slot.is_warm and self._keeper is not None:
            logs = self._logs.stdout, self._logs.stderr
            return AgentsProcess(slot, file, logs, self._now_us, self._keeper.agents)
        if slot.is_warm:
            slot = replace(slot, fresh_because="its supervisor could not be forked")
        write_order(slot, file)
        return LauncherProcess(slot, file, start_launcher(slot, file, *streams), self._now_us)

    def _monitor(self, processes: list[ChildProcess], started: float) -> None:
        order = self._order
        limits = replace(self._limits(order.timeout_seconds), memory_bytes=order.memory_bytes)
        memory = TreeMemory(memory_roots(order, processes))
        if order.nodes == 1:
            self._sampling.start(self._facts.devices, memory.pids)
        barrier = node_barrier_of(order)
        monitor = RankMonitor(processes, limits, self, barrier=barrier, memory=memory, started=started)
        try:
            monitor.run(self._wakeups)
        finally:
            self._facts.sampling = self._sampling.finish()
            self._facts.terminated_by = monitor.terminated_by
            self._facts.barrier_seconds = monitor.barrier_seconds
            self._facts.peak_bytes = monitor.peak_bytes
            if isinstance(monitor.failed_rank, RankProcess):
                self._facts.failed_rank = monitor.failed_rank

    def _open_rendezvous(self) -> tuple[Rendezvous | None, RendezvousAddress | None]:
        """Listen where several ranks find each other; on one node, on the loopback interface."""
        if len(self._slot.places) * self._order.nodes == 1:
            return None, None
        from orchestrator.node.ranks.rendezvous import (
            Rendezvous,  # loads http.server, which few attempts need
        )

        interface, address = _LOOPBACK_INTERFACE, LOOPBACK
        if self._order.nodes > 1:
            if self._order.interface is None:
                order = self._order
                raise OSError(
                    f"{order.label} spans {order.nodes} nodes, but its site file names no interface"
                )
            interface = self._order.interface
            address = interface_address(interface)
        local_size = len(self._slot.places)
        store = Rendezvous(local_size * self._order.nodes, local_size, address)
        return store, RendezvousAddress(address, store.port, store.pmi_port, interface)

    def _read_remote_ranks(self, processes: Sequence[ChildProcess]) -> None:
        """Take over what the agents of the nodes reported."""
        launcher = next(iter(processes), None)
        if not isinstance(launcher, LauncherProcess):
            return
        facts = self._facts
        ranks, memory_exceeded = launcher.ranks()
        facts.foreign_load = launcher.foreign_load()
        if self._order.sampling_seconds is not None:
            facts.sampling = launcher.sampling()
        facts.ranks = ranks
        facts.devices = [list(rank.devices) for rank in ranks]
        facts.failed_rank = first_to_fail(ranks)
        if self._order.processes == "warm":
            facts.process_start = launcher.process_start()
        if launcher.failed and facts.terminated_by is None and not any(rank.node for rank in ranks):
            printed = self._logs.tail() or "it printed nothing"
            raise OSError(f"{self._order.launcher} failed to start the ranks: {printed}")
        if memory_exceeded and facts.terminated_by is None:
            facts.terminated_by = "memory"

    def _end_all(self, processes: list[ChildProcess]) -> None:
        """Kill and reap whatever the attempt left behind, daemons included.

        Processes in uninterruptible sleep survive SIGKILL; the next attempt on this slot waits for them.
        """
        left = [process for process in processes if not process.ended]
        for process in left:
            process.signal(signal.SIGKILL)
        self._kill_descendants(_KILLED_AGAIN_SECONDS if left else UNKILLABLE_SECONDS)

    def _kill_descendants(self, seconds: float) -> None:
        if self._facts.unended:
            seconds = _KILLED_AGAIN_SECONDS
        if self._keeper is not None:
            self._keeper.servers.clean(seconds)
        kept = () if self._keeper is None else self._keeper.processes
        self._facts.unended = kill_descendants(seconds, self._wakeups.wait, kept)

    def _worker_died(self) -> bool:
        """Tell whether the worker has died; its signal arrives while its last threads still end."""
        deadline = time.monotonic() + _WORKER_EXIT_SECONDS
        while (alive := self._worker_lives()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return not alive

    def _remove_scratch(self) -> None:
        """Remove the directory that no further attempt resumes from, or keep it for a later rung.

        Its files of measurements are kept.
        """
        scratch = Path(self._order.scratch)
        with suppress(OSError):
            if not scratch.is_dir():  # few workloads make one
                return
            import shutil  # 3 ms that all other supervisors save

            if (measured := scratch / FOLDER).is_dir():
                kept = RunDirectory(Path(self._order.directory)).measured / scratch.name
                shutil.rmtree(kept, ignore_errors=True)  # of an earlier accepted attempt
                kept.parent.mkdir(exist_ok=True)
                measured.rename(kept)
            if (later := self._order.kept) is not None:
                shutil.rmtree(later, ignore_errors=True)  # of an earlier accepted attempt
                Path(later).parent.mkdir(exist_ok=True)
                scratch.rename(later)
            shutil.rmtree(scratch, ignore_errors=True)

    def _write_journal(self, report: AttemptReport) -> None:
        journal.append(Path(self._slot.journal), report)


if __name__ == "__main__":
    exit_code = main()
    gc.freeze()  # no search for garbage at the end: a tenth of a supervisor's own time
    sys.exit(exit_code)
