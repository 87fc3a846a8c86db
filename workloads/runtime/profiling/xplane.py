"""Kernels from the files of XLA's profiler (``*.xplane.pb``), which TensorFlow and JAX write.

A file has planes, such as ``/device:GPU:0`` and ``/host:CPU``; a plane has lines, such as a stream or a
thread; a line has events. Source: xplane.proto of the OpenXLA project.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from workloads.runtime.profiling.kernels import Span

_DEVICE = re.compile(r"/device:GPU:\d+")
_STREAM = "Stream #"
_OPERATION = re.compile(r"(?P<scope>[^:\s]*):(?P<name>[A-Za-z_]\w*)")
"""Events of TensorFlow's operations: ``model/dense/MatMul:MatMul``."""
_CONTROL = re.compile(r"(call|conditional|while)(\.\d+)?|(Stateful)?PartitionedCall|(Stateless)?(If|While)")
"""Operations that only wait for others, which run on the same thread or on another."""
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


Lines = Iterable[tuple[str, str, Iterable[Event]]]
"""Plane, line and events of all lines of a file."""


def spans_of(lines: Lines) -> tuple[str, list[Span]]:
    """Return ``device`` and the kernels of GPUs, where any ran; else ``host`` and operations on the CPU."""
    on_devices: list[Span] = []
    on_host: list[Span] = []
    for number, (plane, line, events) in enumerate(lines):
        if _DEVICE.fullmatch(plane) and line.startswith(_STREAM):
            on_devices += (_kernel(number, event) for event in events)
        elif plane == "/host:CPU" and not line.startswith(_INPUT):
            on_host += (_operation(number, event) for event in events)
    return ("device", on_devices) if on_devices else ("host", on_host)


def _kernel(line: int, event: Event) -> Span:
    return Span(line, event.begin, event.end, event.name, event.operation.partition(":")[0])


def _operation(line: int, event: Event) -> Span:
    """Return the span of an event of the host, without a name if it is no operation."""
    name, scope = event.instruction, ""
    if not name and (match := _OPERATION.fullmatch(event.name)) is not None:
        name, scope = match["name"], match["scope"]
    if _CONTROL.fullmatch(name):
        name = ""
    return Span(line, event.begin, event.end, name, scope)


def lines_of_tensorflow(path: Path) -> Iterator[tuple[str, str, Iterable[Event]]]:
    """Yield the lines of a file, read by TensorFlow's own classes."""
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    space = xplane_pb2.XSpace()
    space.ParseFromString(path.read_bytes())
    for plane in space.planes:
        stats = {number: stat.name for number, stat in plane.stat_metadata.items()}
        for line in plane.lines:
            events = (_event_of_tensorflow(plane, line, event, stats) for event in line.events)
            yield plane.name, line.name, events


def _event_of_tensorflow(plane: Any, line: Any, event: Any, stats: dict[int, str]) -> Event:
    begin = line.timestamp_ns + event.offset_ps // 1000
    texts = {
        stats.get(stat.metadata_id, ""): stat.str_value or stats.get(stat.ref_value, "")
        for stat in event.stats
    }
    return Event(
        plane.event_metadata[event.metadata_id].name,
        begin,
        begin + event.duration_ps // 1000,
        texts.get("hlo_op", ""),
        texts.get("tf_op", ""),
    )


def lines_of_jax(path: Path) -> Iterator[tuple[str, str, Iterable[Event]]]:
    """Yield the lines of a file, read by JAX's own classes."""
    import jax

    for plane in jax.profiler.ProfileData.from_file(str(path)).planes:
        for line in plane.lines:
            yield plane.name, line.name, (_event_of_jax(event) for event in line.events)


def _event_of_jax(event: Any) -> Event:
    texts = {name: value for name, value in event.stats if isinstance(value, str)}
    begin = int(event.start_ns)
    end = begin + int(event.duration_ns)
    return Event(event.name, begin, end, texts.get("hlo_op", ""), texts.get("tf_op", ""))
