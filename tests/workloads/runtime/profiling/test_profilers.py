"""PyTorch's events: kernels of each stream of each GPU, without the ranges that are marked around them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from workloads.runtime.profiling import profilers
from workloads.runtime.profiling.kernels import Span, profile_of
from workloads.runtime.profiling.profilers import TensorFlowProfiler, TorchProfiler, lines_of_torch


def event(
    name: str, begin: int, end: int, *, device: int | None = None, stream: int = 7, marked: bool = False
) -> Any:
    """Make an event as Kineto has them; without a device it is of a thread of the CPU."""
    return SimpleNamespace(
        name=lambda: name,
        start_ns=lambda: begin,
        end_ns=lambda: end,
        device_type=lambda: SimpleNamespace(name="CPU" if device is None else "CUDA"),
        device_index=lambda: device or 0,
        device_resource_id=lambda: stream,
        start_thread_id=lambda: stream,
        is_user_annotation=lambda: marked,
        is_hidden_event=lambda: False,
    )


def test_streams_of_two_gpus_are_two_lines_and_marked_ranges_are_no_kernels() -> None:
    events = [
        event("aten::mm", 0, 5),
        event("Optimizer.step#SGD.step", 0, 100, device=0, marked=True),
        event("ampere_sgemm", 0, 10, device=0),
        event("ampere_sgemm", 5, 12, device=1),
    ]
    place, lines = lines_of_torch(events)
    assert place == "device"
    assert [list(line) for line in lines] == [[Span(0, 10, "ampere_sgemm")], [Span(5, 12, "ampere_sgemm")]]
    found = profile_of("torch", 1.0, place, lines)
    assert found.kernel_seconds == pytest.approx(17e-9)
    assert found.busy_seconds == pytest.approx(12e-9)


def test_on_a_cpu_only_operations_are_kernels() -> None:
    place, lines = lines_of_torch([event("aten::mm", 0, 5), event("AddmmBackward0", 5, 9)])
    assert place == "host"
    assert [list(line) for line in lines] == [[Span(0, 5, "aten::mm")]]


def test_too_many_calls_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    made = object.__new__(TorchProfiler)
    results = SimpleNamespace(events=lambda: [event("aten::mm", 0, 5)] * 3)
    made._profile = SimpleNamespace(profiler=SimpleNamespace(kineto_results=results))
    monkeypatch.setattr(profilers, "_MOST_CALLS", 2)
    with pytest.raises(ValueError, match="it recorded 3 calls, of which 2 can be read"):
        made.lines()


def test_a_large_file_is_not_read_and_its_folder_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(folder: str, options: object) -> None:
        del options
        (made._folder / "a.xplane.pb").write_bytes(bytes(3 << 20))

    session = SimpleNamespace(start=start, ProfilerOptions=lambda **_: None, stop=lambda: None)
    made: Any = TensorFlowProfiler(SimpleNamespace(profiler=SimpleNamespace(experimental=session)))
    made.close()  # before it is started there is nothing to remove
    made.start()
    folder = made._folder
    monkeypatch.setattr(profilers, "_LARGEST_BYTES", 1 << 20)
    with pytest.raises(ValueError, match="it recorded 3 MiB, of which 1 can be read: shorten duration"):
        made.lines()
    made.close()
    assert not folder.exists()
