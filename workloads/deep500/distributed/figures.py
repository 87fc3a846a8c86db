"""Figures of a distributed training: seconds of its steps, bytes exchanged, staleness.

Bytes are counted twice, and neither way is derived from the scheme: those of the vectors that a rank gave to
operations, and those that the kernel counted on the rank's TCP sockets. The network interfaces of the node
are read too; they count all processes, and bytes between ranks on one node pass the loopback ``lo``.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from workloads.context import Context, Metric
from workloads.deep500.distributed import socket_bytes
from workloads.deep500.distributed.collectives import Collectives
from workloads.deep500.distributed.schemes import Trained
from workloads.deep500.distributed.stale_server import largest_lead, staleness
from workloads.metrics.figures import with_interval
from workloads.metrics.intervals import median_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray


METRICS = (
    "error_over_bound", "nonfinite_outputs", "wallclock_seconds", "samples_per_second", "communicated_bytes",
    "trainable_parameters", "handed_bytes_per_step", "expected_sent_bytes_per_step",
    "socket_sent_bytes", "socket_sent_bytes_highest", "socket_sent_bytes_per_step",
    "socket_received_bytes", "socket_received_bytes_highest", "socket_received_bytes_per_step",
    "interface_sent_bytes", "interface_received_bytes",
    "staleness_mean", "staleness_highest", "lead_highest", "distance_of_ranks", "test_loss",
    "uncompressed_test_loss", "uncompressed_test_accuracy",
)  # fmt: skip
"""Names that a recipe may use; staleness and bytes on sockets are not of every training."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured training, with what all ranks measured, in rank order.

    Parameters
    ----------
    trained
        Of this rank.
    order
        Order of the updates of a server.
    step_seconds
        Of each step.
    handed
        Bytes given to operations.
    traffic
        Bytes over sockets, as `socket_bytes.Traffic`; None where the kernel does not count them.
    observed
        What the bytes passed.
    """

    trained: Trained
    order: list[tuple[int, int]]
    seconds: Sequence[float]
    step_seconds: Sequence[Sequence[float]]
    handed: Sequence[int]
    traffic: Sequence[Mapping[str, int] | None]
    observed: dict[str, Any] = field(default_factory=dict)

    @property
    def slowest_seconds(self) -> float:
        """Seconds of the training on the rank where it took longest."""
        return max(self.seconds)


def measure(context: Context, ranks: Collectives, run: Callable[[], Trained]) -> Measured:
    """Train on all ranks at once, and gather what each measured."""
    handed, sockets = ranks.handed_bytes, socket_bytes.read()
    ranks.gather_objects(None)  # all begin together
    with context.window():
        begin = time.monotonic_ns()
        trained = context.measure(run, metrics=["interface_sent_bytes"], warm_up=0)
        seconds = max(1, time.monotonic_ns() - begin) / 1e9
    traffic = socket_bytes.since(sockets) if ranks.over_sockets else None
    handed = ranks.handed_bytes - handed
    context.record("communicated_bytes", handed)
    own = {
        "seconds": seconds, "step_seconds": trained.seconds, "handed": handed,
        "traffic": None if traffic is None else asdict(traffic),
    }  # fmt: skip
    all_ranks = ranks.gather_objects(own)
    columns: dict[str, Any] = {name: [one[name] for one in all_ranks] for name in own}
    order = ranks.gather_objects(trained.order)[0]
    counted = "tcp sockets of each rank" if all(columns["traffic"]) else "none"
    updates = [(rank, version) for rank, version in order]
    return Measured(trained, updates, **columns, observed={"bytes_counted_on": counted})


def step_figures(measured: Measured, rows: int, warm_up: int) -> tuple[Metric, ...]:
    """Return the seconds of a step on its slowest rank, with their interval, and samples per second.

    Parameters
    ----------
    rows
        Of a step, on all ranks.
    warm_up
        Steps that were not counted.
    """
    slowest = [max(one) for one in zip(*measured.step_seconds, strict=True)]
    times = with_interval("wallclock_seconds", "s", median_interval(slowest), len(slowest))
    return (
        *(Metric(*one) for one in times),
        Metric("wallclock_seconds_warmup_reruns", warm_up),
        Metric("samples_per_second", rows * len(slowest) / measured.slowest_seconds, "1/s"),
    )


def byte_figures(measured: Measured, expected: float | None) -> tuple[Metric, ...]:
    """Return the bytes of a rank, in all and in a step, beside those that the scheme must send.

    Parameters
    ----------
    expected
        Bytes that a rank sends in a step, the mean over the ranks; None: not known.
    """
    steps = len(measured.trained.seconds)
    found = [Metric("handed_bytes_per_step", statistics.fmean(measured.handed) / steps, "B")]
    if expected is not None:
        found.append(Metric("expected_sent_bytes_per_step", expected, "B"))
    counted = [one for one in measured.traffic if one is not None]
    if len(counted) == len(measured.traffic):
        for way in ("sent", "received"):
            of_ranks = [one[f"{way}_bytes"] for one in counted]
            found += [
                Metric(f"socket_{way}_bytes", statistics.fmean(of_ranks), "B"),
                Metric(f"socket_{way}_bytes_highest", max(of_ranks), "B"),
                Metric(f"socket_{way}_bytes_per_step", statistics.fmean(of_ranks) / steps, "B"),
            ]
    return tuple(found)


def staleness_figures(order: list[tuple[int, int]], ranks: int) -> tuple[Metric, ...]:
    """Return how stale the gradients of an asynchronous training were, in updates of other ranks."""
    found = staleness(order)
    return (
        Metric("staleness_mean", statistics.fmean(found), "updates"),
        Metric("staleness_highest", max(found), "updates"),
        Metric("lead_highest", largest_lead(order, ranks), "steps"),
    )


def distance_figures(distances: Sequence[float]) -> tuple[Metric, ...]:
    """Return the largest distance of a rank from the mean of all; nothing where one is not finite."""
    return (Metric("distance_of_ranks", max(distances)),) if all(map(math.isfinite, distances)) else ()


def loss_figures(loss: float, uncompressed: tuple[float, float] | None) -> tuple[Metric, ...]:
    """Return the mean cross-entropy of the test rows; nothing where it is not finite.

    Parameters
    ----------
    uncompressed
        Accuracy and loss of the same training with gradients as they are; None: it was that.
    """
    found = [Metric("test_loss", loss)]
    if uncompressed is not None:
        found += [
            Metric("uncompressed_test_accuracy", uncompressed[0]),
            Metric("uncompressed_test_loss", uncompressed[1]),
        ]
    return tuple(metric for metric in found if math.isfinite(metric.value))


def largest_distance(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Return the largest difference of two vectors; NaN or infinity where they are not finite."""
    import numpy as np

    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.abs(one.astype(float) - other).max())
