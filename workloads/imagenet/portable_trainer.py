"""A classifier that JAX or PyTorch trains, by steps of Keras' operations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from workloads.imagenet.trainer import CROSS_ENTROPY, TOP, ClassifierTrainer, Objective, Scores
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import current_backend
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
        self._backend = current_backend()
        weights = model.trainable_variables
        others = [*model.non_trainable_variables, *self.loss_scale.variables]
        updated = [*self._updates.state, self._steps]
        self._slopes = self._backend.slopes(self._loss, weights, others)
        self._train_step = self._backend.assigning(self._train, [*weights, *others, *updated])
        self._score_step = self._backend.forward(self._score, model.variables)

    def train(
        self, batches: Iterable[tuple[Any, Any]], rates: Sequence[float], momenta: Sequence[float]
    ) -> tuple[int, Scores]:
        """Train as `ClassifierTrainer` says; the scores are summed in float64."""
        counts = _Counts(self._backend.fetch, self._classes)
        steps = 0
        for (images, labels), rate, momentum in zip(batches, rates, momenta, strict=False):
            results = self._train_step(of_tensorflow(images), of_tensorflow(labels), rate, momentum)
            counts.add(labels, results)
            steps += 1
        return steps, self._scores(counts.sums())

    def evaluate(self, batches: Iterable[tuple[Any, Any]]) -> Scores:
        """Score as `ClassifierTrainer` says."""
        counts = _Counts(self._backend.fetch, self._classes)
        for images, labels in batches:
            counts.add(labels, self._score_step(of_tensorflow(images), of_tensorflow(labels)))
        return self._scores(counts.sums())

    def _train(self, images: Any, labels: Any, rate: Any, momentum: Any) -> Any:
        counted, gradients = self._slopes(images, labels)
        self._descend(gradients, rate, momentum)
        return counted

    def _loss(self, images: Any, labels: Any) -> tuple[Any, Any]:
        """Return the scaled loss, and what `_count` finds."""
        import keras

        logits = self.model(images, training=True)
        entropy = _cross_entropy(labels, logits, self._objective.label_smoothing)
        loss = keras.ops.mean(entropy) + sum([*self.model.losses, *self._decay()])
        return self.loss_scale.scaled(loss), self._count(labels, logits, entropy)

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


class _Counts:
    """Sums over the images of a pass, in float64.

    Parameters
    ----------
    fetch
        Waits for a result and returns it as an array.
    classes
        Number of logits.
    """

    def __init__(self, fetch: Any, classes: int) -> None:
        import numpy as np

        self._fetch, self._classes = fetch, classes
        self._waiting: Any = None
        self._columns = np.zeros(4)
        self._labels = np.zeros(classes)

    def add(self, labels: Any, results: Any) -> None:
        """Take the results of a batch, which may still be computed, and count those of the one before."""
        import numpy as np

        self._labels += np.bincount(np.asarray(labels), minlength=self._classes)
        self._count()
        self._waiting = results

    def sums(self) -> NDArray[np.float64]:
        """Return number of images, cross-entropy, right choices and labels by class."""
        import numpy as np

        self._count()
        return np.concatenate([self._columns, self._labels])

    def _count(self) -> None:
        import numpy as np

        if self._waiting is not None:
            columns = self._fetch(self._waiting).astype(np.float64)
            self._columns += [columns.shape[1], *(math.fsum(column) for column in columns)]
            self._waiting = None


def _cross_entropy(labels: Any, logits: Any, smoothing: float) -> Any:
    """Return the cross-entropy of each image with labels of which a share is spread over all logits."""
    import keras

    if not smoothing:
        return keras.ops.sparse_categorical_crossentropy(labels, logits, from_logits=True)
    count = int(logits.shape[-1])
    spread = (1 - smoothing) * keras.ops.one_hot(labels, count, dtype="float32") + smoothing / count
    return keras.ops.categorical_crossentropy(spread, logits, from_logits=True)
