"""P1B1's initial weights: one seeded Glorot-uniform initialiser for all kernels.

The published script hands one initialiser object, with seed 2017, to every layer. An initialiser with
a seed gives every kernel the first numbers of one and the same stream, scaled to the kernel's shape;
Keras 3 does so, and so did Keras 2 on TensorFlow 1, whose stream is another one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from workloads.description import Parameter, WorkloadError

KERAS, TENSORFLOW1 = "keras", "tensorflow1"
WEIGHTS_STREAM = Parameter(
    "weights_stream",
    KERAS,
    "random numbers of the initial weights: keras: those of the installed Keras and framework; tensorflow1: "
    "those of TensorFlow 1, with which the original ran (framework tensorflow only)",
    choices=(KERAS, TENSORFLOW1),
)


def kernel_initializer(stream: str, seed: int) -> Any:
    """Return what draws every kernel.

    Parameters
    ----------
    stream
        One of the choices of `WEIGHTS_STREAM`.

    Raises
    ------
    WorkloadError
        If the stream is TensorFlow 1's, and Keras runs on another framework.
    """
    import keras

    if stream == KERAS:
        return keras.initializers.GlorotUniform(seed=seed)
    if keras.backend.backend() != "tensorflow":
        raise WorkloadError(
            "weights_stream tensorflow1 needs framework tensorflow; choose weights_stream keras"
        )
    return _tensorflow1(seed)


def _tensorflow1(seed: int) -> Callable[..., Any]:
    """Return an initialiser with the numbers of Keras 2 on TensorFlow 1, whose seeds were both `seed`."""
    import tensorflow as tf

    def draw(shape: Sequence[int], dtype: str = "float32") -> Any:
        limit = math.sqrt(6 / sum(shape))
        # In a graph of its own the operation starts its stream anew, as each operation of TensorFlow 1 did.
        with tf.Graph().as_default(), tf.device("/CPU:0"):
            tf.compat.v1.set_random_seed(seed)
            numbers = tf.compat.v1.random_uniform(shape, -limit, limit, seed=seed)
            with tf.compat.v1.Session() as session:
                drawn = session.run(numbers)
        return tf.convert_to_tensor(drawn, dtype=dtype)

    return draw


def live_share(encoder: Any, rows: Any) -> float:
    """Return the share of an encoder's output units that are above 0 for at least one row.

    A ReLU unit that is 0 for every row gets no gradient: the training cannot change what feeds it.
    """
    from keras import ops

    fires = ops.convert_to_numpy(encoder(rows, training=False)) > 0
    return float(fires.any(axis=0).mean())
