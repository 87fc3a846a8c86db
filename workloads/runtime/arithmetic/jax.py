"""JAX's arithmetic: the operations of a traced forward pass, with the precision each of them asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

_PRODUCTS = ("dot_general", "conv_general_dilated", "ragged_dot")


def product_dtypes(function: Callable[..., Any], inputs: Sequence[Any]) -> set[str]:
    """Return the types that the products of `function` multiply."""
    import jax

    if not inputs:
        return set()
    traced = jax.make_jaxpr(function)(*inputs)
    return {_dtype(equation) for equation in _equations(traced.jaxpr)}


def switches() -> dict[str, Any]:
    """Return the settings in force."""
    import jax

    return {
        "default_matmul_precision": jax.config.jax_default_matmul_precision,
        "enable_x64": bool(jax.config.jax_enable_x64),
        "disable_jit": bool(jax.config.jax_disable_jit),
        "platform": jax.default_backend(),
    }


def float32_products(switches: Mapping[str, Any]) -> str:
    """Return the type that products of float32 are computed in."""
    precision = str(switches["default_matmul_precision"]).lower()
    if "bfloat16" in precision or "bf16" in precision:
        return "bfloat16"
    if "tensorfloat32" in precision or "tf32" in precision or precision == "high":
        return "tensorfloat32"
    full = precision in ("highest", "float32") or switches["platform"] == "cpu"
    return "float32" if full else "tensorfloat32"


def _dtype(equation: Any) -> str:
    """Return the type that a product multiplies; its own precision may round float32."""
    dtype = str(equation.invars[0].aval.dtype)
    words = str(equation.params.get("precision")).upper()
    if dtype != "float32":
        return dtype
    if "BF16" in words:
        return "bfloat16"
    return "tensorfloat32" if "TF32" in words or "HIGH," in words or words.endswith(".HIGH") else dtype


def _equations(jaxpr: Any) -> Iterator[Any]:
    """Yield the products of a program and of all programs that it calls."""
    for equation in jaxpr.eqns:
        if equation.primitive.name in _PRODUCTS:
            yield equation
        for value in equation.params.values():
            for inner in value if isinstance(value, list | tuple) else (value,):
                called = getattr(inner, "jaxpr", inner)
                if hasattr(called, "eqns"):
                    yield from _equations(called)
