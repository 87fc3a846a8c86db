"""The training process: ``python -m workloads.run`` takes one order and reports on a descriptor.

The order is one JSON object on standard input::

    {"workload", "parameters", "seed", "data", "cache", "scratch", "cores", "devices",
     "memory_bytes", "device_memory_bytes", "rank", "size", "report_fd", "report_key"}

where ``scratch`` may be left out, and ``cache_stage`` (the node's folder for copies of the cache's
entries) may be added; ``profile`` says which kernels are recorded; ``external`` is the description of an
external command, and ``known_documents`` are keys of listings of code that need not be reported. Where the
timed part starts at an instant that is announced later, ``barrier_fd`` is a descriptor to read it from, which
may be that of the reports. A container that gets no descriptors has ``report_path`` and ``barrier_path``
instead, which are named pipes.
``contained`` asks a process in a container to pin itself to its cores and to report its ``usage`` at the end.

Every report is one JSON line on descriptor ``report_fd``: a ``mark`` as each point of the run
is passed, then exactly one ``result`` or ``error``. A line begins with its signature by ``report_key``, if
the order has one. Standard output belongs to the workload.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import resource
import signal
import site
import sys
import threading
import traceback
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workloads import modules
from workloads.context import Barrier, Context, Metric, Paths, Result, Send, SlotView, TimedPart
from workloads.data import data_directory
from workloads.description import CommandError, DataError, DiskFullError, Workload, WorkloadError
from workloads.metrics.node_counters import earlier_peak_bytes
from workloads.provenance.report import Provenance
from workloads.report_lines import line_writer
from workloads.runtime import backends, host_facts
from workloads.runtime.full_disk import NodeDisks, full_disk_error, full_place

if TYPE_CHECKING:
    from workloads.external.command import ExternalWorkload
    from workloads.runtime.profiling.recording import ProfileRecording

_LONGEST_MESSAGE = 4_000  # characters; the whole of it stands in the log
_OUT_OF_MEMORY = frozenset({"ResourceExhaustedError", "OutOfMemoryError"})
_NO_MEMORY = r"(?i)OOM|out of memory|allocat"
_OF_THE_HOST = r"(?i)allocator (mkl)?cpu|device:CPU"
"""Words of TensorFlow about memory of the host."""


def main() -> int:
    """Run one order; return 0 with a result, 1 with an error, or what an external command returned."""
    sys.path.append(str(Path.cwd()))  # a user's own workloads, after everything that is installed
    try:
        order = json.load(sys.stdin)
        descriptor = _descriptor(order, "report", os.O_WRONLY)
        os.fstat(descriptor)
        if descriptor > 2:
            os.set_inheritable(descriptor, False)
        key = bytes.fromhex(order.pop("report_key", ""))
    except (ValueError, TypeError, AttributeError, KeyError, OSError) as error:
        print(f"no usable order on standard input: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    send = line_writer(descriptor, key)
    run = report_order
    if order.get("profile") is not None and order["profile"].get("profiler") == "nsys":
        from workloads.runtime.profiling.nsys import report_order as run  # which few trainings need
    if not order.get("contained"):
        return run(order, send)
    with suppress(OSError):  # a runtime may have put the process on other cores; what it has is reported
        os.sched_setaffinity(0, order["cores"])
    try:
        return run(order, send)
    finally:
        send({"usage": _usage()})


def report_order(order: Mapping[str, Any], send: Send) -> int:
    """Run one order, report its result or error, and return the exit code; see `execute`."""
    disks = NodeDisks(path for key in ("scratch", "data") if (path := _path(order.get(key))))
    try:
        message = {"result": execute(order, send)}
        json.dumps(message)
    except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a workload raises must reach the report
        report = describe_error(error, on_gpus=bool(order.get("devices")), disks=disks)
        send({"error": report})
        if report["kind"] == "exception":
            _print_traceback(error)
        if isinstance(error, CommandError) and error.signal is not None:
            _die_of(error.signal)
        return error.exit_code if isinstance(error, CommandError) else 1
    send(message)
    if not order.get("contained") and (earlier_peak := earlier_peak_bytes()):
        send({"usage": {"peak_bytes": earlier_peak}})  # the kernel has forgotten it
    return 0


def execute(order: Mapping[str, Any], send: Send) -> dict[str, Any]:
    """Run the ordered workload, and return its result as JSON-ready data; see `_execute`."""
    recording = _profile_recording(order)
    try:
        return _execute(order, send, recording)
    finally:
        if recording is not None:
            recording.close()


def _execute(order: Mapping[str, Any], send: Send, recording: ProfileRecording | None) -> dict[str, Any]:
    """Run the ordered workload and return its result as JSON-ready data.

    Parameters
    ----------
    order
        See the module's description; parameters left out take their defaults.
    send
        Receives each mark at once.
    recording
        Of kernels, while the run lasts; None for none.

    Raises
    ------
    WorkloadError
        If the order does not fit the workload, or the workload the memory of the slot or node.
    DataError
        If the data directory is missing where the workload needs one.
    TypeError, ValueError
        If the workload breaks its contract: no start mark, no `Result`, no figure-of-merit time.
    """
    marks: dict[str, int] = {}
    provenance = Provenance()

    def note(message: Mapping[str, Any]) -> None:
        send(message)
        if message["mark"] in marks:
            return
        marks[message["mark"]] = message["at_us"]
        if recording is not None:
            recording.note(message["mark"])

    try:
        external = _external(order)
        workload = modules.workload(order["workload"]) if external is None else external
        # All parameters of an external command are in the order.
        parameters = workload.resolve(order["parameters"]) if external is None else order["parameters"]
        context = _context(order, workload, note)
    except KeyError as error:
        raise WorkloadError(f"the order has no {error}") from None
    if workload.data is not None:
        data_directory(workload, context.data)
    workload.check_memory(parameters, host_facts.memory_of(context.memory_bytes))
    _limit_threads(context)
    entry = modules.load(workload.entry)
    provenance.hash_code(workload.entry, order["workload"])
    if external is not None:
        from workloads.external.reference import pin  # which few trainings need

        pin(order["workload"])  # raises if the file has changed since the campaign was planned
        entry = partial(entry, external)
    result = entry(workload.typed(parameters), context)
    if "run_stop" not in marks:
        context.stop()
    if not isinstance(result, Result):
        raise TypeError(f"{workload.entry} returned {type(result).__name__}, not a workloads.context.Result")
    command = None
    if external is not None:
        from workloads.external.started import run_command

        command = run_command(order, external, result.observed)
    profile = () if recording is None else recording.keep()
    observed = _observed_after(result)
    if recording is not None:
        observed["profiled"] = recording.state
    references = [workload.entry] if command else [workload.entry, order["workload"]]
    keys, documents = provenance.report(order.get("known_documents") or (), references, command)
    return {
        "accuracy": None if result.accuracy is None else float(result.accuracy),
        "fom_seconds": _fom_seconds(workload, result, marks),
        "metrics": [
            {"name": m.name, "value": float(m.value), "unit": m.unit}
            for m in (*_measured(context), *result.metrics, *_measured_after(result), *profile)
        ],
        "phases": context.phases,
        "curves": context.curves.to_json(),
        "seen": host_facts.host_facts() | context.observed | result.observed | observed | keys,
        "documents": documents,
        "data": result.data,
    }


def _external(order: Mapping[str, Any]) -> ExternalWorkload | None:
    """Return the external command of an order; None if it has a workload in Python."""
    if order.get("external") is None:
        return None
    from workloads.external.command import from_order  # which few trainings need

    return from_order(order["external"])


def _profile_recording(order: Mapping[str, Any]) -> ProfileRecording | None:
    """Return the recording of kernels that an order asks for; None if it asks for none."""
    if (asked := order.get("profile")) is None:
        return None
    from workloads.runtime.profiling.recording import ProfileRecording  # which few trainings need

    return ProfileRecording(asked["path"], asked["delay_seconds"], asked["duration_seconds"])


def _context(order: Mapping[str, Any], workload: Workload, send: Send) -> Context:
    """Return the context that an order describes; raises `KeyError` if the order lacks a key."""
    waits = order.get("barrier_fd") is not None or order.get("barrier_path") is not None
    barrier = _descriptor(order, "barrier", os.O_RDONLY) if waits else None
    return Context(
        seed=order["seed"],
        slot=SlotView(
            cores=tuple(order["cores"]),
            devices=tuple(order["devices"]),
            memory_bytes=order["memory_bytes"],
            device_memory_bytes=order["device_memory_bytes"],
            rank=order["rank"],
            size=order["size"],
        ),
        paths=Paths(
            data=_path(order["data"]),
            cache=_path(order["cache"]),
            cache_stage=_path(order.get("cache_stage")),
            scratch=_path(order.get("scratch")),
            timeline=_path(order.get("timeline")),
            earlier=_path(order.get("earlier")),
        ),
        barrier=None if barrier is None else Barrier(barrier, _part_that_waits(order, workload)),
        send=send,
    )


def _part_that_waits(order: Mapping[str, Any], workload: Workload) -> TimedPart:
    """Return which part waits at a start barrier; a command cannot be held back once it runs."""
    return "run" if workload.fom_time == "run" or order.get("external") is not None else "window"


def _descriptor(order: Mapping[str, Any], channel: str, mode: int) -> int:
    """Return the descriptor of a channel, which the order names by number, or by path."""
    path = order.get(f"{channel}_path")
    return int(order[f"{channel}_fd"]) if path is None else os.open(path, mode)


def _usage() -> dict[str, float]:
    """Return CPU time of this process and its children, and the most resident memory of one of them."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "cpu_seconds": own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime,
        "peak_bytes": max(own.ru_maxrss * 1024, children.ru_maxrss * 1024, earlier_peak_bytes()),
    }


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)


def _limit_threads(context: Context) -> None:
    """Set the variables that numeric libraries read when they are imported, unless the user has set them."""
    threads = str(len(context.cores) or len(os.sched_getaffinity(0)))
    for name in host_facts.THREAD_VARIABLES:
        os.environ.setdefault(name, threads)


def _observed_after(result: Result) -> dict[str, Any]:
    """Return what is observed after the run; its arithmetic, where a framework ran, whoever wrote it."""
    asked = result.observed.get("precision")
    try:
        if result.observe_after is not None:
            return dict(result.observe_after())
        if "keras" in sys.modules and result.observed.get("framework") in backends.NAMES:
            from workloads.runtime.arithmetic import measure_process

            return measure_process(str(asked or "float32"))
    except Exception as error:  # noqa: BLE001  what a run measured must not be lost with its arithmetic
        _print_traceback(error)
        reason = f"{type(error).__name__}: {error}"
        return {"precision": "unknown", "precision_asked": asked, "arithmetic_unknown": reason}
    return {}


def _measured(context: Context) -> list[Metric]:
    """Return what `Context.measure` and `Context.record` left."""
    if not context.recorded:
        return context.metrics
    from workloads.metrics.measure import recorded_metrics

    return context.metrics + recorded_metrics(context)


def _measured_after(result: Result) -> tuple[Metric, ...]:
    """Return what is measured after the run; what fails here costs no result."""
    try:
        return result.measure_after() if result.measure_after is not None else ()
    except Exception as error:  # noqa: BLE001  what a run measured must not be lost with it
        _print_traceback(error)
        return ()


def _print_traceback(error: BaseException) -> None:
    with suppress(OSError, ValueError):  # the disk of the log is full, or the workload closed the stream
        traceback.print_exception(error)


def _fom_seconds(workload: Workload, result: Result, marks: Mapping[str, int]) -> float:
    if "run_start" not in marks:
        raise ValueError(f"{workload.entry} never called context.start()")
    if workload.fom_time == "run" and result.fom_seconds is None:
        return (marks["run_stop"] - marks["run_start"]) / 1e6
    if result.fom_seconds is None:
        raise ValueError(
            f"{workload.entry} returned no fom_seconds, the mean seconds per {workload.fom_time}"
        )
    return float(result.fom_seconds)


def describe_error(
    error: BaseException, *, on_gpus: bool = False, disks: NodeDisks | None = None
) -> dict[str, str]:
    """Return kind, one-line message and place of an error, as the report carries them.

    Parameters
    ----------
    on_gpus
        Whether the slot has GPUs.
    disks
        Knows a node's own disks; None counts each full disk as shared.
    """
    text = " ".join(str(error).split())
    if len(text) > _LONGEST_MESSAGE:
        text = text[:_LONGEST_MESSAGE] + "…"
    if isinstance(error, CommandError):
        kind = _kind_of_disk(error.full_place, disks) if isinstance(error, DiskFullError) else "command"
        return {"kind": kind, "message": text, "where": ""}
    if (full := full_disk_error(error)) is not None:
        kind = _kind_of_disk(full_place(full), disks)
    elif isinstance(error, DataError):
        kind = "data"
    elif isinstance(error, WorkloadError):
        kind = "parameters"
    elif (which := _kind_of_lacking_memory(error, on_gpus=on_gpus)) is not None:
        kind, text = which, text or "out of memory"
    elif any(cls.__name__ == "RankLost" for cls in type(error).__mro__):
        kind = "rank lost"
    else:
        kind, text = "exception", f"{type(error).__name__}: {text}".rstrip(": ")
    return {"kind": kind, "message": text, "where": _place(error)}


def _kind_of_disk(place: Path | None, disks: NodeDisks | None) -> str:
    return "node disk" if disks is not None and disks.own(place) else "disk"


def _kind_of_lacking_memory(error: BaseException, *, on_gpus: bool) -> str | None:
    """Return ``memory`` or ``gpu memory`` for an error that says that it is lacking; else None.

    TensorFlow and PyTorch have types for it, JAX a status; TensorFlow's type also stands for other resources.
    """
    text, names = str(error), {cls.__name__ for cls in type(error).__mro__}
    if "MemoryError" in names or "DefaultCPUAllocator" in text:  # of Python and NumPy; of PyTorch
        return "memory"
    if not (names & _OUT_OF_MEMORY or text.startswith("RESOURCE_EXHAUSTED")):
        return None
    if not re.search(_NO_MEMORY, text):
        return None
    return "gpu memory" if on_gpus and not re.search(_OF_THE_HOST, text) else "memory"


def _die_of(number: int) -> None:
    """End with the signal that ended the command, so that the supervisor sees the true cause."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no second core file beside the command's own
    with suppress(OSError):  # SIGKILL has no handler to reset
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _place(error: BaseException) -> str:
    """Return ``file:line`` of the innermost frame outside installed packages, else the innermost."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ""
    outside = (*site.getsitepackages(), sys.base_prefix + "/lib", "<")
    own = [frame for frame in frames if not frame.filename.startswith(outside)] or list(frames)
    return f"{own[-1].filename}:{own[-1].lineno}"


def exit_fast(code: int) -> None:
    """End this process like `sys.exit`, but without destroying every object.

    Destroying TensorFlow's objects takes more than a second, in which the slot is idle. Functions registered
    with `atexit` run, and threads that are not daemons are waited for.
    """
    others = (thread for thread in threading.enumerate() if thread is not threading.main_thread())
    if any(not thread.daemon for thread in others):
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed, or the disk is full
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    exit_fast(main())
