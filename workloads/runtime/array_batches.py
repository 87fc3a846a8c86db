"""Let Keras cut arrays in memory into batches without TensorFlow's tuner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def untuned_batches() -> Iterator[None]:
    """Keep TensorFlow from tuning how fast Keras makes batches, within ``fit``, ``evaluate`` and ``predict``.

    The tuner adapts pipelines that read and decode. It gains nothing where batches are gathered from
    an array, and its thread in each pipeline sleeps in ever longer intervals: at the end of every pass
    over the rows, Keras waits until it wakes up, for up to 0.3 s. Batches, their order and results are the
    same without it. Keras has no argument for this, so that the method is replaced which gives a pipeline
    its options. JAX and PyTorch have no such tuner.
    """
    import keras

    if keras.backend.backend() != "tensorflow":
        yield
        return
    import tensorflow as tf

    original = tf.data.Dataset.with_options

    def with_options(dataset: Any, options: Any, name: str | None = None) -> Any:
        options.autotune.enabled = False
        return original(dataset, options, name)

    tf.data.Dataset.with_options = with_options
    try:
        yield
    finally:
        tf.data.Dataset.with_options = original
