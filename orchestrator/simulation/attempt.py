"""One simulated attempt: what its worker and supervisor would do and report, by a virtual clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from db.states import AttemptState
from orchestrator.node.attempt.exit_classification import ExitFacts, classify_exit
from orchestrator.node.worker.admission import reject_reason
from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import AttemptReport, TrainingError, TrainingResult
from orchestrator.protocol.time_budget import is_whole, seconds_left
from orchestrator.rundir.signal_files import announced_us
from orchestrator.simulation.fault_model import SimulatedRun
from orchestrator.simulation.virtual_clock import VirtualClock

LATENCY_SECONDS = 0.05
"""Between the driver and a worker."""


@dataclass(frozen=True, slots=True)
class AttemptLocation:
    """Where an attempt runs.

    Parameters
    ----------
    window
        When the block began and ends, in seconds since the epoch; None without an end.
    first
        Whether it is the first of its worker.
    """

    block: str
    pool: str
    node: str
    slot: int
    window: tuple[float, float] | None
    first: bool


class AttemptHost(Protocol):
    """Interface of the machine that an attempt needs."""

    clock: VirtualClock

    def journal(self, order: AttemptOrder, block: str, report: AttemptReport) -> None:
        """Append a report to the journal of a block's workers."""

    def at_barrier(self, order: AttemptOrder, opened: Callable[[int], None]) -> None:
        """Call back with the announced instant once the barrier of an order's wave is open."""


class SimulatedAttempt:
    """An attempt from its start to its last report."""

    def __init__(
        self,
        order: AttemptOrder,
        simulated_run: SimulatedRun,
        location: AttemptLocation,
        machine: AttemptHost,
        done: Callable[[AttemptReport], None],
    ) -> None:
        self.order = order
        self._simulated_run = simulated_run
        self._location = location
        self._machine = machine
        self._done = done
        self._marks: dict[str, int] = {}
        self._barrier_seconds = 0.0
        self.over = False

    @property
    def started(self) -> bool:
        """True if its supervisor runs, or ran."""
        return "process_start_us" in self._marks

    def start(self) -> None:
        """Start, unless a worker would refuse."""
        if self.over:
            return
        clock = self._machine.clock
        now, window = clock.now_us() / 1e6, self._location.window
        nodes = (self._location.node,)
        why = None
        if not self._simulated_run.age:  # no worker refuses what runs
            why = reject_reason(self.order, window, now, first=self._location.first, nodes=nodes)
        if why is not None:
            self.over = True
            left = None if window is None else seconds_left(window, now, self.order.grace_seconds)
            self._done(
                self._report(
                    AttemptState.CANCELLED,
                    failure_category="neutral",
                    failure_reason=why[0],
                    failure_message=why[1],
                    left_seconds=left,
                )
            )
            return
        self._marks["process_start_us"] = clock.now_us()
        self._write(self._report(AttemptState.RUNNING))
        clock.after(self._simulated_run.ready_seconds, self._ready)

    def end(self, why: str | None) -> None:
        """End for a reason as supervisors know it, or None for its own; reported as they do."""
        if self.over:
            return
        self.over = True
        error = TrainingError("node disk", "No space left") if self._simulated_run.out_of_disk else None
        good = why is None and error is None and not self._simulated_run.exit_code
        result = self._result() if good else None
        full_block = is_whole(self._location.window) and self._location.first and not self._barrier_seconds
        outcome = classify_exit(
            ExitFacts(
                exit_code=self._simulated_run.exit_code,
                result=result,
                error=error,
                terminated_by=why,
                oom_kills=0,
                cores=((),),
                timeout_seconds=self.order.timeout_seconds,
                memory_bytes=self.order.memory_bytes,
                had_full_block=full_block,
            )
        )
        facts: dict[str, Any] = {
            "process_stop_us": self._machine.clock.now_us(),
            "barrier_seconds": self._barrier_seconds,
        }
        if why is None:
            facts |= {"exit_code": self._simulated_run.exit_code}
        if result is not None:
            facts |= {"result": result}
        report = self._report(
            outcome.state,
            failure_category=outcome.category,
            failure_reason=outcome.reason,
            failure_message=outcome.message,
            **facts,
        )
        self._write(report)
        self._done(report)

    def kill(self) -> None:
        """End without a report, like the node it ran on."""
        self.over = True

    def _ready(self) -> None:
        if self.over or self._simulated_run.hangs:
            return
        self._marks["ready_us"] = self._machine.clock.now_us()
        if self.order.wave is None:
            self._run()
        else:
            self._write(self._report(AttemptState.RUNNING, at_barrier=True))
            self._machine.at_barrier(self.order, self._barrier_opened)

    def _barrier_opened(self, instant: int) -> None:
        self._marks["clock_offset_max_us"] = self._machine.clock.now_us() - announced_us(self.order, instant)
        self._machine.clock.at_us(instant, self._run)

    def _run(self) -> None:
        if self.over:
            return
        clock, sampled = self._machine.clock, self._simulated_run
        self._marks["run_start_us"] = clock.now_us()
        if self.order.wave is not None:
            self._barrier_seconds = (clock.now_us() - self._marks["ready_us"]) / 1e6
        left = self.order.timeout_seconds - sampled.age - sampled.ready_seconds
        if sampled.run_seconds > left:
            clock.after(max(0.0, left), lambda: self.end("timeout"))
        else:
            why = "memory" if sampled.out_of_memory else None
            clock.after(sampled.run_seconds, lambda: self.end(why))

    def _result(self) -> TrainingResult:
        stop = self._machine.clock.now_us()
        self._marks["run_stop_us"] = stop
        seconds = max(stop - self._marks["run_start_us"], 1) / 1e6
        return TrainingResult(fom_seconds=seconds, accuracy=1.0)

    def _write(self, report: AttemptReport) -> None:
        self._machine.journal(self.order, self._location.block, report)

    def _report(self, state: AttemptState, **facts: Any) -> AttemptReport:
        given: dict[str, Any] = {**self._marks, **facts}
        return AttemptReport(
            token=self.order.token,
            label=self.order.label,
            state=state,
            at_us=self._machine.clock.now_us(),
            node=self._location.node,
            block_id=self._location.block,
            pool=self._location.pool,
            slot_index=self._location.slot,
            **given,
        )
