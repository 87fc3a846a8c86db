"""Kernels of GPUs count among the events of a file, or else operations on the CPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from workloads.runtime.profiling.kernels import Span
from workloads.runtime.profiling.xplane import Event, PlaneLine, lines_of_tensorflow, spans_of

HOST = (
    "/host:CPU",
    "tf_Compute/1",
    [
        Event("ExecutorState::Process", 0, 100),
        Event("model/conv/Conv2D:Conv2D", 10, 40),
        Event("EagerLocalExecute: MakeIterator", 40, 50),
        Event("while:While", 50, 90),
        Event("zip:ZipDataset", 51, 52),
        Event("fusion.3", 60, 70, instruction="fusion.3"),
        Event("call.4", 70, 80, instruction="call.4"),
    ],
)


def spans(*lines: PlaneLine) -> tuple[str, list[list[Span]]]:
    place, found = spans_of(lines)
    return place, [list(line) for line in found]


def test_operations_and_instructions_of_the_host_count_but_no_waiting() -> None:
    place, [found] = spans(HOST)
    assert place == "host"
    assert found == [Span(10, 40, "Conv2D", "model/conv/Conv2D"), Span(60, 70, "fusion.3")]


def test_threads_that_prepare_input_do_not_count() -> None:
    assert spans(("/host:CPU", "tf_data_private_threadpool/1", [Event("a:GatherV2", 0, 1)])) == ("host", [])


def test_where_a_gpu_ran_kernels_only_its_streams_count() -> None:
    kernel = Event("ampere_sgemm", 5, 9, operation="model/batch_normalization/mul:Mul")
    place, found = spans(
        HOST,
        ("/device:GPU:0", "Stream #13(Compute)", [kernel]),
        ("/device:GPU:0", "XLA Ops", [Event("dot.1", 5, 9)]),
        ("/device:GPU:1", "Stream #13(Compute)", [kernel]),
    )
    assert place == "device"
    assert found == [[Span(5, 9, "ampere_sgemm", "model/batch_normalization/mul")]] * 2


def test_a_file_of_tensorflow_states_instructions_and_operations_by_text_or_by_reference(
    tmp_path: Path,
) -> None:
    pytest.importorskip("tensorflow")
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    space = xplane_pb2.XSpace()
    plane = space.planes.add(name="/device:GPU:0")
    plane.event_metadata[7].name = "ampere_sgemm"
    for number, name in {1: "tf_op", 2: "hlo_op", 3: "model/dense/MatMul:MatMul", 4: "grid"}.items():
        plane.stat_metadata[number].name = name
    line = plane.lines.add(name="Stream #1", timestamp_ns=100)
    event = line.events.add(metadata_id=7, offset_ps=5_000, duration_ps=20_000)
    event.stats.add(metadata_id=1, ref_value=3)
    event.stats.add(metadata_id=2, str_value="dot.1")
    event.stats.add(metadata_id=4, uint64_value=9)
    file = tmp_path / "made.xplane.pb"
    file.write_bytes(space.SerializeToString())
    [(name, of_line, events)] = lines_of_tensorflow(file)
    assert (name, of_line) == ("/device:GPU:0", "Stream #1")
    assert list(events) == [Event("ampere_sgemm", 105, 125, "dot.1", "model/dense/MatMul:MatMul")]
