"""How ranks that train one model exchange what they learn: the five schemes, for vectors of any library.

A step takes the gradient of this rank's batch and then communicates.

- `consistent_centralised`: rank 0 gathers all gradients, applies their mean and broadcasts the parameters.
- `consistent_decentralised`: all-reduce of the gradients, whose mean every rank applies.
- `inconsistent_centralised`: a parameter server that applies each gradient as it comes, see `stale_server`.
- `model_averaging`: every rank applies its own gradient; every `local_steps` steps an all-reduce averages the
  parameters.
- `neighbour_exchange`: every rank applies the mean of its own gradient and those of its left and right
  neighbour in a ring; of two ranks, the other is both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from workloads.deep500.distributed.collectives import Collectives
from workloads.deep500.distributed.stale_server import StaleServer, serve

DECENTRALISED, INCONSISTENT = "consistent_decentralised", "inconsistent_centralised"
Gradient = Callable[[Any, int], Any]
"""The gradient at some parameters of this rank's batch of a step."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Constants of a training's updates.

    Parameters
    ----------
    learning_rate
        Of the mean gradient of all ranks.
    local_steps
        Steps between two averagings; of ``model_averaging``.
    staleness
        Steps by which a rank may be ahead of the slowest one; of ``inconsistent_centralised``.
    """

    learning_rate: float
    local_steps: int = 1
    staleness: int = 0


@dataclass(slots=True)
class Trained:
    """State of a rank after its last step.

    Parameters
    ----------
    parameters
        This rank's.
    seconds
        Of each of its steps.
    order
        Rank and version read of every update of a server, in the order of the updates; on rank 0.
    """

    parameters: Any
    seconds: list[float] = field(default_factory=list)
    order: list[tuple[int, int]] = field(default_factory=list)


Update = Callable[[Any, Any, int, Rules, Collectives], Any]
"""Parameters after a synchronous step, of parameters, gradient, step from 0, constants and ranks."""


def _centralised(parameters: Any, gradient: Any, step: int, rules: Rules, ranks: Collectives) -> Any:  # noqa: ARG001
    gathered = ranks.gather(gradient)
    if gathered is not None:
        parameters = parameters - rules.learning_rate * mean(gathered)
    return ranks.broadcast(parameters)


def _decentralised(parameters: Any, gradient: Any, step: int, rules: Rules, ranks: Collectives) -> Any:  # noqa: ARG001
    return parameters - rules.learning_rate * ranks.all_reduce_mean(gradient)


def _averaging(parameters: Any, gradient: Any, step: int, rules: Rules, ranks: Collectives) -> Any:
    moved = parameters - rules.learning_rate * gradient
    return ranks.all_reduce_mean(moved) if (step + 1) % rules.local_steps == 0 else moved


def _neighbours(parameters: Any, gradient: Any, step: int, rules: Rules, ranks: Collectives) -> Any:  # noqa: ARG001
    return parameters - rules.learning_rate * mean([gradient, *ranks.neighbours(gradient)])


_SYNCHRONOUS: dict[str, Update] = {
    "consistent_centralised": _centralised,
    DECENTRALISED: _decentralised,
    "model_averaging": _averaging,
    "neighbour_exchange": _neighbours,
}
SCHEMES = ("consistent_centralised", DECENTRALISED, INCONSISTENT, *list(_SYNCHRONOUS)[2:])


def train(
    scheme: str,
    initial: Any,
    gradient: Gradient,
    steps: int,
    rules: Rules,
    ranks: Collectives,
    synchronise: Callable[[], Any] = lambda: None,
    update: Update | None = None,
) -> Trained:
    """Train one rank; all ranks call this together.

    Parameters
    ----------
    synchronise
        Waits until the step that was started is computed; its time ends there.
    update
        Takes the place of the scheme's.

    Raises
    ------
    RankLost
        If another rank ended or no longer answers.
    """
    if update is None and scheme == INCONSISTENT:
        return _train_with_server(initial, gradient, steps, rules, ranks, synchronise)
    update, trained = update or _SYNCHRONOUS[scheme], Trained(initial)
    for step in range(steps):
        begin = time.monotonic_ns()
        slope = gradient(trained.parameters, step)
        trained.parameters = update(trained.parameters, slope, step, rules, ranks)
        synchronise()
        trained.seconds.append((time.monotonic_ns() - begin) / 1e9)
    return trained


def _train_with_server(
    initial: Any,
    gradient: Gradient,
    steps: int,
    rules: Rules,
    ranks: Collectives,
    synchronise: Callable[[], Any],
) -> Trained:
    """Train against the server on rank 0; the last broadcast gives every rank the server's parameters."""
    trained = Trained(initial)
    if ranks.rank == 0:
        server = StaleServer(initial, ranks.size, steps, rules.learning_rate / ranks.size, rules.staleness)
        with serve(server, ranks):
            _learn(trained, gradient, steps, lambda slope: server.exchange(0, slope), synchronise)
        trained.parameters, trained.order = server.parameters, server.order
    else:

        def exchange(slope: Any) -> Any:
            ranks.send(slope, 0)
            return ranks.receive(slope, 0)

        _learn(trained, gradient, steps, exchange, synchronise)
    trained.parameters = ranks.broadcast(trained.parameters)
    return trained


def _learn(
    trained: Trained,
    gradient: Gradient,
    steps: int,
    exchange: Callable[[Any], Any],
    synchronise: Callable[[], Any],
) -> None:
    for step in range(steps):
        begin = time.monotonic_ns()
        trained.parameters = exchange(gradient(trained.parameters, step))
        synchronise()
        trained.seconds.append((time.monotonic_ns() - begin) / 1e9)


def mean(vectors: Sequence[Any]) -> Any:
    """Return the mean of vectors of any library."""
    total = vectors[0]
    for one in vectors[1:]:
        total = total + one
    return total / len(vectors)
