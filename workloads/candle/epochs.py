"""Train a compiled Keras model epoch by epoch on all ranks of an instance.

Between epochs the ranks agree on whether to go on, rank 0 writes a checkpoint where one is asked for, and
the learning rate may fall. Each rank shuffles its rows on its own; a training that goes on from a checkpoint
passes over them in another order than one that was never interrupted.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from workloads.candle.parallel import ParallelParameters, RankShare
from workloads.candle.training import logged_metrics
from workloads.context import Context, Metric
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import set_seed, synchronise
from workloads.runtime.step_count import keras_steps, sample_counter, step_metrics
from workloads.runtime.training.resumption import Resumption


@dataclass(slots=True)
class Plateau:
    """The rule and its state, which a checkpoint keeps.

    Parameters
    ----------
    patience
        Epochs without improvement after which the rate falls; 0: never.
    factor
        What it is multiplied by.
    least_gain
        Smallest fall of the loss that counts as an improvement.
    best, waited
        Lowest loss so far, and epochs since.
    """

    patience: int = 10
    factor: float = 0.1
    least_gain: float = 1e-4
    best: float = float("inf")
    waited: int = 0

    def next_rate(self, rate: float, loss: float) -> float:
        """Return the learning rate of the next epoch."""
        if loss < self.best - self.least_gain:
            self.best, self.waited = loss, 0
            return rate
        self.waited += 1
        if not self.patience or self.waited < self.patience:
            return rate
        self.waited = 0
        return rate * self.factor


# A checkpoint of a training that differs in another parameter, or in seed, ranks or data, is not used.
_MAY_CHANGE = {"epochs", "time_limit", "loader", "chunk_rows"}
_HOW_READ = ("loader", "cache", "cache_stage")


@dataclass(frozen=True, slots=True)
class Feed:
    """Data that Keras trains on.

    Parameters
    ----------
    train
        Returns keyword arguments of ``fit`` from an epoch on, counted from 0: inputs, targets, batch size.
    validation
        ``validation_data`` of ``fit``.
    facts
        Facts of the data, which a checkpoint must have in common with the training.
    """

    train: Callable[[int], Mapping[str, Any]]
    validation: Any
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A training that is ready to start.

    Parameters
    ----------
    model
        Compiled, with an optimizer from `parallel_optimizer`.
    evaluate
        Scores the trained model; the first metric is the accuracy.
    plateau
        Rule by which the learning rate falls; None: it stays.
    """

    model: Any
    feed: Feed
    evaluate: Callable[[], tuple[Metric, ...]]
    plateau: Plateau | None = None


@dataclass(slots=True)
class Progress:
    """How far a training is; kept with a checkpoint.

    Parameters
    ----------
    epochs
        Epochs completed by this rank.
    best, waited
        State of the `Plateau`.
    losses
        What Keras logged of the last epoch.
    first_val_loss
        Validation loss after the first epoch.
    seconds
        Of each epoch of this attempt.
    """

    epochs: int = 0
    best: float = math.inf
    waited: int = 0
    losses: dict[str, float] = field(default_factory=dict)
    first_val_loss: float = math.nan
    seconds: list[float] = field(default_factory=list)


class EpochLoop:
    """The epochs of one training.

    Parameters
    ----------
    parameters, share
        Of the training, and of each rank.
    context
        Seed, phases, and the directory of checkpoints.
    ranks
        Those who train it together.
    """

    def __init__(
        self,
        prepared: Prepared,
        parameters: ParallelParameters,
        share: RankShare,
        context: Context,
        ranks: Ranks,
    ) -> None:
        self._model, self._feed, self._plateau = prepared.model, prepared.feed, prepared.plateau
        self._parameters, self._share, self._context, self._ranks = parameters, share, context, ranks
        self._counter: Any = sample_counter()
        self._began = time.monotonic()
        self.progress = Progress()
        identity = {name: value for name, value in asdict(parameters).items() if name not in _MAY_CHANGE}
        facts = {name: value for name, value in prepared.feed.facts.items() if name not in _HOW_READ}
        self._kept = Resumption(context, ranks, identity | {"data": facts} if parameters.resume else None)
        if not self._model.optimizer.built:
            self._model.optimizer.build(self._model.trainable_variables)

    @property
    def resumed_from(self) -> int | None:
        """Epoch of the checkpoint that the training went on from; None if it began anew."""
        return self._kept.epoch

    def start(self) -> None:
        """Give all ranks the state of the last whole checkpoint, or else rank 0's first weights.

        The wait for the slowest rank and the transfer of the weights are phases of their own.
        """
        with self._context.phase("broadcast_wait"):
            found = self._kept.read(self._variables, self._assign)
        if found is not None:
            self.progress = Progress(**found, seconds=[])
        if self._ranks.size == 1:
            return
        with self._context.phase("broadcast"):
            self._ranks.broadcast(self._tensors())
        with self._context.phase("compare_weights"):
            self._ranks.assert_in_sync(self._tensors(), "at the start")

    def train(self) -> None:
        """Train until the last epoch or the time limit; rank 0 prints a line of CSV after each epoch.

        Raises
        ------
        RuntimeError
            If the training diverges, or the ranks' weights differ at the end.
        """
        if self._ranks.rank == 0:
            print("epoch,seconds,learning_rate,loss,val_loss")
        if self.progress.epochs < self._share.epochs:
            self._fit(self._share.epochs, self._after_epoch)
        if self._ranks.size > 1:
            with self._context.phase("compare_weights"):
                self._ranks.assert_in_sync(self._tensors(), f"after epoch {self.progress.epochs}")
        if self._share.alone and self.progress.epochs == self._share.epochs:
            self._train_alone()

    def metrics(self) -> tuple[Metric, ...]:
        """Return what is worth keeping of the whole training; all ranks call it.

        Samples are those of all ranks, steps and epochs those of this one.
        """
        import numpy as np

        progress = self.progress
        samples = int(self._ranks.all_reduce_sum(np.array([self._counter.samples], np.float64))[0])
        found = [
            *logged_metrics(progress.losses),
            Metric("first_epoch_val_loss", progress.first_val_loss),
            Metric("epochs_run", progress.epochs),
            *step_metrics(keras_steps(self._model), samples),
            Metric("batch_size_of_rank", self._share.batch_size),
            Metric("learning_rate_of_rank", self._share.learning_rate),
            Metric("ranks", self._ranks.size),
        ]
        if progress.seconds:
            found.append(Metric("median_epoch_seconds", float(np.median(progress.seconds)), "s"))
            found.append(Metric("first_epoch_seconds", progress.seconds[0], "s"))
            found.append(Metric("samples_per_second", samples / sum(progress.seconds), "1/s"))
        if self._kept.writes:
            found.append(Metric("checkpoints_written", self._kept.written))
        return (*found, *self._kept.resumed_metrics())

    def _fit(self, last: int, after_epoch: Callable[[int, dict[str, float]], bool]) -> None:
        """Train from the present epoch up to epoch `last`, or until `after_epoch` returns true."""
        import keras

        first, began = self.progress.epochs, time.monotonic()
        set_seed(_seed(self._context.seed, self._ranks.rank, first))

        def note(epoch: int, logs: Mapping[str, Any]) -> None:
            nonlocal began
            synchronise()
            self.progress.seconds.append(time.monotonic() - began)
            losses = {name: float(value) for name, value in logs.items()}
            for name, value in losses.items():
                self._context.curve(name, value, epoch=epoch + 1)
            if not math.isfinite(losses["loss"]):
                raise RuntimeError(
                    f"the training diverged: its loss is {losses['loss']} in epoch {epoch + 1}"
                )
            if epoch == 0:
                self.progress.first_val_loss = losses["val_loss"]
            self.progress.epochs, self.progress.losses = epoch + 1, losses
            if after_epoch(epoch, losses):
                self._model.stop_training = True
            began = time.monotonic()

        with self._context.phase("train"):
            self._model.fit(
                **self._feed.train(first),
                initial_epoch=first,
                epochs=last,
                validation_data=self._feed.validation,
                callbacks=[self._counter, keras.callbacks.LambdaCallback(on_epoch_end=note)],
                verbose=0,
            )
        self._context.phases["train"] -= self._context.phases.get("checkpoint", 0.0)

    def _after_epoch(self, epoch: int, losses: Mapping[str, float]) -> bool:
        """Adapt the learning rate, print, write a checkpoint; tell whether the training ends here."""
        progress, rate = self.progress, float(self._model.optimizer.learning_rate)
        if self._plateau is not None:
            rule = replace(self._plateau, best=progress.best, waited=progress.waited)
            # The ranks validate the same weights on the same rows, and rounding may still differ.
            loss = float(self._ranks.broadcast_object(lambda: losses["val_loss"]))
            self._model.optimizer.learning_rate = rule.next_rate(rate, loss)
            progress.best, progress.waited = rule.best, rule.waited
        if self._ranks.rank == 0:
            print(
                f"{epoch + 1},{progress.seconds[-1]:.3f},{rate:.6g},{losses['loss']:.6g},"
                f"{losses['val_loss']:.6g}",
                flush=True,
            )
        if self._kept.writes:
            with self._context.phase("checkpoint"):
                self._kept.write(self.progress, self._values, but=("seconds",))
        late = time.monotonic() - self._began >= self._parameters.time_limit
        return bool(self._ranks.broadcast_object(lambda: late))

    def _train_alone(self) -> None:
        """Train the remaining epochs on the last rank, and give its weights to all."""
        last = self._ranks.size - 1

        def remaining() -> dict[str, float] | None:
            if self._ranks.rank != last:
                return None
            self._model.optimizer.averages = False
            self._model.make_train_function(force=True)
            self._fit(self._share.epochs + self._share.alone, lambda _epoch, _losses: False)
            return self.progress.losses

        self.progress.losses = self._ranks.all_gather_object(remaining)[last]
        self._ranks.broadcast(self._tensors(), root=last)
        self._ranks.assert_in_sync(self._tensors(), f"after the last rank's {self._share.alone} epochs")
        self.progress.epochs = self._share.epochs + self._share.alone

    def _variables(self) -> list[Any]:
        return [*self._model.weights, *self._model.optimizer.variables]

    def _tensors(self) -> list[Any]:
        """Return what the ranks exchange: TensorFlow's variables, or else Keras's."""
        import keras

        variables = self._variables()
        if keras.backend.backend() != "tensorflow":
            return variables
        return [variable.value for variable in variables]

    def _assign(self, arrays: Sequence[Any]) -> None:
        for variable, array in zip(self._variables(), arrays, strict=True):
            variable.assign(array)

    def _values(self) -> list[Any]:
        import keras

        return [keras.ops.convert_to_numpy(variable) for variable in self._variables()]


def rank_phase_metrics(phases: Mapping[str, float], ranks: Ranks) -> tuple[Metric, ...]:
    """Return each phase's seconds of the slowest rank, its number, and the mean; all ranks call it."""
    if ranks.size == 1:
        return ()
    return slowest_ranks(ranks.all_gather_object(lambda: dict(phases)))


def slowest_ranks(phases: Sequence[Mapping[str, float]]) -> tuple[Metric, ...]:
    """Return metrics of the ranks' phases, given in rank order."""
    found = []
    for name in phases[0]:
        seconds = [one.get(name, 0.0) for one in phases]
        slowest = max(seconds)
        found += [
            Metric(f"{name}_seconds_of_slowest_rank", slowest, "s"),
            Metric(f"{name}_slowest_rank", seconds.index(slowest)),
            Metric(f"{name}_seconds_mean_of_ranks", math.fsum(seconds) / len(seconds), "s"),
        ]
    return tuple(found)


def _seed(seed: int, rank: int, epoch: int) -> int:
    """Return the seed of a rank's epochs from one on, which shuffles its rows; below 2³²."""
    return int.from_bytes(hashlib.blake2b(f"{seed} {rank} {epoch}".encode(), digest_size=4).digest(), "big")
