"""The blocks of a Parsl executor: scaled, drained, recorded and explained. Knows no Parsl."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import shorten

from db.events import EventKind, now_us
from db.records import BlockRecord
from orchestrator.engines.base import UNLIMITED, Allowance, EngineMessage, ExpectedWork
from orchestrator.engines.block_executor import BlockExecutor
from orchestrator.engines.block_failures import BlockFailures, block_event, describe_block
from orchestrator.engines.block_jobs import BlockJobs
from orchestrator.engines.block_scaling import (
    BlockStatus,
    PoolStatus,
    ScalingDecision,
    ScalingLimits,
    ShapedRequest,
    decide,
)
from orchestrator.engines.chosen_shapes import ChosenShapes, too_small
from orchestrator.engines.local_block import LocalBlock
from orchestrator.engines.waiting_blocks import WaitingBlocks, describe_waiting
from orchestrator.errors import AllocationEndedError, EngineError
from orchestrator.planning.stage import Stage
from orchestrator.schedulers.allocation import CLOSING_SECONDS, Allocation
from orchestrator.schedulers.model import Job, JobState
from orchestrator.wording import count_of

_MESSAGE_CHARACTERS = 200
_BLAMELESS = (JobState.TIMEOUT, JobState.CANCELLED)


class ParslBlocks:
    """Blocks of one engine.

    Parameters
    ----------
    jobs
        Their scheduler jobs; None where one local block is all there is.
    """

    def __init__(self, executor: BlockExecutor, stage: Stage, jobs: BlockJobs | None, folder: Path) -> None:
        self._executor = executor
        self._jobs = jobs
        self._folder = folder
        self._nodes_per_block = stage.nodes_per_block
        self._pool = stage.site.pool
        self._slots_per_node = len(stage.slots) if stage.shape.nodes == 1 else None
        self._limits = ScalingLimits(
            slots_per_block=len(stage.slots) * (stage.nodes_per_block // stage.shape.nodes),
            max_blocks=stage.blocks,
            releasable=jobs is not None,
        )
        self._shapes = ChosenShapes.of(stage) if jobs is not None else None
        self._failures = BlockFailures()
        self._records: dict[str, BlockRecord] = {}
        self._described: dict[str, JobState] = {}
        self._pools: dict[str, dict[str, int | None]] = {}
        self._released: set[str] = set()
        self._uncancelled: list[str] = []
        self._lost: list[str] = []
        self._drained: set[str] = set()
        self._stalled: set[str] = set()
        self._closed: set[str] = set()
        self._refusal = ""
        self._unanswered = ""
        self._waiting = WaitingBlocks()
        self._local = LocalBlock(stage.site.heartbeat.stall_timeout)
        self._told: list[EngineMessage] = []
        self._refused: set[str] = set()

    # -- scaling -----------------------------------------------------------------------------

    def scale(
        self, left: int, expected: ExpectedWork | None = None, allowance: Allowance = UNLIMITED
    ) -> None:
        """Hold as many blocks as `left` unfinished instances can fill.

        Parameters
        ----------
        expected, allowance
            How long the instances take, and what the budget leaves: where the site gives ranges, shapes are
            chosen by these.

        Raises
        ------
        EngineError
            If blocks were cancelled from outside and no other may be requested, the first request
            was refused, the scheduler will never start a block and no other has nodes, or a local worker
            pool does not answer.
        AllocationEndedError
            If blocks start within an allocation that has no time left for what waits.
        BudgetTooSmallError
            If no block is left, and the allowance pays for none.
        """
        now = time.monotonic()
        self._refuse_hopeless()
        self._look_at_local(now)
        decision = self._decide(left, expected, allowance, now)
        if ended := set(decision.drain) - self._closed:
            self._close(ended)
        if left and self._jobs is not None and self._jobs.allocation is not None:
            self._refuse_beyond(self._jobs.allocation, decision.release)
        if decision.cancelled_by_others is not None:
            block = self._named(decision.cancelled_by_others)
            raise EngineError(f"{block} was cancelled from outside", transient=False)
        self._release(decision.release)
        if decision.unaffordable:
            raise too_small(allowance)
        if decision.shaped is not None:
            self._request_shaped(decision.shaped, now)
        elif decision.request:
            self._request_all(decision.request)

    def _decide(
        self, left: int, expected: ExpectedWork | None, allowance: Allowance, now: float
    ) -> ScalingDecision:
        """Return what to do now."""
        statuses, next_request = self._statuses(), self._failures.next_request(now)
        if self._shapes is None or self._jobs is None:
            return decide(statuses, self._limits, left=left, now=now, next_request=next_request)
        self._jobs.asks_for_free_nodes = self._shapes.asks_for_free_nodes(left, self.open_slots())
        return self._shapes.decide(
            statuses,
            left=left,
            expected=expected,
            free_nodes=self._jobs.free_nodes,
            now=now,
            next_request=next_request,
            allowance=allowance,
        )

    def change(self, stage: Stage) -> None:
        """Hold blocks as a stage has them from now on.

        Blocks that have no nodes yet keep their place in the queue where the batch system lets them take the
        new settings; the others, and those beyond the most blocks, are given back.
        """
        self._limits = replace(self._limits, max_blocks=stage.blocks)
        self._shapes = ChosenShapes.of(stage, self._shapes, self._nodes_per_block)
        active = self._active()
        waiting = [one for one in active if self._state(one) in (JobState.QUEUED, JobState.HELD)]
        most = stage.blocks - len(active) + len(waiting)
        kept = [block for block in waiting[: max(0, most)] if self._altered(block)]
        self._release([block for block in waiting if block not in kept])

    def _altered(self, block: str) -> bool:
        return self._jobs is not None and self._jobs.alter(str(self._executor.job_ids[block]))

    def _look_at_local(self, now: float) -> None:
        """Tell of a local block without a worker pool; raise `EngineError` if it has had none for long."""
        if self._jobs is not None or not (active := self._active()):
            return
        block = active[-1]
        if (pools := self._executor.pools()) is None:
            return  # the interchange is what does not answer
        try:
            text = self._local.look(block, now, connected=any(one.block == block for one in pools))
        except EngineError as error:
            raise EngineError(f"{error}; {self._executor.local_stderr(block)}") from None
        if text is not None:
            text = f"{text}; {self._executor.local_stderr(block)}"
            self._told.append(EngineMessage(EventKind.BLOCK_WAITING, text, self._named(block)))

    def _refuse_hopeless(self) -> None:
        """Raise `EngineError` if all blocks that are left wait for what only the user can change."""
        active = self._active()
        jobs = [job for block in active if (job := self._job(block)) is not None]
        if not jobs or not all(job.pending is not None and job.pending.hopeless for job in jobs):
            return
        raise EngineError(describe_waiting(self._named(active[0]), jobs[0], 0.0), transient=False)

    def _refuse_beyond(self, allocation: Allocation, release: Collection[str]) -> None:
        """Raise `AllocationEndedError` if an allocation has ended, or nothing that waits fits into its rest.

        Parameters
        ----------
        release
            Blocks that get no more work; another one within the allocation would get none either.
        """
        over = any(self._state(block) is JobState.TIMEOUT for block in list(self._executor.job_ids))
        if over or time.time() >= allocation.ends - CLOSING_SECONDS:
            raise AllocationEndedError(f"the end of allocation {allocation.job}")
        for block in release:
            if not self._all_pools_lost(block) and not self._stalled & self._pools[block].keys():
                raise AllocationEndedError(
                    f"allocation {allocation.job}: nothing that waits fits into the rest of it, or its nodes "
                    "are excluded"
                )

    def _statuses(self) -> list[BlockStatus]:
        """Return the blocks as the scaling policy takes them."""
        self._note_pools()
        return [
            BlockStatus(
                name=block,
                state=self._state(block),
                released=block in self._released,
                pools=tuple(
                    PoolStatus(
                        pool,
                        orders=orders or 0,
                        drained=orders is None or pool in self._drained,
                        stalled=pool in self._stalled,
                    )
                    for pool, orders in self._pools.get(block, {}).items()
                ),
            )
            for block in list(self._executor.job_ids)
        ]

    def _note_pools(self) -> None:
        """Note how many orders the pools of each block hold; None once a pool was lost."""
        if self._jobs is None or (connected := self._executor.pools()) is None:
            return
        for pools in self._pools.values():
            pools.update(dict.fromkeys(pools))
        for one in connected:
            self._pools.setdefault(one.block, {})[one.name] = one.orders

    def _release(self, blocks: Collection[str]) -> None:
        """Give blocks back, and again those that the scheduler did not cancel at the first request."""
        if self._jobs is None:
            return
        if blocks:
            self._lost += [block for block in blocks if self._all_pools_lost(block)]
            self._released.update(blocks)
            self._close(blocks)
        pending = [*blocks, *(one for one in self._uncancelled if not self._state(one).ended)]
        if pending:
            ids = self._executor.job_ids
            done = self._jobs.cancel([str(ids[block]) for block in pending])
            self._uncancelled = [] if done else pending

    def _all_pools_lost(self, block: str) -> bool:
        pools = self._pools.get(block, {})
        return bool(pools) and all(orders is None for orders in pools.values())

    def _request_all(self, number: int) -> None:
        """Request blocks of one shape: all at once where the batch system takes them so, else the first."""
        if self._jobs is None or not self._jobs.expect(number):
            self._request()
            return
        try:
            self._request()
            for _ in range(self._jobs.tasks_left):
                self._request()
        finally:
            self._jobs.expect(0)

    def _request(self) -> None:
        if self._executor.request_block():
            return
        if self._jobs is None:
            self._note_local_refusal()
            return
        # Parsl keeps the refusal as the state of a block that was never submitted.
        submitted = self._executor.job_ids
        refused = [
            (block, report)
            for block, report in self._executor.reports().items()
            if report.state == "FAILED" and block not in submitted
        ]
        block, report = refused[-1] if refused else ("", None)
        self._failures.note(block, time.monotonic())
        message = str(report.message if report else "the scheduler gave no job id").partition(": ")[2]
        if not submitted:  # what is refused the first time is refused again
            raise EngineError(message, transient=False)
        self._refusal = f"{message}; continuing with the blocks that exist" if self._active() else message

    def _request_shaped(self, request: ShapedRequest, now: float) -> None:
        if self._jobs is None or self._shapes is None:
            return
        self._jobs.shape = request.shape
        before = set(self._executor.job_ids)
        self._request()
        for block in set(self._executor.job_ids) - before:
            job, named = str(self._executor.job_ids[block]), self._named(block)
            self._told.append(self._shapes.note(block, request, now, job=job, named=named))

    def _note_local_refusal(self) -> None:
        """Tell why the local block did not start; `check` ends the engine after some."""
        started = self._executor.job_ids
        for block, report in self._executor.reports().items():
            if block not in started and block not in self._refused:
                self._refused.add(block)
                text = f"block {block} did not start: {report.message}"
                self._told.append(EngineMessage(EventKind.BLOCK_FAILED, text, f"block {block}"))

    # -- worker pools ------------------------------------------------------------------------

    def drain_pool(self, pool: str) -> None:
        """Give a worker pool no more orders; its block is released once nothing runs there."""
        if self._jobs is not None:
            self._drained.add(pool)
            self._executor.hold(pool)

    def open_slots(self) -> int:
        """Return how many instances run at a time on worker pools that take orders, as last seen."""
        return sum(self._open_slots_of(block) for block in self._active())

    def _open_slots_of(self, block: str) -> int:
        pools = self._pools.get(block)
        if not pools:
            return self._slots_of(block) if self._state(block) is JobState.RUNNING else 0
        closed = self._drained | self._stalled
        # A pool serves the slots of its node, or all of a block whose instances span several.
        slots = self._slots_of(block) if self._slots_per_node is None else self._slots_per_node
        return slots * sum(orders is not None and name not in closed for name, orders in pools.items())

    def _slots_of(self, block: str) -> int:
        return self._limits.slots_per_block if self._shapes is None else self._shapes.slots(block)

    def exclude_node(self, pool: str, node: str) -> None:
        """Drain a node's worker pool, and request no more blocks with the node.

        Without a scheduler there is no other node, and it stays in use.
        """
        self.drain_pool(pool)
        if self._jobs is not None:
            self._jobs.exclude_node(node)

    def queued_by_pool(self) -> dict[str, int]:
        """Return how many orders each connected worker pool holds."""
        return {one.name: one.orders for one in self._executor.pools() or ()}

    def replace_pools(self, stalled: Mapping[str, str]) -> Collection[str]:
        """Release the blocks of stalled pools once nothing runs there; a local one needs a new engine."""
        if self._jobs is None and stalled:
            raise EngineError(next(iter(stalled.values())))
        self._stalled = set(stalled)
        for pool in stalled.keys() - self._drained:
            self.drain_pool(pool)
        return self._stalled

    def _close(self, blocks: Collection[str]) -> None:
        """Drain blocks; Parsl would send them orders until their silence is detected."""
        self._closed.update(blocks)
        for pool in self._executor.pools() or ():
            if pool.block in blocks:
                self._executor.hold(pool.name)

    # -- what became of blocks ---------------------------------------------------------------

    def records(self) -> list[BlockRecord]:
        """Return the blocks requested so far, with the state last seen."""
        now = now_us()
        ids = self._executor.job_ids
        for block, report in self._executor.reports().items():
            before = self._records.get(block)
            job = self._job(block)
            state = job.state if job else None
            running = state is JobState.RUNNING or self._jobs is None
            ended = state.ended if state else report.terminal
            released = ended and block in self._released
            self._records[block] = BlockRecord(
                slot_shape=self._executor.label,
                block_id=block,
                job_id=str(ids[block]) if block in ids else None,
                state="released" if released else str(state.value) if state else report.state.lower(),
                requested_us=before.requested_us if before else now,
                started_us=(before.started_us if before else None) or (now if running else None),
                ended_us=(before and before.ended_us) or now if ended else None,
                nodes=self._nodes_of(block),
                message=None if released else (job.reason if job else report.message) or None,
                pool=self._pool,
            )
        return list(self._records.values())

    def _nodes_of(self, block: str) -> int:
        return self._nodes_per_block if self._shapes is None else self._shapes.shape(block).nodes

    def promised_node_seconds(self) -> float:
        """Return what blocks that run or wait may still take, as last seen."""
        if (jobs := self._jobs) is None:
            return 0.0
        shapes = {one: self._shapes.shape(one) if self._shapes else jobs.shape for one in self._active()}
        begun = {one: known.started_us for one, known in self._records.items() if known.started_us}
        now = now_us()
        return sum(shape.promised((now - begun.get(one, now)) / 1e6) for one, shape in shapes.items())

    def final_records(self) -> list[BlockRecord]:
        """Return the blocks after the engine has ended: those that had not are released."""
        return [
            block if block.ended_us else replace(block, state="released", message=None, ended_us=now_us())
            for block in self._records.values()
        ]

    def open_jobs(self) -> list[str]:
        """Return the ids of jobs that may still hold nodes, or all without a scheduler."""
        return [
            str(job)
            for block, job in list(self._executor.job_ids.items())
            if self._jobs is None or not self._state(block).ended
        ]

    def tell(self, refusal: str) -> None:
        """Report to the user why blocks are not requested as asked."""
        self._told.append(EngineMessage(EventKind.BLOCK_FAILED, refusal))

    def messages(self) -> list[EngineMessage]:
        """Return what happened to blocks since the last call."""
        messages, self._told = self._told, []
        if self._jobs is None:
            return messages
        for block in list(self._executor.job_ids):
            job = self._job(block)
            if job is None or block in self._released or self._described.get(block) == job.state:
                continue
            if block not in self._described and (choice := self._jobs.choices.get(job.id)):
                text = f"{self._named(block)} is submitted to {choice}"
                messages.append(EngineMessage(EventKind.BLOCK_CHANGED, text, self._named(block)))
            self._described[block] = job.state
            text = f"{self._named(block)} {describe_block(job, self._folder)}"
            messages.append(EngineMessage(block_event(job.state), text, self._named(block)))
        messages += self._waiting.messages(
            [(self._named(block), job) for block in self._active() if (job := self._job(block)) is not None],
            time.monotonic(),
        )
        for block in self._lost:
            text = f"{self._named(block)} lost its nodes: none of its worker pools answers; it is given back"
            messages.append(EngineMessage(EventKind.BLOCK_LOST, text, self._named(block)))
        self._lost.clear()
        if self._refusal:
            messages.append(EngineMessage(EventKind.BLOCK_FAILED, self._refusal))
            self._refusal = ""
        if self._jobs.unanswered != self._unanswered:
            self._unanswered = self._jobs.unanswered
            silent = bool(self._unanswered)
            kind = EventKind.SCHEDULER_AWAY if silent else EventKind.SCHEDULER_BACK
            messages.append(EngineMessage(kind, self._unanswered or "the scheduler answers again"))
        return messages

    def check(self) -> None:
        """Raise `EngineError` if too many blocks failed and none is left."""
        now = time.monotonic()
        failed = {}
        for block, report in self._executor.reports().items():
            job = self._job(block)
            # A block whose walltime ended before its nodes registered did not fail.
            if report.state in ("FAILED", "MISSING") and not (job and job.state in _BLAMELESS):
                failed[block] = report
                self._failures.note(block, now)
        if self._failures.too_many(now) and not self._active():
            messages = {one.message or one.stderr or one.state for one in failed.values()}
            reasons = "; ".join(shorten(message, _MESSAGE_CHARACTERS) for message in sorted(messages))
            raise EngineError(f"{count_of(len(failed), 'block')} failed: {reasons}")

    def _job(self, block: str) -> Job | None:
        job = self._executor.job_ids.get(block)
        return self._jobs.known.get(str(job)) if self._jobs is not None and job is not None else None

    def _state(self, block: str) -> JobState:
        job = self._job(block)
        if job is not None:
            return job.state
        report = self._executor.reports().get(block)
        return JobState.COMPLETED if report is not None and report.terminal else JobState.RUNNING

    def _active(self) -> list[str]:
        return [
            block
            for block in list(self._executor.job_ids)
            if block not in self._released and not self._state(block).ended
        ]

    def _named(self, block: str) -> str:
        return f"block {block} (job {self._executor.job_ids[block]})"
