"""One detector in training on all ranks of an instance: its compiled steps, its scores, its whole state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workloads.context import Metric
from workloads.extreme_weather.anchors import make_anchors
from workloads.extreme_weather.boxes import picked
from workloads.extreme_weather.detection import detect
from workloads.extreme_weather.losses import head_losses, proposal_losses
from workloads.extreme_weather.mean_average_precision import average_precisions, right_detections
from workloads.extreme_weather.network import Architecture, build_head, build_proposer
from workloads.extreme_weather.proposals import propose
from workloads.extreme_weather.roi_align import roi_align
from workloads.extreme_weather.sampling import (
    Sample,
    Truth,
    draw_keys,
    sample_anchors,
    sample_regions,
    truth,
)
from workloads.extreme_weather.sizes import MOST_BOXES
from workloads.runtime.collectives import Ranks
from workloads.runtime.flops import forward_flop, training_flop
from workloads.runtime.framework import current_backend
from workloads.runtime.training.model_trainer import ModelTrainer, one_behind
from workloads.runtime.training.updates import Momentum

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    """A detector, and the steps that change or score it in the framework on which Keras runs.

    The losses of a batch, and what it scored, are fetched when the next step has begun.

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
        from keras import ops

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
        self._means, self._spreads = (ops.convert_to_tensor(values, "float32") for values in normalisation)
        anchors = make_anchors(*self._shape, detecting.smallest_anchor)
        self._anchors = [ops.convert_to_tensor(level) for level in anchors]
        self._keys = (sum(map(len, anchors)), detecting.train_proposals + MOST_BOXES)
        self._train_step = self._training_step(self._loss)
        self._score_step = current_backend().forward(self._score, [*self._trained, *self._others])

    def flop_metrics(self) -> tuple[Metric, ...]:
        """Return the FLOP of one image: of the network's products, not of matching and suppressing boxes."""
        regions = min(self._detecting.sampled_regions, self._detecting.train_proposals + MOST_BOXES)
        forward = forward_flop(self.proposer) + regions * forward_flop(self.head)
        training = training_flop(self.proposer) + regions * training_flop(self.head, input_gradients=True)
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
        seeds = np.random.default_rng(seed).integers(2**31, size=(len(rates), 2)).astype(np.int32)
        begun = (
            self._train_step(
                np.float32(rate), self._momentum, batch.images, batch.boxes,
                *draw_keys(step_seed, self._batch_size, self._keys),
            )
            for batch, rate, step_seed in zip(batches, rates, seeds, strict=False)
        )  # fmt: skip
        fetch, sums = current_backend().fetch, np.zeros(len(LOSSES) + 1)
        for losses in one_behind(begun):
            sums += [*fetch(losses), 1]
        *totals, steps = self._ranks.all_reduce_sum(sums).tolist()
        return int(sums[-1]), {
            name: total / max(steps, 1) for name, total in zip(LOSSES, totals, strict=True)
        }

    def evaluate(self, batches: Iterable[Batch], storms: Sequence[int]) -> Scores:
        """Return the scores of the images in the batches of all ranks.

        Parameters
        ----------
        batches
            Of this rank.
        storms
            Storms of each class in the images of all ranks.
        """
        begun = ((batch.numbers, self._score_step(*self._filled(batch))) for batch in batches)
        fetch, images, found = current_backend().fetch, 0, [np.zeros((0, 4))]
        for numbers, results in one_behind(begun):
            count = len(numbers)
            classes, scores, right, valid = (fetch(one)[:count] for one in results)
            numbers = np.broadcast_to(numbers[:, None], classes.shape)
            found.append(np.stack([numbers, classes, scores, right], -1)[valid].astype(np.float64))
            images += count
        images = int(self._ranks.all_reduce_sum(np.array([images], np.float64))[0])
        precisions = average_precisions(self._ranks.all_gather_rows(np.concatenate(found)), storms)
        return Scores(images, float(np.mean(list(precisions.values()))), precisions)

    def _filled(self, batch: Batch) -> list[NDArray[np.float32]]:
        """Return images and boxes of a batch, with zeros up to the size of a step's."""
        missing = self._batch_size - len(batch.numbers)
        return [
            np.pad(rows, [(0, missing), *[(0, 0)] * (rows.ndim - 1)]) for rows in (batch.images, batch.boxes)
        ]

    def _loss(self, images: Any, rows: Any, anchor_keys: Any, region_keys: Any) -> tuple[Any, Any]:
        """Return the loss, and its four terms."""
        from keras import ops

        storms = truth(rows)
        levels, objectness, offsets = self._features(images, training=True)
        anchors = ops.concatenate(self._anchors, 0)
        sample = sample_anchors(anchors, storms, self._detecting.sampled_anchors, anchor_keys)
        first = proposal_losses(
            ops.concatenate(objectness, 1), ops.concatenate(offsets, 1), anchors, sample, storms
        )
        # Nothing of the choice has a gradient, and JAX has none of a loop of unknown length.
        objectness, offsets = (
            [ops.stop_gradient(one) for one in outputs] for outputs in (objectness, offsets)
        )
        regions, sample = self._sampled_regions(objectness, offsets, storms, region_keys)
        second = head_losses(*self._heads(levels, regions, training=True), regions, sample, storms)
        losses = ops.stack([*first, *second])
        return ops.sum(losses), ops.stop_gradient(losses)

    def _sampled_regions(
        self, objectness: list[Any], offsets: list[Any], storms: Truth, keys: Any
    ) -> tuple[Any, Sample]:
        """Return the regions that the head learns from: proposals, and the storms themselves."""
        from keras import ops

        most = self._detecting.train_proposals
        regions, valid = propose(objectness, offsets, self._anchors, self._shape, most, most)
        regions = ops.concatenate([regions, storms.boxes], 1)
        valid = ops.concatenate([valid, storms.valid], 1)
        sample = sample_regions(regions, valid, storms, self._detecting.sampled_regions, keys)
        return picked(regions, sample.places), sample

    def _score(self, images: Any, rows: Any) -> tuple[Any, ...]:
        levels, objectness, offsets = self._features(images, training=False)
        most = self._detecting.test_proposals
        regions, valid = propose(objectness, offsets, self._anchors, self._shape, most, most)
        found = detect(*self._heads(levels, regions, training=False), regions, valid, self._shape)
        return found.classes, found.scores, right_detections(found, truth(rows)), found.valid

    def _features(self, images: Any, *, training: bool) -> tuple[list[Any], list[Any], list[Any]]:
        """Return the pyramid's levels, and objectness and offsets of their anchors."""
        from keras import ops

        scaled = (ops.transpose(images, (0, 2, 3, 1)) - self._means) / self._spreads
        outputs, count = self.proposer(scaled, training=training), len(self._anchors)
        return outputs[:count], outputs[count : 2 * count], outputs[2 * count :]

    def _heads(self, levels: list[Any], regions: Any, *, training: bool) -> tuple[Any, Any]:
        """Return logits and offsets of all regions, images × regions × classes."""
        from keras import ops

        features = roi_align(levels[:_HEAD_LEVELS], regions, self._detecting.smallest_anchor)
        shape, outputs = (self._batch_size, regions.shape[1]), self._classes + 1
        logits, offsets = self.head(ops.reshape(features, (-1, *features.shape[2:])), training=training)
        return ops.reshape(logits, (*shape, outputs)), ops.reshape(offsets, (*shape, outputs, 4))
