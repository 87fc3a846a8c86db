"""One classifier in training on all ranks of an instance: its steps, its scores, its whole state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from workloads.runtime.collectives import Ranks
from workloads.runtime.training.model_trainer import ModelTrainer
from workloads.runtime.training.updates import Lamb, Lars, Momentum, Update

TOP = 5


@dataclass(frozen=True, slots=True)
class Scores:
    """Results of a model with some images, over all ranks.

    Parameters
    ----------
    images
        How many there were.
    loss
        Mean cross-entropy.
    top_1, top_5
        Share, in percent, of images whose class is the first, or among the first five, of the
        model's choices.
    classes
        How many different classes the images had.
    """

    images: int
    loss: float
    top_1: float
    top_5: float
    classes: int


@dataclass(frozen=True, slots=True)
class Objective:
    """Terms that a training minimises beside the cross-entropy and the model's own losses, and how.

    Parameters
    ----------
    label_smoothing
        Share of each label that is spread evenly over all logits.
    weight_decay
        Factor of half the sum of squares of trainable variables in the loss.
    decay_kernels_alone
        Of those with more than one dimension, not of biases, γ and β.
    optimizer
        One of `OPTIMIZERS`. LARS and LAMB add the decay to the gradient or the change of a variable, so that
        it is not in the loss.
    rate_outside
        See `Momentum`.
    trust
        Trust coefficient of LARS.
    xla
        XLA compiles the forward and backward pass. The exchange of gradients stays outside.
    """

    label_smoothing: float = 0.0
    weight_decay: float = 0.0
    decay_kernels_alone: bool = False
    optimizer: str = "momentum"
    rate_outside: bool = False
    trust: float = 0.001
    xla: bool = False


CROSS_ENTROPY = Objective()


class ClassifierTrainer(ModelTrainer, ABC):
    """A classifier, and the steps that change or score it.

    Parameters
    ----------
    model
        A Keras model that returns logits; its losses are added to the cross-entropy.
    classes
        Number of logits.
    ranks
        Those who train it together.
    objective
        What else is minimised, and how.
    """

    def __init__(self, model: Any, classes: int, ranks: Ranks, objective: Objective = CROSS_ENTROPY) -> None:
        self._objective = objective
        super().__init__((model,), ranks, self._make_update)
        self.model = model
        self._classes = classes

    @abstractmethod
    def train(
        self, batches: Iterable[tuple[Any, Any]], rates: Sequence[float], momenta: Sequence[float]
    ) -> tuple[int, Scores]:
        """Train on as many batches as there are rates; return the number of steps and the scores."""

    @abstractmethod
    def evaluate(self, batches: Iterable[tuple[Any, Any]]) -> Scores:
        """Return the scores of every image in the batches of all ranks, each counted once."""

    def _make_update(self, variables: Sequence[Any]) -> Update:
        objective = self._objective
        if objective.optimizer == "momentum":
            return Momentum(variables, rate_outside=objective.rate_outside)
        decays = [objective.weight_decay if self._decays(variable) else 0.0 for variable in variables]
        if objective.optimizer == "lamb":
            return Lamb(variables, decays)
        return Lars(variables, decays, objective.trust)

    def _decays(self, variable: Any) -> bool:
        return len(variable.shape) > 1 or not self._objective.decay_kernels_alone

    @property
    def _decays_in_loss(self) -> bool:
        return bool(self._objective.weight_decay) and self._objective.optimizer == "momentum"

    def _scores(self, sums: Any) -> Scores:
        """Return the scores of all ranks' images.

        Parameters
        ----------
        sums
            Of this rank's images: their number, cross-entropy, right first choices, right ones among the
            first, and number by class.
        """
        import numpy as np

        totals = self._ranks.all_reduce_sum(sums)
        images, loss, first, among = totals[:4].tolist()
        divisor = max(images, 1)
        return Scores(
            images=int(images),
            loss=loss / divisor,
            top_1=100 * first / divisor,
            top_5=100 * among / divisor,
            classes=int(np.count_nonzero(totals[4:])),
        )


class Trainer(ClassifierTrainer):
    """A classifier that TensorFlow trains, and its compiled steps."""

    def __init__(self, model: Any, classes: int, ranks: Ranks, objective: Objective = CROSS_ENTROPY) -> None:
        import tensorflow as tf

        super().__init__(model, classes, ranks, objective)
        self._sums = tf.Variable(tf.zeros(4, tf.float64), trainable=False, name="sums")
        self._labels = tf.Variable(tf.zeros(classes, tf.float64), trainable=False, name="labels")
        images = tf.TensorSpec((None, *model.input_shape[1:]), tf.float32)
        labels, number = tf.TensorSpec((None,), tf.int64), tf.TensorSpec((), tf.float32)
        self._train_step = tf.function(self._train, (images, labels, number, number), jit_compile=False)
        self._score_step = tf.function(self._score, (images, labels), jit_compile=False)
        self._slopes = (
            tf.function(self._differentiate, jit_compile=True) if objective.xla else self._differentiate
        )

    def train(
        self, batches: Iterable[tuple[Any, Any]], rates: Sequence[float], momenta: Sequence[float]
    ) -> tuple[int, Scores]:
        """Train as `ClassifierTrainer` says."""
        import tensorflow as tf

        self._begin()
        steps = 0
        for (images, labels), rate, momentum in zip(batches, rates, momenta, strict=False):
            self._train_step(images, labels, tf.constant(rate, tf.float32), tf.constant(momentum, tf.float32))
            steps += 1
        return steps, self._end()

    def evaluate(self, batches: Iterable[tuple[Any, Any]]) -> Scores:
        """Score as `ClassifierTrainer` says."""
        self._begin()
        for images, labels in batches:
            self._score_step(images, labels)
        return self._end()

    def _train(self, images: Any, labels: Any, rate: Any, momentum: Any) -> None:
        logits, entropy, gradients = self._slopes(images, labels)
        self._descend(gradients, rate, momentum)
        self._count(labels, logits, entropy)

    def _differentiate(self, images: Any, labels: Any) -> tuple[Any, Any, list[Any]]:
        """Return logits, cross-entropy of each image, and the gradients of the scaled loss."""
        import tensorflow as tf

        with tf.GradientTape() as tape:
            logits = self.model(images, training=True)
            entropy = smoothed_cross_entropy(labels, logits, self._objective.label_smoothing)
            terms = [*self.model.losses, *self._decay()]
            loss = self.loss_scale.scaled(tf.reduce_mean(entropy) + (tf.add_n(terms) if terms else 0.0))
        return logits, entropy, tape.gradient(loss, self._weights)

    def _decay(self) -> list[Any]:
        import tensorflow as tf

        if not self._decays_in_loss:
            return []
        decayed = [tf.nn.l2_loss(weight) for weight in self._weights if self._decays(weight)]
        return [self._objective.weight_decay * tf.add_n(decayed)]

    def _score(self, images: Any, labels: Any) -> None:
        import tensorflow as tf

        logits = self.model(images, training=False)
        self._count(labels, logits, tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    def _count(self, labels: Any, logits: Any, entropy: Any) -> None:
        import tensorflow as tf

        first = tf.equal(tf.argmax(logits, axis=1), labels)
        among = tf.math.in_top_k(labels, logits, min(TOP, self._classes))
        columns = tf.stack(
            [tf.ones_like(entropy), entropy, tf.cast(first, tf.float32), tf.cast(among, tf.float32)]
        )
        self._sums.assign_add(tf.reduce_sum(tf.cast(columns, tf.float64), axis=1))
        self._labels.assign_add(tf.reduce_sum(tf.one_hot(labels, self._classes, dtype=tf.float64), axis=0))

    def _begin(self) -> None:
        import tensorflow as tf

        self._sums.assign(tf.zeros_like(self._sums))
        self._labels.assign(tf.zeros_like(self._labels))

    def _end(self) -> Scores:
        import numpy as np

        return self._scores(np.concatenate([self._sums.numpy(), self._labels.numpy()]))


def smoothed_cross_entropy(labels: Any, logits: Any, smoothing: float) -> Any:
    """Return the cross-entropy of each image with labels of which a share is spread over all logits."""
    import tensorflow as tf

    if not smoothing:
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    count = int(logits.shape[-1])
    spread = tf.one_hot(labels, count, 1 - smoothing + smoothing / count, smoothing / count)
    return tf.nn.softmax_cross_entropy_with_logits(spread, logits)
