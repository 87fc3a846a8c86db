"""A classifier that JAX or PyTorch trains, by steps of Keras' operations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from workloads.imagenet.trainer import CROSS_ENTROPY, TOP, ClassifierTrainer, Objective, Scores
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import current_backend
from workloads.runtime.training.model_trainer import one_behind
from workloads.runtime.zero_copy import of_tensorflow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class PortableTrainer(ClassifierTrainer):
    """A classifier, and the steps that change or score it in the framework on which Keras runs.

    The number of right choices and the cross-entropy of a batch are fetched when the next step has begun.
    """

    def __init__(self, model: Any, classes: int, ranks: Ranks, objective: Objective = CROSS_ENTROPY) -> None:
        super().__init__(model, classes, ranks, objective)
        self._train_step = self._training_step(self._loss)
        self._score_step = current_backend().forward(self._score, model.variables)

    def train(
        self, batches: Iterable[tuple[Any, Any]], rates: Sequence[float], momenta: Sequence[float]
    ) -> tuple[int, Scores]:
        """Train as `ClassifierTrainer` says; the scores are summed in float64."""
        begun = (
            (labels, self._train_step(rate, momentum, of_tensorflow(images), of_tensorflow(labels)))
            for (images, labels), rate, momentum in zip(batches, rates, momenta, strict=False)
        )
        steps, sums = self._sums(begun)
        return steps, self._scores(sums)

    def evaluate(self, batches: Iterable[tuple[Any, Any]]) -> Scores:
        """Score as `ClassifierTrainer` says."""
        begun = (
            (labels, self._score_step(of_tensorflow(images), of_tensorflow(labels)))
            for images, labels in batches
        )
        return self._scores(self._sums(begun)[1])

    def _sums(self, begun: Iterable[tuple[Any, Any]]) -> tuple[int, NDArray[np.float64]]:
        """Return the number of batches, and what `_scores` asks for, from their labels and `_count`."""
        import numpy as np

        fetch, batches = current_backend().fetch, 0
        columns, classes = np.zeros(4), np.zeros(self._classes)
        for labels, results in one_behind(begun):
            found = fetch(results).astype(np.float64)
            columns += [found.shape[1], *(math.fsum(column) for column in found)]
            classes += np.bincount(np.asarray(labels), minlength=self._classes)
            batches += 1
        return batches, np.concatenate([columns, classes])

    def _loss(self, images: Any, labels: Any) -> tuple[Any, Any]:
        """Return the loss, and what `_count` finds."""
        import keras

        logits = self.model(images, training=True)
        entropy = _cross_entropy(labels, logits, self._objective.label_smoothing)
        loss = keras.ops.mean(entropy) + sum([*self.model.losses, *self._decay()])
        return loss, self._count(labels, logits, entropy)

    def _decay(self) -> list[Any]:
        import keras

        if not self._decays_in_loss:
            return []
        squares = [
            keras.ops.sum(keras.ops.square(weight)) for weight in self._weights if self._decays(weight)
        ]
        return [0.5 * self._objective.weight_decay * sum(squares)]

    def _score(self, images: Any, labels: Any) -> Any:
        logits = self.model(images, training=False)
        return self._count(labels, logits, _cross_entropy(labels, logits, 0.0))

    def _count(self, labels: Any, logits: Any, entropy: Any) -> Any:
        """Return cross-entropy, and whether the first choice and one of the first is right, of each image."""
        import keras

        first = keras.ops.equal(keras.ops.argmax(logits, axis=1), keras.ops.cast(labels, "int32"))
        among = keras.ops.in_top_k(labels, logits, min(TOP, self._classes))
        columns = [entropy, *(keras.ops.cast(one, "float32") for one in (first, among))]
        return keras.ops.stack([keras.ops.stop_gradient(one) for one in columns])


def _cross_entropy(labels: Any, logits: Any, smoothing: float) -> Any:
    """Return the cross-entropy of each image with labels of which a share is spread over all logits."""
    import keras

    if not smoothing:
        return keras.ops.sparse_categorical_crossentropy(labels, logits, from_logits=True)
    count = int(logits.shape[-1])
    spread = (1 - smoothing) * keras.ops.one_hot(labels, count, dtype="float32") + smoothing / count
    return keras.ops.categorical_crossentropy(spread, logits, from_logits=True)
