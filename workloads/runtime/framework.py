"""Configure a framework and Keras for one slot, once, before the first operation."""

from __future__ import annotations

import importlib
import math
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from workloads.context import Context, SlotView
from workloads.description import Parameter, WorkloadError
from workloads.runtime import backends, cuda, gpu_identity, host_facts
from workloads.runtime.backends import Backend

FRAMEWORK = Parameter(
    "framework",
    "tensorflow",
    "what runs the network: tensorflow, jax, or torch (PyTorch)",
    choices=backends.NAMES,
)
PRECISION = Parameter(
    "precision",
    "float32",
    "arithmetic: float32; tensor_float32 (GPU matrix units, float32 storage); "
    "mixed_bfloat16, mixed_float16 (16-bit products, float32 weights)",
    choices=("float32", "tensor_float32", "mixed_bfloat16", "mixed_float16"),
)


def configure_framework(
    context: Context, framework: str = "tensorflow", precision: str = "float32"
) -> dict[str, Any]:
    """Import and configure a framework and Keras for the slot; return what is in force.

    Operations use as many threads as the slot has cores. Without GPUs every operation is
    deterministic, so that the same seed on the same kind and number of cores gives the same
    accuracy, bit for bit; on GPUs determinism is left off, because it slows the kernels that are
    being timed. Where the slot holds a share of its GPUs' memory, no more than that is taken for
    data; the driver's own few hundred MiB per process come on top.

    Parameters
    ----------
    context
        Seed, cores, GPUs and the limit of their memory; a slot without GPUs sees none.
    framework
        One of the choices of `FRAMEWORK`.
    precision
        One of the choices of `PRECISION`. Keras scales the loss of a model that it compiles for
        float16, so that small gradients are not lost, and lowers the scale when one overflows.

    Raises
    ------
    WorkloadError
        If the framework is not installed.
    RuntimeError
        If the framework sees another number of GPUs than the slot has, was already in use, or
        this process runs Keras on another one.
    """
    backend = prepare_framework(context, framework)
    threads = threads_of(context)
    import keras

    names = backend.gpu_names()
    if len(names) != len(context.devices):
        raise RuntimeError(
            f"the slot has {len(context.devices)} GPUs and {backend.TITLE} {backend.version()} sees "
            f"{len(names)}; check the driver, and that the environment has a {backend.TITLE} built with CUDA"
        )
    in_force = backend.configure(context, threads, precision)
    keras.config.set_dtype_policy(precision if precision.startswith("mixed_") else "float32")
    set_seed(context.seed % 2**32)
    return {
        "framework": framework,
        "framework_version": backend.version(),
        "keras_version": keras.__version__,
        "keras_backend": keras.backend.backend(),
        "gpus": _opened_gpus(context, names),
        "precision": precision,
        **in_force,
        "process_threads": host_facts.thread_count(),
    }


def prepare_framework(context: Context, framework: str) -> Backend:
    """Set the variables that a framework reads as it is imported, and return its backend.

    Ranks that join over JAX do so after this and before `configure_framework`, which looks for devices.

    Raises
    ------
    WorkloadError
        If the framework is not installed.
    RuntimeError
        If this process runs Keras on another one.
    """
    backend = _load_backend(framework)
    _set_environment(context, backend, framework, threads_of(context))
    return backend


def import_framework(framework: str, threads: int, *, gpus: bool = False) -> None:
    """Import a framework and Keras, as `configure_framework` does for a slot; run nothing.

    No operation may run, and no device be asked for, in a process that is forked later: their threads are
    missing in the child, which then waits for them without end.

    Parameters
    ----------
    threads
        Cores of the slot.
    gpus
        Whether the slot has GPUs; which ones, the framework reads later.
    """
    devices = ("0",) if gpus else ()
    context = Context(seed=0, slot=SlotView(cores=tuple(range(threads)), devices=devices))
    _set_environment(context, _load_backend(framework), framework, threads)
    for name in ("keras", framework):
        if find_spec(name) is not None:
            importlib.import_module(name)


def set_seed(seed: int) -> None:
    """Set the seeds of Python, NumPy, Keras and its framework.

    Where another framework trains, `keras.utils.set_random_seed` alone would import TensorFlow, which takes
    1.5 s of processor time.

    Parameters
    ----------
    seed
        Below 2³².
    """
    import keras
    from keras.src.utils import module_utils

    found = module_utils.tensorflow._available
    if keras.backend.backend() != "tensorflow" and "tensorflow" not in sys.modules:
        module_utils.tensorflow._available = False
    try:
        keras.utils.set_random_seed(seed)
    finally:
        module_utils.tensorflow._available = found


def threads_of(context: Context) -> int:
    """Return how many threads compute: one for each core of the slot, by default of the process."""
    return len(context.cores) or len(os.sched_getaffinity(0))


def _load_backend(framework: str) -> Backend:
    """Return the backend of an installed framework, unless Keras already runs on another one."""
    backend = backends.load(framework)
    if find_spec(framework) is None:
        raise WorkloadError(f"{backend.TITLE} is not installed for {sys.executable}")
    loaded = sys.modules.get("keras")
    if loaded and loaded.backend.backend() != framework:
        other = loaded.backend.backend()
        raise RuntimeError(f"Keras already runs on {other} in this process, not {framework}")
    return backend


def _set_environment(context: Context, backend: Backend, framework: str, threads: int) -> None:
    """Set the variables that Keras and the framework read when they are imported."""
    os.environ["KERAS_BACKEND"] = framework
    if not any(os.environ.get(name) for name in ("ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK")):
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(context.devices)  # ROCm reads this one too
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    os.environ.update(backend.environment(context, threads))


def _opened_gpus(context: Context, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the GPUs that this process opened; those of the slot, as not proven, where nothing tells."""
    driver = cuda.open_driver() if names else None
    if names and driver is None:
        return gpu_identity.opened(context.devices, names)
    return [
        {"uuid": uuid, "name": name} for uuid, name in zip(cuda.visible_uuids(driver), names, strict=True)
    ]


def current_backend() -> Backend:
    """Return the backend that Keras runs on in this process."""
    import keras

    return backends.load(keras.backend.backend())


def synchronise() -> None:
    """Wait until all started operations are computed, before a clock is read."""
    current_backend().synchronise()


def trainable_parameters(*models: Any) -> int:
    """Return the number of trainable scalars of Keras models, a shared variable counted once."""
    variables = {id(variable): variable for model in models for variable in model.trainable_variables}
    return sum(math.prod(variable.shape) for variable in variables.values())
