"""The profilers of TensorFlow, JAX and PyTorch behind one interface."""

from __future__ import annotations

import shutil
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from workloads.runtime.profiling.kernels import Span
from workloads.runtime.profiling.xplane import Lines, lines_of_jax, lines_of_tensorflow, spans_of

_LARGEST_BYTES = 1 << 30
"""Larger files are not read: their events take several times the memory."""


class Profiler(ABC):
    """Records what this process computes from `start` to `stop`, which may be called on any thread."""

    name: ClassVar[str]

    @abstractmethod
    def start(self) -> None:
        """Begin to record."""

    @abstractmethod
    def stop(self) -> None:
        """End recording."""

    @abstractmethod
    def spans(self) -> tuple[str, list[Span]]:
        """Return ``device`` or ``host``, and what was recorded there.

        Raises
        ------
        ValueError
            If it cannot be read, or there is too much of it.
        """


class _XLAProfiler(Profiler):
    """A profiler that writes a file in XLA's format, to a folder that goes when it is read."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._folder = Path(tempfile.mkdtemp(prefix="profile-"))

    def _read(self, lines_of: Callable[[Path], Lines]) -> tuple[str, list[Span]]:
        try:
            files = list(self._folder.rglob("*.xplane.pb"))
            if len(files) != 1:
                raise ValueError(f"the profiler left {len(files)} files")
            if (size := files[0].stat().st_size) > _LARGEST_BYTES:
                raise ValueError(f"it recorded {size >> 20} MiB, of which 1,024 can be read: record less")
            return spans_of(lines_of(files[0]))
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)


class TensorFlowProfiler(_XLAProfiler):
    """`tf.profiler`, without the calls of Python functions."""

    name = "tensorflow"

    def start(self) -> None:
        profiler = self._module.profiler.experimental
        profiler.start(str(self._folder), profiler.ProfilerOptions(python_tracer_level=0))

    def stop(self) -> None:
        self._module.profiler.experimental.stop()

    def spans(self) -> tuple[str, list[Span]]:
        return self._read(lines_of_tensorflow)


class JaxProfiler(_XLAProfiler):
    """`jax.profiler`, without the calls of Python functions."""

    name = "jax"

    def start(self) -> None:
        options = self._module.profiler.ProfileOptions()
        options.python_tracer_level = 0
        self._module.profiler.start_trace(str(self._folder), profiler_options=options)

    def stop(self) -> None:
        self._module.profiler.stop_trace()

    def spans(self) -> tuple[str, list[Span]]:
        return self._read(lines_of_jax)


class TorchProfiler(Profiler):
    """`torch.profiler` on all threads: PyTorch computes gradients on one of its own."""

    name = "torch"

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        every_thread = torch._C._profiler._ExperimentalConfig(profile_all_threads=True)
        self._profile = torch.profiler.profile(experimental_config=every_thread)
        self._profile.prepare_trace()  # must be on the thread that imported PyTorch

    def start(self) -> None:
        self._profile.start_trace()

    def stop(self) -> None:
        self._profile.stop_trace()

    def spans(self) -> tuple[str, list[Span]]:
        events = list(self._profile.events())
        kernels = [event for event in events if event.device_type != self._torch.autograd.DeviceType.CPU]
        if kernels:
            return "device", [_span(event, event.name) for event in kernels]
        return "host", [_span(event, event.name if _is_kernel(event.name) else "") for event in events]


def _is_kernel(name: str) -> bool:
    """Return True for an operation, other than a step of Python or of the engine of gradients."""
    return name.startswith(("aten::", "c10d::", "gloo:", "nccl:", "mpi:"))


def _span(event: Any, name: str) -> Span:
    times = event.time_range  # microseconds
    line = event.device_resource_id if event.device_type.name != "CPU" else event.thread
    return Span(line, int(times.start * 1000), int(times.end * 1000), name)


def profiler() -> Profiler | None:
    """Return the profiler of the framework that this process has imported, Keras' own first; else None."""
    made: dict[str, Callable[[Any], Profiler]] = {
        "tensorflow": TensorFlowProfiler,
        "jax": JaxProfiler,
        "torch": TorchProfiler,
    }
    for name in _frameworks():
        if (module := sys.modules.get(name)) is not None:
            return made[name](module)
    return None


def _frameworks() -> Iterator[str]:
    keras = sys.modules.get("keras")
    if keras is not None:
        yield keras.backend.backend()
    yield from ("torch", "jax", "tensorflow")  # a framework may have loaded the last for its files
