"""LSTM: time per sample of one recurrent layer, forward and in training.

Written from the published description of glample/rnn-benchmarks commit 7b737bf,
tensorflow/rnn.py with ``-n basic_lstm -b 128 -l 1024 -s 30``; the CORAL-2 Deep Learning Suite
averages over 100 steps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workloads.context import Context, Metric, Result
from workloads.description import Workload
from workloads.expected_steps import FixedSteps
from workloads.parameters import common, parameter, table
from workloads.runtime.framework import FRAMEWORK, PRECISION, configure_framework, current_backend


@dataclass(frozen=True, slots=True)
class LstmParameters:
    """Parameters of the LSTM benchmark."""

    batch_size: int = parameter(128, "sequences per step", minimum=1)
    hidden_width: int = parameter(1024, "units, and width of the input", minimum=1)
    sequence_length: int = parameter(30, "time steps of a sequence", minimum=1)
    learning_rate: float = parameter(0.01, "of plain gradient descent", minimum=0)
    steps: int = parameter(100, "timed forward runs, and timed training steps", minimum=1)
    framework: str = common(FRAMEWORK)
    precision: str = common(PRECISION)


WORKLOAD = Workload(
    name="lstm",
    title="LSTM: seconds per sample, forward and backward, of one recurrent layer",
    source="glample/rnn-benchmarks commit 7b737bf, tensorflow/rnn.py; steps of the CORAL-2 suite",
    entry="workloads.lstm:run",
    parameters=table(LstmParameters),
    parameters_type=LstmParameters,
    fom_time="sample",
    timed_units=("steps", "batch_size"),
    requires=("keras", "{framework}"),
    optimizer_steps=FixedSteps(("steps",), more=1),
    sizes={"trainable_parameters": 8_392_704, "forward_flop_per_sample": 503_316_480},
)


def run(parameters: LstmParameters, context: Context) -> Result:
    """Time forward runs, then training steps, of one batch that is fed from host memory every time.

    The figure of merit's time is the mean over the training steps: forward, backward and the
    weight update, per sample. There is no quality to reach.
    """
    observed = configure_framework(context, parameters.framework, parameters.precision)
    import numpy as np

    from workloads.runtime.arithmetic import measure
    from workloads.runtime.step_count import CountedStep, step_metrics

    batch, width = parameters.batch_size, parameters.hidden_width
    steps = parameters.steps
    context.start()
    with context.phase("load"):
        random = np.random.default_rng(context.seed % 2**64)
        sequences = random.random((parameters.sequence_length, batch, width), dtype=np.float32)
        target = random.random((batch, width), dtype=np.float32)
    with context.phase("build"):
        layer = Layer(width, parameters.learning_rate)
        train = CountedStep(layer.train)
    with context.phase("setup"):
        # The original makes one training step before it reads a clock. The forward run is called
        # here too: TensorFlow and JAX compile a function at its first call, which is no part of a step.
        first_loss = float(current_backend().fetch(train(sequences, target)))
        current_backend().synchronise(layer.forward(sequences))
    with context.phase("evaluate"):
        forward = _seconds(lambda: layer.forward(sequences), steps)
    with context.phase("train"), context.window():
        loss: list[float] = []
        training = _seconds(lambda: train(sequences, target), steps, loss)
    for number, value in enumerate((first_loss, *loss), start=1):
        context.curve("loss", value, step=number)
    samples = batch * steps
    return Result(
        fom_seconds=training / samples,
        metrics=(
            Metric("forward_seconds_per_sample", forward / samples, "s/sample"),
            Metric("setup_seconds", context.phases["setup"], "s"),
            Metric("first_loss", first_loss),
            Metric("last_loss", loss[-1]),
            *step_metrics(train.calls, train.calls * batch),
            Metric("trainable_parameters", layer.trainable_parameters()),
        ),
        observed=observed,
        data={"synthetic": True, "sequences": batch, "features": width},
        observe_after=lambda: measure(
            parameters.precision, layer.variables, (), layer.output_of, sequences[:, :1]
        ),
    )


def _seconds(step: Callable[[], Any], steps: int, fetched: list[float] | None = None) -> float:
    """Return the seconds of `steps` calls; every call's value is brought back to the host."""
    backend = current_backend()
    backend.synchronise()
    begin = time.monotonic_ns()
    for _ in range(steps):
        value = backend.fetch(step())
        if fetched is not None:
            fetched.append(float(value))
    backend.synchronise()
    return (time.monotonic_ns() - begin) / 1e9


class Layer:
    """One LSTM layer with TensorFlow's basic cell, unrolled over the sequence.

    Sigmoid gates and tanh cell, no peepholes, no projection; biases start at 0 and 1 is added to
    the forget gate as it runs. The loss is the sum over batch and units of the squared error of
    the last output. With a mixed precision the gates' products are made in 16 bits, while weights,
    state and loss keep float32. The loss is not scaled for float16: a sum has gradients that are
    large enough.

    ``forward(sequences)`` returns the last output, batch × width, of sequences, length × batch ×
    width. ``train(sequences, target)`` updates the weights once and returns the loss before that.

    Parameters
    ----------
    width
        Units, and width of the input.
    learning_rate
        Of plain gradient descent, part of every training step.
    """

    def __init__(self, width: int, learning_rate: float) -> None:
        import keras

        # Glorot-uniform was TensorFlow's default when the benchmark was written, which names no
        # initialiser; it draws from the instance's seed, set for the whole process.
        kernel = keras.initializers.GlorotUniform()((2 * width, 4 * width))
        self.kernel = keras.Variable(kernel, name="kernel")
        self.bias = keras.Variable(keras.ops.zeros((4 * width,)), name="bias")
        self._product = keras.config.dtype_policy().compute_dtype
        self.variables = (self.kernel, self.bias)
        self.forward = current_backend().forward(self.output_of, self.variables)
        self.train = current_backend().descent(self._loss, self.variables, learning_rate)

    def trainable_parameters(self) -> int:
        """Return the number of scalars in kernel and bias."""
        return int(math.prod(self.kernel.shape) + math.prod(self.bias.shape))

    def output_of(self, sequences: Any) -> Any:
        """Return the last output, operation by operation."""
        from keras import ops

        kernel = ops.cast(self.kernel, self._product)
        state = output = ops.zeros_like(sequences[0])
        for step in ops.unstack(sequences):
            joined = ops.cast(ops.concatenate([step, output], axis=1), self._product)
            gates = ops.cast(ops.matmul(joined, kernel), "float32") + self.bias
            enter, new, forget, leave = ops.split(gates, 4, axis=1)
            state = state * ops.sigmoid(forget + 1.0) + ops.sigmoid(enter) * ops.tanh(new)
            output = ops.tanh(state) * ops.sigmoid(leave)
        return output

    def _loss(self, sequences: Any, target: Any) -> Any:
        from keras import ops

        return ops.sum(ops.square(self.output_of(sequences) - target))
