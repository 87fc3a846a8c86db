"""STREAM's triad: sustained memory bandwidth of a slot.

a = b + s·c in float64, on arrays far larger than the last-level caches. As in STREAM (McCalpin, 1995) 24
bytes are counted for each element: two that are read and one that is written. What a CPU reads of ``a``
before it writes there (write-allocate) is not counted, so that the memory itself may move a third more.

On cores one process runs on each, with NumPy and arrays of its own, in blocks whose intermediate result
stays in the core's cache. On GPUs it is one kernel that TensorFlow's compiler makes; on a slot with several,
each has its own arrays.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workloads.context import Context, Metric, Result
from workloads.description import Workload, WorkloadError
from workloads.microbenchmarks.repetition import (
    REPETITIONS,
    SECONDS,
    WARM_UP,
    rate_metrics,
    seconds_per_call,
)
from workloads.microbenchmarks.triad_processes import ELEMENT_BYTES, run_processes
from workloads.parameters import common, parameter, table

MEBIBYTE = 2**20
TIMES_CACHE = 4
"""STREAM's own rule: each array is at least four times the last-level caches."""

_WITHOUT_CACHE_FACTS = 256 * MEBIBYTE
_ON_GPUS = 1024 * MEBIBYTE
_MOST_OF_MEMORY = 0.5
_SCALAR = 3.0


@dataclass(frozen=True, slots=True)
class TriadParameters:
    """Parameters of the triad."""

    array_bytes: int = parameter(
        0,
        "each of the three arrays, of all cores together; 0: four times the last-level caches that the "
        "slot's cores reach, 1 GiB on GPUs",
        unit="bytes",
        minimum=0,
    )
    seconds: float = common(SECONDS)
    repetitions: int = common(REPETITIONS)
    warm_up: int = common(WARM_UP)
    device: str = parameter(
        "auto",
        "whose memory: cpu, gpu, or auto: the GPUs' where the slot has any",
        choices=("auto", "cpu", "gpu"),
    )

    def packages(self) -> tuple[str, ...]:
        """Return the packages that these parameters need whatever the slot has."""
        return ("keras", "tensorflow") if self.device == "gpu" else ()


WORKLOAD = Workload(
    name="triad",
    title="STREAM's triad: memory bandwidth of a slot",
    source="STREAM's triad (McCalpin, 1995), written for this project",
    entry="workloads.microbenchmarks.triad:run",
    parameters=table(TriadParameters),
    parameters_type=TriadParameters,
    fom_time="run",
    requires=("numpy",),
)


def run(parameters: TriadParameters, context: Context) -> Result:
    """Compute the triad again and again; the rate is that of the slot's cores, or GPUs, together.

    Raises
    ------
    WorkloadError
        If the slot has no GPU where its memory is asked for, or the arrays need more memory than the slot
        has.
    ArithmeticError
        If an element of the result is wrong.
    """
    if parameters.device == "gpu" and not context.devices:
        raise WorkloadError("device is gpu, and the slot has none: write cpu, or auto")
    if parameters.device != "cpu" and context.devices:
        return _on_gpus(parameters, context)
    return _on_cores(parameters, context)


def _on_cores(parameters: TriadParameters, context: Context) -> Result:
    cores = context.cores or tuple(sorted(os.sched_getaffinity(0)))
    caches = last_level_cache_bytes(cores)
    wanted = parameters.array_bytes or (TIMES_CACHE * caches if caches else _WITHOUT_CACHE_FACTS)
    array_bytes = _fitting(wanted, context.memory_bytes, chosen=not parameters.array_bytes)
    elements = max(1, array_bytes // ELEMENT_BYTES // len(cores))
    pinned: tuple[int | None, ...] = cores if context.cores else (None,) * len(cores)
    with run_processes(pinned, elements, _SCALAR) as measure:
        context.start()
        with context.phase("measure"):
            seconds = measure(parameters.seconds, parameters.repetitions, parameters.warm_up)
    each = elements * ELEMENT_BYTES * len(cores)
    facts = [] if not caches else [Metric("last_level_cache_bytes", caches, "B")]
    return _result(each, seconds, {"framework": "numpy", "memory": "host", "processes": len(cores)}, facts)


def _fitting(wanted: int, memory_bytes: int | None, *, chosen: bool) -> int:
    """Return the bytes of an array; one whose size was chosen here shrinks to the slot's memory."""
    if memory_bytes is None or 3 * wanted <= _MOST_OF_MEMORY * memory_bytes:
        return wanted
    if chosen:
        return int(_MOST_OF_MEMORY * memory_bytes / 3)
    raise WorkloadError(
        f"three arrays of {wanted} bytes need more than half of the slot's memory, {memory_bytes} bytes: "
        "write a smaller array_bytes"
    )


def _on_gpus(parameters: TriadParameters, context: Context) -> Result:
    from workloads.microbenchmarks.devices import OnEveryDevice
    from workloads.runtime.framework import configure_framework, synchronise

    observed = configure_framework(context, "tensorflow")
    import tensorflow as tf

    limit, gpus = context.device_memory_bytes, len(context.devices)
    wanted = parameters.array_bytes // gpus if parameters.array_bytes else _ON_GPUS
    elements = max(1, _fitting(wanted, limit, chosen=not parameters.array_bytes) // ELEMENT_BYTES)
    triad = compiled_triad()

    def make() -> Callable[[], Any]:
        b, c = (tf.fill((elements,), tf.constant(value, tf.float64)) for value in (2.0, 0.5))
        return lambda: triad(b, c, tf.constant(_SCALAR, tf.float64))

    calls = OnEveryDevice(context, make)
    context.start()
    with context.phase("measure"):
        seconds = seconds_per_call(
            calls,
            seconds=parameters.seconds,
            repetitions=parameters.repetitions,
            warm_up=parameters.warm_up,
            synchronise=synchronise,
        )
    if any(float(tf.reduce_max(tf.abs(one - (2.0 + _SCALAR * 0.5)))) for one in calls.results):
        raise ArithmeticError("the triad's result on a GPU is wrong")
    return _result(elements * ELEMENT_BYTES * calls.devices, seconds, observed | {"memory": "gpu"}, [])


def compiled_triad() -> Any:
    """Return b + s·c of two arrays and a scalar as one kernel, without an array between its two steps."""
    import tensorflow as tf

    return tf.function(lambda b, c, scalar: b + scalar * c, jit_compile=True)


def _result(
    array_bytes: int, seconds: Sequence[float], observed: dict[str, Any], facts: list[Metric]
) -> Result:
    return Result(
        metrics=(
            *rate_metrics("bytes_per_second", "B/s", 3.0 * array_bytes, seconds),
            Metric("array_bytes", array_bytes, "B"),
            *facts,
        ),
        observed=observed,
        data={"synthetic": True},
        observe_after=lambda: {"precision": "float64", "precision_asked": "float64"},
    )


def last_level_cache_bytes(cores: Sequence[int], root: Path = Path("/sys/devices/system/cpu")) -> int:
    """Return the size of all last-level caches that some cores reach, each once; 0 where nothing tells."""
    found: dict[tuple[int, str], int] = {}
    for core in cores:
        levels: dict[int, tuple[str, int]] = {}
        for cache in (root / f"cpu{core}/cache").glob("index*"):
            try:
                level, size, shared = (
                    (cache / name).read_text().strip() for name in ("level", "size", "shared_cpu_list")
                )
                levels[int(level)] = (shared, int(size.removesuffix("K")) * 1024)
            except (OSError, ValueError):  # a virtual machine may leave some of them out
                continue
        if levels:
            last = max(levels)
            shared, size_bytes = levels[last]
            found[last, shared] = size_bytes
    return sum(found.values())
