"""glample/rnn-benchmarks commit 7b737bf, rnn.py -n basic_lstm: seconds per sample of training steps.

Changes: TensorFlow's interface of version 1 by ``tensorflow.compat.v1``; the cell of ``BasicLSTMCell``,
which TensorFlow no longer has, is written out operation by operation; the suite's number of steps in place
of 1,000.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def run(_data: Path | None, settings: Mapping[str, Any]) -> tuple[float, None]:
    """Return seconds per sample, forward, backward and update of the weights."""
    import numpy as np
    import tensorflow.compat.v1 as tf

    tf.disable_eager_execution()
    batch, width, length = settings["batch_size"], settings["hidden_width"], settings["sequence_length"]
    inputs = np.random.rand(length, batch, width).astype(np.float32)  # noqa: NPY002
    wanted = np.random.rand(batch, width).astype(np.float32)  # noqa: NPY002
    x = [tf.placeholder(tf.float32, [batch, width]) for _ in range(length)]
    y = tf.placeholder(tf.float32, [batch, width])
    kernel = tf.get_variable("kernel", [2 * width, 4 * width])
    bias = tf.get_variable("bias", [4 * width], initializer=tf.zeros_initializer())
    state = output = tf.zeros([batch, width])
    for step in x:
        gates = tf.nn.bias_add(tf.matmul(tf.concat([step, output], 1), kernel), bias)
        enter, new, forget, leave = tf.split(gates, 4, axis=1)
        state = state * tf.sigmoid(forget + 1.0) + tf.sigmoid(enter) * tf.tanh(new)
        output = tf.tanh(state) * tf.sigmoid(leave)
    cost = tf.reduce_sum((output - y) ** 2)
    train = tf.train.GradientDescentOptimizer(settings["learning_rate"]).minimize(cost)
    forward_fed = dict(zip(x, inputs, strict=True))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train, feed_dict={**forward_fed, y: wanted})
        for _ in range(settings["steps"]):
            session.run(output, feed_dict=forward_fed)
        begin = time.monotonic()
        for _ in range(settings["steps"]):
            session.run(train, feed_dict={**forward_fed, y: wanted})
        return (time.monotonic() - begin) / (batch * settings["steps"]), None
