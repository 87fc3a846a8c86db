"""Matrix product: sustained floating-point operations per second of a slot.

One product takes 2·m·n·k operations. On cores it is NumPy's, by its BLAS library, on as many threads as the
slot has cores, so that nothing heavy is imported; on GPUs, and in types that no BLAS library has, it is
TensorFlow's. On a slot with several GPUs each makes its own product and the operations are added up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloads.context import Context, Metric, Result
from workloads.description import Workload, WorkloadError
from workloads.microbenchmarks.repetition import (
    REPETITIONS,
    SECONDS,
    WARM_UP,
    rate_metrics,
    seconds_per_call,
)
from workloads.parameters import common, parameter, table
from workloads.runtime import host_facts
from workloads.runtime.arithmetic import rounded_by_variables, switch_variables
from workloads.runtime.framework import configure_framework, synchronise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Numbers = NDArray[np.int64]
    _Floats = NDArray[np.float64]

_NUMPY = ("float32", "float64")
_COMPARED = 64
_WRONG = 0.05
"""No type with 8 bits of precision or more errs by this share of the sum of the terms' magnitudes."""


@dataclass(frozen=True, slots=True)
class GemmParameters:
    """Parameters of the matrix product."""

    m: int = parameter(4096, "rows of the first matrix", minimum=1)
    n: int = parameter(4096, "columns of the second matrix", minimum=1)
    k: int = parameter(4096, "columns of the first matrix, rows of the second", minimum=1)
    precision: str = parameter(
        "float32",
        "type of the matrices; tensor_float32 is float32 on matrix units of GPUs",
        choices=("float32", "float64", "tensor_float32", "bfloat16", "float16"),
    )
    seconds: float = common(SECONDS)
    repetitions: int = common(REPETITIONS)
    warm_up: int = common(WARM_UP)
    framework: str = parameter(
        "auto",
        "numpy (float32 and float64 on cores), tensorflow, or auto: numpy where it can",
        choices=("auto", "numpy", "tensorflow"),
    )

    def packages(self) -> tuple[str, ...]:
        """Return the packages that these parameters need whatever the slot has."""
        return () if self.framework_on(gpus=0) == "numpy" else ("keras", "tensorflow")

    def framework_on(self, gpus: int) -> str:
        """Return what multiplies on a slot with so many GPUs."""
        if self.framework != "auto":
            return self.framework
        return "numpy" if not gpus and self.precision in _NUMPY else "tensorflow"


WORKLOAD = Workload(
    name="gemm",
    title="Matrix product: FLOP/s of a slot",
    source="this project",
    entry="workloads.microbenchmarks.gemm:run",
    parameters=table(GemmParameters),
    parameters_type=GemmParameters,
    fom_time="run",
    requires=("numpy",),
)


@dataclass(frozen=True, slots=True)
class _Product:
    """A product that can be repeated.

    Parameters
    ----------
    multiply, synchronise
        Start the product on every device; wait for all.
    entries
        Returns rows of the first matrix, columns of the second, and the entries of the last product where
        they meet, as float64.
    devices
        How many multiply at the same time.
    observed
        What is in force.
    """

    multiply: Callable[[], Any]
    synchronise: Callable[[], Any]
    entries: Callable[[_Numbers, _Numbers], tuple[_Floats, _Floats, _Floats]]
    devices: int
    observed: dict[str, Any]


def run(parameters: GemmParameters, context: Context) -> Result:
    """Multiply two random matrices again and again, and compare entries of the last product with float64.

    Raises
    ------
    WorkloadError
        If the framework, or the slot, has no such arithmetic.
    ArithmeticError
        If the product is wrong.
    """
    framework = parameters.framework_on(len(context.devices))
    _check(parameters, framework, context)
    make = _numpy_product if framework == "numpy" else _tensorflow_product
    product = make(parameters, context)
    context.start()
    begin, used = time.monotonic(), time.process_time()
    with context.phase("measure"):
        seconds = seconds_per_call(
            product.multiply,
            seconds=parameters.seconds,
            repetitions=parameters.repetitions,
            warm_up=parameters.warm_up,
            synchronise=product.synchronise,
        )
    used, elapsed = time.process_time() - used, time.monotonic() - begin
    with context.phase("evaluate"):
        error = _largest_error(product, parameters, context.seed)
    flop = 2.0 * parameters.m * parameters.n * parameters.k * product.devices
    return Result(
        metrics=(
            *rate_metrics("flop_per_second", "FLOP/s", flop, seconds),
            Metric("flop_per_repetition", flop, "FLOP"),
            Metric("largest_relative_error", error),
            Metric("cores_used", used / elapsed),
        ),
        observed=product.observed,
        data={"synthetic": True},
        observe_after=lambda: precision_in_force(framework, parameters.precision),
    )


def precision_in_force(framework: str, asked: str) -> dict[str, Any]:
    """Return the type of the products, with what variables of the environment make of float32."""
    rounded = rounded_by_variables(switch_variables()) if framework == "tensorflow" else None
    in_force = rounded or asked if asked == "float32" else asked
    return {"precision": in_force, "precision_asked": asked}


def _check(parameters: GemmParameters, framework: str, context: Context) -> None:
    precision = parameters.precision
    if framework == "numpy" and precision not in _NUMPY:
        raise WorkloadError(f"NumPy's products have no type {precision}: write framework: tensorflow")
    if framework == "numpy" and context.devices:
        raise WorkloadError(
            "NumPy does not use the GPUs of the slot: write framework: tensorflow, or gpus: 0"
        )
    if precision == "tensor_float32" and not context.devices:
        raise WorkloadError("tensor_float32 is arithmetic of GPUs, and the slot has none: write float32")


def _factors(parameters: GemmParameters, seed: int, dtype: Any) -> tuple[Any, Any]:
    """Return two matrices of standard normal numbers: constant ones would take less power."""
    import numpy as np

    random = np.random.default_rng(seed % 2**64)
    shapes = ((parameters.m, parameters.k), (parameters.k, parameters.n))
    one, other = (random.standard_normal(shape, dtype=dtype) for shape in shapes)
    return one, other


def _numpy_product(parameters: GemmParameters, context: Context) -> _Product:
    import numpy as np

    dtype = np.dtype(parameters.precision)
    one, other = _factors(parameters, context.seed, dtype)
    product = np.empty((parameters.m, parameters.n), dtype)
    return _Product(
        multiply=lambda: np.matmul(one, other, out=product),
        synchronise=lambda: None,
        entries=lambda rows, columns: (
            one[rows].astype(float),
            other[:, columns].astype(float),
            product[rows, columns].astype(float),
        ),
        devices=1,
        observed={
            "framework": "numpy",
            "framework_version": np.__version__,
            "blas": _blas(),
            "process_threads": host_facts.thread_count(),
        },
    )


def _blas() -> str:
    """Return name and version of the BLAS library that NumPy was built with."""
    import numpy as np

    show_config: Any = np.show_config  # its types leave out `mode`
    blas = show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()


def _tensorflow_product(parameters: GemmParameters, context: Context) -> _Product:
    precision = parameters.precision
    wide = precision == "tensor_float32"
    observed = configure_framework(context, "tensorflow", "tensor_float32" if wide else "float32")
    import numpy as np
    import tensorflow as tf

    from workloads.microbenchmarks.devices import OnEveryDevice

    dtype = tf.as_dtype("float32" if wide else precision)
    one, other = _factors(parameters, context.seed, np.float64 if precision == "float64" else np.float32)
    factors = []

    def make() -> Callable[[], Any]:
        mine = [tf.identity(tf.cast(tf.constant(matrix), dtype)) for matrix in (one, other)]
        factors.append(mine)
        return lambda: tf.matmul(*mine)

    calls = OnEveryDevice(context, make)

    def entries(rows: _Numbers, columns: _Numbers) -> tuple[_Floats, _Floats, _Floats]:
        met = np.stack((rows, columns), axis=1)
        first = tf.cast(tf.gather(factors[0][0], rows), tf.float64)
        second = tf.cast(tf.gather(factors[0][1], columns, axis=1), tf.float64)
        return first.numpy(), second.numpy(), tf.cast(tf.gather_nd(calls.results[0], met), tf.float64).numpy()

    return _Product(calls, synchronise, entries, calls.devices, observed)


def _largest_error(product: _Product, parameters: GemmParameters, seed: int) -> float:
    """Return the largest error among some entries, as a share of the sum of their terms' magnitudes."""
    import numpy as np

    random = np.random.default_rng(seed % 2**64)
    rows, columns = random.integers(0, (parameters.m, parameters.n), (_COMPARED, 2)).T
    one, other, computed = product.entries(rows, columns)
    terms = one * other.T
    errors = np.abs(computed - terms.sum(axis=1)) / np.abs(terms).sum(axis=1)
    largest = float(errors.max())
    if not largest <= _WRONG:
        raise ArithmeticError(
            f"the {parameters.precision} product of {parameters.m} x {parameters.k} and {parameters.k} x "
            f"{parameters.n} is wrong: an entry differs from float64 by {largest:.3g} of its terms"
        )
    return largest
