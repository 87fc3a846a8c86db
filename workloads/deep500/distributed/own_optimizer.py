"""A distributed optimizer of a user, in a Python file.

``update(state, parameters, gradient, ranks)`` is called on every rank in every step, and returns the rank's
parameters after it. Parameters and gradient are flat vectors of the framework, which all know ``+ - * /``.
``ranks`` has the operations of `workloads.deep500.distributed.collectives.Collectives` but for ``send`` and
``receive``; every rank calls the same ones in the same order. ``state`` is a dict that begins with
``learning_rate`` and ``local_steps``, has at each step ``step``, from 0, and keeps what the function writes.

``reference(state, parameters, gradients)``, if it is there, takes the same step on all ranks at once, in one
process: the lists have a NumPy vector of float64 for each rank, and so has its result. Without it, the
optimizer is compared with the scheme that it claims to be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloads.deep500 import user_module
from workloads.deep500.distributed.collectives import Collectives
from workloads.deep500.distributed.reference import Replay
from workloads.deep500.distributed.schemes import Rules
from workloads.description import WorkloadError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIGNATURES = {
    "update": "update(state, parameters, gradient, ranks), which returns the parameters after a step",
    "reference": "reference(state, parameters, gradients), which returns the parameters of all ranks",
}


@dataclass(frozen=True, slots=True)
class OwnOptimizer:
    """The functions of an optimizer, as the module describes them.

    Parameters
    ----------
    update, reference
        Of the file; there may be no reference.
    """

    update: Callable[[dict[str, Any], Any, Any, Collectives], Any]
    reference: Callable[[dict[str, Any], list[Any], list[Any]], Any] | None

    def begin(self) -> Callable[[Any, Any, int, Rules, Collectives], Any]:
        """Return the update of one training, with a state of its own."""
        state: dict[str, Any] = {}

        def update(parameters: Any, gradient: Any, step: int, rules: Rules, ranks: Collectives) -> Any:
            _advance(state, step, rules)
            after = self.update(state, parameters, gradient, ranks)
            user_module.require_like(after, parameters, "update")
            return after

        return update

    def replayed(self, replay: Replay, rules: Rules) -> list[NDArray[Any]]:
        """Return the parameters of every rank after the last step of the file's reference, in float64.

        Parameters
        ----------
        replay
            The training; its scheme is not used.

        Raises
        ------
        WorkloadError
            If the reference does not return a vector for each rank.
        """
        assert self.reference is not None  # the caller asks  # noqa: S101
        state: dict[str, Any] = {}
        initial = replay.problem.initial.astype(float)
        held = [initial] * replay.ranks
        for step in range(replay.steps):
            _advance(state, step, rules)
            slopes = [replay.gradient(parameters, step, rank) for rank, parameters in enumerate(held)]
            after = self.reference(state, [parameters.copy() for parameters in held], slopes)
            if not isinstance(after, Sequence) or len(after) != replay.ranks:
                raise WorkloadError(
                    f"reference of the rule must return a list of {replay.ranks} vectors, one for each rank, "
                    f"and returned {type(after).__name__}"
                )
            for parameters in after:
                user_module.require_like(parameters, initial, "reference")
            held = list(after)
        return held


def load(path: str) -> OwnOptimizer | None:
    """Return the optimizer in a file; None for an empty path.

    Raises
    ------
    WorkloadError
        If the file cannot be read or run, or has no function ``update``.
    """
    if not path:
        user_module.forget()
        return None
    module = user_module.load(path)
    update, reference = (getattr(module, name, None) for name in _SIGNATURES)
    for name, function in (("update", update), ("reference", reference)):
        if not callable(function) and (name == "update" or function is not None):
            raise WorkloadError(f"rule {path}: has no function {name}; write def {_SIGNATURES[name]}")
    return OwnOptimizer(update, reference)  # type: ignore[arg-type]


def _advance(state: dict[str, Any], step: int, rules: Rules) -> None:
    state.setdefault("learning_rate", rules.learning_rate)
    state.setdefault("local_steps", rules.local_steps)
    state["step"] = step
