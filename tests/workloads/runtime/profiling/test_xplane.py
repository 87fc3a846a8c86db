"""Of the events of a file, kernels of GPUs count, or else operations on the CPU."""

from __future__ import annotations

from workloads.runtime.profiling.kernels import Span
from workloads.runtime.profiling.xplane import Event, spans_of

HOST = (
    "/host:CPU",
    "tf_Compute/1",
    [
        Event("ExecutorState::Process", 0, 100),
        Event("model/conv/Conv2D:Conv2D", 10, 40),
        Event("EagerLocalExecute: MakeIterator", 40, 50),
        Event("while:While", 50, 90),
        Event("fusion.3", 60, 70, instruction="fusion.3"),
        Event("call.4", 70, 80, instruction="call.4"),
    ],
)


def test_operations_and_instructions_of_the_host_count_but_no_waiting() -> None:
    place, spans = spans_of([HOST])
    assert place == "host"
    assert [(span.name, span.scope) for span in spans] == [
        ("", ""), ("Conv2D", "model/conv/Conv2D"), ("", ""), ("", "while"), ("fusion.3", ""), ("", ""),
    ]  # fmt: skip
    assert spans[1] == Span(0, 10, 40, "Conv2D", "model/conv/Conv2D")


def test_threads_that_prepare_input_do_not_count() -> None:
    assert spans_of([("/host:CPU", "tf_data_private_threadpool/1", [Event("a:GatherV2", 0, 1)])]) == (
        "host",
        [],
    )


def test_where_a_gpu_ran_kernels_only_its_streams_count() -> None:
    kernel = Event("ampere_sgemm", 5, 9, operation="model/batch_normalization/mul:Mul")
    lines = [
        HOST,
        ("/device:GPU:0", "Stream #13(Compute)", [kernel]),
        ("/device:GPU:0", "XLA Ops", [Event("dot.1", 5, 9)]),
        ("/device:GPU:1", "Stream #13(Compute)", [kernel]),
    ]
    place, spans = spans_of(lines)
    assert place == "device"
    assert spans == [Span(number, 5, 9, "ampere_sgemm", "model/batch_normalization/mul") for number in (1, 3)]
