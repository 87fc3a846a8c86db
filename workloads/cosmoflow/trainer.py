"""One network in training on all ranks of an instance: its steps, its errors, its whole state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloads.cosmoflow.network import stages
from workloads.cosmoflow.sizes import TARGETS
from workloads.runtime.training.model_trainer import ModelTrainer
from workloads.runtime.training.updates import Momentum

if TYPE_CHECKING:
    from workloads.cosmoflow.images import Batch
    from workloads.runtime.collectives import Ranks


@dataclass(frozen=True, slots=True)
class Scores:
    """Errors of a network with some images, over all ranks.

    Parameters
    ----------
    images
        How many there were.
    loss
        Mean of the squared errors of all parameters.
    mean_absolute_error
        Of all parameters.
    guess_error
        Mean absolute error of 0, the middle of a parameter's range, for every parameter.
    """

    images: int
    loss: float
    mean_absolute_error: float
    guess_error: float


class Trainer(ModelTrainer):
    """A network, and the compiled steps that change or score it.

    Parameters
    ----------
    model
        A Keras model from logarithms of counts to parameters.
    ranks
        Those who train it together.
    momentum
        Of gradient descent.
    dropout
        Share of the outputs of each stage but the last that a training step leaves out.
    """

    def __init__(self, model: Any, ranks: Ranks, *, momentum: float, dropout: float) -> None:
        import tensorflow as tf

        super().__init__((model,), ranks, Momentum)
        self._stages, self._momentum, self._dropout = stages(model), momentum, dropout
        self._sums = tf.Variable(tf.zeros(4, tf.float64), trainable=False, name="sums")
        counts = tf.TensorSpec((None, *model.input_shape[1:]), tf.int16)
        targets, rate = tf.TensorSpec((None, TARGETS), tf.float32), tf.TensorSpec((), tf.float32)
        seed = tf.TensorSpec((2,), tf.int64)
        self._train_step = tf.function(self._train, (counts, targets, rate, seed), jit_compile=False)
        self._score_step = tf.function(self._score, (counts, targets), jit_compile=False)

    def train(
        self, batches: Iterable[Batch], rates: Sequence[float], seed: int, first: int
    ) -> tuple[int, Scores]:
        """Train on as many batches as there are rates; return the number of steps and the errors.

        Parameters
        ----------
        seed, first
            What a step leaves out follows from the seed and the step's number, of which this is the first.
        """
        import tensorflow as tf

        self._begin()
        steps = 0
        for (counts, targets), rate in zip(batches, rates, strict=False):
            drawn = tf.constant((seed, first + steps), tf.int64)
            self._train_step(counts, targets, tf.constant(rate, tf.float32), drawn)
            steps += 1
        return steps, self._end()

    def evaluate(self, batches: Iterable[Batch]) -> Scores:
        """Return the errors of every image in the batches of all ranks, each counted once."""
        self._begin()
        for counts, targets in batches:
            self._score_step(counts, targets)
        return self._end()

    def _train(self, counts: Any, targets: Any, rate: Any, seed: Any) -> None:
        import tensorflow as tf

        with tf.GradientTape() as tape:
            tensor = _logarithms(counts)
            for number, stage in enumerate(self._stages):
                tensor = stage(tensor, training=True)
                if self._dropout and stage is not self._stages[-1]:
                    tensor = self._dropped(tensor, seed + tf.constant((number << 32, 0), tf.int64))
            loss = self.loss_scale.scaled(tf.reduce_mean(tf.square(tensor - targets)))
        self._descend(tape.gradient(loss, self._weights), rate, self._momentum)
        self._add(tensor, targets)

    def _dropped(self, tensor: Any, seed: Any) -> Any:
        """Leave outputs out: those that one process with the images of all ranks would leave out."""
        import tensorflow as tf

        images, units = tf.shape(tensor)[0], tensor.shape[1]
        drawn = tf.random.stateless_uniform((images * self._ranks.size, units), seed)
        mine = drawn[self._ranks.rank * images : (self._ranks.rank + 1) * images]
        return tf.where(mine < self._dropout, tf.zeros_like(tensor), tensor / (1 - self._dropout))

    def _score(self, counts: Any, targets: Any) -> None:
        tensor = _logarithms(counts)
        for stage in self._stages:
            tensor = stage(tensor, training=False)
        self._add(tensor, targets)

    def _add(self, outputs: Any, targets: Any) -> None:
        import tensorflow as tf

        away = tf.cast(outputs - targets, tf.float64)
        parts = (tf.square(away), tf.abs(away), tf.cast(tf.abs(targets), tf.float64))
        sums = [tf.reduce_sum(tf.reduce_mean(part, axis=1)) for part in parts]
        self._sums.assign_add(tf.stack([tf.cast(tf.shape(targets)[0], tf.float64), *sums]))

    def _begin(self) -> None:
        import tensorflow as tf

        self._sums.assign(tf.zeros_like(self._sums))

    def _end(self) -> Scores:
        images, *sums = self._ranks.all_reduce_sum(self._sums.numpy()).tolist()
        return Scores(int(images), *(one / max(images, 1) for one in sums))


def _logarithms(counts: Any) -> Any:
    import tensorflow as tf

    return tf.math.log1p(tf.cast(counts, tf.float32))
