from __future__ import annotations

import numpy as np
import pytest

from tests.workloads.orders import call
from workloads.runtime.framework import set_seed


def check(backend):
    """Compare trainings with and without the tuner."""
    import keras

    from workloads.runtime.array_batches import untuned_batches

    rows = np.random.default_rng(1).random((50, 3), dtype=np.float32)

    def fit():
        set_seed(1)
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3)])
        model.compile(loss="mse", optimizer="sgd")
        found = model.fit(rows, rows, batch_size=7, epochs=2, validation_data=(rows, rows), verbose=0).history
        return found, model.evaluate(rows, rows, verbose=0), model.predict(rows, verbose=0).tobytes()

    usual, tuned, spy = fit(), [], None
    if backend == "tensorflow":
        import tensorflow as tf

        original = tf.data.Dataset.with_options

        def spy(dataset, options, name=None):
            tuned.append(options.autotune.enabled)
            return original(dataset, options, name)

        tf.data.Dataset.with_options = spy
    with untuned_batches():
        untuned = fit()
    assert keras.backend.backend() == backend
    assert untuned == usual, (untuned[0], usual[0])
    if backend == "tensorflow":
        assert tf.data.Dataset.with_options is spy
        assert len(tuned) >= 4, tuned
        assert set(tuned) == {False}, tuned


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["tensorflow", "jax", "torch"])
def test_results_are_the_same_without_the_tuner(backend):
    if backend != "tensorflow":
        pytest.importorskip(backend)
    call(f"{__name__}:check", backend, framework=backend)
