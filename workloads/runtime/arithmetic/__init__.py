"""Arithmetic that a training really used: types of variables and products, and the framework's switches.

What a parameter asked for is not repeated here. Everything is read after the training from its variables,
its layers, the operations that the framework traced, and the settings in force.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

_HALVES = ("bfloat16", "float16")
_ONEDNN_VARIABLES = ("ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE", "TF_SET_ONEDNN_FPMATH_MODE")
_ONEDNN_MODES = {"BF16": "bfloat16", "F16": "float16", "TF32": "tensorfloat32", "ANY": "float16"}
SWITCH_VARIABLES = (
    *_ONEDNN_VARIABLES,
    "NVIDIA_TF32_OVERRIDE",
    "TF_ENABLE_AUTO_MIXED_PRECISION",
    "TF_ENABLE_ONEDNN_OPTS",
    "TF_XLA_FLAGS",
    "XLA_FLAGS",
    "KERAS_FLOATX",
)
"""Environment variables that change the arithmetic of float32; a library reads them when it is loaded."""


class FrameworkArithmetic(Protocol):
    """Interface of the module of each framework."""

    def product_dtypes(self, function: Callable[..., Any], inputs: Sequence[Any]) -> set[str]:
        """Return the types that matrix products and convolutions multiply, of `function` or of all steps.

        ``tensorfloat32`` stands for float32 that the operation itself allows to be rounded.
        """

    def switches(self) -> dict[str, Any]:
        """Return the settings in force that change arithmetic or its compiler, JSON-ready."""

    def float32_products(self, switches: Mapping[str, Any]) -> str:
        """Return the type that products of float32 are computed in by these settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arithmetic:
    """Types and settings of a training.

    Parameters
    ----------
    layers
        Types that layers with weights compute in.
    products
        Types that traced matrix products and convolutions multiply.
    float32_products
        Type that products of float32 are rounded to by the switches.
    floatx
        Keras' default type, in which it computes losses and metrics.
    switches
        The framework's settings, and `SWITCH_VARIABLES` that are set.
    """

    variables: tuple[str, ...]
    layers: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    float32_products: str = "float32"
    floatx: str = "float32"
    switches: Mapping[str, Any] = field(default_factory=dict)

    def precision(self) -> str:
        """Return one name: a choice of the parameter ``precision`` where it fits, else what was found."""
        variables = set(self.variables)
        products = {
            self.float32_products if one == "float32" else one for one in (*self.products, *self.layers)
        } or {self.float32_products if one == "float32" else one for one in variables}
        reduced = products - {"float32"}
        name = f"variables {_joined(variables)}; products {_joined(products)}"
        if variables == {"float32"} and not reduced:
            name = "float32"
        elif variables == {"float32"} and reduced == {"tensorfloat32"}:
            name = "tensor_float32"
        elif variables == {"float32"} and len(reduced) == 1 and reduced <= set(_HALVES):
            name = f"mixed_{_joined(reduced)}"
        elif variables == products and len(variables) == 1:
            name = _joined(variables)
        return name if self.floatx in {"float32", name} else f"{name}; Keras floatx {self.floatx}"


def measure(
    asked: str, variables: Iterable[Any], layers: Iterable[Any], function: Callable[..., Any], *inputs: Any
) -> dict[str, Any]:
    """Return what a training's process observed of its arithmetic, JSON-ready.

    Parameters
    ----------
    asked
        Value of the parameter ``precision``.
    function, inputs
        Forward pass and small inputs for it, for frameworks that keep no trace of the steps that ran.
    """
    import keras

    framework = _framework()
    return _observed(
        asked,
        framework,
        variables={keras.backend.standardize_dtype(variable.value.dtype) for variable in variables},
        layers={layer.compute_dtype for layer in layers},
        products=framework.product_dtypes(function, [keras.ops.convert_to_tensor(one) for one in inputs]),
    )


def measure_models(asked: str, *models: Any) -> dict[str, Any]:
    """Return `measure` of Keras models with one input each."""
    import numpy as np

    inputs = [np.zeros((1, *model.input_shape[1:]), np.float32) for model in models]

    def forward(*images: Any) -> list[Any]:
        return [model(image, training=False) for model, image in zip(models, images, strict=True)]

    variables = [variable for model in models for variable in model.trainable_variables]
    layers = [layer for model in models for layer in model._flatten_layers() if layer.weights]
    return measure(asked, variables, [one for one in layers if one not in models], forward, *inputs)


def measure_process(asked: str) -> dict[str, Any]:
    """Return what Keras' settings prove of this process, for a workload that measures nothing itself."""
    import keras

    policy, framework = keras.config.dtype_policy(), _framework()
    return _observed(
        asked,
        framework,
        variables={policy.variable_dtype},
        layers={policy.compute_dtype},
        products=framework.product_dtypes(lambda: None, ()),
    )


def switch_variables(
    environment: Mapping[str, str] = os.environ, root: Path = Path("/proc")
) -> dict[str, str]:
    """Return `SWITCH_VARIABLES` that are set now, or were when this process began."""
    found: dict[str, str] = {}
    with suppress(OSError):
        for entry in (root / "self/environ").read_bytes().decode(errors="replace").split("\0"):
            name, _, value = entry.partition("=")
            if name in SWITCH_VARIABLES:
                found[name] = value
    return found | {name: environment[name] for name in SWITCH_VARIABLES if name in environment}


def rounded_by_variables(variables: Mapping[str, str]) -> str | None:
    """Return the type that environment variables round products of float32 to; None if none does."""
    modes = {variables.get(name, "").upper() for name in _ONEDNN_VARIABLES}
    for mode, dtype in _ONEDNN_MODES.items():
        if mode in modes:
            return dtype
    if variables.get("TF_ENABLE_AUTO_MIXED_PRECISION", "0") not in ("", "0"):
        return "float16"
    return "tensorfloat32" if variables.get("NVIDIA_TF32_OVERRIDE") == "1" else None


def _observed(
    asked: str, framework: FrameworkArithmetic, *, variables: set[str], layers: set[str], products: set[str]
) -> dict[str, Any]:
    import keras

    environment = switch_variables()
    switches = framework.switches()
    found = Arithmetic(
        variables=tuple(sorted(variables)),
        layers=tuple(sorted(layers)),
        products=tuple(sorted(products)),
        float32_products=rounded_by_variables(environment) or framework.float32_products(switches),
        floatx=keras.config.floatx(),
        switches=switches | environment,
    )
    return {"precision": found.precision(), "precision_asked": asked, "arithmetic": asdict(found)}


def _framework() -> FrameworkArithmetic:
    import keras

    name = f"{__name__}.{keras.backend.backend()}"
    return cast("FrameworkArithmetic", importlib.import_module(name))


def _joined(names: Iterable[str]) -> str:
    return "+".join(sorted(names))
