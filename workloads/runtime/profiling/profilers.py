"""The profilers of TensorFlow, JAX and PyTorch behind one interface."""

from __future__ import annotations

import shutil
import sys
import tempfile
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

from workloads.runtime.profiling.kernels import Lines, Place, Profile, Span, profile_of
from workloads.runtime.profiling.xplane import PlaneLine, lines_of_jax, lines_of_tensorflow, spans_of

_LARGEST_BYTES = 128 << 20
_MOST_CALLS = 5_000_000
"""A trace with more is not read: an event takes about 15 µs, and bytes of a file 10 times the memory."""


class Profiler(ABC):
    """Records what a training computes from `start` to `stop`, which may be called on any thread."""

    name: ClassVar[str]

    @abstractmethod
    def start(self) -> None:
        """Begin to record."""

    @abstractmethod
    def stop(self) -> None:
        """End recording."""

    @abstractmethod
    def profile(self, seconds: float) -> Profile:
        """Return the kernels that were recorded in so many seconds.

        Raises
        ------
        ValueError
            If they cannot be read, or there are too many of them.
        """

    def close(self) -> None:  # noqa: B027  most leave nothing
        """Remove what it left on the disk; it may not have been started."""


class SpanProfiler(Profiler):
    """Records each call of a kernel with its begin and end."""

    def profile(self, seconds: float) -> Profile:
        return profile_of(self.name, seconds, *self.lines())

    @abstractmethod
    def lines(self) -> tuple[Place, Lines]:
        """Return ``device`` or ``host``, and what was recorded there."""


class _XLAProfiler(SpanProfiler):
    """A profiler that writes a file in XLA's format."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._folder: Path | None = None

    def start(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="profile-"))
        self._start(str(self._folder))

    @abstractmethod
    def _start(self, folder: str) -> None:
        """Begin to record to a folder."""

    def close(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _read(self, lines_of: Callable[[Path], Iterable[PlaneLine]]) -> tuple[Place, Lines]:
        files = [] if self._folder is None else list(self._folder.rglob("*.xplane.pb"))
        if len(files) != 1:
            raise ValueError(f"the profiler left {len(files)} files")
        if (size := files[0].stat().st_size) > _LARGEST_BYTES:
            most = _LARGEST_BYTES >> 20
            raise ValueError(f"it recorded {size >> 20:,} MiB, of which {most} can be read: shorten duration")
        return spans_of(lines_of(files[0]))


class TensorFlowProfiler(_XLAProfiler):
    """`tf.profiler`, without the calls of Python functions."""

    name = "tensorflow"

    def _start(self, folder: str) -> None:
        profiler = self._module.profiler.experimental
        profiler.start(folder, profiler.ProfilerOptions(python_tracer_level=0))

    def stop(self) -> None:
        self._module.profiler.experimental.stop()

    def lines(self) -> tuple[Place, Lines]:
        return self._read(lines_of_tensorflow)


class JaxProfiler(_XLAProfiler):
    """`jax.profiler`, without the calls of Python functions."""

    name = "jax"

    def _start(self, folder: str) -> None:
        options = self._module.profiler.ProfileOptions()
        options.python_tracer_level = 0
        self._module.profiler.start_trace(folder, profiler_options=options)

    def stop(self) -> None:
        self._module.profiler.stop_trace()

    def lines(self) -> tuple[Place, Lines]:
        return self._read(lines_of_jax)


class TorchProfiler(SpanProfiler):
    """`torch.profiler` on all threads: PyTorch computes gradients on one of its own."""

    name = "torch"

    def __init__(self, torch: Any) -> None:
        every_thread = torch._C._profiler._ExperimentalConfig(profile_all_threads=True)
        self._profile = torch.profiler.profile(experimental_config=every_thread)
        self._profile.prepare_trace()  # must be on the thread that imported PyTorch

    def start(self) -> None:
        self._profile.start_trace()

    def stop(self) -> None:
        self._profile.stop_trace()

    def lines(self) -> tuple[Place, Lines]:
        events = self._profile.profiler.kineto_results.events()
        if len(events) > _MOST_CALLS:
            raise ValueError(f"it recorded {len(events):,} calls, of which {_MOST_CALLS:,} can be read")
        return lines_of_torch(events)


def lines_of_torch(events: Iterable[Any]) -> tuple[Place, Lines]:
    """Return ``device`` and the kernels of GPUs, where any ran; else ``host`` and operations on the CPU.

    Parameters
    ----------
    events
        Those of PyTorch's Kineto. Ranges that a program or PyTorch marks are no kernels, on GPUs neither.
    """
    on_devices: defaultdict[tuple[int, int], list[Span]] = defaultdict(list)
    on_host: defaultdict[int, list[Span]] = defaultdict(list)
    for event in events:
        if event.is_user_annotation() or event.is_hidden_event():
            continue
        name, begin, end = event.name(), event.start_ns(), event.end_ns()
        if event.device_type().name == "CPU":
            if name.startswith(("aten::", "c10d::", "gloo:", "nccl:", "mpi:")):
                on_host[event.start_thread_id()].append(Span(begin, end, name))
        else:
            on_devices[event.device_index(), event.device_resource_id()].append(Span(begin, end, name))
    return ("device", on_devices.values()) if on_devices else ("host", on_host.values())


def profiler() -> Profiler | None:
    """Return the profiler of the framework that this process has imported, Keras' own first; else None."""
    made: dict[str, Callable[[Any], Profiler]] = {
        "torch": TorchProfiler,
        "jax": JaxProfiler,
        "tensorflow": TensorFlowProfiler,  # last: another framework may have loaded it to read files
    }
    keras = sys.modules.get("keras")
    first = [] if keras is None else [keras.backend.backend()]
    name = next((name for name in (*first, *made) if name in sys.modules), None)
    return None if name is None else made[name](sys.modules[name])
