"""Optimizer steps that a training takes, computed from its parameters and the facts of its data.

A workload's description holds one of these plans as plain data, so that a ledger can be judged without a
deep-learning framework. The steps that a training really took are counted while it runs: metric
``optimizer_steps``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_ROOTS = {"linear": 1, "square_root": 2, "cubic_root": 3}
BATCH_SCALINGS = ("none", *_ROOTS)
"""Ways in which a rank's batch grows with the number of ranks."""
LOSS_SCALE_HALVINGS = 15
"""Keras starts float16 training with a loss scale of 2¹⁵ and halves it when a gradient overflows."""
LOSS_SCALE_GROWTH_STEPS = 2000
"""After this many steps Keras doubles the loss scale, which may overflow once more."""


def scaled_batch_size(batch_size: int, scaling: str, ranks: int) -> int:
    """Return the rows of one rank's batch, rounded down: B·N, B·√N or B·∛N; B with scaling ``none``.

    The arithmetic is exact: the largest whole number whose power is not above B to that power times N.
    """
    if scaling not in _ROOTS:
        return batch_size
    power = _ROOTS[scaling]
    limit = batch_size**power * ranks
    found = int(limit ** (1 / power))
    while found**power > limit:
        found -= 1
    while (found + 1) ** power <= limit:
        found += 1
    return found


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one pass over a training set.

    Parameters
    ----------
    fact
        Name of the number of rows among the facts of the data.
    held_out
        Share of them that is split off for validation: the rows before ``int(rows × (1 − held_out))`` train.
    held_out_first
        The share is of the first rows instead: all but ``int(rows × held_out)`` train.
    """

    fact: str
    held_out: float = 0.0
    held_out_first: bool = False

    def number(self, facts: Mapping[str, Any]) -> int | None:
        """Return the rows that train; None where the facts do not state them."""
        rows = facts.get(self.fact)
        if isinstance(rows, bool) or not isinstance(rows, int):
            return None
        if self.held_out_first:
            return rows - int(rows * self.held_out)
        return int(rows * (1 - self.held_out)) if self.held_out else rows


@dataclass(frozen=True, slots=True)
class EpochSteps:
    """A training in epochs: one step for each batch of each set of rows.

    Parameters
    ----------
    rows
        Sets of rows that an epoch passes over, one after another.
    batch_size
        Parameter with the rows of one rank's batch.
    drops_last
        Whether an incomplete last batch is left out.
    """

    rows: tuple[Rows, ...]
    batch_size: str = "batch_size"
    drops_last: bool = False
    in_epochs = True

    def steps(
        self, parameters: Mapping[str, Any], facts: Mapping[str, Any], epochs_run: int | None, ranks: int
    ) -> int | None:
        """Return the steps of `epochs_run` epochs; see `expected_optimizer_steps`."""
        numbers = [one.number(facts) for one in self.rows]
        known = [number for number in numbers if number is not None]
        if epochs_run is None or len(known) < len(numbers):
            return None
        batch = int(parameters[self.batch_size]) * ranks
        return epochs_run * sum(
            number // batch if self.drops_last else -(-number // batch) for number in known
        )


@dataclass(frozen=True, slots=True)
class WholeSetSteps:
    """A training in epochs in which every rank passes over all rows, in batches that may grow with the ranks.

    Parameters
    ----------
    rows
        Rows that an epoch passes over.
    drops_last
        Whether an incomplete last batch is left out.
    """

    rows: Rows
    drops_last: bool = False
    in_epochs = True

    def steps(
        self, parameters: Mapping[str, Any], facts: Mapping[str, Any], epochs_run: int | None, ranks: int
    ) -> int | None:
        """Return the steps of `epochs_run` epochs; see `expected_optimizer_steps`."""
        number = self.rows.number(facts)
        if epochs_run is None or number is None:
            return None
        batch = scaled_batch_size(int(parameters["batch_size"]), parameters["batch_scaling"], ranks)
        return epochs_run * (number // batch if self.drops_last else -(-number // batch))


@dataclass(frozen=True, slots=True)
class FixedSteps:
    """A training of as many steps as parameters state.

    Parameters
    ----------
    parameters
        Names of the parameters whose sum it is.
    more
        Steps beside them, such as an untimed first one.
    """

    parameters: tuple[str, ...]
    more: int = 0
    in_epochs = False

    def steps(
        self,
        parameters: Mapping[str, Any],
        facts: Mapping[str, Any],  # noqa: ARG002
        epochs_run: int | None,  # noqa: ARG002
        ranks: int,  # noqa: ARG002
    ) -> int | None:
        """Return the sum of the parameters; see `expected_optimizer_steps`."""
        return self.more + sum(int(parameters[name]) for name in self.parameters)


StepPlan = EpochSteps | WholeSetSteps | FixedSteps


def expected_optimizer_steps(
    plan: StepPlan,
    parameters: Mapping[str, Any],
    facts: Mapping[str, Any],
    epochs_run: int | None,
    ranks: int = 1,
) -> int | None:
    """Return the optimizer steps of a whole training.

    Parameters
    ----------
    facts
        Facts of the data that the training read.
    epochs_run
        Epochs that it reports; None where it reports none.
    ranks
        Processes that share each step.

    Returns
    -------
    int or None
        None if epochs or facts are missing, or a campaign is older than a parameter that the plan names.
    """
    try:
        return plan.steps(parameters, facts, epochs_run, ranks)
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return None


def most_skipped_steps(precision: str, expected: int) -> int:
    """Return how many of the expected steps may be left out because float16 gradients overflow."""
    if "float16" not in precision.replace("bfloat16", ""):
        return 0
    return LOSS_SCALE_HALVINGS + -(-expected // LOSS_SCALE_GROWTH_STEPS)
