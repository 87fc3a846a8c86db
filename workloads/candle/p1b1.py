"""P1B1: an autoencoder that squeezes gene-expression profiles through two numbers.

Written from the published description of ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B1, the
form that the code kept from 2017-07-31 on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from workloads.candle.initial_weights import WEIGHTS_STREAM, kernel_initializer, live_share
from workloads.candle.loader import LOADER
from workloads.candle.sizes import P1B1Sizes
from workloads.candle.training import MAX_EPOCHS, StopRule, logged_metrics
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

LIVE_ROWS = 256
"""Most training rows that are looked at to tell which units of the bottleneck fire at the start."""


@dataclass(frozen=True, slots=True)
class P1B1Parameters:
    """Parameters of P1B1."""

    epochs: int = parameter(100, "passes over the training rows", minimum=1)
    max_epochs: int = common(MAX_EPOCHS)
    target_accuracy: float = parameter(
        0.7808, "correlation of the test rows at which training beyond `epochs` stops", minimum=0
    )
    batch_size: int = parameter(100, "rows per training step", minimum=1)
    learning_rate: float = parameter(0.001, "of Adam", minimum=0)
    epsilon: float = parameter(1e-8, "of Adam; Keras had this default when P1B1 was written", minimum=0)
    outer_width: int = parameter(2000, "units of the outer hidden layers", minimum=1)
    inner_width: int = parameter(600, "units of the inner hidden layers", minimum=1)
    latent_width: int = parameter(2, "units of the bottleneck", minimum=1)
    weights_seed: int = parameter(
        2017, "seed of the initial weights, the same for all; 0: each instance's own", minimum=0
    )
    weights_stream: str = common(WEIGHTS_STREAM)
    time_limit: float = parameter(
        3600.0,
        "training stops at the end of the first epoch that ends later than this",
        unit="s",
        minimum=0,
    )
    framework: str = common(FRAMEWORK)
    precision: str = common(PRECISION)
    loader: str = common(LOADER)


class Widths(Protocol):
    """The parameters that make the network."""

    @property
    def outer_width(self) -> int:
        """Units of the outer hidden layers."""

    @property
    def inner_width(self) -> int:
        """Units of the inner hidden layers."""

    @property
    def latent_width(self) -> int:
        """Units of the bottleneck."""

    @property
    def weights_seed(self) -> int:
        """Seed of the initial weights; 0: the instance's."""

    @property
    def weights_stream(self) -> str:
        """Random numbers of the initial weights."""


VALIDATION_SHARE = 0.1  # of the training rows, the last ones, as `workloads.candle.data.p1b1` splits them

WORKLOAD = Workload(
    name="p1b1",
    title="CANDLE P1B1: autoencoder of gene-expression profiles",
    source="ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B1",
    entry="workloads.candle.p1b1:run",
    parameters=table(P1B1Parameters),
    parameters_type=P1B1Parameters,
    fom_time="run",
    accuracy_metric="pearson_correlation",
    requires=("keras", "{framework}"),
    data=DataFormat(
        files=("P1B1[.dev].train.csv", "P1B1[.dev].test.csv"),
        maker="workloads.candle.data.p1b1:make",
        checker="workloads.candle.data.p1b1:check",
        checks_parameters=True,
        cacher="workloads.candle.data.p1b1:fill_cache",
        sizes=table(P1B1Sizes),
    ),
    optimizer_steps=EpochSteps((Rows("train_rows", held_out=VALIDATION_SHARE),)),
    sizes={"trainable_parameters": 244_400_085, "forward_flop_per_sample": 488_668_800},
)


def run(parameters: P1B1Parameters, context: Context) -> Result:
    """Load, train and score one autoencoder; accuracy is the correlation over the test rows.

    Raises
    ------
    DataError
        If the data cannot be used.
    """
    observed = configure_framework(context, parameters.framework, parameters.precision)
    import numpy as np

    from workloads.candle import metrics
    from workloads.candle.data import p1b1 as tables
    from workloads.data.read_times import ReadTimes
    from workloads.runtime.arithmetic import measure_models
    from workloads.runtime.array_batches import untuned_batches
    from workloads.runtime.keras_curves import curve_recorder
    from workloads.runtime.step_count import keras_steps, sample_counter, step_metrics
    from workloads.runtime.zero_copy import without_copy

    directory, times = data_directory(WORKLOAD, context.data), ReadTimes()
    context.start()
    with context.phase("load"):
        data = tables.load(directory, parameters.loader, context.dataset_cache, times=times)
    with context.phase("build"):
        model = build(data.train.shape[1], parameters, context.seed)
        live = live_share(model.get_layer("encoder"), data.train[:LIVE_ROWS])
        shuffled = np.random.default_rng(context.seed % 2**64).permutation(data.validation)
        floor = scores(metrics, data.validation, shuffled, "floor_")
    with context.phase("train"), untuned_batches():
        test, batch_size = without_copy(data.test), parameters.batch_size

        def correlation() -> float:
            prediction = model.predict(test, batch_size=batch_size, verbose=0)
            return float(metrics.pearson_correlation(data.test, prediction))

        counter = sample_counter()
        rows = without_copy(data.train), without_copy(data.validation)
        history = _fit(model, *rows, parameters, correlation, [counter, curve_recorder(context)])
        synchronise()
    with context.phase("evaluate"), untuned_batches():
        prediction = model.predict(test, batch_size=batch_size, verbose=0)
        reached = scores(metrics, data.test, prediction, "")
    last = {name: values[-1] for name, values in history.items()}
    return Result(
        accuracy=reached[0].value,
        metrics=(
            *reached,
            *floor,
            *logged_metrics(last),
            Metric("live_bottleneck_share_at_start", live),
            Metric("first_epoch_val_loss", history["val_loss"][0]),
            Metric("epochs_run", len(history["loss"])),
            *step_metrics(keras_steps(model), counter.samples),
            *times.metrics(),
            Metric("trainable_parameters", trainable_parameters(model)),
        ),
        observed=observed,
        data=data.facts,
        observe_after=lambda: measure_models(parameters.precision, model),
    )


def build(features: int, parameters: P1B1Parameters, instance_seed: int) -> Any:
    """Return the compiled autoencoder: decoder(encoder(x)), all ReLU but the sigmoid output.

    Like the original, every run starts from weights seeded with 2017; the instance's own seed
    orders the rows. Where ``weights_seed`` is 0 the instance's seed also draws the weights. Then
    some instances start, or soon end, with a bottleneck whose ReLU units never fire, and such a
    model learns no more than each gene's mean.
    """
    import keras

    model = autoencoder(features, parameters, instance_seed)
    model.compile(
        loss="mean_squared_error",
        optimizer=keras.optimizers.Adam(learning_rate=parameters.learning_rate, epsilon=parameters.epsilon),
        metrics=[cross_entropy, batch_correlation],
        jit_compile=current_backend().JIT_COMPILE,
    )
    return model


def autoencoder(features: int, parameters: Widths, instance_seed: int) -> Any:
    """Return the autoencoder, not compiled."""
    import keras

    outer, inner = parameters.outer_width, parameters.inner_width
    latent = parameters.latent_width
    seed = parameters.weights_seed or instance_seed % 2**31
    initializer = kernel_initializer(parameters.weights_stream, seed)

    def dense(units: int, activation: str) -> Any:
        return keras.layers.Dense(units, activation=activation, kernel_initializer=initializer)

    encoder = keras.Sequential(
        [
            keras.Input((features,)),
            dense(outer, activation="relu"),
            dense(inner, activation="relu"),
            dense(latent, activation="relu"),
        ],
        name="encoder",
    )
    decoder = keras.Sequential(
        [
            keras.Input((latent,)),
            dense(inner, activation="relu"),
            dense(outer, activation="relu"),
            dense(features, activation="sigmoid"),
        ],
        name="decoder",
    )
    profile = keras.Input((features,))
    return keras.Model(profile, decoder(encoder(profile)))


def cross_entropy(truth: Any, prediction: Any) -> Any:
    """Return the binary cross-entropy per row, as the original logs it while training."""
    import keras

    return keras.losses.binary_crossentropy(truth, prediction)


def batch_correlation(truth: Any, prediction: Any) -> Any:
    """Return the correlation over all elements of a batch, as the original logs it while training."""
    from keras import ops

    truth, prediction = ops.cast(truth, "float32"), ops.cast(prediction, "float32")
    mean_truth, mean_prediction = ops.mean(truth), ops.mean(prediction)
    covariance = ops.mean(truth * prediction) - mean_truth * mean_prediction
    return covariance / (ops.sqrt(ops.var(truth) * ops.var(prediction)) + 1e-7)


def _fit(
    model: Any,
    train: Any,
    validation: Any,
    parameters: P1B1Parameters,
    correlation: Callable[[], float],
    callbacks: Sequence[Any],
) -> dict[str, list[float]]:
    """Train until the last epoch or the time limit and return the history of every logged number.

    Where ``max_epochs`` allows more epochs than ``epochs``, the last is the first of them after which
    the test rows' correlation has reached the target.
    """
    import keras

    rule = StopRule(parameters)

    def stop_when_done(epoch: int, _logs: object) -> None:
        if rule.ends(epoch + 1, correlation):
            model.stop_training = True

    history = model.fit(
        train,
        train,
        batch_size=parameters.batch_size,
        epochs=rule.most,
        validation_data=(validation, validation),
        callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=stop_when_done), *callbacks],
        verbose=0,
    )
    return dict(history.history)


def scores(metrics: Any, truth: Any, prediction: Any, prefix: str) -> tuple[Metric, ...]:
    """Return correlation, mean squared error and R² of predicted rows as metrics."""
    return (
        Metric(f"{prefix}pearson_correlation", metrics.pearson_correlation(truth, prediction)),
        Metric(f"{prefix}mean_squared_error", metrics.mean_squared_error(truth, prediction)),
        Metric(f"{prefix}r2", metrics.r2(truth, prediction)),
    )
