"""The Parsl engine: the only module that knows Parsl.

Parsl is the pilot layer and no more: it starts workers inside scheduler jobs and carries orders to
them. Its retries, memoization, checkpoints and monitoring stay off; the ledger is the truth.
"""

from __future__ import annotations

import logging
import sysconfig
import time
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import zmq
from parsl.app.python import PythonApp
from parsl.config import Config
from parsl.dataflow.dflow import DataFlowKernel
from parsl.executors import HighThroughputExecutor
from parsl.executors.high_throughput.executor import DEFAULT_INTERCHANGE_LAUNCH_CMD, DEFAULT_LAUNCH_CMD
from parsl.executors.status_handling import BlockProviderExecutor
from parsl.jobs.states import JobStatus
from parsl.launchers import SimpleLauncher
from parsl.providers import LocalProvider

from db.events import now_us
from db.records import BlockRecord
from orchestrator.errors import EngineError
from orchestrator.node import driver_address
from orchestrator.planning import Stage
from orchestrator.worker import run_attempt
from sites import Site

_log = logging.getLogger(__name__)
_REPLY_MILLISECONDS = 15_000
_FAILED_BLOCKS = 3
_FAILURE_WINDOW_SECONDS = 600.0
# Parsl looks for its helpers on PATH, where a virtual environment that was not activated has none.
_SCRIPTS = Path(sysconfig.get_path("scripts"))


class _PromptLocalProvider(LocalProvider):
    """Notices the end of a local block within a second instead of five."""

    @property
    def status_polling_interval(self) -> int:
        return 1


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
    """

    def __init__(self, site: Site, stage: Stage, directory: Path) -> None:
        self._site = site
        self._stage = stage
        self._directory = directory
        self._kernel: DataFlowKernel | None = None
        self._failures: dict[str, float] = {}
        self._blocks: dict[str, BlockRecord] = {}

    def start(self) -> None:
        """Start the executor and ask for its block; raises `EngineError` if Parsl cannot start."""
        logging.getLogger("parsl").setLevel(logging.CRITICAL)
        self._directory.mkdir(parents=True, exist_ok=True)
        self._executor = self._make_executor()
        config = Config(
            executors=[self._executor],
            run_dir=str(self._directory),
            strategy="simple",
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

    def submit(self, order: dict[str, Any]) -> Future[dict[str, Any]]:
        """Queue an order; raises `EngineError` if Parsl does not take it."""
        try:
            future: Future[dict[str, Any]] = self._app(order)
        except Exception as error:
            raise EngineError(f"Parsl took no more work: {error}") from error
        return future

    def blocks(self) -> list[BlockRecord]:
        """Return the blocks asked for so far, with the state last seen."""
        if self._kernel is None:
            return list(self._blocks.values())
        now = now_us()
        # What Parsl's poller saw last; asking anew would need an interchange that answers.
        for block, status in list(self._executor.status_facade.items()):
            before = self._blocks.get(block)
            self._blocks[block] = BlockRecord(
                executor=self._executor.label,
                block=block,
                job_id=self._executor.blocks_to_job_id.get(block),
                state=status.state.name.lower(),
                requested_us=before.requested_us if before else now,
                started_us=before.started_us if before else now,  # a local block starts at once
                ended_us=(before and before.ended_us) or now if status.terminal else None,
                nodes=1,
                message=status.message,
            )
        return list(self._blocks.values())

    def check(self) -> None:
        """Raise `EngineError` if the interchange died or too many blocks failed."""
        interchange = self._executor.interchange_proc
        if interchange is not None and interchange.poll() is not None:
            self._executor.set_bad_state_and_fail_all(RuntimeError("the interchange died"))
            raise EngineError(f"Parsl's interchange died (exit code {interchange.returncode})")
        if self._executor.bad_state_is_set:
            raise EngineError(f"Parsl gave up: {self._executor.executor_exception}")

    def stop(self) -> None:
        """End Parsl, its interchange and its blocks."""
        if self._kernel is None:
            return
        self.blocks()
        kernel, self._kernel = self._kernel, None
        held = list(self._executor.blocks_to_job_id.values())
        try:
            kernel.cleanup()
        except Exception:  # noqa: BLE001  whatever it was, the blocks must go
            _log.exception("Parsl did not clean up")
        # In a bad state Parsl skips this itself, and blocks would stay.
        if self._executor.bad_state_is_set and held and self._executor.provider is not None:
            self._executor.provider.cancel(held)
        self._blocks = {
            name: block if block.ended_us else replace(block, state="released", ended_us=now_us())
            for name, block in self._blocks.items()
        }

    def _make_executor(self) -> HighThroughputExecutor:
        site = self._site
        return HighThroughputExecutor(
            label=self._stage.shape.label,
            address=driver_address(site),
            max_workers_per_node=len(self._stage.slots),
            cores_per_worker=1e-6,  # the number of workers is the number of slots, decided by the plan
            cpu_affinity="none",  # the supervisor pins
            prefetch_capacity=0,
            encrypted=True,
            worker_debug=False,
            heartbeat_period=int(site.heartbeat.period),
            heartbeat_threshold=int(site.heartbeat.threshold),
            block_error_handler=self._on_block_errors,
            launch_cmd=f"{_SCRIPTS}/{DEFAULT_LAUNCH_CMD}",
            # Its own session: Ctrl-C at the terminal is the driver's to handle. Ends with the driver.
            interchange_launch_cmd=[
                "setsid",
                "setpriv",
                "--pdeathsig",
                "TERM",
                str(_SCRIPTS / DEFAULT_INTERCHANGE_LAUNCH_CMD[0]),
            ],
            provider=_PromptLocalProvider(  # type: ignore[no-untyped-call]
                init_blocks=1, min_blocks=1, max_blocks=1, nodes_per_block=1, launcher=SimpleLauncher()
            ),
        )

    def _on_block_errors(self, executor: BlockProviderExecutor, status: dict[str, JobStatus]) -> None:
        """Give up after several failed blocks in a short time; Parsl's own handler does at the first."""
        now = time.monotonic()
        for block, one in status.items():
            if one.state.name in ("FAILED", "MISSING"):
                self._failures.setdefault(block, now)
        recent = [at for at in self._failures.values() if now - at < _FAILURE_WINDOW_SECONDS]
        if len(recent) >= _FAILED_BLOCKS:
            messages = {one.message or one.stderr_summary or one.state.name for one in status.values()}
            executor.set_bad_state_and_fail_all(
                RuntimeError(f"{len(recent)} blocks failed: {'; '.join(sorted(map(str, messages)))}")
            )
