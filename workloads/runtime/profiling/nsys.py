"""Nsight Systems: the time of kernels on GPUs, of a training that ``nsys launch`` starts.

nsys records only processes that it starts. The process that has the order starts the training below nsys,
passes the training's reports on, begins and ends the recording by time, and adds the profile to the result.
"""

from __future__ import annotations

import csv
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from itertools import takewhile
from pathlib import Path
from typing import Any

from workloads.report_lines import Send
from workloads.runtime.profiling.kernel_classes import kernel_class
from workloads.runtime.profiling.kernels import Kernel, Profile
from workloads.runtime.profiling.profilers import Profiler
from workloads.runtime.profiling.recording import ProfileRecording

_COMMAND = "nsys"
_COMMAND_SECONDS = 300.0
"""Longest time of one command of nsys, such as that which reads a recording."""
_REPORTS = {"cuda_gpu_kern_sum": ("Name", "Instances"), "cuda_gpu_mem_time_sum": ("Operation", "Count")}
"""Reports of ``nsys stats``: of kernels, and of copies, each with its columns of names and of calls."""
_CHUNK = 1 << 16


class NsysProfiler(Profiler):
    """Records the kernels of a session of nsys.

    Parameters
    ----------
    session
        Name that ``nsys launch`` gave to the session.
    folder
        Directory for what nsys writes, which `close` removes.

    Raises
    ------
    FileNotFoundError
        If this node has no nsys.
    """

    name = "nsys"

    def __init__(self, session: str, folder: Path) -> None:
        if shutil.which(_COMMAND) is None:
            raise FileNotFoundError(
                "nsys is not on the PATH of the training; add its folder in the site file"
            )
        self._session, self._folder = session, folder
        self._file = folder / "profile.nsys-rep"

    def start(self) -> None:
        _run(
            "start", f"--session={self._session}", f"--output={self._file}", "--force-overwrite=true",
            "--sample=none", "--cpuctxsw=none",
        )  # fmt: skip

    def stop(self) -> None:
        try:
            _run("stop", f"--session={self._session}")
        except RuntimeError:
            if not self._file.is_file():  # it is written, too, where the training ended first
                raise

    def profile(self, seconds: float) -> Profile:
        found = [one for report in _REPORTS for one in kernels_of(report, self._table(report))]
        if not found:
            raise ValueError("nsys recorded no kernel of a GPU")
        found.sort(key=lambda kernel: -kernel.seconds)
        return Profile(self.name, "device", seconds, None, tuple(found))

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _table(self, report: str) -> str:
        return _run("stats", "--report", report, "--format", "csv", str(self._file))


def kernels_of(report: str, text: str) -> list[Kernel]:
    """Return the kernels or copies in the output of ``nsys stats``; none where it has no table.

    Raises
    ------
    ValueError
        If the table has other columns.
    """
    lines = text.splitlines()
    begin = next((place for place, line in enumerate(lines) if line.startswith("Time (%)")), len(lines))
    name, calls = _REPORTS[report]
    try:
        return [
            Kernel(row[name], kernel_class(row[name]), int(row[calls]), int(row["Total Time (ns)"]) / 1e9)
            for row in csv.DictReader(takewhile(str.strip, lines[begin:]))
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the table {report} of nsys stats cannot be read: {error!r}") from error


def report_order(order: Mapping[str, Any], send: Send) -> int:
    """Run one order in a training below nsys, report its result with the profile, and return the exit code.

    Where the node has no nsys, the training runs without it.
    """
    asked, session = order["profile"], f"orchestrator-{os.getpid()}"
    folder = Path(tempfile.mkdtemp(prefix="nsys-"))
    recording = ProfileRecording(
        asked["path"],
        asked["delay_seconds"],
        asked["duration_seconds"],
        lambda: NsysProfiler(session, folder),
    )
    try:
        with _start(order, session) as (process, reports):
            result = _pass_on(_messages(process, reports), send, recording)
            code = process.wait()
        if result is None:
            return code or 1
        profile = [asdict(metric) for metric in recording.keep()]
        result["metrics"] += profile
        result["seen"]["profiled"] = recording.state
        send({"result": result})
        return 0
    finally:
        recording.close()
        shutil.rmtree(folder, ignore_errors=True)


def _pass_on(messages: Iterator[Any], send: Send, recording: ProfileRecording) -> dict[str, Any] | None:
    """Send all messages on but the result, which is returned; None if there is none."""
    result = None
    for message in messages:
        if "result" in message:
            result = message["result"]
            continue
        send(message)
        if "mark" in message:
            recording.note(message["mark"])
    return result


@contextmanager
def _start(order: Mapping[str, Any], session: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Start a training, below nsys where the node has it; yield the process and the pipe of its reports."""
    launch = [_COMMAND, "launch", f"--session-new={session}", "--trace=cuda,nvtx"]
    words = launch if shutil.which(_COMMAND) is not None else []
    reports, writer = os.pipe()
    barrier = order.get("barrier_fd")
    own = {"profile": None, "report_fd": writer, "report_path": None, "contained": False}
    try:
        process = subprocess.Popen(
            [*words, sys.executable, "-m", "workloads.run"],
            stdin=subprocess.PIPE,
            pass_fds=[one for one in (writer, barrier) if one is not None],
        )
        os.close(writer)
        with process:
            assert process.stdin is not None  # noqa: S101
            with suppress(BrokenPipeError), process.stdin as stream:  # its exit code says why it ended
                stream.write(json.dumps({**order, **own}).encode())
            yield process, reports
    finally:
        os.close(reports)


def _messages(process: subprocess.Popen[bytes], reports: int) -> Iterator[Any]:
    """Yield a training's reports until it has ended: a process that nsys leaves may keep the pipe open."""
    os.set_blocking(reports, False)
    ended, pending = os.pidfd_open(process.pid), b""
    try:
        while True:
            is_over = ended in select.select([reports, ended], [], [])[0]
            with suppress(BlockingIOError):
                while chunk := os.read(reports, _CHUNK):
                    *lines, pending = (pending + chunk).split(b"\n")
                    yield from map(json.loads, lines)
                return  # the training has closed it
            if is_over:
                return
    finally:
        os.close(ended)


def _run(*words: str) -> str:
    """Return what a command of nsys printed.

    Raises
    ------
    RuntimeError
        If it fails, with the last line that it printed.
    """
    done = subprocess.run(
        [_COMMAND, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_COMMAND_SECONDS,
        check=False,
    )
    if done.returncode:
        *_, last = ["it printed nothing", *(done.stderr or done.stdout).split("\n")[-2:-1]]
        raise RuntimeError(f"`nsys {words[0]}` ended with exit code {done.returncode}: {last.strip()}")
    return done.stdout
