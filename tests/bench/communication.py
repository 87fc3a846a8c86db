"""Averages of gradients, by the trainings' interface and by the bare library.

``python -m tests.bench.communication``: two ranks on this machine exchange the gradients of a ResNet-50, in
turns by the interface (`Ranks`) and by the library as its own examples do: Horovod's grouped all-reduce in a
compiled function, and the all-reduce of PyTorch, MPI and JAX of one flat tensor in host memory, which is then
divided by the number of ranks. Gradients are TensorFlow's, and over PyTorch in a further row its own. A
training step's time is that of the same ResNet-50, compiled, with 8 images a rank, without any exchange.
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
from types import SimpleNamespace
from typing import Any, cast

from orchestrator.node.ranks.environment import horovod_environment, mpi_environment
from orchestrator.node.ranks.rendezvous import Rendezvous
from orchestrator.protocol.order import RendezvousAddress
from workloads.context import Context
from workloads.runtime.collectives import Ranks

OWN_TENSORS = "torch, of its own tensors"
LIBRARIES = ("horovod", "torch", OWN_TENSORS, "mpi", "jax")
SIZE = 2
ROUNDS = 9
IMAGES = 8


def _rank(library: str, rank: int) -> None:
    """Measure in one rank; rank 0 prints the medians."""
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[rank]})
    import keras
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    ranks = Ranks(cast(Context, SimpleNamespace(rank=rank, size=SIZE)), library.partition(",")[0])
    model = keras.applications.ResNet50(weights=None, classes=1000)
    shapes = [tuple(variable.shape) for variable in model.trainable_variables]
    calls = {"interface": _interface(library, ranks, shapes), "library": _bare(library, shapes)}
    found: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(ROUNDS + 2):
        for name, call in calls.items():
            ranks.all_gather_object(lambda: None)  # both begin at once
            begin = time.monotonic()
            call()
            if turn >= 2:
                found[name].append(time.monotonic() - begin)
    found["step"] = _steps(model)
    slowest = ranks.all_gather_object(lambda: {name: statistics.median(one) for name, one in found.items()})
    if rank == 0:
        print(json.dumps({name: max(one[name] for one in slowest) for name in found}), flush=True)


def _interface(library: str, ranks: Ranks, shapes: list[tuple[int, ...]]) -> Callable[[], Any]:
    """Return the average of gradients by the trainings' interface."""
    if library == OWN_TENSORS:
        import torch

        own = [torch.randn(shape) for shape in shapes]
        return lambda: ranks.all_reduce_mean(own)
    import tensorflow as tf

    ours = tf.function(lambda *tensors: ranks.all_reduce_mean(tensors))
    gradients = [tf.random.normal(shape) for shape in shapes]
    return lambda: ours(*gradients)


def _bare(library: str, shapes: list[tuple[int, ...]]) -> Callable[[], Any]:
    """Return the average of gradients as the library's own examples take it."""
    if library == "horovod":
        import horovod.tensorflow as horovod
        import tensorflow as tf

        bare = tf.function(lambda *tensors: horovod.grouped_allreduce(list(tensors), op=horovod.Average))
        gradients = [tf.random.normal(shape) for shape in shapes]
        return lambda: bare(*gradients)
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


def _bare_mpi(elements: int) -> Callable[[], Any]:
    import numpy as np
    from mpi4py import MPI

    flat = np.random.default_rng(1).normal(size=elements).astype(np.float32)

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
    """Return the median seconds of the slower rank, by what was measured."""
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
    for library in sys.argv[1:2] or LIBRARIES:
        found = measure(library)
        ours, bare, step = (found[name] for name in ("interface", "library", "step"))
        print(
            f"communication {library}: gradients of ResNet-50 between {SIZE} ranks in {ours:.3f} s by the "
            f"interface, {ours / bare:.3f} times the {bare:.3f} s of the library itself; the difference is "
            f"{100 * (ours - bare) / (step + bare):.2f} % of a training step of {IMAGES} images, which takes "
            f"{step:.2f} s and the exchange"
        )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        _rank(sys.argv[1], int(sys.argv[2]))
    else:
        main()
