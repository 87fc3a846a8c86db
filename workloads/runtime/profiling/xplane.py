"""Kernels from the files of XLA's profiler (``*.xplane.pb``), which TensorFlow and JAX write.

A file has planes, such as ``/device:GPU:0`` and ``/host:CPU``; a plane has lines, such as a stream or a
thread; a line has events. Source: xplane.proto of the OpenXLA project.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from workloads.runtime.profiling.kernels import Lines, Place, Span

_DEVICE = re.compile(r"/device:GPU:\d+")
_STREAM = "Stream #"
_OPERATION = re.compile(r"(?P<scope>[^:\s]*):(?P<name>[A-Za-z_]\w*)")
"""Events of TensorFlow's operations: ``model/dense/MatMul:MatMul``."""
_CONTROL = re.compile(
    r"(call|conditional|while)(\.\d+)?|(Stateful)?PartitionedCall|(Stateless)?(If|While)|\w*Dataset(V\d)?"
)
"""Operations that only wait for others, on the same thread or on another, or that begin to prepare input."""
_INPUT = "tf_data"
"""Threads that prepare input have names that begin so."""


class Event(NamedTuple):
    """An event of a line; times are nanoseconds since the beginning of the profile.

    Parameters
    ----------
    instruction
        Name of the instruction of XLA that it is; empty for others.
    operation
        Name of TensorFlow's operation that a kernel of a GPU is of, with its scope; empty where unknown.
    """

    name: str
    begin: int
    end: int
    instruction: str = ""
    operation: str = ""


PlaneLine = tuple[str, str, Iterable[Event]]
"""Name of the plane and of the line, and its events, which are read when they are asked for."""


def spans_of(lines: Iterable[PlaneLine]) -> tuple[Place, Lines]:
    """Return ``device`` and the kernels of GPUs, where any ran; else ``host`` and operations on the CPU."""
    known = list(lines)
    streams = [
        events for plane, line, events in known if _DEVICE.fullmatch(plane) and line.startswith(_STREAM)
    ]
    if streams:
        return "device", (map(_kernel, events) for events in streams)
    threads = [
        events for plane, line, events in known if plane == "/host:CPU" and not line.startswith(_INPUT)
    ]
    return "host", (filter(None, map(_operation, events)) for events in threads)


def _kernel(event: Event) -> Span:
    return Span(event.begin, event.end, event.name, event.operation.partition(":")[0])


def _operation(event: Event) -> Span | None:
    """Return the span of an operation of the host; None if the event is none."""
    name, scope = event.instruction, ""
    if not name and (match := _OPERATION.fullmatch(event.name)) is not None:
        name, scope = match["name"], match["scope"]
    if not name or _CONTROL.fullmatch(name):
        return None
    return Span(event.begin, event.end, name, scope)


def lines_of_tensorflow(path: Path) -> Iterator[PlaneLine]:
    """Yield the lines of a file, read by TensorFlow's own classes."""
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    space = xplane_pb2.XSpace()
    space.ParseFromString(path.read_bytes())
    for plane in space.planes:
        for line in plane.lines:
            yield plane.name, line.name, _events_of_tensorflow(plane, line)


def _events_of_tensorflow(plane: Any, line: Any) -> Iterator[Event]:
    stats = {number: stat.name for number, stat in plane.stat_metadata.items()}
    wanted = {number for number, name in stats.items() if name in ("hlo_op", "tf_op")}
    for event in line.events:
        begin = line.timestamp_ns + event.offset_ps // 1000
        end = begin + event.duration_ps // 1000
        texts = {
            stats[stat.metadata_id]: stat.str_value or stats.get(stat.ref_value, "")
            for stat in (event.stats if wanted else ())
            if stat.metadata_id in wanted
        }
        name = plane.event_metadata[event.metadata_id].name
        yield Event(name, begin, end, texts.get("hlo_op", ""), texts.get("tf_op", ""))


def lines_of_jax(path: Path) -> Iterator[PlaneLine]:
    """Yield the lines of a file, read by JAX's own classes."""
    import jax

    for plane in jax.profiler.ProfileData.from_file(str(path)).planes:
        for line in plane.lines:
            yield plane.name, line.name, map(_event_of_jax, line.events)


def _event_of_jax(event: Any) -> Event:
    texts = {name: value for name, value in event.stats if name in ("hlo_op", "tf_op")}
    begin = int(event.start_ns)
    end = begin + int(event.duration_ns)
    return Event(event.name, begin, end, str(texts.get("hlo_op", "")), str(texts.get("tf_op", "")))
