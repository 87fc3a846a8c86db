"""Sets TensorFlow and Keras up for one slot, once, before the first operation."""

from __future__ import annotations

import os
from typing import Any

from workloads import cuda, machine
from workloads.context import Context
from workloads.description import Parameter

PRECISION = Parameter(
    "precision",
    "float32",
    "arithmetic: float32; tensor_float32 (GPU matrix units, float32 storage); mixed_bfloat16",
    choices=("float32", "tensor_float32", "mixed_bfloat16"),
    rule="fixed",
)


def set_up_tensorflow(context: Context, precision: str = "float32") -> dict[str, Any]:
    """Import and configure TensorFlow and Keras for the slot; return what is in force.

    Operations use as many threads as the slot has cores, and one operation runs at a time:
    these networks are chains of large matrix products, so a second operation would only
    compete for the same cores. Without GPUs every operation is deterministic, so that the same
    seed on the same kind and number of cores gives the same accuracy, bit for bit; on GPUs
    determinism is left off, because it slows the kernels that are being timed.

    Parameters
    ----------
    context
        Gives the seed, the cores and the GPUs; a slot without GPUs sees none.
    precision
        One of the choices of `PRECISION`. TensorFlow's silent use of TensorFloat-32 is turned
        off unless it is asked for.

    Raises
    ------
    RuntimeError
        If TensorFlow sees another number of GPUs than the slot has, or was already in use.
    """
    os.environ["KERAS_BACKEND"] = "tensorflow"
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(context.devices)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    import keras
    import tensorflow as tf

    threads = len(context.cores) or len(os.sched_getaffinity(0))
    deterministic = not context.devices
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    gpus = tf.config.list_physical_devices("GPU")
    if len(gpus) != len(context.devices):
        raise RuntimeError(
            f"the slot has {len(context.devices)} GPUs and TensorFlow {tf.__version__} sees {len(gpus)}; "
            "check the driver, and that the environment has a TensorFlow built with CUDA"
        )
    for gpu in gpus:  # several instances may share one GPU
        tf.config.experimental.set_memory_growth(gpu, True)
    tf.config.experimental.enable_tensor_float_32_execution(precision == "tensor_float32")
    keras.config.set_dtype_policy("mixed_bfloat16" if precision == "mixed_bfloat16" else "float32")
    if deterministic:
        tf.config.experimental.enable_op_determinism()
    keras.utils.set_random_seed(context.seed % 2**32)
    return {
        "framework": "tensorflow",
        "framework_version": tf.__version__,
        "keras_version": keras.__version__,
        "keras_backend": keras.backend.backend(),
        "devices": [device.name for device in tf.config.list_logical_devices()],
        "gpus": [
            {"uuid": uuid, "name": tf.config.experimental.get_device_details(gpu).get("device_name", "")}
            for gpu, uuid in zip(gpus, cuda.visible_uuids(cuda.open_driver() if gpus else None), strict=True)
        ],
        "intra_op_threads": tf.config.threading.get_intra_op_parallelism_threads(),
        "inter_op_threads": tf.config.threading.get_inter_op_parallelism_threads(),
        "process_threads": machine.thread_count(),
        "precision": precision,
        "tensor_float32": tf.config.experimental.tensor_float_32_execution_enabled(),
        "deterministic": deterministic,
    }


def synchronise() -> None:
    """Wait until every device has finished what it was given, before a clock is read."""
    import tensorflow as tf

    tf.test.experimental.sync_devices()


def trainable_parameters(*models: Any) -> int:
    """Return the number of trainable scalars of Keras models, a shared variable counted once."""
    variables = {id(variable): variable for model in models for variable in model.trainable_variables}
    return sum(int(variable.shape.num_elements()) for variable in variables.values())
