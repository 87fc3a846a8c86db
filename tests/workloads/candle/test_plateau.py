from __future__ import annotations

from workloads.candle.epochs import Plateau
from workloads.context import Context, SlotView
from workloads.runtime.framework import configure_framework


def rates(losses, **settings):
    rule, rate, found = Plateau(**settings), 1.0, []
    for loss in losses:
        rate = rule.next_rate(rate, loss)
        found.append(rate)
    return found


def test_the_rate_falls_after_epochs_without_improvement():
    assert rates([1, 1, 1, 1, 1], patience=2, factor=0.5) == [1, 1, 0.5, 0.5, 0.25]


def test_a_fall_below_the_least_gain_is_no_improvement():
    assert rates([1, 0.99995, 0.9999, 0.5, 0.6], patience=2) == [1, 1, 0.1, 0.1, 0.1]


def test_an_improvement_starts_the_count_anew():
    assert rates([1, 1, 0.9, 0.9, 0.9], patience=2, factor=0.5) == [1, 1, 1, 1, 0.5]


def test_no_patience_leaves_the_rate():
    assert rates([1] * 20, patience=0) == [1.0] * 20


def test_it_does_as_keras():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))  # it cannot be once TensorFlow is in use
    import keras

    losses = [1.0, 0.9, 0.95, 0.89995, 0.9, 0.91, 0.5, 0.5, 0.5, 0.5]
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.SGD(1.0))
    rule = keras.callbacks.ReduceLROnPlateau(factor=0.1, patience=3, min_delta=1e-4)
    rule.set_model(model)
    rule.on_train_begin()
    expected = []
    for epoch, loss in enumerate(losses):
        rule.on_epoch_end(epoch, {"val_loss": loss})
        expected.append(round(float(model.optimizer.learning_rate), 6))
    assert [round(rate, 6) for rate in rates(losses, patience=3)] == expected
