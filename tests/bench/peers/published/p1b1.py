"""ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B1: an autoencoder, from the CSV files to scores of the test
rows.

Changes: Keras 3 in place of Keras 2, with Adam's epsilon of that time; widths of layers are settings. The
clock begins after imports.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SEED = 2017
VALIDATION_SHARE = 0.1


def run(data: Path, settings: Mapping[str, Any]) -> tuple[float, float]:
    """Return seconds of the whole run, and the correlation over the test rows."""
    import keras
    import numpy as np
    import pandas as pd  # noqa: F401  before the clock begins
    import sklearn.metrics
    from scipy.stats import pearsonr

    begin = time.monotonic()
    keras.utils.set_random_seed(SEED)
    train, validation, test = _load(data)
    features = train.shape[1]
    autoencoder = _build(features, settings)
    autoencoder.compile(
        loss="mse",
        optimizer=keras.optimizers.Adam(epsilon=1e-8),
        metrics=[_cross_entropy, _correlation],
    )

    def scores(prediction: Any, truth: Any) -> dict[str, float]:
        return {
            "mse": sklearn.metrics.mean_squared_error(prediction, truth),
            "r2_score": sklearn.metrics.r2_score(truth, prediction),
            "correlation": float(pearsonr(prediction.flatten(), truth.flatten())[0]),
        }

    print("between random pairs:", scores(validation, np.random.permutation(validation)))  # noqa: NPY002
    autoencoder.fit(
        train,
        train,
        batch_size=settings["batch_size"],
        epochs=settings["epochs"],
        validation_data=(validation, validation),
        verbose=2,
    )
    reached = scores(autoencoder.predict(test, verbose=0), test)
    print("on test data:", reached)
    return time.monotonic() - begin, reached["correlation"]


def _load(data: Path) -> tuple[Any, Any, Any]:
    """Return rows for training, validation and test, each column scaled to 0 to 1 over all rows."""
    import numpy as np
    import pandas as pd
    from sklearn.preprocessing import MinMaxScaler

    [train_file] = data.glob("P1B1*train.csv")
    [test_file] = data.glob("P1B1*test.csv")
    headers = list(pd.read_csv(train_file, engine="c", nrows=0).columns)
    columns = [name for name in headers if name != "case_id"]
    train = pd.read_csv(train_file, engine="c", usecols=columns)
    test = pd.read_csv(test_file, engine="c", usecols=columns)
    both = pd.concat([train, test])
    pd.get_dummies(both["cancer_type"], prefix="cancer_type", prefix_sep=":")
    numbers = both.drop(["cancer_type"], axis=1)
    scaled = MinMaxScaler(copy=False).fit_transform(numbers.values)
    frame = pd.DataFrame(scaled, index=numbers.index, columns=numbers.columns, dtype=np.float32)
    held_out = int(len(train) * VALIDATION_SHARE)
    rows, test_rows = frame[: len(train)].values, frame[len(train) :].values
    return rows[:-held_out], rows[-held_out:], test_rows


def _build(features: int, settings: Mapping[str, Any]) -> Any:
    """Return the decoder of the encoder."""
    import keras

    initial = keras.initializers.GlorotUniform(seed=SEED)

    def dense(units: int, activation: str = "relu") -> Any:
        return keras.layers.Dense(
            units, activation=activation, kernel_initializer=initial, bias_initializer="zeros"
        )

    widths, latent = (settings["outer_width"], settings["inner_width"]), settings["latent_width"]
    row = hidden = keras.Input(shape=(features,))
    for width in widths:
        hidden = dense(width)(hidden)
    encoder = keras.Model(row, dense(latent)(hidden))
    code = hidden = keras.Input(shape=(latent,))
    for width in reversed(widths):
        hidden = dense(width)(hidden)
    decoder = keras.Model(code, dense(features, "sigmoid")(hidden))
    return keras.Model(row, decoder(encoder(row)))


def _cross_entropy(truth: Any, prediction: Any) -> Any:
    """Return the binary cross-entropy, which is logged after each epoch."""
    import keras

    return keras.losses.binary_crossentropy(truth, prediction)


def _correlation(truth: Any, prediction: Any) -> Any:
    """Return the correlation over all elements of a batch, which is logged after each epoch."""
    from keras import ops

    covariance = ops.mean(truth * prediction) - ops.mean(truth) * ops.mean(prediction)
    return covariance / (ops.sqrt(ops.var(truth) * ops.var(prediction)) + 1e-7)
