"""Averages of gradients, by the trainings' interface and by the bare library.

``python -m tests.bench.communication``: two ranks on this machine exchange the gradients of a ResNet-50, in
turns by the interface (`Ranks`) and by the library as its own examples do: Horovod's grouped all-reduce in a
compiled function, and the all-reduce of PyTorch, MPI and JAX of one flat tensor in host memory, which is then
divided by the number of ranks. The flat tensor is a lower bound: a program with a list of gradients must pack
it. Gradients are TensorFlow's, in a compiled function's graph, and over PyTorch in a further row its own.
A training step's time is that of the same ResNet-50, compiled, with 8 images a rank, without any exchange.

Ratios are medians of those of each round, so that what else runs on the machine slows both sides.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from operator import truediv
from types import SimpleNamespace
from typing import Any, cast

from orchestrator.node.ranks.environment import horovod_environment, mpi_environment
from orchestrator.node.ranks.rendezvous import Rendezvous
from orchestrator.protocol.order import RendezvousAddress
from workloads.context import Context
from workloads.runtime.collectives import Ranks

OWN_TENSORS = "torch, of its own tensors"
LIBRARIES = ("horovod", "torch", OWN_TENSORS, "mpi", "jax")
STEP = "step"
SIZE = 2
ROUNDS = 12
IMAGES = 8


def _rank(library: str, rank: int) -> None:
    """Measure in one rank; rank 0 prints the figures."""
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[rank]})
    import keras
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    model = keras.applications.ResNet50(weights=None, classes=1000)
    if library == STEP:
        print(json.dumps({STEP: statistics.median(_steps(model))}), flush=True)
        return
    ranks = Ranks(cast(Context, SimpleNamespace(rank=rank, size=SIZE)), library.partition(",")[0])
    shapes = [tuple(variable.shape) for variable in model.trainable_variables]
    calls = {"interface": _interface(library, ranks, shapes), "library": _bare(library, shapes)}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for turn in range(-2, ROUNDS):
        for name in sorted(calls, reverse=turn % 2 == 1):
            ranks.all_gather_object(lambda: None)  # both begin at once
            begin, used = time.monotonic(), time.process_time()
            calls[name]()
            if turn >= 0:
                found[name].append((time.monotonic() - begin, time.process_time() - used))
    both = ranks.all_gather_object(lambda: found)
    if rank == 0:
        print(json.dumps(_figures(both)), flush=True)


def _figures(both: list[dict[str, list[tuple[float, float]]]]) -> dict[str, float]:
    """Return median seconds of the slower rank, and ratios of these and of both ranks' CPU seconds."""
    wall, cpu = (
        {
            name: [combine(one) for one in zip(*([r[part] for r in of[name]] for of in both), strict=True)]
            for name in both[0]
        }
        for part, combine in ((0, max), (1, sum))
    )
    return {name: statistics.median(seconds) for name, seconds in wall.items()} | {
        name: statistics.median(map(truediv, of["interface"], of["library"]))
        for name, of in (("ratio", wall), ("cpu_ratio", cpu))
    }


def _interface(library: str, ranks: Ranks, shapes: list[tuple[int, ...]]) -> Callable[[], Any]:
    """Return the average of gradients by the trainings' interface."""
    if library == OWN_TENSORS:
        import torch

        own = [torch.randn(shape) for shape in shapes]
        return lambda: ranks.all_reduce_mean(own)
    import tensorflow as tf

    gradients = [tf.random.normal(shape) for shape in shapes]
    ours: Callable[[], Any] = tf.function(lambda: ranks.all_reduce_mean(_in_graph(gradients))[0])
    return ours


def _bare(library: str, shapes: list[tuple[int, ...]]) -> Callable[[], Any]:
    """Return the average of gradients as the library's own examples take it."""
    if library == "horovod":
        import horovod.tensorflow as horovod
        import tensorflow as tf

        gradients = [tf.random.normal(shape) for shape in shapes]
        bare: Callable[[], Any] = tf.function(
            lambda: horovod.grouped_allreduce(_in_graph(gradients), op=horovod.Average)[0]
        )
        return bare
    elements = sum(map(math.prod, shapes))
    if library == "mpi":
        return _bare_mpi(elements)
    if library == "jax":
        return _bare_jax(elements)
    import torch
    import torch.distributed

    flat = torch.randn(elements)

    def average() -> None:
        torch.distributed.all_reduce(flat)
        flat.div_(SIZE)

    return average


def _in_graph(tensors: list[Any]) -> list[Any]:
    """Return tensors of the function that is traced, which have names: Horovod asks for these."""
    import tensorflow as tf

    return [tf.identity(tensor) for tensor in tensors]


def _bare_mpi(elements: int) -> Callable[[], Any]:
    import numpy as np
    from mpi4py import MPI

    memory = np.empty(elements * 4 + 64, np.uint8)
    begin = -memory.ctypes.data % 64  # NumPy's own memory begins elsewhere, where vectors are slower
    flat = memory[begin : begin + elements * 4].view(np.float32)
    flat[:] = np.random.default_rng(1).normal(size=elements)

    def average() -> None:
        MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, flat)
        np.divide(flat, SIZE, out=flat)

    return average


def _bare_jax(elements: int) -> Callable[[], Any]:
    import jax
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    mesh = Mesh(jax.devices(), ("ranks",))
    each = PartitionSpec("ranks")
    rows = np.random.default_rng(1).normal(size=(1, elements)).astype(np.float32)
    flat = jax.make_array_from_process_local_data(NamedSharding(mesh, each), rows)
    mean = jax.jit(
        jax.shard_map(
            lambda row: jax.lax.pmean(row[0], "ranks"), mesh=mesh, in_specs=each, out_specs=PartitionSpec()
        )
    )
    return lambda: jax.block_until_ready(mean(flat))


def _steps(model: Any) -> list[float]:
    """Return the seconds of training steps without an exchange."""
    import tensorflow as tf

    images, labels = tf.random.normal((IMAGES, 224, 224, 3)), tf.zeros((IMAGES,), tf.int32)

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            losses = tf.keras.losses.sparse_categorical_crossentropy(labels, model(images, training=True))
            loss = tf.reduce_mean(losses)
        return tape.gradient(loss, model.trainable_variables)

    seconds = []
    for _ in range(4):
        begin = time.monotonic()
        step()
        seconds.append(time.monotonic() - begin)
    return seconds[1:]


def measure(library: str) -> dict[str, float]:
    """Return the figures of a library, or the seconds of a training step."""
    rendezvous = Rendezvous(SIZE, SIZE)
    address = RendezvousAddress("127.0.0.1", rendezvous.port, rendezvous.pmi_port, "lo")
    one_thread = {"OMP_NUM_THREADS": "1"}
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.bench.communication", library, str(rank)],
            env=os.environ
            | horovod_environment(rank, SIZE, SIZE, "here", address)
            | mpi_environment(rank, address)
            | one_thread,
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(SIZE)
    ]
    rendezvous.start()
    try:
        outputs = [one.communicate(timeout=900)[0] for one in processes]
    finally:
        rendezvous.stop()
    if any(one.returncode for one in processes):
        raise RuntimeError(f"a rank over {library} failed")
    found: dict[str, float] = json.loads(outputs[0].splitlines()[-1])
    return found


def main() -> None:
    """Print the ratios of each library, or of one that is named."""
    step = measure(STEP)[STEP]
    for library in sys.argv[1:2] or LIBRARIES:
        found = measure(library)
        ours, bare = found["interface"], found["library"]
        share = bare * (found["ratio"] - 1) / (step + bare)
        print(
            f"communication {library}: gradients of ResNet-50 between {SIZE} ranks in {ours:.3f} s by the "
            f"interface and {bare:.3f} s by the library itself: {found['ratio']:.3f} times the time, "
            f"{found['cpu_ratio']:.3f} times the CPU time; the difference is "
            f"{share:.2%} of a training step of {IMAGES} images, which takes {step:.2f} s and the exchange",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        _rank(sys.argv[1], int(sys.argv[2]))
    else:
        main()
