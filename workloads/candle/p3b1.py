"""P3B1: three classifiers of clinical reports that share their first layer.

Written from the published description of ECP-CANDLE/Benchmarks tag v0.0, Pilot3/P3B1, the
form that the code kept until 2018-02-06.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloads.candle.loader import LOADER
from workloads.candle.sizes import P3B1Sizes
from workloads.candle.training import MAX_EPOCHS, StopRule
from workloads.context import Context, Metric, Result
from workloads.data import data_directory
from workloads.description import DataFormat, Workload
from workloads.expected_steps import EpochSteps, Rows
from workloads.parameters import common, parameter, table
from workloads.runtime.framework import (
    FRAMEWORK,
    PRECISION,
    configure_framework,
    current_backend,
    synchronise,
    trainable_parameters,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workloads.candle.data.p3b1 import Task


@dataclass(frozen=True, slots=True)
class P3B1Parameters:
    """Parameters of P3B1."""

    epochs: int = parameter(10, "passes over the rows of every task", minimum=1)
    max_epochs: int = common(MAX_EPOCHS)
    target_accuracy: float = parameter(
        0.5637,
        "geometric mean of the F1 values of the test rows at which training beyond `epochs` stops",
        minimum=0,
    )
    batch_size: int = parameter(10, "rows per training step", minimum=1)
    learning_rate: float = parameter(0.01, "of plain gradient descent", minimum=0)
    shared_width: int = parameter(1200, "units of the layer that the tasks share", minimum=1)
    first_width: int = parameter(1200, "units of each task's first own layer", minimum=1)
    second_width: int = parameter(1200, "units of each task's second own layer", minimum=1)
    time_limit: float = parameter(
        1800.0,
        "training stops at the end of the first epoch that ends later than this",
        unit="s",
        minimum=0,
    )
    framework: str = common(FRAMEWORK)
    precision: str = common(PRECISION)
    loader: str = common(LOADER)


WORKLOAD = Workload(
    name="p3b1",
    title="CANDLE P3B1: multi-task classifier of clinical reports",
    source="ECP-CANDLE/Benchmarks tag v0.0, Pilot3/P3B1",
    entry="workloads.candle.p3b1:run",
    parameters=table(P3B1Parameters),
    parameters_type=P3B1Parameters,
    fom_time="run",
    accuracy_metric="geometric_mean_f1",
    requires=("keras", "{framework}"),
    data=DataFormat(
        files=("task{0,1,2}_0_{train,test}_{feature,label}.csv",),
        maker="workloads.candle.data.p3b1:make",
        checker="workloads.candle.data.p3b1:check",
        cacher="workloads.candle.data.p3b1:fill_cache",
        sizes=table(P3B1Sizes),
    ),
    optimizer_steps=EpochSteps(tuple(Rows(f"{task}_train_rows") for task in ("site", "laterality", "grade"))),
    sizes={
        "trainable_parameters": 9_151_219,
        "forward_flop_per_sample_site": 6_751_200,
        "forward_flop_per_sample_laterality": 6_724_800,
        "forward_flop_per_sample_grade": 6_729_600,
    },
)


def run(parameters: P3B1Parameters, context: Context) -> Result:
    """Load, train in turns and score the three classifiers.

    Accuracy is the geometric mean of macro and micro F1 of the three tasks on the test rows
    (six values). As in the original, the test rows also serve as validation rows in training.

    Raises
    ------
    DataError
        If the data cannot be used.
    """
    observed = configure_framework(context, parameters.framework, parameters.precision)
    from workloads.candle.data import p3b1 as reports
    from workloads.runtime.arithmetic import measure_models
    from workloads.runtime.array_batches import untuned_batches
    from workloads.runtime.step_count import keras_steps, sample_counter, step_metrics

    directory = data_directory(WORKLOAD, context.data)
    context.start()
    with context.phase("load"):
        tasks, facts = reports.load(directory, parameters.loader, context.dataset_cache)
    with context.phase("build"):
        models = build(tasks[0].train_features.shape[1], [task.classes for task in tasks], parameters)
    with context.phase("train"), untuned_batches():
        counter = sample_counter()
        epochs_run, losses = _fit(models, tasks, parameters, context, counter)
        synchronise()
    with context.phase("evaluate"), untuned_batches():
        accuracy, scores = _score(models, tasks, parameters.batch_size)
    return Result(
        accuracy=accuracy,
        metrics=(
            *scores,
            *losses,
            Metric("epochs_run", epochs_run),
            *step_metrics(keras_steps(*models), counter.samples),
            Metric("trainable_parameters", trainable_parameters(*models)),
        ),
        observed=observed,
        data=facts,
        observe_after=lambda: measure_models(parameters.precision, *models),
    )


def build(features: int, classes: Sequence[int], parameters: P3B1Parameters) -> list[Any]:
    """Return one compiled model per task, all of which contain the same shared layer.

    Keras ties an optimizer to one model, so each has its own; plain gradient descent keeps no
    state, which makes that the same as the original's single one.
    """
    import keras

    models = classifiers(features, classes, parameters)
    for model in models:
        model.compile(
            loss="categorical_crossentropy",
            optimizer=keras.optimizers.SGD(learning_rate=parameters.learning_rate),
            metrics=["accuracy"],
            jit_compile=current_backend().JIT_COMPILE,
        )
    return models


def classifiers(features: int, classes: Sequence[int], parameters: P3B1Parameters) -> list[Any]:
    """Return the models of `build`, not compiled."""
    import keras

    dense = keras.layers.Dense
    report = keras.Input((features,))
    shared = dense(parameters.shared_width, activation="relu", name="shared")(report)
    models = []
    for count in classes:
        hidden = dense(parameters.first_width, activation="relu")(shared)
        hidden = dense(parameters.second_width, activation="relu")(hidden)
        models.append(keras.Model(report, dense(count, activation="softmax")(hidden)))
    return models


def _fit(
    models: list[Any], tasks: Sequence[Task], parameters: P3B1Parameters, context: Context, counter: Any
) -> tuple[int, list[Metric]]:
    """Train every task for one epoch in turn; return the epochs done and the last epoch's losses.

    Where ``max_epochs`` allows more epochs than ``epochs``, the last is the first of them after which
    the score has reached the target.
    """
    import numpy as np

    from workloads.runtime.keras_curves import curve_recorder
    from workloads.runtime.zero_copy import without_copy

    one_hot = [np.eye(task.classes, dtype=np.float32) for task in tasks]
    rows = [
        (
            (without_copy(task.train_features), row[task.train_labels]),
            (without_copy(task.test_features), row[task.test_labels]),
        )
        for row, task in zip(one_hot, tasks, strict=True)
    ]
    rule = StopRule(parameters)
    epoch = 0
    while epoch < rule.most:
        epoch += 1
        losses = []
        for model, task, (train, test) in zip(models, tasks, rows, strict=True):
            logs = model.fit(
                *train,
                batch_size=parameters.batch_size,
                epochs=1,
                validation_data=test,
                callbacks=[counter, curve_recorder(context, f"{task.name}_", epoch - 1)],
                verbose=0,
            ).history
            losses.append(Metric(f"{task.name}_train_loss", logs["loss"][-1]))
            losses.append(Metric(f"{task.name}_val_loss", logs["val_loss"][-1]))
        if rule.ends(epoch, lambda: _score(models, tasks, parameters.batch_size)[0]):
            break
    return epoch, losses


def _score(models: list[Any], tasks: Sequence[Task], batch_size: int) -> tuple[float, list[Metric]]:
    """Return the geometric mean of the six F1 scores, and each of them."""
    from workloads.candle.metrics import f1_scores, geometric_mean

    metrics = []
    for model, task in zip(models, tasks, strict=True):
        prediction = model.predict(task.test_features, batch_size=batch_size, verbose=0).argmax(axis=1)
        macro, micro = f1_scores(task.test_labels, prediction)
        metrics += [Metric(f"{task.name}_macro_f1", macro), Metric(f"{task.name}_micro_f1", micro)]
    return geometric_mean([metric.value for metric in metrics]), metrics
