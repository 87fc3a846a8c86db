"""What one framework makes of networks whose weights and inputs come from NumPy.

`main` writes arrays to a file. A process runs
Keras on one framework only, so the numbers of several are compared afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from workloads.context import Context, SlotView
from workloads.runtime.framework import configure_framework, current_backend, trainable_parameters

Numbers = dict[str, Any]


def refill(variables: Iterable[Any], seed: int = 1) -> None:
    """Give variables values that are the same on every framework, as wide as Keras draws them."""
    random = np.random.default_rng(seed)
    for variable in variables:
        wide = np.sqrt(2 / np.prod(variable.shape[:-1])) if len(variable.shape) > 1 else 0.1
        variable.assign((random.standard_normal(tuple(variable.shape)) * wide).astype(np.float32))


def convnet() -> Numbers:
    from tests.workloads.convnets.test_convnets import TINY
    from workloads.convnets.timing import Network
    from workloads.runtime.flops import forward_flop

    backend = current_backend()
    network = Network(TINY, batch_size=3, image_size=23, width_divisor=1, seed=3)
    variables = network.model.trainable_variables
    refill(variables)
    before = [backend.fetch(variable.value).copy() for variable in variables]
    found: Numbers = {
        "parameters": trainable_parameters(network.model),
        "flop": forward_flop(network.model),
        "logits": backend.fetch(network.forward()),
        "loss": backend.fetch(network.loss(network.forward(), network.labels)),
        "gradient_norm": backend.global_norm(network.gradients()),
    }
    first = [backend.fetch(gradient) for gradient in network.gradients()]
    found |= {f"gradient_{number}": gradient for number, gradient in enumerate(first)}
    after = [backend.fetch(variable.value) for variable in variables]
    found["unchanged"] = all((one == other).all() for one, other in zip(before, after, strict=True))

    def differs(change: Callable[[], None]) -> bool:
        last = [backend.fetch(gradient) for gradient in network.gradients()]
        change()
        now = [backend.fetch(gradient) for gradient in network.gradients()]
        return any((one != other).any() for one, other in zip(last, now, strict=True))

    found["reads_images"] = differs(
        lambda: setattr(network, "images", backend.to_device(np.ones((3, 23, 23, 3), np.float32)))
    )
    found["reads_labels"] = differs(
        lambda: setattr(network, "labels", backend.to_device(np.array([5, 6, 7], np.int64)))
    )
    found["reads_weights"] = differs(lambda: refill(variables, seed=2))
    return found


def lstm() -> Numbers:
    from workloads.lstm import Layer

    backend = current_backend()
    random = np.random.default_rng(1)
    sequences, target = random.random((4, 3, 6), dtype=np.float32), random.random((3, 6), dtype=np.float32)
    layer = Layer(6, 0.01)
    refill((layer.kernel, layer.bias))
    return {
        "output": backend.fetch(layer.forward(sequences)),
        "losses": [float(backend.fetch(layer.train(sequences, target))) for _ in range(5)],
        "kernel": backend.fetch(layer.kernel.value),
        "bias": backend.fetch(layer.bias.value),
        "parameters": layer.trainable_parameters(),
    }


def assigned() -> Numbers:
    """Take steps that assign weights and moving statistics, by the gradients of a network with both."""
    import keras

    backend = current_backend()
    rows = np.random.default_rng(3).random((8, 5), dtype=np.float32)
    layers = (keras.layers.Dense(4), keras.layers.BatchNormalization(), keras.layers.Dense(1))
    model = keras.Sequential([keras.Input((5,)), *layers])
    weights, others = model.trainable_variables, model.non_trainable_variables
    refill(weights)

    def loss(rows: Any) -> tuple[Any, Any]:
        outputs = model(rows, training=True)
        return keras.ops.mean(keras.ops.square(outputs - 1)), keras.ops.stop_gradient(outputs)

    slopes = backend.slopes(loss, weights, others)

    def descend(rows: Any, rate: Any) -> Any:
        outputs, gradients = slopes(rows)
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.assign(weight - rate * gradient)
        return outputs

    step = backend.assigning(descend, [*weights, *others])
    found: Numbers = {f"outputs_{number}": backend.fetch(step(rows, 0.1)) for number in range(3)}
    return found | {f"variable_{number}": one.numpy() for number, one in enumerate((*weights, *others))}


def trained() -> Numbers:
    """Train P1B1's and P3B1's models on rows in order, so that all randomness is NumPy's."""
    from workloads.candle import p1b1, p3b1

    random = np.random.default_rng(5)
    rows = random.random((60, 20), dtype=np.float32)
    narrow = {"outer_width": 12, "inner_width": 8, "latent_width": 4}
    autoencoder = p1b1.build(20, p1b1.WORKLOAD.typed(p1b1.WORKLOAD.resolve(narrow)), 1)
    refill(autoencoder.trainable_variables)
    history = autoencoder.fit(rows, rows, batch_size=20, epochs=4, shuffle=False, verbose=0).history
    found: Numbers = {f"p1b1_{name}": values for name, values in history.items()}
    widths = {"shared_width": 12, "first_width": 8, "second_width": 8}
    models = p3b1.build(20, (3, 2), p3b1.WORKLOAD.typed(p3b1.WORKLOAD.resolve(widths)))
    refill({id(v): v for model in models for v in model.trainable_variables}.values())
    labels = random.integers(0, 2, 60)
    for turn in range(2):
        for model, classes in zip(models, (3, 2), strict=True):
            target = np.eye(classes, dtype=np.float32)[labels]
            history = model.fit(rows, target, batch_size=10, shuffle=False, verbose=0).history
            found[f"p3b1_{turn}_{classes}"] = history["loss"]
    found["p3b1_parameters"] = trainable_parameters(*models)
    return found


def main(framework: str, file: str) -> None:
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))), framework)
    parts = {"convnet": convnet, "lstm": lstm, "assigned": assigned, "trained": trained}
    arrays = {f"{part}.{name}": np.asarray(value) for part in parts for name, value in parts[part]().items()}
    np.savez(file, **arrays)
