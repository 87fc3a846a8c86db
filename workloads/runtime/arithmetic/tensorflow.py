"""TensorFlow's arithmetic: the operations of every graph that the process has traced."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_PRODUCT = re.compile(r"MatMul|Conv[123]D|DepthwiseConv|Einsum|CudnnRNN|XlaConv|XlaDot")
_TYPE_ATTRIBUTES = ("T", "Ta", "LhsT")
_AUTOMATIC = {
    "auto_mixed_precision": "float16",
    "auto_mixed_precision_cpu": "float16",
    "auto_mixed_precision_mkl": "bfloat16",
    "auto_mixed_precision_onednn_bfloat16": "bfloat16",
}
"""Options of the graph optimizer that rewrite float32 operations after they were traced."""


def product_dtypes(function: Callable[..., Any], inputs: Sequence[Any]) -> set[str]:
    """Return the types of products in all traced graphs; where there are none, in that of `function`."""
    found = traced_products()
    if found or not inputs:
        return found
    import tensorflow as tf

    kept = tf.function(function).get_concrete_function(*map(tf.convert_to_tensor, inputs))
    found = traced_products()
    del kept
    return found


def switches() -> dict[str, Any]:
    """Return the settings in force."""
    import tensorflow as tf

    options = tf.config.optimizer.get_experimental_options()
    return {
        "tensor_float32": tf.config.experimental.tensor_float_32_execution_enabled(),
        "auto_jit": str(tf.config.optimizer.get_jit()),
        "eager": tf.config.functions_run_eagerly(),
        "graph_options": {name: bool(value) for name, value in sorted(options.items())},
    }


def float32_products(switches: Mapping[str, Any]) -> str:
    """Return the type that products of float32 are computed in."""
    options = switches["graph_options"]
    automatic = [dtype for name, dtype in _AUTOMATIC.items() if options.get(name)]
    if automatic:
        return automatic[0]
    return "tensorfloat32" if switches["tensor_float32"] else "float32"


def traced_products() -> set[str]:
    """Return the types of products in the functions that TensorFlow's context holds."""
    import tensorflow as tf
    from tensorflow.python.eager import context

    eager = context.context()
    return {
        tf.as_dtype(node.attr[name].type).name
        for function in eager.list_function_names()
        for node in eager.get_function_def(function).node_def
        if _PRODUCT.search(node.op)
        for name in _TYPE_ATTRIBUTES
        if name in node.attr and node.attr[name].type  # 0: the type is an argument of the function
    }
