"""One rank's training: run, compared with a replay, and scored."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workloads.context import Metric
from workloads.deep500.distributed import own_optimizer
from workloads.deep500.distributed.collectives import Collectives, expected_bytes, vector_bytes
from workloads.deep500.distributed.compressed_gradients import CompressedGradients, compressed
from workloads.deep500.distributed.compressed_replay import CompressedReplay
from workloads.deep500.distributed.definition import DistributedParameters
from workloads.deep500.distributed.figures import (
    Measured,
    byte_figures,
    distance_figures,
    largest_distance,
    loss_figures,
    staleness_figures,
    step_figures,
)
from workloads.deep500.distributed.learners import LEARNERS
from workloads.deep500.distributed.problem import Problem
from workloads.deep500.distributed.reference import Replay, accuracy_and_loss, error_over_bound
from workloads.deep500.distributed.schemes import INCONSISTENT, Trained, Update, train
from workloads.metrics.outputs import storable

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Training:
    """Training of one rank, as often as asked for, always from the same parameters."""

    def __init__(
        self,
        parameters: DistributedParameters,
        ranks: Collectives,
        problem: Problem,
        synchronise: Callable[[], None],
    ) -> None:
        self.parameters, self.ranks, self.problem = parameters, ranks, problem
        self.synchronise = synchronise
        self.rows = parameters.rows_of_rank(ranks.size)
        self.learner = LEARNERS[parameters.framework](
            problem, lambda step: problem.batch(step, ranks.rank, ranks.size, self.rows), parameters.precision
        )
        self.compression = parameters.compression_of(problem.seed)
        self.own = own_optimizer.load(parameters.rule)
        self.observed: dict[str, Any] = (
            {}
            if self.own is None
            else {
                "optimizer": parameters.rule,
                "compared_with": parameters.scheme if self.own.reference is None else "reference of the rule",
            }
        )

    def run(
        self, steps: int, gradients: CompressedGradients | None = None, *, plain: bool = False
    ) -> Trained:
        """Train so many steps on every rank.

        Parameters
        ----------
        steps
            Of each rank.
        gradients
            Compress each gradient; None: new ones do, where the parameters ask for compression.
        plain
            Exchange gradients as they are.
        """
        given, learner = self.parameters, self.learner
        update: Update | None = None
        if self.own is not None:
            update = self.own.begin()
        elif self.compression is not None and not plain:
            gradients = gradients or CompressedGradients(self.compression, self.ranks)
            update = compressed(gradients, learner.fetch, learner.place)
        return train(
            given.scheme, learner.initial, learner.gradient, steps, given.rules, self.ranks, self.synchronise,
            update,
        )  # fmt: skip

    def validate(self) -> tuple[Metric, ...]:
        """Compare some steps on all ranks with their replay, and return the error of the worst rank."""
        given = self.parameters
        gradients = None
        if self.compression is not None:
            gradients = CompressedGradients(self.compression, self.ranks, record=True)
        trained = self.run(given.validated_steps, gradients)
        expected, worst = self._replayed(trained, gradients)
        found = self.learner.fetch(trained.parameters)
        error, nonfinite = error_over_bound(found, expected, given.precision, given.validated_steps)
        errors = self.ranks.gather_objects((max(error, storable(worst)), nonfinite))
        nonfinite = sum(number for _, number in errors)
        return (
            Metric("error_over_bound", max(error for error, _ in errors)),
            *((Metric("nonfinite_outputs", nonfinite),) if nonfinite else ()),
        )

    def _replayed(
        self, trained: Trained, gradients: CompressedGradients | None
    ) -> tuple[NDArray[Any], float]:
        """Return this rank's parameters by the replay, and the worst decision of compressed gradients."""
        given = self.parameters
        order = self.ranks.gather_objects(trained.order)[0]
        replay = Replay(
            self.problem, given.scheme, self.ranks.size, given.validated_steps, self.rows,
            given.learning_rate, given.local_steps, [(rank, version) for rank, version in order],
        )  # fmt: skip
        if self.compression is not None and gradients is not None:
            decisions = gradients.of_all_ranks()
            return CompressedReplay(replay, self.compression, decisions, given.precision).parameters()
        if self.own is not None and self.own.reference is not None:
            of_ranks = self.own.replayed(replay, given.rules)
        else:
            of_ranks = replay.parameters()
        return of_ranks[self.ranks.rank], 0.0

    def evaluate(self, measured: Measured) -> tuple[float, tuple[Metric, ...]]:
        """Return the mean test accuracy of the ranks, and the figures of the training."""
        trained, given, fetch = measured.trained, self.parameters, self.learner.fetch
        accuracy, loss = self._scores(trained)
        # The same training without compression, which no figure of time or bytes is of.
        uncompressed = None if self.compression is None else self._scores(self.run(given.steps, plain=True))
        mean = fetch(self.ranks.all_reduce_mean(trained.parameters))
        distances = self.ranks.gather_objects(largest_distance(fetch(trained.parameters), mean))
        figures = (
            *step_figures(measured, self.rows * self.ranks.size, given.validated_steps),
            *byte_figures(measured, self._expected_bytes()),
            *(staleness_figures(measured.order, self.ranks.size) if given.scheme == INCONSISTENT else ()),
            *distance_figures(distances),
            *loss_figures(loss, uncompressed),
            Metric("trainable_parameters", self.problem.sizes.parameters),
        )
        return accuracy, figures

    def _expected_bytes(self) -> float | None:
        """Return the bytes that a rank sends in a step; None of an own optimizer, which says none."""
        given, vector = self.parameters, vector_bytes(self.learner.initial)
        if self.own is not None:
            return None
        if self.compression is not None:
            return self.compression.expected_bytes(vector // self.compression.elements, self.ranks.size)
        return expected_bytes(given.scheme, vector, self.ranks.size, given.steps, given.local_steps)

    def _scores(self, trained: Trained) -> tuple[float, float]:
        """Return the mean test accuracy and the mean test loss of the ranks."""
        own = accuracy_and_loss(self.problem, self.learner.fetch(trained.parameters))
        accuracies, losses = zip(*self.ranks.gather_objects(own), strict=True)
        return math.fsum(accuracies) / self.ranks.size, math.fsum(losses) / self.ranks.size
