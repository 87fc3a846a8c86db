"""Variables that a training step reads and assigns, whichever framework runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def assignable(variable: Any) -> Any:
    """Return what a step assigns of a Keras variable: with TensorFlow its own, else the variable itself.

    TensorFlow's variables add in place. What Keras assigns can be collected and undone, which JAX asks for.
    """
    import keras

    return variable.value if keras.backend.backend() == "tensorflow" else variable


def new_variable(value: Any, name: str) -> Any:
    """Return a new variable that no gradient is taken of, as `assignable` would.

    Parameters
    ----------
    value
        Its first value, a NumPy array or number. JAX has no whole numbers of 64 bits.
    """
    import keras
    import numpy as np

    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        return tf.Variable(value, trainable=False, name=name)
    kind = np.asarray(value).dtype.name
    return keras.Variable(value, trainable=False, dtype="int32" if kind == "int64" else kind, name=name)


def zeros_like(variables: Sequence[Any], name: str) -> list[Any]:
    """Return a new variable of zeros for each of some assignable ones."""
    import keras
    import numpy as np

    kinds = [keras.backend.standardize_dtype(variable.dtype) for variable in variables]
    return [
        new_variable(np.zeros(tuple(variable.shape), kind), f"{name}_{number}")
        for number, (variable, kind) in enumerate(zip(variables, kinds, strict=True))
    ]
