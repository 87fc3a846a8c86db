"""Perceptron with one hidden layer, trained by back-propagation in NumPy alone.

The gradients are written out by hand: back-propagation with momentum as Rumelhart, Hinton and Williams
published it ("Learning representations by back-propagating errors", Nature 323, 533-536, 1986), for softmax
outputs and cross-entropy. The task is that of Lang and Witbrock ("Learning to tell two spirals apart",
Proceedings of the 1988 Connectionist Models Summer School), with any number of spirals, and with noise: to
which spiral does a point of the plane belong? The points are computed by a formula, so nothing is downloaded.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from workloads.context import Context, Metric, Result
from workloads.description import TRAINING_SEED, Workload
from workloads.expected_steps import EpochSteps, Rows
from workloads.parameters import common, parameter, table
from workloads.runtime import host_facts
from workloads.runtime.checkpoints import Checkpoint, Checkpoints, checkpoints_of
from workloads.runtime.step_count import CountedStep, step_metrics

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PerceptronParameters:
    """Parameters of the perceptron and of its spirals."""

    spirals: int = parameter(3, "spirals, which are the classes", minimum=2)
    turns: float = parameter(1.0, "turns of a spiral around the origin", minimum=0)
    noise: float = parameter(0.2, "standard deviation of a point's angle", unit="rad", minimum=0)
    train_points: int = parameter(3000, "points that train", minimum=1)
    test_points: int = parameter(3000, "points that measure the accuracy", minimum=1)
    hidden_width: int = parameter(64, "units of the hidden layer", minimum=1)
    epochs: int = parameter(300, "passes over the points that train", minimum=1)
    batch_size: int = parameter(32, "points per step", minimum=1)
    learning_rate: float = parameter(0.05, "of gradient descent", minimum=0)
    momentum: float = parameter(0.9, "share of a step that the next step keeps", minimum=0)
    training_seed: int = common(TRAINING_SEED)
    resume: bool = parameter(
        False,
        "write a checkpoint after every epoch, and go on from that of an earlier attempt; such a run's time "
        "does not count",
    )


WORKLOAD = Workload(
    name="perceptron",
    title="Perceptron with one hidden layer: to which spiral does a point belong? NumPy alone",
    source="back-propagation of Rumelhart et al. (1986), spirals of Lang and Witbrock (1988)",
    entry="workloads.perceptron:run",
    parameters=table(PerceptronParameters),
    parameters_type=PerceptronParameters,
    fom_time="run",
    accuracy_metric="accuracy",
    metrics=(
        "last_loss",
        "last_training_loss",
        "epochs_run",
        "optimizer_steps",
        "samples_seen",
        "trainable_parameters",
        "checkpoints_written",
        "resumed_from_epoch",
        "load_seconds",
        "build_seconds",
        "train_seconds",
        "checkpoint_seconds",
        "evaluate_seconds",
    ),
    requires=("numpy",),
    optimizer_steps=EpochSteps((Rows("train_points"),)),
    sizes={"trainable_parameters": 387},
)


def run(parameters: PerceptronParameters, context: Context) -> Result:
    """Train on points of the spirals, and measure the share of other points that it classifies right.

    Points, first weights and the order of the points are drawn from ``training_seed``, or from the instance's
    seed where that is 0. A training that goes on from a checkpoint ends with the same weights, bit by bit, as
    one that was never interrupted.

    Raises
    ------
    ArithmeticError
        If the loss is no longer a finite number.
    """
    import numpy as np

    seed = parameters.training_seed or context.seed
    random = np.random.default_rng(seed % 2**64)
    context.start()
    with context.phase("load"):
        points, labels = spiral_points(parameters, parameters.train_points, random)
        test_points, test_labels = spiral_points(parameters, parameters.test_points, random)
    with context.phase("build"):
        network = Perceptron(parameters.hidden_width, parameters.spirals, random)
        step = CountedStep(network.train)
        saved = _Saved(parameters, context, seed, network, random)
    batch, samples = parameters.batch_size, 0
    for epoch in range(saved.first + 1, parameters.epochs + 1):
        with context.phase("train"):
            order, losses = random.permutation(len(points)), []
            for first in range(0, len(points), batch):
                chosen = order[first : first + batch]
                losses.append(
                    step(points[chosen], labels[chosen], parameters.learning_rate, parameters.momentum)
                )
                samples += len(chosen)
        if not math.isfinite(sum(losses)):
            raise ArithmeticError("the loss is no finite number: write a smaller learning_rate")
        saved.loss = sum(losses) / len(losses)
        context.curve("loss", saved.loss, epoch=epoch)
        saved.write(epoch)
    with context.phase("evaluate"):
        classes = network.probabilities(test_points).argmax(axis=1)
        accuracy = float((classes == test_labels).mean())
        test_loss = network.loss(test_points, test_labels)
    return Result(
        accuracy=accuracy,
        metrics=(
            Metric("last_loss", test_loss),
            Metric("last_training_loss", saved.loss),
            Metric("epochs_run", parameters.epochs),
            *step_metrics(step.calls, samples),
            Metric("trainable_parameters", sum(weights.size for weights in network.weights)),
            *saved.metrics(),
        ),
        observed={
            "framework": "numpy",
            "framework_version": np.__version__,
            "process_threads": host_facts.thread_count(),
        },
        data={"synthetic": True, "train_points": len(points), "test_points": len(test_points)},
        observe_after=lambda: {"precision": str(network.weights[0].dtype), "precision_asked": "float64"},
    )


class _Saved:
    """Checkpoints of a training, from the last of which it goes on at once.

    Attributes
    ----------
    first
        Epochs that were trained before.
    loss
        Mean loss of the last epoch.
    """

    def __init__(
        self,
        parameters: PerceptronParameters,
        context: Context,
        seed: int,
        network: Perceptron,
        random: np.random.Generator,
    ) -> None:
        self._context, self._network, self._random = context, network, random
        self.first, self.loss = 0, 0.0
        self._checkpoints: Checkpoints | None = None
        if not parameters.resume:
            return
        identity = {name: value for name, value in asdict(parameters).items() if name != "epochs"}
        self._checkpoints = checkpoints_of(context, {**identity, "training_seed": seed})
        shapes = [array.shape for array in network.state]
        found = None if self._checkpoints is None else self._checkpoints.read(shapes)
        if found is not None:
            for array, saved in zip(network.state, found.arrays, strict=True):
                array[...] = saved
            random.bit_generator.state = found.facts["random"]
            self.first, self.loss = found.epoch, found.facts["loss"]

    def write(self, epoch: int) -> None:
        """Write a checkpoint, where they are asked for."""
        if self._checkpoints is not None:
            with self._context.phase("checkpoint"):
                facts = {"random": self._random.bit_generator.state, "loss": self.loss}
                self._checkpoints.write(Checkpoint(epoch, self._network.state, facts))

    def metrics(self) -> list[Metric]:
        """Return the checkpoints written, and the epoch that the training went on from, if it did."""
        if self._checkpoints is None:
            return []
        resumed = [Metric("resumed_from_epoch", self.first)] if self.first else []
        return [Metric("checkpoints_written", self._checkpoints.written), *resumed]


def spiral_points(
    parameters: PerceptronParameters, number: int, random: np.random.Generator
) -> tuple[Floats, Labels]:
    """Draw points of the spirals.

    A point of spiral s of S lies at radius r, uniform from 0 to 1, and at the angle 2π·(turns·r + s ÷ S), to
    which normal noise is added.

    Returns
    -------
    tuple of array
        Coordinates, `number` × 2, and the spiral of each point.
    """
    import numpy as np

    labels = np.arange(number) % parameters.spirals
    radius = random.random(number)
    angle = 2 * math.pi * (parameters.turns * radius + labels / parameters.spirals)
    angle += parameters.noise * random.standard_normal(number)
    return np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1), labels


class Perceptron:
    """Hidden layer of tanh units, and softmax outputs, in float64.

    Parameters
    ----------
    hidden_width, classes
        Units of the hidden layer, and outputs.
    random
        Draws the first weights, normal with variance 1 ÷ inputs; biases start at 0.

    Attributes
    ----------
    weights
        Kernel and bias of the hidden layer, kernel and bias of the outputs; a kernel is inputs × outputs.
    """

    def __init__(self, hidden_width: int, classes: int, random: np.random.Generator) -> None:
        import numpy as np

        kernels = (
            random.standard_normal((inputs, outputs)) / math.sqrt(inputs)
            for inputs, outputs in ((2, hidden_width), (hidden_width, classes))
        )
        self.weights: list[Floats] = [
            array for kernel in kernels for array in (kernel, np.zeros(kernel.shape[1]))
        ]
        self._changes = [np.zeros_like(array) for array in self.weights]

    @property
    def state(self) -> list[Floats]:
        """Weights, and the changes that momentum keeps."""
        return [*self.weights, *self._changes]

    def _forward(self, points: Floats) -> tuple[Floats, Floats]:
        """Return the hidden layer's outputs and the probabilities of the classes."""
        import numpy as np

        kernel, bias, out_kernel, out_bias = self.weights
        hidden = np.tanh(points @ kernel + bias)
        scores = hidden @ out_kernel + out_bias
        scores -= scores.max(axis=1, keepdims=True)  # or the exponential of a large score would overflow
        powers = np.exp(scores)
        return hidden, powers / powers.sum(axis=1, keepdims=True)

    def probabilities(self, points: Floats) -> Floats:
        """Return the probability of every class for every point."""
        return self._forward(points)[1]

    def loss(self, points: Floats, labels: Labels) -> float:
        """Return the mean cross-entropy."""
        return _cross_entropy(self.probabilities(points), labels)

    def gradients(self, points: Floats, labels: Labels) -> tuple[float, list[Floats]]:
        """Return the mean cross-entropy, and its gradient by each array of `weights`."""
        hidden, probabilities = self._forward(points)
        by_scores = probabilities.copy()  # softmax and cross-entropy together: p - 1 at the right class
        by_scores[range(len(labels)), labels] -= 1
        by_scores /= len(labels)
        by_sums = (by_scores @ self.weights[2].T) * (1 - hidden**2)  # the derivative of tanh is 1 - tanh²
        return _cross_entropy(probabilities, labels), [
            points.T @ by_sums,
            by_sums.sum(axis=0),
            hidden.T @ by_scores,
            by_scores.sum(axis=0),
        ]

    def train(self, points: Floats, labels: Labels, learning_rate: float, momentum: float) -> float:
        """Update the weights once; return the loss before that."""
        loss, gradients = self.gradients(points, labels)
        for array, change, gradient in zip(self.weights, self._changes, gradients, strict=True):
            change *= momentum
            change -= learning_rate * gradient
            array += change
        return loss


def _cross_entropy(probabilities: Floats, labels: Labels) -> float:
    import numpy as np

    return float(-np.log(probabilities[range(len(labels)), labels]).mean())
