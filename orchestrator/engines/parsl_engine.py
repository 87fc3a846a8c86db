"""The Parsl engine: orders, start and stop.

Parsl is the pilot layer and no more: it starts workers inside scheduler jobs and carries orders to
them. Its retries, memoization, checkpoints, monitoring and scaling stay off; the ledger has all state.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Collection, Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from db.records import BlockRecord
from orchestrator.engines.base import UNLIMITED, Allowance, EngineMessage, ExpectedWork, OnEnd
from orchestrator.engines.block_jobs import BlockJobs
from orchestrator.engines.parsl_blocks import ParslBlocks
from orchestrator.engines.parsl_imports import Config, DataFlowKernel, PythonApp
from orchestrator.engines.parsl_internals import (
    BatchProvider,
    MendedExecutor,
    ParslExecutor,
    check_open_files,
    clean_up,
    local_provider,
    make_executor,
)
from orchestrator.engines.parsl_pickles import pickle_plainly
from orchestrator.errors import EngineError
from orchestrator.node.worker.run_attempt import run_packed
from orchestrator.planning.site_facts import driver_address
from orchestrator.planning.stage import Stage
from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import AttemptReport
from orchestrator.schedulers.allocation import Allocation
from sites import Site
from sites.schedulers import Batch

_log = logging.getLogger(__name__)


class ParslEngine:
    """Runs one stage's attempts on a site through a HighThroughputExecutor.

    Parameters
    ----------
    first_block
        Number of its first block, so that no two blocks of a session have the same.
    clock_file
        Where attempts outlive their driver, the file to which it writes its time; else None.
    allocation
        Where blocks start without a job of their own; None: the site's scheduler is asked for them.
    """

    def __init__(
        self,
        site: Site,
        stage: Stage,
        directory: Path,
        name: str,
        first_block: int = 0,
        clock_file: Path | None = None,
        allocation: Allocation | None = None,
    ) -> None:
        self._site = site
        self._stage = stage
        self._directory = directory
        self._name = name
        self._first_block = first_block
        self._clock_file = clock_file
        self._kernel: DataFlowKernel | None = None
        self._records: list[BlockRecord] = []
        self._jobs: BlockJobs | None = None
        if isinstance(site.scheduler, Batch):
            self._jobs = BlockJobs(site, site.scheduler, name, directory / "blocks", stage, allocation)

    def start(self) -> None:
        """Start the executor; raises `EngineError` if Parsl cannot start, or not for so many nodes."""
        check_open_files(self._stage.blocks * self._stage.nodes_per_block)
        logging.getLogger("parsl").setLevel(logging.CRITICAL)
        pickle_plainly()
        self._directory.mkdir(parents=True, exist_ok=True)
        self._executor = ParslExecutor(self._make_executor())
        self._executor.number_blocks_from(self._first_block)
        config = Config(
            executors=[self._executor.executor],
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
            kernel = DataFlowKernel(config)
        except Exception as error:  # Parsl raises many kinds here
            _log.debug("Parsl could not start", exc_info=True)
            self._executor.executor.close_sockets()
            raise EngineError(f"Parsl could not start: {error}") from error
        self._blocks = ParslBlocks(self._executor, self._stage, self._jobs, self._directory / "blocks")
        self._kernel = kernel
        self._executor.limit_waits()
        self._app = PythonApp(  # type: ignore[no-untyped-call]
            run_packed, data_flow_kernel=kernel, executors=[self._executor.label]
        )

    def submit(self, order: AttemptOrder, on_end: OnEnd) -> None:
        """Queue an order; raises `EngineError` if Parsl does not take it."""
        try:
            packed: Future[bytes] = self._app(pickle.dumps(order))
        except Exception as error:
            _log.debug("Parsl took no more work", exc_info=True)
            raise EngineError(f"Parsl took no more work: {error}") from error
        packed.add_done_callback(partial(_unpack, order.token, on_end))

    def scale(
        self, left: int, expected: ExpectedWork | None = None, allowance: Allowance = UNLIMITED
    ) -> None:
        """Hold as many blocks as `left` unfinished instances can fill; see `ParslBlocks.scale`."""
        self._blocks.scale(left, expected, allowance)

    def promised_node_seconds(self) -> float:
        """Return what blocks that run or wait may still take, until their walltimes end."""
        return 0.0 if self._kernel is None else self._blocks.promised_node_seconds()

    def change(self, stage: Stage) -> None:
        """Request further blocks by a stage whose site has other settings, unless they are too many."""
        try:
            check_open_files(stage.blocks * stage.nodes_per_block)
        except EngineError as error:
            self._blocks.tell(f"the former settings stay: {error}")
            return
        self._stage = stage
        if self._jobs is not None and isinstance(stage.site.scheduler, Batch):
            self._jobs.change(stage, stage.site.scheduler)
            self._blocks.change(stage)

    def leave_out(self, nodes: tuple[str, ...]) -> None:
        """Request further blocks without these nodes, and with all others that were left out before."""
        if self._jobs is not None:
            self._jobs.leave_out(nodes)

    def open_slots(self) -> int:
        """Return how many instances run at a time on worker pools that take orders."""
        return self._blocks.open_slots()

    def drain_pool(self, pool: str) -> None:
        """Give a worker pool no more orders; its block is released once nothing runs there."""
        self._blocks.drain_pool(pool)

    def exclude_node(self, pool: str, node: str) -> None:
        """Drain a node's worker pool, and request no more blocks with the node."""
        self._blocks.exclude_node(pool, node)

    def queued_by_pool(self) -> dict[str, int]:
        """Return how many orders each connected worker pool holds."""
        return self._blocks.queued_by_pool()

    def replace_pools(self, stalled: Mapping[str, str]) -> Collection[str]:
        """Release the blocks of stalled pools; raises `EngineError` where that needs a new engine."""
        return self._blocks.replace_pools(stalled)

    def blocks(self) -> list[BlockRecord]:
        """Return the blocks requested so far, with the state last seen."""
        return self._records if self._kernel is None else self._blocks.records()

    def messages(self) -> list[EngineMessage]:
        """Return what happened to blocks since the last call, in words for the user."""
        return self._blocks.messages()

    def check(self) -> None:
        """Raise `EngineError` if Parsl's interchange or thread of results died, or too many blocks failed."""
        if (silent := self._executor.silent_seconds()) > self._site.heartbeat.stall_timeout:
            self._executor.end_interchange()
            raise EngineError(f"Parsl's interchange has not answered for {silent:.0f} s")
        if (code := self._executor.interchange_exit_code()) is not None:
            raise EngineError(f"Parsl's interchange died (exit code {code})")
        if not self._executor.executor.takes_results:
            raise EngineError("Parsl's thread that takes results died")
        self._blocks.check()

    def stop(self) -> None:
        """End Parsl, its interchange and its blocks."""
        if self._kernel is None:
            return
        self._blocks.records()
        kernel, self._kernel = self._kernel, None
        self._executor.interchange_exit_code()
        jobs = self._blocks.open_jobs()
        if self._jobs is not None and jobs:
            self._jobs.cancel(jobs)
        self._executor.ask_no_more()
        clean_up(kernel, self._executor.executor)
        self._executor.cancel_skipped(jobs)
        self._records = self._blocks.final_records()

    def _make_executor(self) -> MendedExecutor:
        scheduler, heartbeat = self._site.scheduler, self._site.heartbeat
        # A pool serves the slots of its node, or a block's instances of several nodes.
        nodes = self._stage.shape.nodes
        slots = len(self._stage.slots) if nodes == 1 else self._stage.nodes_per_block // nodes
        return make_executor(
            self._stage.label,
            driver_address(self._site),
            slots,
            (int(heartbeat.period), int(heartbeat.threshold)),
            BatchProvider(self._jobs, scheduler.poll_interval, self._name)
            if self._jobs is not None and isinstance(scheduler, Batch)
            else local_provider(),
            self._clock_file,
        )


def _unpack(token: str, on_end: OnEnd, packed: Future[bytes]) -> None:
    """Pass a report on once its pickled form, or an error, is there."""
    ended: AttemptReport | Exception
    try:
        ended = pickle.loads(packed.result())  # noqa: S301  from our own worker
    except Exception as error:  # noqa: BLE001  whatever it was, the driver decides
        ended = error
    on_end(token, ended)
