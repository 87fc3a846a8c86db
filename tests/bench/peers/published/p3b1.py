"""ECP-CANDLE/Benchmarks tag v0.0, Pilot3/P3B1: three classifiers that share a layer, from files to F1.

Changes: Keras 3 in place of Keras 2, where an optimizer belongs to one model, so each model has its own;
widths of layers are settings. The clock begins after imports.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TASKS = 3


def run(data: Path, settings: Mapping[str, Any]) -> tuple[float, float]:
    """Return seconds of the whole run, and the geometric mean of the six F1 scores of the test rows."""
    import keras
    import numpy as np
    from scipy.stats import gmean
    from sklearn.metrics import f1_score

    begin = time.monotonic()
    parts = [
        [_read(data, task, split, kind) for split in ("train", "test") for kind in ("feature", "label")]
        for task in range(TASKS)
    ]
    models = _build([int(np.max(labels)) + 1 for _, labels, _, _ in parts], parts[0][0].shape[1], settings)
    one_hot = [[_one_hot(labels[place], int(np.max(labels[1])) + 1) for place in (1, 3)] for labels in parts]
    for model in models:
        optimizer = keras.optimizers.SGD(learning_rate=settings["learning_rate"])
        model.compile(loss="categorical_crossentropy", optimizer=optimizer, metrics=["accuracy"])
    for _ in range(settings["epochs"]):
        for model, (train, _, test, _), (labels, test_labels) in zip(models, parts, one_hot, strict=True):
            model.fit(
                train,
                labels,
                epochs=1,
                batch_size=settings["batch_size"],
                validation_data=(test, test_labels),
                verbose=2,
            )
    scores = []
    for model, (_, _, test, truth) in zip(models, parts, strict=True):
        found = np.argmax(model.predict(test, verbose=0), axis=1)
        scores += [f1_score(truth, found, average=kind) for kind in ("macro", "micro")]
    return time.monotonic() - begin, float(gmean(scores))


def _read(data: Path, task: int, split: str, kind: str) -> Any:
    """Return the numbers of a file."""
    import numpy as np

    return np.genfromtxt(data / f"task{task}_0_{split}_{kind}.csv", delimiter=",")


def _one_hot(truth: Any, classes: int) -> Any:
    import numpy as np

    labels = np.zeros((len(truth), classes))
    labels[np.arange(len(truth)), truth.astype("int32")] = 1
    return labels


def _build(classes: list[int], features: int, settings: Mapping[str, Any]) -> list[Any]:
    """Return one model per task, all with the same first layer."""
    import keras

    dense = keras.layers.Dense
    report = keras.Input(shape=(features,))
    shared = dense(settings["shared_width"], activation="relu")(report)
    models = []
    for count in classes:
        hidden = dense(settings["first_width"], activation="relu")(shared)
        hidden = dense(settings["second_width"], activation="relu")(hidden)
        models.append(keras.Model(report, dense(count, activation="softmax")(hidden)))
    return models
