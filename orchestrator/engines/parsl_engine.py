"""The Parsl engine: the only module that knows Parsl.

Parsl is the pilot layer and no more: it starts workers inside scheduler jobs and carries orders to
them. Its retries, memoization, checkpoints, monitoring and scaling stay off; the ledger is the truth.
"""

from __future__ import annotations

import logging
import math
import sysconfig
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from textwrap import shorten
from typing import Any

import zmq
from parsl.app.python import PythonApp
from parsl.config import Config
from parsl.dataflow.dflow import DataFlowKernel
from parsl.executors import HighThroughputExecutor
from parsl.executors.high_throughput.executor import DEFAULT_INTERCHANGE_LAUNCH_CMD, DEFAULT_LAUNCH_CMD
from parsl.jobs.states import JobState as ParslState
from parsl.jobs.states import JobStatus
from parsl.launchers import SimpleLauncher
from parsl.providers import LocalProvider
from parsl.providers.base import ExecutionProvider

from db.events import now_us
from db.records import BlockRecord
from orchestrator.engines.block_failures import BlockFailures, told
from orchestrator.engines.block_jobs import BlockJobs
from orchestrator.errors import EngineError
from orchestrator.node.worker import run_attempt
from orchestrator.planning.plan import Stage
from orchestrator.planning.site_facts import driver_address
from orchestrator.protocol.block_environment import SHORTEN_TMPDIR_COMMAND
from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import AttemptReport
from orchestrator.schedulers.model import Job, JobState
from sites import Site
from sites.schedulers import Batch

_log = logging.getLogger(__name__)
_REPLY_MILLISECONDS = 15_000
_CLEANUP_SECONDS = 90.0
_MESSAGE_CHARACTERS = 200
# Parsl looks for its helpers on PATH, where a virtual environment that was not activated has none.
_SCRIPTS = Path(sysconfig.get_path("scripts"))


_PARSL_STATES = {
    JobState.QUEUED: ParslState.PENDING,
    JobState.HELD: ParslState.PENDING,
    JobState.RUNNING: ParslState.RUNNING,
    JobState.COMPLETED: ParslState.COMPLETED,
    JobState.FAILED: ParslState.FAILED,
    JobState.CANCELLED: ParslState.CANCELLED,
    JobState.WALLTIME: ParslState.TIMEOUT,
    JobState.NODE_LOST: ParslState.FAILED,
    JobState.GONE: ParslState.COMPLETED,
}


class _PromptLocalProvider(LocalProvider):
    """Notices the end of a local block within a second instead of five."""

    @property
    def status_polling_interval(self) -> int:
        return 1


class _BatchProvider(ExecutionProvider):
    """Asks for blocks in Parsl's terms.

    Parsl's own providers take a failed status command, or an accounting database that lags, for
    the end of a job; here a job ends only when the batch system says so.
    """

    def __init__(self, jobs: BlockJobs, batch: Batch, name: str) -> None:
        self._jobs = jobs
        self._poll = batch.poll
        self._name = name
        self.nodes_per_block = batch.nodes_per_block
        self.init_blocks = 0
        self.min_blocks = 0
        self.max_blocks = batch.blocks
        self.parallelism = 1.0
        self.cores_per_node = None
        self.mem_per_node = None

    def submit(self, command: str, tasks_per_node: int, job_name: str = "") -> str:  # noqa: ARG002
        """Submit a block that runs Parsl's command once on every node."""
        return self._jobs.submit(command, job_name.removeprefix("parsl."))

    def status(self, job_ids: Sequence[object]) -> list[JobStatus]:
        """Return where jobs stand."""
        return [
            JobStatus(_PARSL_STATES[job.state], job.reason) for job in self._jobs.look([*map(str, job_ids)])
        ]

    def cancel(self, job_ids: Sequence[object]) -> list[bool]:
        """End jobs."""
        return [self._jobs.cancel([*map(str, job_ids)])] * len(job_ids)

    @property
    def label(self) -> str:
        """Parsl's name for it."""
        return self._name

    @property
    def status_polling_interval(self) -> int:
        """Seconds between two questions."""
        return max(1, round(self._poll))


class ParslEngine:
    """Runs one stage's attempts on a site through a HighThroughputExecutor.

    Parameters
    ----------
    site
        The machine.
    stage
        Slot shape and slots per node.
    directory
        Parsl's run directory; made if missing.
    name
        Name of the campaign's scheduler jobs.
    first_block
        Number of its first block, so that no two blocks of a session have the same.
    """

    def __init__(self, site: Site, stage: Stage, directory: Path, name: str, first_block: int = 0) -> None:
        self._site = site
        self._stage = stage
        self._directory = directory
        self._first_block = first_block
        self._kernel: DataFlowKernel | None = None
        self._failures = BlockFailures()
        self._blocks: dict[str, BlockRecord] = {}
        self._told: dict[str, str] = {}
        self._released: set[str] = set()
        self._retired: set[str] = set()
        self._standing: set[str] = set()
        self._closed: set[str] = set()
        self._refusal = ""
        self._unanswered = ""
        self._batch: Batch | None = site.scheduler if isinstance(site.scheduler, Batch) else None
        self._name = name
        self._jobs: BlockJobs | None = None
        if self._batch is not None:
            self._jobs = BlockJobs(site, self._batch, name, directory / "blocks", stage)

    def start(self) -> None:
        """Start the executor; raises `EngineError` if Parsl cannot start."""
        logging.getLogger("parsl").setLevel(logging.CRITICAL)
        self._directory.mkdir(parents=True, exist_ok=True)
        self._executor = self._make_executor()
        self._executor._block_id_counter.count = self._first_block
        config = Config(
            executors=[self._executor],
            run_dir=str(self._directory),
            strategy="none",
            strategy_period=1,
            max_idletime=1e9,
            retries=0,
            initialize_logging=False,
            usage_tracking=0,
            garbage_collect=True,
        )
        try:
            self._kernel = DataFlowKernel(config)
        except Exception as error:  # Parsl raises many kinds here
            raise EngineError(f"Parsl could not start: {error}") from error
        # An order that a dead interchange will never take must not keep Parsl from its end.
        orders = self._executor.outgoing_q.zmq_socket
        orders.setsockopt(zmq.SNDTIMEO, _REPLY_MILLISECONDS)
        orders.setsockopt(zmq.LINGER, 0)
        # Without limits, a question to a dead interchange would wait for ever; without the rest,
        # one answer that comes too late would make the socket refuse all further questions.
        socket = self._executor.command_client.zmq_socket
        socket.setsockopt(zmq.REQ_CORRELATE, 1)
        socket.setsockopt(zmq.REQ_RELAXED, 1)
        socket.setsockopt(zmq.SNDTIMEO, _REPLY_MILLISECONDS)
        socket.setsockopt(zmq.RCVTIMEO, _REPLY_MILLISECONDS)
        self._app = PythonApp(  # type: ignore[no-untyped-call]
            run_attempt, data_flow_kernel=self._kernel, executors=[self._executor.label]
        )

    def scale(self, left: int) -> None:
        """Ask for blocks that are missing, and give back queued ones that nothing is left for.

        A block that was cancelled from outside is not replaced; when none may be, the engine ends.
        """
        slots = len(self._stage.slots) * (self._nodes_per_block // self._stage.shape.nodes)
        states = {block: self._job_state(block) for block in self._executor.blocks_to_job_id}
        active = [block for block, state in states.items() if not state.ended]
        if gone := states.keys() - active - self._closed:
            self._close(gone)
        cancelled = [
            block
            for block, state in states.items()
            if state is JobState.CANCELLED and block not in self._released
        ]
        limit = (self._batch.blocks if self._batch else 1) - len(cancelled)
        if left and limit <= 0:
            raise EngineError(f"{self._named(cancelled[-1])} was cancelled from outside", final=True)
        wanted = min(limit, math.ceil(left / slots))
        queued = [block for block in active if states[block] in (JobState.QUEUED, JobState.HELD)]
        surplus = len(active) - wanted
        self._release(queued[: max(0, surplus)])
        if self._jobs is not None and (self._retired or surplus > len(queued)):
            self._release(self._idle_blocks(active, max(0, surplus - len(queued))))
        active = [block for block in active if block not in self._released]
        now = time.monotonic()
        if len(active) < wanted and self._failures.next_request(now) <= now:
            self._request(active)

    def retire(self, pool: str) -> None:
        """Give a worker pool no more work; its block is given back once nothing runs there."""
        if self._jobs is not None:
            self._retired.add(pool)
            self._hold(pool)

    def submit(self, order: AttemptOrder) -> Future[AttemptReport]:
        """Queue an order; raises `EngineError` if Parsl does not take it."""
        try:
            future: Future[AttemptReport] = self._app(order)
        except Exception as error:
            raise EngineError(f"Parsl took no more work: {error}") from error
        return future

    def blocks(self) -> list[BlockRecord]:
        """Return the blocks asked for so far, with the state last seen."""
        if self._kernel is None:
            return list(self._blocks.values())
        now = now_us()
        for block, status in list(self._executor.status_facade.items()):
            before = self._blocks.get(block)
            job = self._job(block)
            state = job.state if job else None
            running = state is JobState.RUNNING or self._batch is None
            ended = state.ended if state else status.terminal
            released = ended and block in self._released
            self._blocks[block] = BlockRecord(
                executor=self._executor.label,
                block=block,
                job_id=self._executor.blocks_to_job_id.get(block),
                state="released" if released else str(state.value) if state else status.state.name.lower(),
                requested_us=before.requested_us if before else now,
                started_us=(before.started_us if before else None) or (now if running else None),
                ended_us=(before and before.ended_us) or now if ended else None,
                nodes=self._nodes_per_block,
                message=None if released else (job.reason if job else status.message) or None,
            )
        return list(self._blocks.values())

    def news(self) -> list[str]:
        """Return what happened to blocks since the last call, in words for the user."""
        if self._jobs is None:
            return []
        said = []
        for block in list(self._executor.blocks_to_job_id):
            job = self._job(block)
            if job is None or block in self._released or self._told.get(block) == job.state:
                continue
            self._told[block] = job.state
            words = told(job, self._directory / "blocks")
            said.append(f"{self._named(block)} {words}")
        if self._refusal:
            said.append(self._refusal)
            self._refusal = ""
        if self._jobs.unanswered != self._unanswered:
            self._unanswered = self._jobs.unanswered
            said += [self._unanswered] if self._unanswered else ["the batch system answers again"]
        return said

    def set_aside(self, pool: str, node: str) -> None:
        """Give a node's worker pool no more work, and avoid the node in later blocks.

        Where there is no batch system, and so no other node, it keeps on.
        """
        self.retire(pool)
        if self._jobs is not None:
            self._jobs.avoid(node)

    def orders(self) -> dict[str, int]:
        """Return how many orders each connected worker pool holds."""
        return {one["manager"]: one["tasks"] for one in self._managers()}

    def give_up(self, standing: Mapping[str, str]) -> None:
        """Lose standing pools' orders: with their blocks, once nothing runs there, or with the engine."""
        if self._jobs is None and standing:
            raise EngineError(next(iter(standing.values())))
        self._standing = set(standing)
        for pool in standing.keys() - self._retired:
            self.retire(pool)

    def check(self) -> None:
        """Raise `EngineError` if the interchange died or too many blocks failed."""
        if (code := self._dead_interchange()) is not None:
            raise EngineError(f"Parsl's interchange died (exit code {code})")
        now = time.monotonic()
        failed = {}
        for block, status in list(self._executor.status_facade.items()):
            job = self._job(block)
            # A block that a walltime ended before its nodes registered did not fail.
            if status.state.name in ("FAILED", "MISSING") and not (job and _innocent(job.state)):
                failed[block] = status
                self._failures.note(block, now)
        if self._failures.too_many(now) and not self._active():
            messages = {one.message or one.stderr_summary or one.state.name for one in failed.values()}
            said = "; ".join(shorten(str(message), _MESSAGE_CHARACTERS) for message in sorted(messages))
            raise EngineError(f"{len(failed)} blocks failed: {said}")

    def stop(self) -> None:
        """End Parsl, its interchange and its blocks."""
        if self._kernel is None:
            return
        self.blocks()
        kernel, self._kernel = self._kernel, None
        self._dead_interchange()
        held = [
            job
            for block, job in self._executor.blocks_to_job_id.items()
            if self._batch is None or not self._job_state(block).ended
        ]
        if self._jobs is not None and held:
            self._jobs.cancel(held)
        _clean_up(kernel)
        # In a bad state Parsl skips this itself, and blocks would stay.
        if self._executor.bad_state_is_set and held and self._executor.provider is not None:
            self._executor.provider.cancel(held)
        self._blocks = {
            name: block
            if block.ended_us
            else replace(block, state="released", message=None, ended_us=now_us())
            for name, block in self._blocks.items()
        }

    def _dead_interchange(self) -> int | None:
        """Return the interchange's exit code, if it has ended; Parsl asks it nothing more then."""
        interchange = self._executor.interchange_proc
        if interchange is None or interchange.poll() is None:
            return None
        if not self._executor.bad_state_is_set:
            self._executor.set_bad_state_and_fail_all(RuntimeError("the interchange died"))
        return int(interchange.returncode)

    # -- blocks ------------------------------------------------------------------------------

    @property
    def _nodes_per_block(self) -> int:
        return self._batch.nodes_per_block if self._batch else 1

    @property
    def _workers_per_pool(self) -> int:
        """How many slots a pool serves: those of its node, or a block's instances of several nodes."""
        nodes = self._stage.shape.nodes
        return len(self._stage.slots) if nodes == 1 else self._nodes_per_block // nodes

    def _job(self, block: str) -> Job | None:
        job = self._executor.blocks_to_job_id.get(block)
        return self._jobs.known.get(str(job)) if self._jobs is not None else None

    def _job_state(self, block: str) -> JobState:
        job = self._job(block)
        if job is not None:
            return job.state
        status = self._executor.status_facade.get(block)
        return JobState.COMPLETED if status is not None and status.terminal else JobState.RUNNING

    def _release(self, blocks: list[str]) -> None:
        if self._jobs is not None and blocks:
            self._released.update(blocks)
            self._close(blocks)
            self._jobs.cancel([self._executor.blocks_to_job_id[block] for block in blocks])

    def _named(self, block: str) -> str:
        return f"block {block} (job {self._executor.blocks_to_job_id[block]})"

    def _active(self) -> list[str]:
        return [block for block in self._executor.blocks_to_job_id if not self._job_state(block).ended]

    def _request(self, active: list[str]) -> None:
        if self._executor.scale_out_facade(1) or self._jobs is None:
            return
        # Parsl keeps the refusal as the state of a block that never was.
        refused = [
            (block, status)
            for block, status in self._executor.status_facade.items()
            if status.state.name == "FAILED" and block not in self._executor.blocks_to_job_id
        ]
        block, status = refused[-1] if refused else ("", None)
        self._failures.note(block, time.monotonic())
        message = str(status.message if status else "the batch system gave no job id").partition(": ")[2]
        if not self._executor.blocks_to_job_id:  # what is refused the first time is refused again
            raise EngineError(message, final=True)
        self._refusal = f"{message}; going on with the blocks there are" if active else message

    def _managers(self) -> list[dict[str, Any]]:
        """Return the worker pools that are connected; none while the interchange does not answer."""
        try:
            return self._executor.connected_managers()
        except zmq.ZMQError as error:
            _log.warning("the interchange does not answer: %s", error)
            return []

    def _close(self, blocks: Collection[str]) -> None:
        """Give blocks no more work; or they would be sent some until their silence is noticed."""
        self._closed.update(blocks)
        for pool in self._managers():
            if pool["block_id"] in blocks:
                self._hold(pool["manager"])

    def _hold(self, pool: str) -> None:
        try:
            self._executor._hold_manager(pool)
        except zmq.ZMQError as error:
            _log.warning("worker pool %s could not be held: %s", pool, error)

    def _idle_blocks(self, active: list[str], surplus: int) -> list[str]:
        """Return running blocks on which nothing runs: those given no more work, and so many others."""
        pools: dict[str, list[dict[str, Any]]] = {}
        for one in self._managers():
            pools.setdefault(one["block_id"], []).append(one)
        idle = [
            block
            for block in active
            if block in pools
            and not any(one["tasks"] for one in pools[block] if one["manager"] not in self._standing)
        ]
        retired = [
            block
            for block in idle
            if all(one["manager"] in self._retired for one in pools[block])
            or any(one["manager"] in self._standing for one in pools[block])
        ]
        return retired + [block for block in idle if block not in retired][:surplus]

    def _make_executor(self) -> HighThroughputExecutor:
        site = self._site
        provider: ExecutionProvider
        if self._jobs is not None and self._batch is not None:
            provider = _BatchProvider(self._jobs, self._batch, self._name)
        else:
            provider = _PromptLocalProvider(  # type: ignore[no-untyped-call]
                init_blocks=0, min_blocks=0, max_blocks=1, nodes_per_block=1, launcher=SimpleLauncher()
            )
        return HighThroughputExecutor(
            label=self._stage.shape.label,
            address=driver_address(site),
            max_workers_per_node=self._workers_per_pool,
            cores_per_worker=1e-6,  # the number of workers is the number of slots, decided by the plan
            cpu_affinity="none",  # the supervisor pins
            prefetch_capacity=0,
            encrypted=True,
            worker_debug=False,
            heartbeat_period=int(site.heartbeat.period),
            heartbeat_threshold=int(site.heartbeat.threshold),
            block_error_handler=False,  # `check` judges
            launch_cmd=f"{SHORTEN_TMPDIR_COMMAND} {_SCRIPTS}/{DEFAULT_LAUNCH_CMD}",
            # Its own session: Ctrl-C at the terminal is the driver's to handle. Ends with the driver.
            interchange_launch_cmd=[
                "setsid",
                "setpriv",
                "--pdeathsig",
                "TERM",
                str(_SCRIPTS / DEFAULT_INTERCHANGE_LAUNCH_CMD[0]),
            ],
            provider=provider,
        )


def _clean_up(kernel: DataFlowKernel) -> None:
    """End Parsl; where its messaging library waits for a dead interchange, leave it behind."""

    def run() -> None:
        try:
            # First: Parsl closes the socket that these orders go through, and none may be on its way then.
            kernel._task_launch_pool.shutdown(cancel_futures=True)
            kernel.cleanup()
        except Exception:  # noqa: BLE001  whatever it was, the blocks must go
            _log.exception("Parsl did not clean up")

    cleaner = threading.Thread(target=run, name="parsl-cleanup", daemon=True)
    cleaner.start()
    cleaner.join(_CLEANUP_SECONDS)
    if cleaner.is_alive():
        _log.error("Parsl did not end in %.0f s and is left behind", _CLEANUP_SECONDS)


def _innocent(state: JobState) -> bool:
    return state in (JobState.WALLTIME, JobState.CANCELLED)
