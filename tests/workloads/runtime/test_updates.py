"""Updates of weights beside their published formulas in float64, and beside Keras' own LAMB."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from workloads.context import Context, SlotView
from workloads.runtime.framework import configure_framework
from workloads.runtime.training.updates import Lamb, Lars, Momentum, Update

STEPS = 4
RATES = (0.5, 0.4, 0.1, 0.2)
MOMENTUM, TRUST, DECAY = 0.875, 0.01, 0.05
KERNEL, BIAS, ZEROS = (3, 4), (4,), (2, 3)

Change = Callable[[np.ndarray, np.ndarray, dict[str, np.ndarray], float, int, float], np.ndarray]


@pytest.fixture(autouse=True, scope="module")
def _framework():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))


def drawn(number: int) -> list[np.ndarray]:
    random = np.random.default_rng(number)
    return [random.normal(0, 1, shape) for shape in (KERNEL, BIAS, ZEROS)]


def variables():
    """A kernel, a bias, and a kernel that begins at 0."""
    import keras

    values = drawn(0)
    values[2][:] = 0
    return [keras.Variable(value.astype(np.float32)) for value in values], values


def trained(make: Callable[[Sequence[object]], Update], steps: range = range(STEPS)) -> list[np.ndarray]:
    import tensorflow as tf

    weights, _ = variables()
    update = make(weights)
    step = tf.function(lambda rate, *gradients: update.apply(gradients, rate, tf.constant(MOMENTUM)))
    for number in steps:
        gradients = [tf.constant(one, tf.float32) for one in drawn(number + 1)]
        step(tf.constant(RATES[number], tf.float32), *gradients)
    return [weight.numpy() for weight in weights]


def expected(change: Change, decays: Sequence[float]) -> list[np.ndarray]:
    """Apply a formula in float64; the state of each variable is its own."""
    _, values = variables()
    states: list[dict[str, np.ndarray]] = [{} for _ in values]
    for number in range(STEPS):
        gradients = drawn(number + 1)
        values = [
            value - change(value, gradient, state, RATES[number], number + 1, decay)
            for value, gradient, state, decay in zip(values, gradients, states, decays, strict=True)
        ]
    return values


def layer_rate(value: np.ndarray, above: float, below: float) -> float:
    return above / below if value.ndim > 1 and above and below else 1.0


def momentum(rate_outside: bool) -> Change:
    def change(value, gradient, state, rate, number, decay):
        velocity, slope = state.get("velocity", 0.0), gradient + decay * value
        state["velocity"] = MOMENTUM * velocity + (slope if rate_outside else rate * slope)
        return rate * state["velocity"] if rate_outside else state["velocity"]

    return change


def lars(value, gradient, state, rate, number, decay):
    size = np.linalg.norm(value)
    own = rate * layer_rate(value, TRUST * size, np.linalg.norm(gradient) + decay * size)
    state["velocity"] = MOMENTUM * state.get("velocity", 0.0) + own * (gradient + decay * value)
    return state["velocity"]


def lamb(value, gradient, state, rate, number, decay):
    state["mean"] = MOMENTUM * state.get("mean", 0.0) + (1 - MOMENTUM) * gradient
    state["square"] = 0.999 * state.get("square", 0.0) + 0.001 * gradient**2
    mean, square = state["mean"] / (1 - MOMENTUM**number), state["square"] / (1 - 0.999**number)
    found = mean / (np.sqrt(square) + 1e-6) + decay * value
    return rate * layer_rate(value, np.linalg.norm(value), np.linalg.norm(found)) * found


DECAYS = (DECAY, 0.0, DECAY)


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (lambda weights: Momentum(weights, DECAYS), momentum(rate_outside=False)),
        (lambda weights: Momentum(weights, DECAYS, rate_outside=True), momentum(rate_outside=True)),
        (lambda weights: Lars(weights, DECAYS, TRUST), lars),
        (lambda weights: Lamb(weights, DECAYS), lamb),
    ],
    ids=["momentum", "momentum-outside", "lars", "lamb"],
)
def test_weights_change_by_the_published_formula(make, change) -> None:
    for found, value in zip(trained(make), expected(change, DECAYS), strict=True):
        assert found == pytest.approx(value, rel=2e-5, abs=2e-6)


def test_kernels_change_as_with_the_lamb_of_keras_where_nothing_decays() -> None:
    import keras

    weights, _ = variables()
    theirs = keras.optimizers.Lamb(beta_1=MOMENTUM, epsilon=1e-6)
    for number in range(STEPS):
        theirs.learning_rate = RATES[number]
        theirs.apply([one.astype(np.float32) for one in drawn(number + 1)], weights)
    ours = trained(lambda own: Lamb(own, (0.0,) * 3))
    for k in (0, 2):  # Keras gives biases a rate of their own, too
        assert ours[k] == pytest.approx(weights[k].numpy(), rel=2e-4, abs=1e-5)


@pytest.mark.parametrize("make", [lambda own: Lars(own, DECAYS, TRUST), lambda own: Lamb(own, DECAYS)])
def test_state_is_all_that_a_later_step_depends_on(make) -> None:
    whole = trained(make)
    kept: list[np.ndarray] = []

    def first(weights):
        update = make(weights)
        kept.extend([weights, update])
        return update

    trained(first, range(2))
    weights, update = kept
    values = [weight.numpy() for weight in weights], [one.numpy() for one in update.state]

    def second(own):
        again = make(own)
        for variable, value in zip((*own, *again.state), (*values[0], *values[1]), strict=True):
            variable.assign(value)
        return again

    for found, value in zip(trained(second, range(2, STEPS)), whole, strict=True):
        assert np.array_equal(found, value)
