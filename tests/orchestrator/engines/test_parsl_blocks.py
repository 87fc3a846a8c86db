"""The blocks of an engine, with a scheduler and an executor that do as they are told."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db.events import EventKind
from orchestrator.engines.base import EngineMessage
from orchestrator.engines.block_executor import BlockReport, ConnectedPool
from orchestrator.engines.local_block import CONNECT_SECONDS
from orchestrator.engines.parsl_blocks import ParslBlocks
from orchestrator.errors import AllocationEndedError, EngineError
from orchestrator.schedulers.allocation import CLOSING_SECONDS, Allocation
from orchestrator.schedulers.block_shape import BlockShape
from orchestrator.schedulers.model import FreeNodes, Job, JobState
from orchestrator.schedulers.pending_reasons import PATIENCE_SECONDS, find_pending_reason
from orchestrator.schedulers.slurm import SlurmFamily
from tests.orchestrator.simulation.simulated import made_plan

RUNNING = JobState.RUNNING


class FakeExecutor:
    """Blocks with one pool each; a block that is requested gets the next job, or a refusal."""

    label = "1 core"

    def __init__(self, jobs: FakeJobs) -> None:
        self.jobs = jobs
        self.job_ids: dict[str, object] = {}
        self.connected: list[ConnectedPool] | None = []
        self.held: list[str] = []
        self.refusal = ""
        self.refused: dict[str, BlockReport] = {}

    def reports(self) -> dict[str, BlockReport]:
        states = {
            block: BlockReport(
                "FAILED" if self.jobs.known[str(job)].state is JobState.FAILED else "RUNNING", False
            )
            for block, job in self.job_ids.items()
        }
        return states | self.refused

    def request_block(self) -> bool:
        block = str(len(self.job_ids) + len(self.refused))
        if self.refusal:
            self.refused[block] = BlockReport("FAILED", True, f"Cannot start block {block}: {self.refusal}")
            return False
        self.job_ids[block] = f"10{block}"
        self.jobs.known[f"10{block}"] = Job(f"10{block}", RUNNING)
        return True

    def pools(self) -> list[ConnectedPool] | None:
        return self.connected

    def hold(self, pool: str) -> None:
        self.held.append(pool)

    def local_stderr(self, block: str) -> str:
        return f"the end of {block}.err: no such option"


class FakeJobs:
    """Jobs of which a test sets the states."""

    def __init__(self) -> None:
        self.known: dict[str, Job] = {}
        self.unanswered = ""
        self.answers = True
        self.cancelled: list[list[str]] = []
        self.excluded: list[str] = []
        self.allocation: Allocation | None = None
        self.alterable: set[str] = set()
        self.takes_arrays = False
        self.together: list[int] = []
        self.choices: dict[str, str] = {}
        self.shape = BlockShape(1, 3600.0)
        self.asks_for_free_nodes = False
        self.free_nodes: FreeNodes | None = FreeNodes()
        self.tasks_left = 0

    def expect(self, blocks: int) -> bool:
        self.together.append(blocks)
        self.tasks_left = max(0, blocks - 1)
        return self.takes_arrays and blocks > 1

    def alter(self, job: str) -> bool:
        return job in self.alterable

    def cancel(self, ids: list[str]) -> bool:
        self.cancelled.append(ids)
        return self.answers

    def exclude_node(self, node: str) -> None:
        self.excluded.append(node)

    def set(self, job: str, state: JobState, reason: str = "") -> None:
        self.known[job] = Job(job, state, reason, find_pending_reason(SlurmFamily.pending_reasons, reason))


def made(blocks: int = 2, *, batch: bool = True) -> tuple[ParslBlocks, FakeExecutor, FakeJobs]:
    jobs = FakeJobs()
    executor = FakeExecutor(jobs)
    plan = made_plan({"instances": 8}, batch={"max_blocks": blocks} if batch else None)
    known: Any = jobs if batch else None
    return ParslBlocks(executor, plan.stages[0], known, Path("/runs/blocks")), executor, jobs


def test_an_idle_block_is_released_and_cancelled_again_until_the_scheduler_does_so() -> None:
    blocks, executor, jobs = made()
    blocks.scale(4)
    blocks.scale(4)
    executor.connected = [ConnectedPool("a", "0", 1), ConnectedPool("b", "1", 0)]
    jobs.answers = False
    blocks.scale(2)
    assert (jobs.cancelled, executor.held) == ([["101"]], ["b"])
    blocks.scale(2)
    jobs.answers = True
    blocks.scale(2)
    blocks.scale(2)
    assert jobs.cancelled == [["101"]] * 3
    jobs.set("101", JobState.CANCELLED)
    assert [(one.block_id, one.state) for one in blocks.records()] == [("0", "running"), ("1", "released")]
    assert [one.state for one in blocks.final_records()] == ["released", "released"]
    assert blocks.open_jobs() == ["100"]


def test_a_block_whose_pools_were_all_lost_is_released_and_replaced() -> None:
    blocks, executor, jobs = made(1)
    blocks.scale(2)
    executor.connected = [ConnectedPool("a", "0", 2)]
    blocks.scale(2)
    executor.connected = None  # an interchange that does not answer has lost nothing
    blocks.scale(2)
    assert jobs.cancelled == []
    executor.connected = []
    blocks.scale(2)
    assert jobs.cancelled == [["100"]]
    assert list(executor.job_ids) == ["0", "1"]
    lost = [message for message in blocks.messages() if message.kind is EventKind.BLOCK_LOST]
    assert [message.subject for message in lost] == ["block 0 (job 100)"]
    assert "lost its nodes" in lost[0].text


def test_a_drained_pool_gets_no_more_orders_and_its_block_goes_when_nothing_runs_there() -> None:
    blocks, executor, jobs = made(1)
    blocks.scale(2)
    executor.connected = [ConnectedPool("a", "0", 1)]
    blocks.exclude_node("a", "n1")
    blocks.scale(2)
    assert (executor.held, jobs.excluded, jobs.cancelled) == (["a"], ["n1"], [])
    executor.connected = [ConnectedPool("a", "0", 0)]
    blocks.scale(2)
    assert jobs.cancelled == [["100"]]


def test_stalled_pools_are_drained_once_and_their_orders_lost_with_their_block() -> None:
    blocks, executor, jobs = made(1)
    blocks.scale(2)
    executor.connected = [ConnectedPool("a", "0", 2)]
    for _ in range(2):
        blocks.replace_pools({"a": "it starts nothing"})
    assert executor.held == ["a"]
    assert blocks.queued_by_pool() == {"a": 2}
    blocks.scale(2)
    assert jobs.cancelled == [["100"]]


def test_without_a_scheduler_a_stalled_pool_needs_a_new_engine() -> None:
    blocks, executor, _ = made(batch=False)
    blocks.replace_pools({})
    blocks.exclude_node("a", "n1")
    assert executor.held == []
    with pytest.raises(EngineError, match="it starts nothing") as caught:
        blocks.replace_pools({"a": "it starts nothing"})
    assert caught.value.transient


def test_a_local_block_that_does_not_connect_is_named_with_its_standard_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blocks, executor, _ = made(batch=False)
    blocks.scale(1)
    now = time.monotonic()
    monkeypatch.setattr("time.monotonic", lambda: now)
    blocks.scale(1)
    assert texts(blocks) == []
    now += CONNECT_SECONDS + 1
    blocks.scale(1)
    blocks.scale(1)
    (text,) = texts(blocks)
    assert text.endswith("s; the end of 0.err: no such option")
    now += 300
    with pytest.raises(EngineError, match="has not connected for") as caught:
        blocks.scale(1)
    assert caught.value.transient
    executor.connected = None
    blocks.scale(1)  # then the interchange is what does not answer


def test_a_local_block_whose_pool_answers_no_more_needs_a_new_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blocks, executor, _ = made(batch=False)
    now = time.monotonic()
    monkeypatch.setattr("time.monotonic", lambda: now)
    blocks.scale(1)
    executor.connected = [ConnectedPool("a", "0", 1)]
    blocks.scale(1)
    executor.connected = []
    now += 299
    blocks.scale(1)
    now += 2
    with pytest.raises(EngineError, match="the worker pool of block 0 has not answered for 301 s"):
        blocks.scale(1)


def test_a_local_block_that_cannot_start_is_told() -> None:
    blocks, executor, _ = made(batch=False)
    executor.refusal = "No such file or directory"
    blocks.scale(1)
    assert texts(blocks) == ["block 0 did not start: Cannot start block 0: No such file or directory"]
    assert texts(blocks) == []


def texts(blocks: ParslBlocks) -> list[str]:
    return [message.text for message in blocks.messages()]


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        (JobState.RUNNING, EventKind.BLOCK_CHANGED),
        (JobState.FAILED, EventKind.BLOCK_FAILED),
        (JobState.NODE_FAILURE, EventKind.BLOCK_LOST),
    ],
)
def test_a_blocks_change_is_an_event_of_its_kind(state: JobState, kind: EventKind) -> None:
    blocks, _, jobs = made(1)
    blocks.scale(2)
    jobs.set("100", state, "")
    (message,) = blocks.messages()
    assert (message.kind, message.subject) == (kind, "block 0 (job 100)")


def test_the_first_refusal_is_final_and_later_ones_are_said_and_wait() -> None:
    blocks, executor, _ = made()
    executor.refusal = "no such queue"
    with pytest.raises(EngineError, match=r"^no such queue$") as caught:
        blocks.scale(4)
    assert not caught.value.transient
    blocks, executor, _ = made()
    blocks.scale(4)
    executor.refusal = "too many jobs"
    blocks.scale(4)
    blocks.scale(4)
    assert len(executor.refused) == 1  # the second attempt waits
    assert texts(blocks)[-1] == "too many jobs; continuing with the blocks that exist"


def test_what_happens_to_blocks_is_said_once() -> None:
    blocks, _, jobs = made(1)
    blocks.scale(2)
    assert texts(blocks) == ["block 0 (job 100) is running"]
    jobs.unanswered = "squeue failed"
    assert blocks.messages() == [EngineMessage(EventKind.SCHEDULER_AWAY, "squeue failed")]
    assert blocks.messages() == []
    jobs.unanswered = ""
    jobs.set("100", JobState.CANCELLED, "CANCELLED by 7")
    cancelled = "block 0 (job 100) was cancelled from outside: CANCELLED by 7"
    assert texts(blocks) == [cancelled, "the scheduler answers again"]
    with pytest.raises(EngineError, match=r"^block 0 \(job 100\) was cancelled from outside$") as caught:
        blocks.scale(2)
    assert not caught.value.transient


def test_three_failed_blocks_end_the_engine_once_none_is_left() -> None:
    blocks, executor, jobs = made(4)
    for _ in range(4):
        blocks.scale(8)
    for job in ("100", "101", "102"):
        jobs.set(job, JobState.FAILED)
    blocks.check()
    jobs.set("103", JobState.TIMEOUT)
    with pytest.raises(EngineError, match=r"^3 blocks failed: FAILED$") as caught:
        blocks.check()
    assert caught.value.transient
    assert executor.held == []


def waiting(blocks: ParslBlocks) -> list[EngineMessage]:
    return [message for message in blocks.messages() if message.kind is EventKind.BLOCK_WAITING]


def test_blocks_that_never_start_end_the_engine_once_no_other_is_left() -> None:
    blocks, executor, jobs = made()
    blocks.scale(8)
    blocks.scale(8)
    executor.connected = [ConnectedPool("a", "0", 2)]
    jobs.set("101", JobState.QUEUED, "PartitionTimeLimit")
    text = (
        "block 1 (job 101) will never start: PartitionTimeLimit; write a shorter scheduler.walltime, or "
        "another partition, account or qos, into a site file, and launch again"
    )
    assert waiting(blocks) == [EngineMessage(EventKind.BLOCK_WAITING, text, "block 1 (job 101)")]
    assert waiting(blocks) == []
    blocks.scale(8)  # the first block works
    jobs.set("100", JobState.TIMEOUT)
    with pytest.raises(EngineError) as caught:
        blocks.scale(8)
    assert str(caught.value) == text
    assert not caught.value.transient


def test_a_block_whose_reason_may_pass_is_named_after_a_while_and_waits_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1000.0]
    monkeypatch.setattr("orchestrator.engines.parsl_blocks.time.monotonic", lambda: now[0])
    blocks, _, jobs = made(1)
    blocks.scale(8)
    jobs.set("100", JobState.QUEUED, "AssocGrpNodeLimit")
    assert waiting(blocks) == []
    now[0] += PATIENCE_SECONDS - 1
    assert waiting(blocks) == []
    now[0] += 1
    [message] = waiting(blocks)
    assert message.text.startswith(
        "block 0 (job 100) has waited 30 min 00 s and may never start: AssocGrpNodeLimit; it waits "
    )
    blocks.scale(8)
    jobs.set("100", JobState.QUEUED, "Priority")
    assert waiting(blocks) == []
    jobs.set("100", JobState.QUEUED, "ReqNodeNotAvail, UnavailableNodes:n7")
    assert waiting(blocks) == []
    now[0] += PATIENCE_SECONDS
    assert len(waiting(blocks)) == 1


def inside(left: float = 3600.0) -> tuple[ParslBlocks, FakeExecutor, FakeJobs]:
    blocks, executor, jobs = made(1)
    jobs.allocation = Allocation("77", ("n1", "n2"), time.time() + CLOSING_SECONDS + left)
    return blocks, executor, jobs


def test_an_allocation_into_which_nothing_fits_any_more_gets_no_second_block() -> None:
    blocks, executor, jobs = inside()
    blocks.scale(2)
    executor.connected = [ConnectedPool("a", "0", 1), ConnectedPool("b", "0", 0)]
    blocks.scale(2)
    blocks.drain_pool("b")
    blocks.scale(2)  # the other node still works
    blocks.drain_pool("a")
    executor.connected = [ConnectedPool("a", "0", 0), ConnectedPool("b", "0", 0)]
    with pytest.raises(AllocationEndedError, match="allocation 77: nothing that waits fits"):
        blocks.scale(2)
    blocks.scale(0)  # what was left is done: the block is given back like any other
    assert jobs.cancelled == [["100"]]


def test_an_allocation_that_ends_ends_the_session_and_is_no_failure() -> None:
    blocks, _, jobs = inside()
    blocks.scale(2)
    jobs.set("100", JobState.TIMEOUT, "allocation 77 ended")
    with pytest.raises(AllocationEndedError, match="the end of allocation 77"):
        blocks.scale(2)
    blocks.check()
    blocks, _, _ = inside(left=-0.1)
    with pytest.raises(AllocationEndedError, match="the end of allocation 77"):
        blocks.scale(2)


def test_a_block_that_fails_within_an_allocation_is_started_again() -> None:
    blocks, executor, _ = inside()
    blocks.scale(2)
    executor.connected = [ConnectedPool("a", "0", 1)]
    blocks.scale(2)
    executor.connected = []  # its nodes went silent
    blocks.scale(2)
    blocks.scale(2)
    assert list(executor.job_ids) == ["0", "1"]


@pytest.mark.parametrize(
    ("alterable", "most", "kept"),
    [
        (set(), 4, []),
        ({"101", "102", "103"}, 4, ["101", "102", "103"]),
        ({"102"}, 4, ["102"]),
        ({"101", "102", "103"}, 2, ["101"]),
        ({"101", "102", "103"}, 1, []),
    ],
)
def test_blocks_that_wait_keep_their_place_where_they_take_the_new_settings(
    alterable: set[str], most: int, kept: list[str]
) -> None:
    blocks, _, jobs = made(4)
    for _ in range(4):
        blocks.scale(64)
    jobs.set("100", JobState.RUNNING)
    for job in ("101", "102", "103"):
        jobs.set(job, JobState.QUEUED)
    jobs.alterable = alterable
    plan = made_plan({"instances": 8}, batch={"max_blocks": most})
    blocks.change(replace(plan.stages[0], blocks=most))
    assert blocks.open_jobs() == ["100", "101", "102", "103"]  # until the scheduler says otherwise
    gone = {job for jobs_ in jobs.cancelled for job in jobs_}
    assert sorted({"101", "102", "103"} - gone) == kept


def test_blocks_are_requested_together_where_the_batch_system_takes_them_so() -> None:
    blocks, executor, jobs = made(3)
    jobs.takes_arrays = True
    blocks.scale(6)
    assert list(executor.job_ids) == ["0", "1", "2"]
    assert jobs.together == [3, 0]
    blocks.scale(6)
    assert len(executor.job_ids) == 3
    blocks, executor, jobs = made(3)
    blocks.scale(6)
    assert list(executor.job_ids) == ["0"]  # one at a time: each request may take seconds


def test_a_refusal_of_all_ends_the_request() -> None:
    blocks, executor, jobs = made(3)
    jobs.takes_arrays = True
    executor.refusal = "no such account"
    with pytest.raises(EngineError, match="no such account"):
        blocks.scale(6)
    assert jobs.together == [3, 0]


def test_further_blocks_have_another_number_of_nodes_beside_those_that_run() -> None:
    blocks, executor, jobs = made(1)
    blocks.scale(64)
    executor.connected = [ConnectedPool("a", "0", 2)]
    [stage] = made_plan({"instances": 64}, batch={"max_blocks": 2, "nodes_per_block": 4}).stages
    blocks.change(stage)
    blocks.scale(64)
    assert (jobs.cancelled, jobs.shape, jobs.asks_for_free_nodes) == ([], BlockShape(4, 3600.0), False)
    assert [one.nodes for one in blocks.records()] == [1, 4]
    assert blocks.open_slots() == 2 + 8  # two a node
    blocks.scale(64)
    assert len(executor.job_ids) == 2
    jobs.set("101", JobState.QUEUED)
    blocks.scale(2)  # what runs holds all that is left
    assert jobs.cancelled == [["101"]]
