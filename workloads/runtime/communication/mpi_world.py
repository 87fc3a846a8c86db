"""All ranks of an instance as ``MPI_COMM_WORLD``, by mpi4py.

No `mpiexec` starts the ranks: their supervisor answers the library's process management interface, PMI 1.1,
which MPICH and libraries that descend from it speak. Open MPI asks for PMIx, and each rank would be alone.
"""

from __future__ import annotations

import atexit
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workloads.runtime.communication import RankLost, rank_lost

_LAST_WAIT_SECONDS = 2.0
_POLL_SECONDS = 0.001
_SHARED_MEMORY = "/dev/shm/mpich_shm_"  # noqa: S108  the name that MPICH gives it


class MpiWorld:
    """The ranks of this instance, joined.

    Parameters
    ----------
    rank, size
        Of this process; two ranks or more.

    Raises
    ------
    RuntimeError
        If mpi4py or an MPI library is not installed, or the library does not join the ranks.
    """

    def __init__(self, rank: int, size: int) -> None:
        try:
            import mpi4py

            mpi4py.rc.finalize = False  # a rank that failed would wait there for the others without end
            from mpi4py import MPI
        except (ImportError, RuntimeError) as error:  # the latter where no MPI library is found
            reason = " ".join(str(error).split())
            raise RuntimeError(
                f"an instance of {size} ranks needs mpi4py and an MPI library, which cannot be loaded here "
                f"({reason}); install the extra `mpi`, and load the machine's MPICH or install `mpich` too"
            ) from error
        self.mpi, self.ranks = MPI, MPI.COMM_WORLD
        self._rank, self._size = rank, size
        if (self.ranks.rank, self.ranks.size) != (rank, size):
            raise RuntimeError(
                f"this process is rank {rank} of {size}, but {_library(MPI)} started as rank "
                f"{self.ranks.rank} of {self.ranks.size}; it must speak PMI 1.1, as MPICH and Intel MPI do "
                "and Open MPI does not"
            )
        _unlink_shared_memory(MPI.COMM_WORLD)
        atexit.register(self._leave)

    def describe(self) -> dict[str, Any]:
        """Return facts of the libraries, for the result."""
        import mpi4py

        return {
            "collectives": "mpi",
            "mpi4py_version": mpi4py.__version__,
            "mpi_library": _library(self.mpi),
            "mpi_version": ".".join(map(str, self.mpi.Get_version())),
        }

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turn an error of MPI into `RankLost`."""
        try:
            yield
        except RankLost:
            raise
        except self.mpi.Exception as error:
            raise rank_lost(self._rank, self._size, " ".join(str(error).split())) from None

    def _leave(self) -> None:
        """Let what this rank sent arrive; then end MPI, unless other ranks do not come here."""
        end = time.monotonic() + _LAST_WAIT_SECONDS
        request = self.ranks.Ibarrier()
        while not (all_here := request.Test()) and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)
        if all_here:
            self.mpi.Finalize()


def _unlink_shared_memory(ranks: Any) -> None:
    """Remove the name of MPICH's shared memory, once all ranks have opened it, as MPICH does at its end.

    So nothing is left on the node of ranks that are killed.
    """
    ranks.Barrier()
    mapped = (line.split(maxsplit=5)[-1].strip() for line in Path("/proc/self/maps").read_text().splitlines())
    for name in {one for one in mapped if one.startswith(_SHARED_MEMORY)}:
        Path(name).unlink(missing_ok=True)  # another rank of this node may be first


def _library(mpi: Any) -> str:
    """Return name and version of the MPI library, such as ``MPICH 5.0.2``."""
    name, version = mpi.get_vendor()
    return f"{name} {'.'.join(map(str, version))}"
