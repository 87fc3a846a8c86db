"""The supervisor: one process that owns one attempt on one slot, from start to last process gone.

``python -m orchestrator.supervisor`` reads an order (JSON) from standard input, runs the training in
its own session and process group, pinned to the slot, and writes one report (JSON) to standard
output after it is in the journal. Whatever happens to the processes above it, it ends everything
below it: it is told of its worker's death by a signal, and adopts processes that lose their parent.
"""

from __future__ import annotations

import ctypes
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from orchestrator import journal
from orchestrator.outcome import Ending, judge, signal_name
from orchestrator.processes import SLOT_MARK, carrying, descendants, end
from orchestrator.worker import stop_file

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SAMPLE_SECONDS = 1.0
_RESCAN_SAMPLES = 3
_TAIL_BYTES = 4096
_REPORT_LIMIT = 1 << 20
_libc = ctypes.CDLL(None, use_errno=True)


def main() -> int:
    """Supervise the attempt that standard input orders."""
    order = json.load(sys.stdin)
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != order["worker_pid"]:
        return 1  # the worker died before it could be watched
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    report = Supervisor(order).run()
    sys.stdout.write(json.dumps(report) + "\n")
    return 0


class Supervisor:
    """Runs one attempt.

    Parameters
    ----------
    order
        The attempt's order, completed by the worker with ``worker_pid``, ``slot``, ``cores``,
        ``block`` and ``journal``.
    """

    def __init__(self, order: dict[str, Any]) -> None:
        self.order = order
        self.clock_offset_ns = time.time_ns() - time.monotonic_ns()
        self.marks: dict[str, int] = {}
        self.result: dict[str, Any] | None = None
        self.error: dict[str, Any] | None = None
        self.ended_for: str | None = None
        self.peak_bytes = 0
        self.family: list[psutil.Process] = []
        self.wakeups, self._wakeup_writer = os.pipe()
        os.set_blocking(self.wakeups, False)
        os.set_blocking(self._wakeup_writer, False)
        self.signalled = False

    def now_us(self) -> int:
        """Return UTC microseconds; carried by the monotonic clock, so a clock step cannot bend a duration."""
        return (self.clock_offset_ns + time.monotonic_ns()) // 1000

    def run(self) -> dict[str, Any]:
        """Run the attempt to its end and return its final report, which is in the journal by then."""
        signal.set_wakeup_fd(self._wakeup_writer, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._ask_to_end)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        problem, exit_code, cpu_seconds = None, None, None
        oom_before = _oom_kills()
        try:
            self._wait_for_slot()
            self._write_journal(self._report("running", process_start_us=self.now_us()))
            exit_code, cpu_seconds = self._run_process()
        except Exception as error:  # noqa: BLE001  whatever it was, the attempt must be reported
            problem = f"{type(error).__name__}: {error}"
        outcome = judge(
            Ending(
                exit_code=exit_code,
                result=self.result,
                error=self.error,
                ended_for=self.ended_for,
                oom_kills=_oom_kills() - oom_before,
                cores=tuple(self.order["cores"]),
                timeout_seconds=self.order["timeout_seconds"],
                memory_bytes=self.order["memory_bytes"],
                problem=problem,
            )
        )
        good = outcome.state.value == "succeeded"
        report = self._report(
            outcome.state.value,
            category=outcome.category,
            reason=outcome.reason,
            message=outcome.message,
            exit_code=exit_code,
            signal=signal_name(-exit_code) if exit_code is not None and exit_code < 0 else None,
            process_stop_us=self.now_us(),
            cpu_seconds=cpu_seconds,
            peak_memory_bytes=self.peak_bytes or None,
            result=self.result,
            stderr_tail=None if good else self._tail(),
        )
        kept = self._kept_logs(good=good)
        report |= {name: self.order[name] for name in kept}
        try:
            self._write_journal(report)
        except OSError as error:  # the result still travels with the future
            report["journal_error"] = str(error)
        for name in {
            "stdout_path",
            "stderr_path",
        } - kept:  # only now: nothing may keep a result from the journal
            with suppress(OSError):
                Path(self.order[name]).unlink(missing_ok=True)
        return report

    # -- before ------------------------------------------------------------------------------

    def _wait_for_slot(self) -> None:
        """Return when no other process carries this slot's name; end those that stay."""
        others = carrying(SLOT_MARK, os.environ[SLOT_MARK])
        if not others:
            return
        _, left = psutil.wait_procs(others, timeout=self.order["grace_seconds"] + 5)
        end(left, 5)
        if any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in left):
            raise OSError(f"slot {self.order['slot']} is still held by processes {[p.pid for p in left]}")

    def _start(self, stdout: Any, stderr: Any, report_writer: int) -> subprocess.Popen[bytes]:
        order = self.order
        supervisor = os.getpid()
        cores = set(order["cores"])

        def enter_slot() -> None:
            os.sched_setaffinity(0, cores)
            _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != supervisor:
                os._exit(1)
            # Out of memory should end the training, never the worker that serves the slot.
            with suppress(OSError):
                Path("/proc/self/oom_score_adj").write_text("500")

        order_reader, order_writer = os.pipe()
        process = subprocess.Popen(
            [order["interpreter"], "-m", "workloads.run"],
            stdin=order_reader,
            stdout=stdout,
            stderr=stderr,
            env=self._environment(),
            start_new_session=True,
            pass_fds=(report_writer,),
            preexec_fn=enter_slot,  # one thread only here, so no lock can be held across the fork
        )
        os.close(order_reader)
        names = ("workload", "parameters", "seed", "data", "cores", "memory_bytes")
        request = {name: order[name] for name in names}
        request |= {"cache": str(Path(os.path.expandvars(order["cache"])).absolute())}
        request |= {
            "devices": [],
            "device_memory_bytes": None,
            "rank": 0,
            "size": 1,
            "report_fd": report_writer,
        }
        with suppress(BrokenPipeError):  # a process that died at once; its exit says why
            os.write(order_writer, json.dumps(request).encode())
        os.close(order_writer)
        return process

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PARSL_")}
        threads = str(len(self.order["cores"]))
        if (
            self.order["interpreter"] != sys.executable
        ):  # another environment, where nothing of ours is installed
            root = str(Path(__file__).parent.parent)
            kept["PYTHONPATH"] = os.pathsep.join(filter(None, [kept.get("PYTHONPATH"), root]))
        return kept | {
            "OMP_NUM_THREADS": threads,
            "OPENBLAS_NUM_THREADS": threads,
            "MKL_NUM_THREADS": threads,
            "NUMEXPR_NUM_THREADS": threads,
            "TF_NUM_INTRAOP_THREADS": threads,
            "TF_NUM_INTEROP_THREADS": "1",
            "TF_CPP_MIN_LOG_LEVEL": "2",
            "PYTHONHASHSEED": "0",
            "PYTHONSAFEPATH": "1",  # a folder that happens to be called "keras" must not be imported
            "PYTHONUNBUFFERED": "1",
            "CUDA_VISIBLE_DEVICES": "",
            **self.order["environment"],
        }

    # -- during ------------------------------------------------------------------------------

    def _run_process(self) -> tuple[int, float]:
        """Run the training; return its exit code and the CPU seconds of it and its descendants."""
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        paths = [Path(self.order["stdout_path"]), Path(self.order["stderr_path"])]
        paths[0].parent.mkdir(parents=True, exist_ok=True)
        with paths[0].open("wb") as stdout, paths[1].open("wb") as stderr:
            process = self._start(stdout, stderr, writer)
        os.close(writer)
        self.family = [psutil.Process(process.pid)]
        try:
            exit_code, cpu_seconds = self._watch(process, reader)
        finally:
            self._end_all(process)
            os.close(reader)
        return exit_code, cpu_seconds

    def _watch(self, process: subprocess.Popen[bytes], reader: int) -> tuple[int, float]:
        deadline = time.monotonic() + self.order["timeout_seconds"]
        kill_at: float | None = None
        pending = b""
        samples = 0
        next_sample = time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(reader, selectors.EVENT_READ)
            selector.register(self.wakeups, selectors.EVENT_READ)
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                pending = self._take_reports(selector, reader, pending)
                now = time.monotonic()
                if pid:
                    process.returncode = os.waitstatus_to_exitcode(status)
                    if process.returncode < 0:  # the signal that ended it may have been meant for us all
                        self._decide(now, float("inf"))
                    self.peak_bytes = max(self.peak_bytes, usage.ru_maxrss * 1024)
                    return process.returncode, usage.ru_utime + usage.ru_stime
                if now >= next_sample:
                    self._sample(rescan=samples % _RESCAN_SAMPLES == 0)
                    samples += 1
                    next_sample = now + _SAMPLE_SECONDS
                self._decide(now, deadline)
                if self.ended_for and kill_at is None:
                    kill_at = now + self.order["grace_seconds"]
                    _signal_group(process.pid, signal.SIGTERM)
                elif kill_at is not None and now >= kill_at:
                    _signal_group(process.pid, signal.SIGKILL)
                    kill_at = float("inf")
                wake = min(next_sample, kill_at or deadline)
                for key, _ in selector.select(max(0.0, wake - now)):
                    if key.fd == self.wakeups:
                        os.read(self.wakeups, 4096)

    def _decide(self, now: float, deadline: float) -> None:
        """Set why the attempt must end, if it must; the first reason stands."""
        if self.ended_for:
            return
        if self.signalled:
            orphaned = os.getppid() != self.order["worker_pid"]
            stopping = stop_file(
                Path(self.order["directory"]), self.order["session"]
            ).exists()  # workers end first then
            self.ended_for = "cancelled" if stopping else "orphaned" if orphaned else "terminated"
        elif now >= deadline:
            self.ended_for = "timeout"

    def _take_reports(self, selector: selectors.BaseSelector, reader: int, pending: bytes) -> bytes:
        while reader in selector.get_map():
            try:
                chunk = os.read(reader, 65536)
            except BlockingIOError:
                break
            if not chunk:
                selector.unregister(reader)
                break
            pending += chunk
            *lines, pending = pending.split(b"\n")
            for line in lines:
                self._take(line)
            pending = pending[-_REPORT_LIMIT:]
        return pending

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return  # not one of ours; a result that never comes is told as "no result"
        if "mark" in message:
            self.marks.setdefault(str(message["mark"]), int(message["at_us"]))
        elif "result" in message:
            self.result = message["result"]
        elif "error" in message:
            self.error = message["error"]

    def _sample(self, *, rescan: bool) -> None:
        """Take the memory of the training and its descendants; descendants are looked up now and then."""
        leader = self.family[0]
        if rescan:
            self.family = [leader, *descendants(leader.pid)]
        resident = private = 0
        for process in self.family:
            try:
                memory = process.memory_info()
            except psutil.Error:
                continue
            resident += memory.rss
            private += memory.rss - memory.shared  # files mapped by several instances are paid for once
        self.peak_bytes = max(self.peak_bytes, resident)
        limit = self.order["memory_bytes"]
        if limit is not None and private > limit and not self.ended_for:
            self.ended_for = "memory"

    # -- after -------------------------------------------------------------------------------

    def _end_all(self, process: subprocess.Popen[bytes]) -> None:
        """End and reap whatever the training left behind, daemons of its own included."""
        if process.returncode is None:
            _signal_group(process.pid, signal.SIGKILL)
        while left := descendants(os.getpid()):
            for child in left:
                try:
                    child.kill()
                except psutil.NoSuchProcess:
                    continue
            try:
                while True:
                    os.waitpid(-1, 0)
            except ChildProcessError:
                continue

    def _kept_logs(self, *, good: bool) -> set[str]:
        """Return which of the logs stay, by the campaign's policy."""
        keep = {"all": True, "none": False, "failures": not good}[self.order["logs"]]
        names = ("stdout_path", "stderr_path")
        return {name for name in names if keep and Path(self.order[name]).is_file()}

    def _tail(self) -> str | None:
        try:
            with Path(self.order["stderr_path"]).open("rb") as stream:
                stream.seek(0, os.SEEK_END)
                stream.seek(max(0, stream.tell() - _TAIL_BYTES))
                return stream.read().decode(errors="replace").replace("\0", "") or None
        except OSError:
            return None

    def _report(self, state: str, **facts: Any) -> dict[str, Any]:
        order = self.order
        marks = {f"{name}_us": at for name, at in self.marks.items()}
        self.started_us = facts.get("process_start_us", getattr(self, "started_us", None))
        return {
            "token": order["token"],
            "label": order["label"],
            "state": state,
            "at_us": self.now_us(),
            "node": socket.gethostname(),
            "block": order["block"],
            "slot": order["slot"],
            "cores": order["cores"],
            "process_start_us": self.started_us,
            **marks,
            **facts,
        }

    def _write_journal(self, report: dict[str, Any]) -> None:
        journal.append(Path(self.order["journal"]), report)

    def _ask_to_end(self, *_: object) -> None:
        self.signalled = True


def _signal_group(leader: int, number: signal.Signals) -> None:
    try:
        os.killpg(leader, number)
    except ProcessLookupError:
        return


def _oom_kills() -> int:
    """Return how often the kernel's out-of-memory killer has fired on this node since it booted."""
    for line in Path("/proc/vmstat").read_text().splitlines():
        if line.startswith("oom_kill "):
            return int(line.split()[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
