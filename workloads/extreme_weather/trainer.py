"""One detector in training on all ranks of an instance: its compiled steps, its scores, its whole state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workloads.context import Metric
from workloads.extreme_weather.anchors import make_anchors
from workloads.extreme_weather.detection import detect
from workloads.extreme_weather.losses import head_losses, proposal_losses
from workloads.extreme_weather.mean_average_precision import average_precisions, right_detections
from workloads.extreme_weather.network import Architecture, build_head, build_proposer
from workloads.extreme_weather.proposals import propose
from workloads.extreme_weather.roi_align import roi_align
from workloads.extreme_weather.sampling import Sample, Truth, sample_anchors, sample_regions, truth
from workloads.extreme_weather.sizes import MOST_BOXES
from workloads.runtime.collectives import Ranks
from workloads.runtime.training.model_trainer import ModelTrainer
from workloads.runtime.training.updates import Momentum

if TYPE_CHECKING:
    from workloads.extreme_weather.pipeline import Batch

LOSSES = ("objectness", "proposal_boxes", "classes", "boxes")
_HEAD_LEVELS = 4  # the fifth level only proposes


@dataclass(frozen=True, slots=True)
class Detecting:
    """Numbers of anchors and regions.

    Parameters
    ----------
    smallest_anchor
        Side of the smallest square anchor, in pixels.
    train_proposals, test_proposals
        Regions of a level before suppression, and of all levels after it.
    sampled_anchors, sampled_regions
        Those of an image that a step learns from.
    """

    smallest_anchor: int
    train_proposals: int
    test_proposals: int
    sampled_anchors: int
    sampled_regions: int


@dataclass(frozen=True, slots=True)
class Optimizing:
    """Momentum of gradient descent, and the factor by which each kernel's value is added to its gradient."""

    momentum: float
    weight_decay: float


@dataclass(frozen=True, slots=True)
class Scores:
    """Results of a detector with the validation images, over all ranks.

    Parameters
    ----------
    images
        How many there were.
    map_50
        Mean of the average precisions.
    precisions
        Average precision of each class that occurs, by its number.
    """

    images: int
    map_50: float
    precisions: dict[int, float]


class Trainer(ModelTrainer):
    """A detector, and the compiled steps that change or score it.

    Parameters
    ----------
    architecture, detecting, optimizing
        The network, and how it is trained.
    normalisation
        Means and spreads of the channels.
    batch_size
        Images of a step of one rank; batches of other sizes are filled up, and only scored.
    ranks
        Those who train it together.
    """

    def __init__(
        self,
        architecture: Architecture,
        detecting: Detecting,
        optimizing: Optimizing,
        normalisation: tuple[Sequence[float], Sequence[float]],
        batch_size: int,
        ranks: Ranks,
    ) -> None:
        import tensorflow as tf

        self.proposer, self.head = build_proposer(architecture), build_head(architecture)

        def make_update(variables: Sequence[Any]) -> Momentum:
            decay = optimizing.weight_decay
            return Momentum(
                variables, [decay if variable.name == "kernel" else 0.0 for variable in variables]
            )

        super().__init__((self.proposer, self.head), ranks, make_update)
        self._shape, self._classes = (architecture.height, architecture.width), architecture.classes
        self._detecting, self._momentum = detecting, optimizing.momentum
        self._batch_size = batch_size
        self._means, self._spreads = (tf.constant(values, tf.float32) for values in normalisation)
        self._anchors = [
            tf.constant(level) for level in make_anchors(*self._shape, detecting.smallest_anchor)
        ]
        self._losses = tf.Variable(tf.zeros(len(LOSSES), tf.float64), trainable=False, name="losses")
        images = tf.TensorSpec((batch_size, architecture.channels, *self._shape), tf.float32)
        boxes = tf.TensorSpec((batch_size, MOST_BOXES, 5), tf.float32)
        rate, seed = tf.TensorSpec((), tf.float32), tf.TensorSpec((2,), tf.int32)
        self._train_step = tf.function(self._train, (images, boxes, rate, seed), jit_compile=False)
        self._score_step = tf.function(self._score, (images, boxes), jit_compile=False)

    def flop_metrics(self) -> tuple[Metric, ...]:
        """Return the FLOP of one image: of the network's products, not of matching and suppressing boxes."""
        import tensorflow as tf

        from workloads.runtime.flops import forward_flop, function_flop, training_flop

        regions = min(self._detecting.sampled_regions, self._detecting.train_proposals + MOST_BOXES)
        weights = [variable.value for variable in self.head.trainable_variables]

        def learn(features: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(features)
                loss = tf.add_n([tf.reduce_sum(output) for output in self.head(features, training=True)])
            return [loss, tape.gradient(loss, [features, *weights])]

        features = tf.TensorSpec((regions, *self.head.input_shape[1:]), self.head.inputs[0].dtype)
        forward = forward_flop(self.proposer) + regions * forward_flop(self.head)
        training = training_flop(self.proposer) + function_flop(learn, features)
        return (
            Metric("forward_flop_per_sample", forward, "FLOP"),
            Metric("training_flop_per_sample", training, "FLOP"),
        )

    def train(
        self, batches: Iterable[Batch], rates: Sequence[float], seed: Sequence[int]
    ) -> tuple[int, dict[str, float]]:
        """Train on as many batches as there are rates; return the number of steps and the mean losses.

        Parameters
        ----------
        batches, rates
            Batches, and the learning rate of each.
        seed
            The random choice of anchors and regions follows from it and the number of the step.
        """
        import tensorflow as tf

        self._losses.assign(tf.zeros_like(self._losses))
        seeds = np.random.default_rng(seed).integers(2**31, size=(len(rates), 2)).astype(np.int32)
        steps = 0
        for batch, rate, step_seed in zip(batches, rates, seeds, strict=False):
            self._train_step(
                tf.constant(batch.images), tf.constant(batch.boxes), tf.constant(rate, tf.float32), step_seed
            )
            steps += 1
        sums = self._ranks.all_reduce_sum(np.append(self._losses.numpy(), steps)).tolist()
        return steps, {name: total / max(sums[-1], 1) for name, total in zip(LOSSES, sums[:-1], strict=True)}

    def evaluate(self, batches: Iterable[Batch], storms: Sequence[int]) -> Scores:
        """Return the scores of the images in the batches of all ranks.

        Parameters
        ----------
        batches
            Of this rank.
        storms
            Storms of each class in the images of all ranks.
        """
        import tensorflow as tf

        images, found = 0, [np.zeros((0, 4))]
        for batch in batches:
            count = len(batch.numbers)
            padding = ((0, self._batch_size - count), (0, 0), (0, 0))
            rows = self._score_step(
                tf.constant(np.pad(batch.images, (*padding, (0, 0)))),
                tf.constant(np.pad(batch.boxes, padding)),
            )
            classes, scores, right, valid = (tensor.numpy()[:count] for tensor in rows)
            numbers = np.broadcast_to(batch.numbers[:, None], classes.shape)
            found.append(np.stack([numbers, classes, scores, right], -1)[valid].astype(np.float64))
            images += count
        images = int(self._ranks.all_reduce_sum(np.array([images], np.float64))[0])
        precisions = average_precisions(self._ranks.all_gather_rows(np.concatenate(found)), storms)
        return Scores(images, float(np.mean(list(precisions.values()))), precisions)

    def _train(self, images: Any, rows: Any, rate: Any, seed: Any) -> None:
        import tensorflow as tf

        with tf.GradientTape() as tape:
            losses = self._compute_losses(images, truth(rows), seed)
            loss = self.loss_scale.scaled(tf.reduce_sum(losses))
        self._descend(tape.gradient(loss, self._weights), rate, self._momentum)
        self._losses.assign_add(tf.cast(losses, tf.float64))

    def _compute_losses(self, images: Any, storms: Truth, seed: Any) -> Any:
        import tensorflow as tf

        levels, objectness, offsets = self._features(images, training=True)
        seeds = tf.unstack(tf.random.split(seed, 2))
        anchors = tf.concat(self._anchors, 0)
        sample = sample_anchors(anchors, storms, self._detecting.sampled_anchors, seeds[0])
        first = proposal_losses(tf.concat(objectness, 1), tf.concat(offsets, 1), anchors, sample, storms)
        regions, sample = self._sampled_regions(objectness, offsets, storms, seeds[1])
        second = head_losses(*self._heads(levels, regions, training=True), regions, sample, storms)
        return tf.stack([*first, *second])

    def _sampled_regions(
        self, objectness: list[Any], offsets: list[Any], storms: Truth, seed: Any
    ) -> tuple[Any, Sample]:
        """Return the regions that the head learns from: proposals, and the storms themselves."""
        import tensorflow as tf

        most = self._detecting.train_proposals
        regions, valid = propose(objectness, offsets, self._anchors, self._shape, most, most)
        regions = tf.stop_gradient(tf.concat([regions, storms.boxes], 1))
        valid = tf.concat([valid, storms.valid], 1)
        sample = sample_regions(regions, valid, storms, self._detecting.sampled_regions, seed)
        return tf.gather(regions, sample.places, batch_dims=1), sample

    def _score(self, images: Any, rows: Any) -> tuple[Any, ...]:
        levels, objectness, offsets = self._features(images, training=False)
        most = self._detecting.test_proposals
        regions, valid = propose(objectness, offsets, self._anchors, self._shape, most, most)
        found = detect(*self._heads(levels, regions, training=False), regions, valid, self._shape)
        return found.classes, found.scores, right_detections(found, truth(rows)), found.valid

    def _features(self, images: Any, *, training: bool) -> tuple[list[Any], list[Any], list[Any]]:
        """Return the pyramid's levels, and objectness and offsets of their anchors."""
        import tensorflow as tf

        scaled = (tf.transpose(images, (0, 2, 3, 1)) - self._means) / self._spreads
        outputs, count = self.proposer(scaled, training=training), len(self._anchors)
        return outputs[:count], outputs[count : 2 * count], outputs[2 * count :]

    def _heads(self, levels: list[Any], regions: Any, *, training: bool) -> tuple[Any, Any]:
        """Return logits and offsets of all regions, images × regions × classes."""
        import tensorflow as tf

        features = roi_align(levels[:_HEAD_LEVELS], regions, self._detecting.smallest_anchor)
        shape, outputs = (self._batch_size, regions.shape[1]), self._classes + 1
        logits, offsets = self.head(tf.reshape(features, (-1, *features.shape[2:])), training=training)
        return tf.reshape(logits, (*shape, outputs)), tf.reshape(offsets, (*shape, outputs, 4))
