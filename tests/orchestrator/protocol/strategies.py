"""Any orders, reports and observations."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from db.states import AttemptState
from orchestrator.protocol.order import AttemptOrder, Gpus, RankResources, RendezvousAddress, SlotOrder
from orchestrator.protocol.report import AttemptReport, Metric, Observed, TrainingResult

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
json_objects = st.dictionaries(st.text(max_size=5), json_values, max_size=3)

texts = st.text(max_size=8)
counts = st.integers(0, 2**40)
seconds = st.floats(0, 1e9)
core_numbers = st.lists(st.integers(0, 500), max_size=4).map(tuple)
names = st.lists(texts, max_size=3).map(tuple)

# An observation is read from what a process sends, of which nothing is certain.
_STATED = st.fixed_dictionaries(
    {},
    optional={
        "host": texts | json_values,
        "pid": counts | json_values,
        "cpuset": st.lists(st.integers(0, 500), max_size=4) | json_values,
        "gpus": st.lists(json_objects, max_size=2) | json_values,
        "device_memory_bytes": counts | seconds | json_values,
        "framework": texts | json_values,
        "tensor_float32": st.booleans() | json_values,
        "devices": st.lists(texts, max_size=2) | json_values,
        "thread_variables": json_objects,
        "facts": json_values,
    },
)
statements = st.builds(
    lambda own, ranks: own if ranks is None else own | {"ranks": ranks},
    _STATED,
    st.none() | st.lists(_STATED, max_size=3),
)
observations = statements.map(Observed.from_json)
training_results = st.builds(
    TrainingResult,
    fom_seconds=json_values,
    accuracy=json_values,
    phases=json_objects,
    metrics=st.lists(st.builds(Metric, texts, json_values, texts), max_size=3).map(tuple),
    observed=observations,
    data=json_values,
    accuracies=st.none() | st.lists(json_values, max_size=3).map(tuple),
)


def _optional(**fields: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[Any]]:
    return {name: st.none() | field for name, field in fields.items()}


attempt_reports = st.builds(
    AttemptReport,
    token=texts,
    label=texts,
    state=st.sampled_from(AttemptState),
    at_us=counts,
    devices=names,
    nodes=names,
    at_barrier=st.booleans(),
    **_optional(
        failure_category=st.sampled_from(["benchmark", "infrastructure", "neutral"]),
        failure_reason=texts, failure_message=texts, node=texts, block_id=texts, pool=texts,
        slot_index=counts, cores=core_numbers, process_start_us=counts, ready_us=counts, at_barrier_us=counts,
        run_start_us=counts, run_stop_us=counts,
        timed_window_start_us=counts, timed_window_stop_us=counts, process_stop_us=counts,
        barrier_seconds=seconds, clock_offset_max_us=st.integers(-(2**40), 2**40),
        exit_code=st.integers(-64, 255),
        signal=texts, cpu_seconds=seconds, peak_memory_bytes=counts, stdout_path=texts, stderr_path=texts,
        stderr_tail=texts, left_seconds=seconds, result=training_results,
        run_start_arrived_us=counts, run_stop_arrived_us=counts, timed_window_start_arrived_us=counts,
        timed_window_stop_arrived_us=counts, run_start_cpu_seconds=seconds, run_stop_cpu_seconds=seconds,
        timed_window_stop_cpu_seconds=seconds,
    ),
)  # fmt: skip

places = st.builds(RankResources, core_numbers, core_numbers)
attempt_orders = st.builds(
    AttemptOrder,
    token=texts, label=texts, attempt=counts, campaign=texts, session=counts, slot_shape=texts, slots=texts,
    workload=texts, parameters=json_objects, seed=counts, cache=texts, scratch=texts, nodes=counts,
    ranks_per_node=counts, launcher_options=names, prologue=names, gpu_share=texts, timeout_seconds=seconds,
    grace_seconds=seconds, longest_seconds=seconds, logs=st.sampled_from(["all", "failures", "none"]),
    stdout_path=texts, stderr_path=texts, directory=texts, working_directory=texts, interpreter=texts,
    environment=st.dictionaries(texts, texts, max_size=3),
    **_optional(
        data=texts, launcher=texts, interface=texts, memory_bytes=counts, wave=counts,
        expected_seconds=seconds,
        gpus=st.builds(Gpus, texts, counts, texts, st.none() | counts),
    ),
)  # fmt: skip
slot_orders = st.builds(
    SlotOrder,
    order=attempt_orders, worker_pid=counts, slot=counts, places=st.lists(places, max_size=3).map(tuple),
    hosts=names, block=texts, first=st.booleans(), journal=texts,
    **_optional(
        pool=texts, window=st.tuples(seconds, seconds),
        rendezvous=st.builds(RendezvousAddress, texts, counts, counts, texts),
    ),
)  # fmt: skip
