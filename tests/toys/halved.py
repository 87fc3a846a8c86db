"""A workload of a user that lowers Keras' precision behind the back of its parameters."""

from __future__ import annotations

from workloads.context import Context, Result
from workloads.description import Parameter, Value, Workload
from workloads.runtime.framework import FRAMEWORK, configure_framework

WORKLOAD = Workload(
    name="halved",
    title="asks for float32 and computes in bfloat16",
    source="these tests",
    entry="tests.toys.halved:run",
    parameters=(FRAMEWORK, Parameter("policy", "mixed_bfloat16", "Keras' policy")),
    fom_time="run",
)


def run(parameters: dict[str, Value], context: Context) -> Result:
    """Train one step with another policy than `configure_framework` was asked for."""
    observed = configure_framework(context, str(parameters["framework"]))
    import keras
    import numpy as np

    keras.config.set_dtype_policy(str(parameters["policy"]))
    context.start()
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    model.compile(loss="mse", optimizer="sgd", jit_compile=parameters["framework"] == "jax")
    model.fit(np.ones((4, 3), np.float32), np.ones((4, 2), np.float32), verbose=0)
    return Result(observed=observed)
