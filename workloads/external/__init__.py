"""Run an external command and read its numbers, as a YAML file describes.

The orchestrator reads the file; the order of a run carries the command, and `run` is its entry.
"""

from __future__ import annotations

import ctypes
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Literal

from workloads.context import Context, Metric, Result, TimedPart
from workloads.description import CommandError, DataError, DiskFullError, Value, WorkloadError
from workloads.external import templates
from workloads.external.command import Command, ExternalWorkload, JsonSource, PatternSource
from workloads.external.curve_lines import CurveLines
from workloads.external.mllog import MllogLines, RunMarks
from workloads.external.output import Pump, Search
from workloads.external.ranks import Meeting, meeting
from workloads.external.readings import Readings
from workloads.external.started import Started
from workloads.external.window import WindowMarks
from workloads.runtime.full_disk import named_place
from workloads.runtime.host_facts import signal_name

_OURS = str(Path(__file__).parents[2])
_DRAIN_SECONDS = 1.0
_ROUNDING_SECONDS = 1.0
_PR_SET_DUMPABLE = 4  # of prctl


@dataclass(frozen=True, slots=True)
class Call:
    """A command with everything filled in."""

    arguments: list[str]
    templates: tuple[str, ...]
    directory: Path
    environment: Mapping[str, str]
    files: Mapping[str, Path]


@dataclass(frozen=True, slots=True)
class Stated:
    """Numbers and facts that a command stated; `absent` says which were not found."""

    accuracy: float | None
    seconds: float | None
    metrics: tuple[Metric, ...]
    data: dict[str, Any]
    absent: list[str]

    @property
    def missing(self) -> list[str]:
        """Names of these, such as ``metrics.loss``."""
        return [text.partition(":")[0] for text in self.absent]


def run(workload: ExternalWorkload, parameters: Mapping[str, Value], context: Context) -> Result:
    """Run the command and return the numbers that it reports.

    The run time is the command's own: from right before its start to its end, or between its MLLOG lines.
    Of several ranks each runs the command, and numbers are read from the output of rank 0.

    Raises
    ------
    CommandError
        If it cannot be started, fails as the description defines it, or leaves a number out.
    WorkloadError
        If its working directory does not exist.
    """
    command = workload.command
    read = command if context.rank == 0 else command.unread()  # of which this rank reads numbers
    window = None if read.window is None else WindowMarks(read.window, context)
    curves = CurveLines(read.expressions, context)
    marks = RunMarks(context) if read.seconds == "mllog" else None
    mllog = MllogLines(read, context, marks) if read.reads_mllog else None

    def see(line: str) -> None:
        if window is not None:
            window.see(line)
        curves.see(line)
        if mllog is not None:
            mllog.see(line)

    with meeting(context, wants_port=workload.ranks, wants_output=_uses_output(command)) as met:
        call = _fill(command, workload.ranks, parameters, context, met)
        if not call.directory.is_dir():
            raise WorkloadError(f"the command's working directory {call.directory} does not exist")
        search = Search(
            {one.name: one.pattern for one in read.sources if isinstance(one, PatternSource)},
            read.failure_patterns,
            see,
        )
        readings = Readings(call.files, mllog.last if mllog else {})
        started = Started(command, call.templates, call.arguments, call.directory)
        timed: TimedPart | Literal["mllog"] = "mllog" if marks else "window" if window else "run"
        code, elapsed, program = _call(call, search, context, timed)
        _judge(command, code, search, call.directory)
        if marks is not None:
            marks.check()
        units = 0.0 if window is None else workload.timed_product(parameters) or 0.0
        stated = _stated(read, readings, search, None if window is None else window.check() / units)
    if stated.seconds is not None and stated.seconds > elapsed * 1.01 + _ROUNDING_SECONDS:
        raise CommandError(f"seconds: it says {stated.seconds:g} s, but ran for {elapsed:.3f} s only")
    # A rank but the first states no time: its elapsed time stands in, and is not used.
    unused = elapsed if context.rank and workload.fom_time != "run" else None
    return Result(
        accuracy=stated.accuracy,
        fom_seconds=stated.seconds if unused is None else unused,
        metrics=stated.metrics,
        observed={
            "framework": "external",
            "workload_file": workload.file,
            "workload_sha256": workload.sha256,
            "accuracy_from": None if command.accuracy is None else str(command.accuracy),
            "seconds_from": str(command.seconds),
            "external": {  # what differs from attempt to attempt
                "command": call.arguments,
                "directory": str(call.directory),
                "exit_code": code,
                "lines": {name: found.line for name, found in search.found.items()},
                "absent_metrics": stated.absent,
                **({"mllog": mllog.facts()} if mllog else {}),
            },
            **({"missing_numbers": stated.missing} if stated.absent else {}),
            "started": started.facts(program),
            **({"exit_code": code} if code and context.rank else {}),
        },
        data=_data(context.data, call.directory, stated.data),
    )


def _stated(command: Command, readings: Readings, search: Search, window: float | None) -> Stated:
    """Return what the command stated; `window` is its seconds for each unit."""
    accuracy = None if command.accuracy is None else readings.read(command.accuracy, search.found)
    seconds = window if command.seconds == "window" else None
    if not isinstance(command.seconds, str):
        seconds = readings.read(command.seconds, search.found)
    metrics, data, absent = [], {}, []
    for source in (*command.metrics, *command.data):
        kind, _, name = source.name.partition(".")
        try:
            if kind == "data":
                data[name] = readings.fact(source, search.found)
            elif math.isfinite(value := readings.read(source, search.found)):
                metrics.append(Metric(name, value, source.unit))
            else:
                absent.append(f"{source.name}: it is {value}")
        except CommandError as error:
            absent.append(str(error))
    return Stated(accuracy, seconds, tuple(metrics), data, absent)


def _uses_output(command: Command) -> bool:
    texts = [
        *command.arguments,
        *command.rank_arguments,
        command.directory,
        *filter(None, command.environment.values()),
    ]
    texts += [one.file for one in command.sources if isinstance(one, JsonSource)]
    return any("{output}" in one for one in texts)


def _fill(
    command: Command, ranks: bool, parameters: Mapping[str, Value], context: Context, met: Meeting
) -> Call:
    values: dict[str, Value] = {
        **parameters,
        "python": sys.executable,
        "folder": command.folder,
        "seed": context.seed,
        "data": str(context.data or ""),
        "cores": len(context.cores),
        "core_list": ",".join(map(str, context.cores)),
        "output": str(met.output or ""),
        **(met.fields() if ranks else {}),
    }
    directory = Path(command.folder, templates.fill(command.directory, values))
    files = [one.file for one in command.sources if isinstance(one, JsonSource)]
    several = met.size > 1
    arguments = command.arguments + (command.rank_arguments if several else ())
    variables = met.variables(gpus=bool(context.devices)) if ranks else {}
    return Call(
        arguments=[templates.fill(one, values) for one in arguments],
        templates=arguments,
        directory=directory,
        environment=_environment(command, values, variables),
        files={file: directory / templates.fill(file, values) for file in files},
    )


def _environment(
    command: Command, values: Mapping[str, Value], variables: Mapping[str, str]
) -> dict[str, str]:
    """Return the variables of the command, without those of the orchestrator's own processes."""
    found = {**os.environ, **variables}
    found.pop("PYTHONSAFEPATH", None)  # a script may import what lies beside it
    found["PYTHONDONTWRITEBYTECODE"] = "1"  # so that beside it are sources alone
    paths = [path for path in found.pop("PYTHONPATH", "").split(os.pathsep) if path not in ("", _OURS)]
    if paths:
        found["PYTHONPATH"] = os.pathsep.join(paths)
    for name, template in command.environment.items():
        found.pop(name, None)
        if template is not None:
            found[name] = templates.fill(template, values)
    return found


def _call(
    call: Call, search: Search, context: Context, timed: TimedPart | Literal["mllog"]
) -> tuple[int, float, str | None]:
    """Run the command to its end.

    Parameters
    ----------
    timed
        What counts: the run, which is marked here; a window of timed steps; or the run that MLLOG lines mark.

    Returns
    -------
    Its exit code, negative for a signal; its seconds; and the file that the kernel ran, None if unseen.
    """
    sys.stdout.flush()
    forbid_inspection()
    children: list[subprocess.Popen[bytes]] = []
    with _forward_sigterm(children), context.phase("command"):
        (context.hold if timed == "mllog" else context.start)()
        begin = time.monotonic()
        try:
            process = subprocess.Popen(
                call.arguments,
                cwd=call.directory,
                env=dict(call.environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise CommandError(f"{call.arguments[0]} cannot be started: {reason}") from None
        children.append(process)
        program = _program(process.pid)
        streams = ((process.stdout, 1, search.take), (process.stderr, 2, search.take_error))
        pumps = [Pump(stream, descriptor, take) for stream, descriptor, take in streams if stream]
        for pump in pumps:
            pump.start()
        code = process.wait()
        elapsed = time.monotonic() - begin
        if timed == "run":
            context.stop()  # what follows is not the command's time
    until = time.monotonic() + _DRAIN_SECONDS
    for pump in pumps:  # a background process of the command may hold the pipes open
        pump.join(max(0.0, until - time.monotonic()))
    search.close()
    if timed == "window":  # its stop may be in the last line
        context.stop()
    for pump in pumps:
        if pump.error is not None:
            raise CommandError(f"its output cannot be searched: {pump.error}")
    return code, elapsed, program


def forbid_inspection() -> None:
    """Have the kernel refuse other processes this one's memory and descriptors, for good.

    Processes of root may look all the same. A program that this process starts later is as open as any.
    """
    with suppress(OSError, AttributeError):  # no glibc
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0)


def _program(pid: int) -> str | None:
    """Return the file that a process runs; of a script that is its interpreter."""
    try:
        return str(Path(f"/proc/{pid}/exe").readlink())
    except OSError:  # it has ended already
        return None


@contextmanager
def _forward_sigterm(children: list[subprocess.Popen[bytes]]) -> Iterator[None]:
    """Pass SIGTERM on to the command, so that this process outlives it and cleans up."""

    def forward(number: int, _: FrameType | None) -> None:
        for child in children:
            with suppress(OSError):
                child.send_signal(number)

    before = signal.signal(signal.SIGTERM, forward)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _judge(command: Command, code: int, search: Search, directory: Path) -> None:
    """Raise `CommandError` if the command failed; its output then says why, such as a full disk."""
    failed: Callable[..., CommandError] = CommandError
    if search.disk_line is not None:
        failed = partial(DiskFullError, full_place=named_place(search.disk_line, directory))
    reason = f"; its last words were {search.last_words!r}" if search.last_words else ""
    reason = f"; its output says {search.failure!r}" if search.failure else reason
    if code < 0:
        raise failed(f"the command died of {signal_name(-code)}{reason}", -code)
    if code not in command.exit_codes_ok:
        shell = f", as a shell tells of {signal_name(code - 128)}" if 128 < code < 193 else ""
        raise failed(f"the command ended with exit code {code}{shell}{reason}", exit_code=code or 1)
    if search.failure:
        raise failed(f"the command's output says {search.failure!r}, which counts as failure")


def _data(directory: Path | None, working: Path, stated: dict[str, Any]) -> dict[str, Any]:
    """Return facts of the data: as the command states them, and whether they are synthetic.

    Data count as real where the command states facts of them, its folder of data has no mark of the
    generator, and a ``path`` that it states lies there.
    """
    if directory is None:
        return stated
    try:
        from workloads.data.synthetic import holds_mark, is_synthetic
    except ModuleNotFoundError:  # an interpreter without numpy
        return stated
    try:
        if is_synthetic(directory) or holds_mark(directory):
            return {**stated, "synthetic": True}
    except DataError:
        return {**stated, "synthetic": True}
    path = stated.get("path")
    inside = path is None or (working / str(path)).resolve().is_relative_to(directory.resolve())
    return {**stated, "synthetic": False} if stated and inside else stated
