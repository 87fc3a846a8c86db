"""Everything that this project needs of Parsl's executor and that is no public interface of Parsl.

Checked against Parsl 2026.10.26, the version that `pyproject.toml` pins. Before raising the pin, read
each use of a name with an underscore, of a socket and of `status_facade` here, of `methods_for_data`
in `parsl_pickles`, and of `SpawnContext` in `worker_template`, against the new version, and run
`tests/orchestrator/engines` and `tests/campaigns` with the slow tests.
"""

from __future__ import annotations

import logging
import re
import resource
import shlex
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import Any

import zmq

from orchestrator.engines.block_executor import BlockReport, ConnectedPool
from orchestrator.engines.block_jobs import BlockJobs
from orchestrator.engines.parsl_imports import (
    DEFAULT_LAUNCH_CMD,
    BadStateException,
    DataFlowKernel,
    ExecutionProvider,
    HighThroughputExecutor,
    JobStatus,
    LocalProvider,
    ParslState,
    SimpleLauncher,
)
from orchestrator.errors import EngineError
from orchestrator.host.file_end import last_lines
from orchestrator.host.own_modules import module_command
from orchestrator.host.processes import kill_child
from orchestrator.protocol.block_environment import SHORTEN_TMPDIR_COMMAND
from orchestrator.schedulers.model import JobState

CHECKED_VERSION = "2026.10.26"

_log = logging.getLogger(__name__)
_REPLY_MILLISECONDS = 15_000
# A message wakes Parsl's threads at once. Waking every 10 ms, its default, took 1.3 % of a core's time.
_POLL_MILLISECONDS = 250
_PROMPT_SECONDS = 2.0  # for which the driver's loop waits for an answer of the interchange
_CLEANUP_SECONDS = 90.0
# Parsl looks for its helpers on PATH, where a virtual environment that was not activated has none.
_SCRIPTS = Path(sysconfig.get_path("scripts"))
_FILES_OF_INTERCHANGE = 200  # beside a connection to each node: its log, libraries, sockets of the driver
_PYTHON = [sys.executable, "-P", str(Path(__file__).with_name("parsl_script.py"))]
# Leaves the files that Parsl's `LocalProvider` reads, and prints the process that it watches and ends.
_LOCAL_BLOCK = '{ bash "$0" >"$0.out" 2>"$0.err"; echo $? >"$0.ec"; } >/dev/null 2>&1 & echo $!'
_PARSL_STATES = {
    JobState.QUEUED: ParslState.PENDING,
    JobState.HELD: ParslState.PENDING,
    JobState.RUNNING: ParslState.RUNNING,
    JobState.COMPLETED: ParslState.COMPLETED,
    JobState.FAILED: ParslState.FAILED,
    JobState.CANCELLED: ParslState.CANCELLED,
    JobState.TIMEOUT: ParslState.TIMEOUT,
    JobState.NODE_FAILURE: ParslState.FAILED,
    JobState.UNKNOWN: ParslState.COMPLETED,
}


class PromptLocalProvider(LocalProvider):
    """Detects the end of a local block within one second instead of five, in a folder of any name."""

    def submit(self, command: str, tasks_per_node: int, job_name: str = "block") -> str:
        """Start a block, and return its id: that of the process which notes its exit code.

        Parsl's own shell line takes the path of the script for several words where it has a space.
        """
        script = Path(str(self.script_dir)).absolute() / f"{job_name}.{time.time()}.sh"
        script.write_text(f"{self.launcher(command, tasks_per_node, 1)}\n", encoding="utf-8")
        Path(f"{script}.ec").write_text("-", encoding="utf-8")
        starter = subprocess.run(
            ["bash", "-c", _LOCAL_BLOCK, str(script)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            process_group=0,
            timeout=self.cmd_timeout,
            check=True,
        )
        job = starter.stdout.strip()
        self.resources[job] = {
            "job_id": job,
            "status": JobStatus(ParslState.RUNNING),
            "remote_pid": int(job),
            "script_path": str(script),
        }
        return job

    @property
    def status_polling_interval(self) -> int:
        """Seconds between two looks at the block's process."""
        return 1


class BatchProvider(ExecutionProvider):
    """Submits blocks on behalf of Parsl.

    Parsl's own providers take a failed status command, or an accounting database that lags, for
    the end of a job; here a job ends only when the scheduler says so.
    """

    def __init__(self, jobs: BlockJobs, poll_seconds: float, name: str) -> None:
        self._jobs = jobs
        self._poll_seconds = poll_seconds
        self._name = name
        self.nodes_per_block = jobs.nodes_per_block
        self.init_blocks = 0
        self.min_blocks = 0
        self.max_blocks = jobs.max_blocks
        self.parallelism = 1.0
        self.cores_per_node = None
        self.mem_per_node = None

    def submit(self, command: str, tasks_per_node: int, job_name: str = "") -> str:  # noqa: ARG002
        """Submit a block that runs Parsl's command once on every node, or once on its first."""
        if (workers := self._jobs.workers_per_pool) is not None:
            command = re.sub(r"(--max_workers_per_node=)\d+", rf"\g<1>{workers}", command)
        return self._jobs.submit(command, job_name.removeprefix("parsl."))

    def status(self, job_ids: Sequence[object]) -> list[JobStatus]:
        """Return the states of jobs."""
        jobs = self._jobs.update([*map(str, job_ids)])
        return [JobStatus(_PARSL_STATES[job.state], job.reason) for job in jobs]

    def cancel(self, job_ids: Sequence[object]) -> list[bool]:
        """Cancel jobs."""
        return [self._jobs.cancel([*map(str, job_ids)])] * len(job_ids)

    @property
    def label(self) -> str:
        """Parsl's name for it."""
        return self._name

    @property
    def status_polling_interval(self) -> int:
        """Seconds between two status commands."""
        return max(1, round(self._poll_seconds))


class MendedExecutor(HighThroughputExecutor):
    """Parsl's executor, mended: for paths of any characters, and for results that come as it fails."""

    def initialize_scaling(self) -> None:
        """Compose the launch command, in which each path is one word."""
        paths = {"cert_dir": self.cert_dir, "logdir": self.worker_logdir, "logconf": self.logconf_path}
        for name, path in paths.items():
            self.launch_cmd = self.launch_cmd.replace(f"{{{name}}}", _as_word(str(path)))
        super().initialize_scaling()  # type: ignore[no-untyped-call]

    def set_bad_state_and_fail_all(self, exception: Exception) -> None:
        """Fail all tasks, once Parsl's thread of results has ended.

        Parsl fails them while that thread may end one of them: whichever comes second dies of it.
        """
        self._executor_exception = exception
        self._executor_bad_state.set()
        self.join_results()
        for task in tuple(self.tasks.values()):
            with suppress(InvalidStateError):
                task.set_exception(BadStateException(self, exception))  # type: ignore[no-untyped-call]

    def join_results(self) -> bool:
        """Wait for the end of the thread of results; return whether it has ended."""
        thread = self._result_queue_thread
        if thread is None or thread is threading.current_thread():
            return thread is None
        thread.join(_CLEANUP_SECONDS)
        return not thread.is_alive()

    @property
    def takes_results(self) -> bool:
        """True while the thread of results lives."""
        return self._result_queue_thread is not None and self._result_queue_thread.is_alive()

    def close_sockets(self) -> None:
        """Close what a thread that died, or a clean-up that failed, has left open.

        A socket that is collected as garbage together with its ZeroMQ context would hang that collection.
        """
        self._result_queue_thread_exit.set()
        names = ["outgoing_q", "command_client"]
        if self.join_results():
            names.append("incoming_q")
        for name in names:
            if (pipe := getattr(self, name, None)) is not None:
                pipe.close()


def _as_word(text: str) -> str:
    """Return a text as one word of a shell, for a template that is formatted twice."""
    return shlex.quote(text).replace("{", "{{{{").replace("}", "}}}}")


def make_executor(
    label: str,
    address: str,
    workers_per_pool: int,
    heartbeat: tuple[int, int],
    provider: ExecutionProvider,
    clock_file: Path | None = None,
) -> MendedExecutor:
    """Return an executor that has not started.

    Parameters
    ----------
    label, address
        Name of the slot shape, and the driver's address that workers connect to.
    heartbeat
        Period of worker pools, and the silence after which one counts as lost, in seconds.
    clock_file
        Where attempts outlive their driver, the file to which it writes its time; else None.
    """
    start = _PYTHON
    if clock_file is not None:
        start = module_command("orchestrator.node.worker.pool", str(clock_file), *start)
    script, _, options = DEFAULT_LAUNCH_CMD.partition(" ")
    pool = " ".join([*map(_as_word, [*start, str(_SCRIPTS / script)]), options])
    return MendedExecutor(
        label=label,
        address=address,
        max_workers_per_node=workers_per_pool,
        cores_per_worker=1e-6,  # the number of workers is the number of slots, decided by the plan
        cpu_affinity="none",  # the supervisor pins
        prefetch_capacity=0,
        encrypted=True,
        worker_debug=False,
        poll_period=_POLL_MILLISECONDS,
        heartbeat_period=heartbeat[0],
        heartbeat_threshold=heartbeat[1],
        block_error_handler=False,  # `ParslBlocks.check` decides
        launch_cmd=f"{SHORTEN_TMPDIR_COMMAND} {pool}",
        interchange_launch_cmd=interchange_command(),
        provider=provider,
    )


def check_open_files(nodes: int) -> None:
    """Raise `EngineError` where the interchange may not hold a connection to so many nodes."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most != resource.RLIM_INFINITY and (needed := nodes + _FILES_OF_INTERCHANGE) > most:
        raise EngineError(
            f"a process of this host may open {most} files, and {nodes} nodes need {needed}: ask for a "
            "larger hard limit (ulimit -Hn), start the driver on another host, or let fewer nodes run "
            "at once (max_blocks, nodes_per_block)",
            transient=False,
        )


def interchange_command() -> list[str]:
    """Return a command that runs the interchange until the driver ends.

    Signals of the terminal are the driver's to handle: they are ignored from the first moment, and soon
    sent to another group of processes. It stays in the driver's session: Linux shares out cores by
    sessions, and the driver would wait for an interchange of another one more often.
    """
    ignoring = ["sh", "-c", 'trap \'\' INT QUIT TSTP HUP; exec "$0" "$@"']
    return [*ignoring, "setpriv", "--pdeathsig", "TERM", *_PYTHON, "--interchange"]


def local_provider() -> ExecutionProvider:
    """Return a provider of the one block that a machine without a scheduler has."""
    return PromptLocalProvider(  # type: ignore[no-untyped-call]
        init_blocks=0, min_blocks=0, max_blocks=1, nodes_per_block=1, launcher=SimpleLauncher()
    )


class ParslExecutor:
    """The blocks and worker pools of a started executor.

    A thread of its own asks the interchange, one question at a time: the driver's loop must turn while an
    interchange that stands still gives no answer.
    """

    def __init__(self, executor: MendedExecutor) -> None:
        self.executor = executor
        self._asking = ThreadPoolExecutor(1, "interchange")
        self._asked: Future[list[dict[str, Any]]] | None = None
        self._asked_at = 0.0
        self._silent_since: float | None = None

    @property
    def label(self) -> str:
        """Name of the slot shape."""
        return str(self.executor.label)

    def number_blocks_from(self, first: int) -> None:
        """Give the first block a number, so that no two blocks of a session have the same."""
        self.executor._block_id_counter.count = first

    def limit_waits(self) -> None:
        """Let no message to a dead interchange wait without an end."""
        # An order that a dead interchange will never take must not keep Parsl from its end.
        orders = self.executor.outgoing_q.zmq_socket
        orders.setsockopt(zmq.SNDTIMEO, _REPLY_MILLISECONDS)
        orders.setsockopt(zmq.LINGER, 0)
        # Without these two, one late answer would make the socket refuse all further questions.
        socket = self.executor.command_client.zmq_socket
        socket.setsockopt(zmq.REQ_CORRELATE, 1)
        socket.setsockopt(zmq.REQ_RELAXED, 1)
        socket.setsockopt(zmq.SNDTIMEO, _REPLY_MILLISECONDS)
        socket.setsockopt(zmq.RCVTIMEO, _REPLY_MILLISECONDS)

    @property
    def job_ids(self) -> Mapping[str, object]:
        """The job id of every block that was submitted; other threads add to it."""
        ids: Mapping[str, object] = self.executor.blocks_to_job_id
        return ids

    def reports(self) -> dict[str, BlockReport]:
        """Return what Parsl knows of every block, refused ones included."""
        return {
            block: BlockReport(
                status.state.name, status.terminal, status.message, status.stderr_summary or None
            )
            for block, status in list(self.executor.status_facade.items())
        }

    def request_block(self) -> bool:
        """Submit one block; return whether the scheduler took it."""
        return bool(self.executor.scale_out_facade(1))

    def pools(self) -> list[ConnectedPool] | None:
        """Return the connected worker pools; None while the interchange does not answer."""
        patience = 0.0
        if self._asked is None:
            patience, self._asked_at = _PROMPT_SECONDS, time.monotonic()
            self._asked = self._asking.submit(self.executor.connected_managers)
        if not wait([self._asked], patience).done:
            self._note_silence(f"nothing within {_PROMPT_SECONDS:g} s")
            return None
        asked, self._asked = self._asked, None
        try:
            connected = asked.result()
        except zmq.ZMQError as error:
            self._note_silence(str(error))
            return None
        self._silent_since = None
        return [ConnectedPool(one["manager"], one["block_id"], one["tasks"]) for one in connected]

    def _note_silence(self, why: str) -> None:
        if self._silent_since is None:
            self._silent_since = self._asked_at
            _log.warning("the interchange does not answer: %s", why)

    def hold(self, pool: str) -> None:
        """Give a worker pool no more orders: at once, or when the interchange answers again."""
        wait([self._asking.submit(self._hold, pool)], _PROMPT_SECONDS if self._asked is None else 0.0)

    def _hold(self, pool: str) -> None:
        try:
            self.executor._hold_manager(pool)
        except zmq.ZMQError as error:
            _log.warning("worker pool %s could not be held: %s", pool, error)

    def ask_no_more(self) -> None:
        """Wait for the last answer: Parsl closes the socket under a question."""
        self._asking.shutdown(cancel_futures=True)

    def interchange_exit_code(self) -> int | None:
        """Return the exit code of an interchange that has ended; Parsl asks it nothing more then."""
        interchange = self.executor.interchange_proc
        if interchange is None or interchange.poll() is None:
            return None
        if not self.executor.bad_state_is_set:
            self.executor.set_bad_state_and_fail_all(RuntimeError("the interchange died"))
        return int(interchange.returncode)

    def silent_seconds(self) -> float:
        """Return for how long the interchange has not answered; 0 if it answered last."""
        return 0.0 if self._silent_since is None else time.monotonic() - self._silent_since

    def end_interchange(self) -> None:
        """Kill an interchange that does not answer: one that is stopped takes no other signal."""
        interchange = self.executor.interchange_proc
        if interchange is not None:
            kill_child(interchange)

    def local_stderr(self, block: str) -> str:
        """Return the last that a local block wrote to standard error, and in which file it stands."""
        provider, job = self.executor.provider, self.executor.blocks_to_job_id.get(block)
        if provider is None or job not in provider.resources:
            return "it has no file of standard error"
        file = Path(f"{provider.resources[job]['script_path']}.err")
        return f"the end of {file}: {last_lines(file) or 'nothing'}"

    def cancel_skipped(self, jobs: Sequence[str]) -> None:
        """Cancel jobs through the provider where Parsl's own shutdown does not: in its bad state."""
        if self.executor.bad_state_is_set and jobs and self.executor.provider is not None:
            self.executor.provider.cancel(list(jobs))


def clean_up(kernel: DataFlowKernel, executor: MendedExecutor) -> None:
    """End Parsl; where its messaging library waits for a dead interchange, leave it behind."""

    def run() -> None:
        try:
            # First: Parsl closes the socket that these orders go through, and none may be on its way then.
            kernel._task_launch_pool.shutdown(cancel_futures=True)
            kernel.cleanup()
        except Exception:  # noqa: BLE001  whatever it was, the blocks must go
            _log.exception("Parsl did not clean up")
        finally:
            executor.close_sockets()

    cleaner = threading.Thread(target=run, name="parsl-cleanup", daemon=True)
    cleaner.start()
    cleaner.join(_CLEANUP_SECONDS)
    if cleaner.is_alive():
        _log.error("Parsl did not end in %.0f s and is left behind", _CLEANUP_SECONDS)
