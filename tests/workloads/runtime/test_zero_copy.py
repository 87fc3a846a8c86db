from __future__ import annotations

import numpy as np
import pytest

from tests.workloads.orders import call
from workloads.data.cache import Parsed, through_cache
from workloads.runtime.framework import set_seed


def check(backend, file):
    """Compare a training on a mapped file with a training on a copy of it."""
    import keras

    from workloads.runtime.zero_copy import without_copy

    mapped = np.asarray(np.load(file, mmap_mode="r"))

    def fit(rows):
        set_seed(1)
        model = keras.Sequential([keras.Input((mapped.shape[1],)), keras.layers.Dense(mapped.shape[1])])
        model.compile(loss="mse", optimizer="sgd")
        found = model.fit(rows, rows, batch_size=7, epochs=2, validation_data=(rows, rows), verbose=0).history
        return found, model.predict(rows, verbose=0).tobytes()

    assert keras.backend.backend() == backend
    if backend == "tensorflow":  # reads the file itself
        tensor = without_copy(mapped)
        assert np.asarray(memoryview(tensor)).ctypes.data == mapped.ctypes.data
        assert "CPU" in tensor.device
    lent, copied = fit(without_copy(mapped)), fit(mapped.copy())
    assert lent == copied, (lent[0], copied[0])


@pytest.fixture
def file(tmp_path):
    values = np.random.default_rng(1).random((50, 33), dtype=np.float32)
    (tmp_path / "source").write_text("")
    store = tmp_path / "cache"
    through_cache(store, tmp_path, ("source",), "f-1", lambda: Parsed({"x": values}, {}))
    [path] = store.glob("f-1-*/x.npy")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["tensorflow", "jax", "torch"])
def test_training_on_mapped_files_is_training_on_the_array(file, backend):
    if backend != "tensorflow":
        pytest.importorskip(backend)
    call(f"{__name__}:check", backend, str(file), framework=backend)
