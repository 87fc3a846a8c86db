"""JAX: every step is compiled as a whole by XLA, from the shapes of its arguments alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workloads.context import Context
from workloads.runtime import cuda
from workloads.runtime.backends import Step

TITLE = "JAX"
JIT_COMPILE = True
# XLA calls the threads of its pool for CPU operations so, after the first letters of the program.
POOL = "XLAEigen"


def environment(context: Context, threads: int) -> dict[str, str]:
    """Return the variables that JAX and XLA read as they are imported.

    The share of a GPU's memory is a fraction of all of it, which JAX takes at once; where
    `context` names none, it is JAX's own, three quarters. XLA sizes its pool of threads by the
    first variable, or else by the cores that this process is pinned to.
    """
    values = {"PJRT_NPROC": str(threads), "JAX_PLATFORMS": "" if context.devices else "cpu"}
    if context.devices and context.device_memory_bytes is not None:
        share = cuda.memory_fraction(cuda.open_driver(), context.device_memory_bytes)
        values |= {
            "XLA_PYTHON_CLIENT_PREALLOCATE": "true",
            "XLA_CLIENT_MEM_FRACTION": f"{share:.9f}",
            "XLA_PYTHON_CLIENT_MEM_FRACTION": "",  # its old name; JAX refuses to be given both
        }
    return values


def version() -> str:
    import jax

    return str(jax.__version__)


def gpu_names() -> list[str]:
    import jax

    return [device.device_kind for device in jax.local_devices() if device.platform == "gpu"]


def configure(context: Context, threads: int, precision: str) -> dict[str, Any]:  # noqa: ARG001
    """Set the arithmetic, and return what is in force.

    By default XLA multiplies float32 as TensorFloat-32 on a GPU. On CPUs it has no setting for
    determinism: a compiled step adds in the same order each time.
    """
    import jax

    arithmetic = "tensorfloat32" if precision == "tensor_float32" else "highest"
    jax.config.update("jax_default_matmul_precision", arithmetic)
    devices = jax.local_devices()
    capped = bool(context.devices) and context.device_memory_bytes is not None
    limits = [device.memory_stats()["bytes_limit"] for device in devices] if capped else []
    return {
        "devices": [str(device) for device in devices],
        "device_memory_bytes": max(limits, default=None),
        "intra_op_threads": _pool_threads(),
        "tensor_float32": jax.config.jax_default_matmul_precision == "tensorfloat32",
        "deterministic": not context.devices,
    }


def _pool_threads() -> int:
    """Return how many threads XLA keeps for CPU operations."""
    names = []
    for thread in Path("/proc/self/task").iterdir():
        try:
            names.append((thread / "comm").read_text())
        except OSError:  # it ended in the meantime
            continue
    return sum(POOL in name for name in names)


def synchronise(results: Any = None) -> None:
    import jax

    jax.block_until_ready(jax.live_arrays() if results is None else results)


def to_device(array: Any) -> Any:
    import jax

    return jax.device_put(array)


def fetch(value: Any) -> Any:
    import numpy as np

    return np.asarray(value)


def global_norm(gradients: Sequence[Any]) -> float:
    import jax.numpy as jnp

    return float(jnp.sqrt(sum(jnp.sum(jnp.square(gradient)) for gradient in gradients)))


def forward(function: Step, variables: Sequence[Any]) -> Step:
    """Return `function` compiled."""
    return _compiled(_pure(function, variables), variables)


def gradients(loss: Step, variables: Sequence[Any]) -> Step:
    """Return the gradients of `loss` compiled; what a compiled function returns is never pruned."""
    import jax

    return _compiled(jax.grad(_pure(loss, variables)), variables)


def descent(loss: Step, variables: Sequence[Any], rate: float) -> Step:
    """Return a step of gradient descent, compiled with the update of the variables."""
    import jax

    value_and_gradients = jax.value_and_grad(_pure(loss, variables))

    def update(values: list[Any], *inputs: Any) -> tuple[Any, list[Any]]:
        value, slopes = value_and_gradients(values, *inputs)
        return value, [one - rate * slope for one, slope in zip(values, slopes, strict=True)]

    compiled = _compiled(update, variables)

    def step(*inputs: Any) -> Any:
        value, updated = compiled(*inputs)
        for variable, one in zip(variables, updated, strict=True):
            variable.assign(one)
        return value

    return step


def assigning(function: Step, variables: Sequence[Any]) -> Step:
    """Return `function` compiled as a whole; the variables' old values give their memory to the new ones."""
    import jax
    import keras

    def pure(values: list[Any], *inputs: Any) -> tuple[Any, list[Any]]:
        with keras.StatelessScope(list(zip(variables, values, strict=True))) as scope:
            result = function(*inputs)
        return result, [scope.get_current_value(variable) for variable in variables]

    compiled = jax.jit(pure, donate_argnums=0)

    def step(*inputs: Any) -> Any:
        result, values = compiled([variable.value for variable in variables], *inputs)
        for variable, value in zip(variables, values, strict=True):
            variable.assign(value)
        return result

    return step


def slopes(loss: Step, weights: Sequence[Any], others: Sequence[Any]) -> Step:
    import jax
    import keras

    def pure(values: list[Any], held: list[Any], *inputs: Any) -> tuple[Any, tuple[Any, list[Any]]]:
        mapping = zip((*weights, *others), (*values, *held), strict=True)
        with keras.StatelessScope(list(mapping)) as scope:
            value, result = loss(*inputs)
        return value, (result, [scope.get_current_value(variable) for variable in others])

    gradients_of = jax.grad(pure, has_aux=True)

    def differentiated(*inputs: Any) -> tuple[Any, list[Any]]:
        values, held = ([one.value for one in group] for group in (weights, others))
        found, (result, changed) = gradients_of(values, held, *inputs)
        for variable, value in zip(others, changed, strict=True):
            variable.assign(value)
        return result, found

    return differentiated


def _pure(function: Step, variables: Sequence[Any]) -> Step:
    """Return `function` with the variables' values as its first argument, as JAX asks for."""
    import keras

    def pure(values: Sequence[Any], *inputs: Any) -> Any:
        with keras.StatelessScope(state_mapping=list(zip(variables, values, strict=True))):
            return function(*inputs)

    return pure


def _compiled(pure: Step, variables: Sequence[Any]) -> Step:
    import jax

    compiled = jax.jit(pure)

    def step(*inputs: Any) -> Any:
        return compiled([variable.value for variable in variables], *inputs)

    return step
