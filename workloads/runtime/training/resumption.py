"""Checkpoints of a training on all ranks of an instance: rank 0 reads and writes them for all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from workloads.context import Context, Metric
from workloads.runtime.checkpoints import Checkpoint, Checkpoints, checkpoints_of
from workloads.runtime.collectives import Ranks


def identity_of(parameters: Any, may_change: Collection[str]) -> dict[str, Any]:
    """Return the parameters, of a dataclass, that a checkpoint must have in common with a training.

    TensorFlow is not named among them, as in checkpoints from before there was a choice.
    """
    given = asdict(parameters)
    if given.get("framework") == "tensorflow":
        given.pop("framework")
    return {name: value for name, value in given.items() if name not in may_change}


class Resumption:
    """From which epoch a training goes on, and the checkpoints that it leaves.

    Parameters
    ----------
    identity
        What a checkpoint must have in common with this training, beside seed and ranks; None: there are no
        checkpoints.
    """

    def __init__(self, context: Context, ranks: Ranks, identity: Mapping[str, Any] | None) -> None:
        self._ranks = ranks
        self._checkpoints: Checkpoints | None = None
        self.epoch: int | None = None
        if identity is not None and ranks.rank == 0:
            self._checkpoints = checkpoints_of(context, {**identity, "ranks": ranks.size})

    @property
    def writes(self) -> bool:
        """True on the rank that writes checkpoints."""
        return self._checkpoints is not None

    def read(
        self, variables: Callable[[], Sequence[Any]], assign: Callable[[Sequence[Any]], None]
    ) -> dict[str, Any] | None:
        """Load the last whole checkpoint into rank 0 and return its progress to all; None if there is none.

        `variables` returns what has the shapes of the arrays, `assign` gives the arrays to the model.
        """

        def of_this_rank() -> dict[str, Any] | None:
            if self._checkpoints is None:
                return None
            found = self._checkpoints.read([tuple(variable.shape) for variable in variables()])
            if found is not None:
                assign(found.arrays)
            return None if found is None else found.facts

        progress: dict[str, Any] | None = self._ranks.broadcast_object(of_this_rank)
        if progress is not None:
            self.epoch = progress["epochs"]
        return progress

    def write(self, progress: Any, values: Callable[[], Sequence[Any]], *, but: tuple[str, ...] = ()) -> None:
        """Write a checkpoint on rank 0: progress, a dataclass, without the fields `but`, and the arrays."""
        if self._checkpoints is not None:
            facts = {name: value for name, value in asdict(progress).items() if name not in but}
            self._checkpoints.write(Checkpoint(progress.epochs, list(values()), facts))

    @property
    def written(self) -> int:
        """Number of checkpoints that this rank wrote."""
        return self._checkpoints.written if self._checkpoints else 0

    def resumed_metrics(self) -> list[Metric]:
        """Return the epoch that the training went on from, if it did."""
        return [] if self.epoch is None else [Metric("resumed_from_epoch", self.epoch)]
