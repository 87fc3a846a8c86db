"""The loop of a training: a test, then epochs of steps, each with a test, until a condition ends it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workloads.context import Context
from workloads.deep500.optimizers.updates import Update
from workloads.deep500.training.network import Step
from workloads.deep500.training.samplers import ordered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Batches = Iterator[NDArray[np.int64]]


@dataclass(slots=True)
class Stopping:
    """Conditions, of which 0 stands for none; the time counts from the making of this object.

    Parameters
    ----------
    target_accuracy
        Test accuracy in percent at which the training ends.
    time_limit
        Seconds; looked at before each epoch, each step, and each test.
    max_steps
        Steps of the optimizer.

    Attributes
    ----------
    reason
        Why the training ends; empty while it goes on.
    steps
        Steps that were taken.
    reached
        Seconds and epochs until the target was reached; None before.
    """

    target_accuracy: float = 0.0
    time_limit: float = 0.0
    max_steps: int = 0
    reason: str = ""
    steps: int = 0
    reached: tuple[float, int] | None = None
    _begin: float = field(default_factory=lambda: time.monotonic())

    @property
    def seconds(self) -> float:
        """Seconds since the begin."""
        return time.monotonic() - self._begin

    def before_step(self) -> bool:
        """Return whether another step may begin."""
        if self.time_limit and self.seconds >= self.time_limit:
            self.reason = "time limit"
        elif self.max_steps and self.steps >= self.max_steps:
            self.reason = "steps"
        return not self.reason

    def after_test(self, accuracy: float, epochs: int) -> None:
        """Take note of a test accuracy after so many epochs."""
        if self.target_accuracy and accuracy >= self.target_accuracy and self.reached is None:
            self.reached = self.seconds, epochs
            self.reason = "accuracy"


@dataclass(frozen=True, slots=True)
class Images:
    """A data set.

    Parameters
    ----------
    pixels, labels
        Of all images.
    shown
        Returns pixels as the network takes them.
    """

    pixels: NDArray[np.uint8]
    labels: NDArray[np.int64]
    classes: int
    shown: Callable[[NDArray[np.uint8]], NDArray[np.float32]]

    def batch(self, indices: NDArray[np.int64]) -> tuple[Any, Any]:
        """Return images and labels, ready for a step."""
        return self.shown(self.pixels[indices]), self.labels[indices].astype("int32")


@dataclass(slots=True)
class Summary:
    """Result of an epoch, or of a test.

    Parameters
    ----------
    epoch, part
        Number of the epoch, 0 for the test before the first; ``train`` or ``test``.
    batches, samples
        What was really shown: a partial batch is one, with the samples that it has.
    right
        Samples with the right answer, of each batch before the step that it is used for.
    """

    epoch: int
    part: str
    batches: int = 0
    samples: int = 0
    right: int = 0
    seconds: float = 0.0
    _losses: float = field(default=0.0)

    HEADER = "epoch,part,seconds,batches,samples,wrong,loss,accuracy"

    def add(self, samples: int, right: int, loss: float) -> None:
        """Add a batch with its mean loss."""
        self.batches, self.samples, self.right = self.batches + 1, self.samples + samples, self.right + right
        self._losses += loss * samples

    @property
    def accuracy(self) -> float:
        """Share of the shown samples with the right answer, in percent; 0 where none was shown."""
        return 100 * self.right / self.samples if self.samples else 0.0

    @property
    def loss(self) -> float:
        """Mean loss of the shown samples; 0 where none was shown."""
        return self._losses / self.samples if self.samples else 0.0

    def __str__(self) -> str:
        return (
            f"{self.epoch},{self.part},{self.seconds:.3f},{self.batches},{self.samples},"
            f"{self.samples - self.right},{self.loss:.6g},{self.accuracy:.3f}"
        )


@dataclass(frozen=True, slots=True)
class Trainer:
    """A network with what trains and tests it.

    Parameters
    ----------
    context
        Takes what is recorded.
    step
        Loss, right answers and gradients of a batch.
    score
        Loss and right answers of a batch of the test set.
    fetch
        Returns a value of the framework in host memory.
    """

    context: Context
    step: Step
    score: Callable[[Any, Any], tuple[Any, Any]]
    update: Update
    fetch: Callable[[Any], Any]

    def train(self, images: Images, batches: Batches, rate: float, epoch: int, stopping: Stopping) -> Summary:
        """Take the steps of an epoch, as far as nothing ends the training.

        Raises
        ------
        RuntimeError
            If the loss is not finite.
        """
        import numpy as np

        found, begin = Summary(epoch, "train"), time.monotonic()
        sampled = self.context.timed("sampling_seconds", batches)
        while stopping.before_step() and (indices := next(sampled, None)) is not None:
            shown, labels = next(self.context.timed("dataset_seconds", map(images.batch, [indices])))
            self.context.record("dataset_bias", np.bincount(labels, minlength=images.classes).tolist())
            self.update.begin(rate)
            value, right, gradients = self.step(shown, labels)
            self.update.apply(gradients, rate)
            stopping.steps += 1
            loss = float(self.fetch(value))
            if not math.isfinite(loss):
                raise RuntimeError(f"the training diverged: its loss is {loss} in step {stopping.steps}")
            found.add(len(labels), int(self.fetch(right)), loss)
        return _printed(found, begin)

    def test(self, images: Images, batch_size: int, epoch: int) -> Summary:
        """Score all images, the last partial batch included."""
        found, begin = Summary(epoch, "test"), time.monotonic()
        for indices in ordered(images.labels, batch_size, drop_last=False, seed=0, epoch=0):
            shown, labels = images.batch(indices)
            value, right = self.score(shown, labels)
            found.add(len(labels), int(self.fetch(right)), float(self.fetch(value)))
        return _printed(found, begin)


def _printed(found: Summary, begin: float) -> Summary:
    found.seconds = time.monotonic() - begin
    print(found, flush=True)
    return found
