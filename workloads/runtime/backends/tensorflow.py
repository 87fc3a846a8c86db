"""TensorFlow: every step is a graph that is traced once, without XLA."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workloads.context import Context
from workloads.runtime.backends import Step

TITLE = "TensorFlow"
JIT_COMPILE = False
MEBIBYTE = 2**20


def environment(context: Context, threads: int) -> dict[str, str]:  # noqa: ARG001
    """Return the variables that TensorFlow reads as it is imported."""
    # Otherwise this variable of the user would override what `configure` sets.
    return {"TF_FORCE_GPU_ALLOW_GROWTH": "false"}


def version() -> str:
    import tensorflow as tf

    return str(tf.__version__)


def gpu_names() -> list[str]:
    import tensorflow as tf

    gpus = tf.config.list_physical_devices("GPU")
    return [tf.config.experimental.get_device_details(gpu).get("device_name", "") for gpu in gpus]


def configure(context: Context, threads: int, precision: str) -> dict[str, Any]:
    """Set threads, memory, arithmetic and determinism, and return what is in force.

    Operations use `threads` threads, and one operation runs at a time: these networks are chains
    of large matrix products, so a second operation would only compete for the same cores.
    TensorFlow's silent use of TensorFloat-32 is off unless it is asked for. A GPU's memory is
    taken at once, all of it where `context` names no share.
    """
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    limit = _limit_memory(context.device_memory_bytes)
    tf.config.experimental.enable_tensor_float_32_execution(precision == "tensor_float32")
    if not context.devices:
        tf.config.experimental.enable_op_determinism()
    return {
        "devices": [device.name for device in tf.config.list_logical_devices()],
        "device_memory_bytes": limit,
        "intra_op_threads": tf.config.threading.get_intra_op_parallelism_threads(),
        "inter_op_threads": tf.config.threading.get_inter_op_parallelism_threads(),
        "tensor_float32": tf.config.experimental.tensor_float_32_execution_enabled(),
        "deterministic": not context.devices,
    }


def allow_any_order() -> dict[str, Any]:
    """Let operations sum in any order, which XLA needs on CPUs too; return what is then in force.

    XLA has no deterministic gradient of max pooling.
    """
    from tensorflow.python.framework import config

    config.disable_op_determinism()
    return {"deterministic": config.is_op_determinism_enabled()}


def read_beside(threads: int) -> None:
    """Let TensorFlow read and change data on as many CPU threads, where another framework trains."""
    import tensorflow as tf

    tf.config.set_visible_devices([], "GPU")
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)


def _limit_memory(most_bytes: int | None) -> int | None:
    """Give every GPU's memory to this process, up to a share where one is named; return the share."""
    import tensorflow as tf

    limit = None
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, False)
        if most_bytes is not None:
            share = tf.config.LogicalDeviceConfiguration(memory_limit=most_bytes // MEBIBYTE)
            tf.config.set_logical_device_configuration(gpu, [share])
            limit = int(tf.config.get_logical_device_configuration(gpu)[0].memory_limit) * MEBIBYTE
    return limit


def synchronise(results: Any = None) -> None:  # noqa: ARG001
    import tensorflow as tf

    tf.test.experimental.sync_devices()


def to_device(array: Any) -> Any:
    import tensorflow as tf

    return tf.Variable(array, trainable=False)


def fetch(value: Any) -> Any:
    return value.numpy()


def global_norm(gradients: Sequence[Any]) -> float:
    import tensorflow as tf

    return float(tf.linalg.global_norm(gradients).numpy())


def forward(function: Step, variables: Sequence[Any]) -> Step:  # noqa: ARG001
    """Return `function` as a graph."""
    import tensorflow as tf

    def step(*inputs: Any) -> Any:
        return function(*map(tf.convert_to_tensor, inputs))

    return _graph(step)


def gradients(loss: Step, variables: Sequence[Any]) -> Step:
    """Return the gradients of `loss` as a graph; what a graph returns is never pruned."""

    def step(*inputs: Any) -> list[Any]:
        return _value_and_gradients(loss, variables, inputs)[1]

    return _graph(step)


def descent(loss: Step, variables: Sequence[Any], rate: float) -> Step:
    """Return a step of gradient descent as a graph that updates the variables in place."""

    def step(*inputs: Any) -> Any:
        value, slopes = _value_and_gradients(loss, variables, inputs)
        for variable, slope in zip(variables, slopes, strict=True):
            variable.value.assign_sub(rate * slope)
        return value

    return _graph(step)


def assigning(function: Step, variables: Sequence[Any]) -> Step:  # noqa: ARG001
    return _graph(function)


def slopes(loss: Step, weights: Sequence[Any], others: Sequence[Any]) -> Step:  # noqa: ARG001
    import tensorflow as tf

    def differentiated(*inputs: Any) -> tuple[Any, list[Any]]:
        with tf.GradientTape() as tape:
            value, result = loss(*inputs)
        return result, tape.gradient(value, [variable.value for variable in weights])

    return differentiated


def _graph(step: Step) -> Step:
    import tensorflow as tf

    graph: Step = tf.function(step, jit_compile=False)
    return graph


def _value_and_gradients(
    loss: Step, variables: Sequence[Any], inputs: Sequence[Any]
) -> tuple[Any, list[Any]]:
    import tensorflow as tf

    with tf.GradientTape() as tape:
        value = loss(*map(tf.convert_to_tensor, inputs))
    return value, tape.gradient(value, [variable.value for variable in variables])
