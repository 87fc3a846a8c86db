"""Libraries over which the ranks of one instance communicate: a module for each, imported when used."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from workloads.description import Parameter, WorkloadError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workloads.context import Context
    from workloads.runtime.horovod_timeline import Recording

NAMES = ("horovod", "torch", "mpi", "jax")
COMMUNICATION = Parameter(
    "communication",
    "horovod",
    "library that joins several ranks: horovod (of TensorFlow only); torch (torch.distributed: NCCL or RCCL "
    "where PyTorch trains on GPUs, else Gloo through host memory); or, through host memory, mpi (mpi4py with "
    "MPICH or Intel MPI) or jax (its collectives, Gloo)",
    choices=NAMES,
)

GRADIENT_PRECISION = Parameter(
    "gradient_precision",
    "float32",
    "type in which several ranks exchange gradients: float32, or a compression to float16 or bfloat16",
    choices=("float32", "float16", "bfloat16"),
)


class RankLost(RuntimeError):  # noqa: N818  it names what happened, as the report prints it
    """Another rank of this instance ended or no longer answers."""


def rank_lost(rank: int, size: int, reason: str = "") -> RankLost:
    """Return the error of a rank that cannot go on without another."""
    return RankLost(
        f"another rank of this instance ended or stopped answering, so rank {rank} of {size} cannot go on; "
        "look for the cause in the other ranks' errors" + (f" ({reason})" if reason else "")
    )


class Transport(Protocol):
    """The ranks of one instance, joined by a library; every rank calls the same methods in the same order."""

    def all_reduce_mean(self, tensors: Sequence[Any]) -> list[Any]:
        """Return the mean over all ranks of each tensor of the framework; also inside a compiled function."""

    def all_reduce_sum(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sum over all ranks of each number."""

    def all_gather(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the arrays of all ranks, in rank order; their first dimensions may differ."""

    def broadcast(self, variables: Sequence[Any], root: int) -> None:
        """Give every rank the values that the variables of rank `root` have."""

    def record_timeline(self, path: Path | None) -> Recording:
        """Record when the ranks communicate, if a file is given."""

    def describe(self) -> dict[str, Any]:
        """Return facts of the library, for the result."""

    def tells_of_lost_rank(self, error: Exception) -> bool:
        """Tell whether the library, or the framework for it, raised an error since another rank ended."""


def join(name: str, context: Context) -> Transport:
    """Return the ranks of an instance, joined by the library of that name.

    Raises
    ------
    RuntimeError
        If the library is not installed, or was started with another rank or size.
    """
    module = importlib.import_module(f"workloads.runtime.communication.{name}_transport")
    transport: Transport = module.TRANSPORT(context.rank, context.size)
    return transport


def check_communication(
    communication: str, ranks: int, *, framework: str = "tensorflow", exchanged: str = "float32"
) -> None:
    """Raise `WorkloadError` if a library cannot join the ranks of a training.

    Parameters
    ----------
    communication, ranks
        Name of the library, and number of ranks; one rank needs none.
    exchanged
        Type of the numbers that the ranks exchange.
    """
    if ranks > 1 and framework == "torch" and exchanged == "bfloat16" and communication != "torch":
        raise WorkloadError(
            f"communication {communication} takes no bfloat16 of PyTorch, which NumPy lacks; choose "
            "gradient_precision: float16, or communication: torch"
        )
    if ranks == 1 or communication != "horovod":
        return
    if framework != "tensorflow":
        raise WorkloadError(
            f"communication horovod joins ranks of TensorFlow only, and the framework is {framework}; "
            "choose communication: torch, mpi or jax"
        )
    if exchanged == "bfloat16":
        raise WorkloadError(
            "communication horovod does not reduce bfloat16; choose float16, or communication: torch, mpi or "
            "jax"
        )
