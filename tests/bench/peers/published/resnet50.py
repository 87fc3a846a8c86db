"""horovod/horovod tag v0.11.3, examples/keras_imagenet_resnet50.py: ResNet-50 on folders of images, to
top-1.

Changes: Keras 3 in place of Keras 2; one worker, to whom Horovod adds nothing, so Horovod is left out, with
its warm-up and averages; each validation image is scored once after an epoch, where the program draws three
times as many; size of images, classes, epochs and the epochs of the schedule are settings; no TensorBoard.
The clock begins after imports.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def run(data: Path, settings: Mapping[str, Any]) -> tuple[float, float]:
    """Return seconds of the whole run, and top-1 of the validation images in percent."""
    import keras
    from keras.applications import resnet50
    from keras.src.legacy.preprocessing.image import ImageDataGenerator

    begin = time.monotonic()
    edge, batch = settings["image_size"], settings["batch_size"]
    preprocess = resnet50.preprocess_input
    train = ImageDataGenerator(
        width_shift_range=0.33,
        height_shift_range=0.33,
        zoom_range=0.5,
        horizontal_flip=True,
        preprocessing_function=preprocess,
    ).flow_from_directory(data / "train", batch_size=batch, target_size=(edge, edge))
    validation = ImageDataGenerator(
        zoom_range=(0.875, 0.875), preprocessing_function=preprocess
    ).flow_from_directory(data / "validation", batch_size=batch, target_size=(edge, edge))
    for images in (train, validation):
        images.workers = 4

    model = _model(settings)
    model.compile(
        loss="categorical_crossentropy",
        optimizer=keras.optimizers.SGD(learning_rate=settings["learning_rate"], momentum=0.9),
        metrics=["accuracy", "top_k_categorical_accuracy"],
    )
    drops = (settings["first_drop"], settings["second_drop"], settings["third_drop"])

    def rate(epoch: int, _rate: float) -> float:
        return float(settings["learning_rate"] * 0.1 ** sum(epoch >= drop for drop in drops))

    with tempfile.TemporaryDirectory() as folder:
        model.fit(
            train,
            epochs=settings["epochs"],
            validation_data=validation,
            callbacks=[
                keras.callbacks.LearningRateScheduler(rate),
                keras.callbacks.ModelCheckpoint(f"{folder}/checkpoint-{{epoch}}.keras"),
            ],
            verbose=2,
        )
    reached = model.evaluate(validation, verbose=2)
    return time.monotonic() - begin, 100 * float(reached[1])


def _model(settings: Mapping[str, Any]) -> Any:
    """Return the network of Keras with weight decay, and with other settings of batch normalisation."""
    import keras
    from keras.applications import resnet50

    edge = settings["image_size"]
    standard = resnet50.ResNet50(weights=None, classes=settings["classes"], input_shape=(edge, edge, 3))
    config = standard.get_config()
    for layer, described in zip(standard.layers, config["layers"], strict=True):
        if hasattr(layer, "kernel_regularizer"):
            decay = keras.regularizers.L2(settings["weight_decay"])
            described["config"]["kernel_regularizer"] = keras.regularizers.serialize(decay)
        if isinstance(layer, keras.layers.BatchNormalization):
            described["config"] |= {"momentum": 0.9, "epsilon": 1e-5}
    return keras.Model.from_config(config)
