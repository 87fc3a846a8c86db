"""All ranks of an instance as ``MPI_COMM_WORLD``, by mpi4py.

No `mpiexec` starts the ranks: their supervisor answers the library's process management interface, PMI 1.1,
which MPICH and libraries that descend from it speak. Open MPI asks for PMIx, and each rank would be alone.
"""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from workloads.runtime.communication import RankLost, rank_lost

_LAST_WAIT_SECONDS = 2.0
_POLL_SECONDS = 0.001
_LEFT_SECONDS = 60.0
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

            remove_left_shared_memory()
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
            started = f"{self.ranks.rank} of {self.ranks.size}"
            if self.ranks.size == 1:  # waits for no other rank, and removes what it made
                MPI.Finalize()
            raise RuntimeError(
                f"this process is rank {rank} of {size}, but {_library(MPI)} started as rank {started}; it "
                "must speak PMI 1.1, as MPICH and Intel MPI do and Open MPI does not"
            )
        if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
            raise RuntimeError(f"{_library(MPI)} lets one thread alone call it, and frameworks have several")
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
        with suppress(self.mpi.Exception):  # of ranks that are gone, which are reported
            if self.mpi.Is_finalized():
                return
            request = self.ranks.Ibarrier()
            while not (all_here := request.Test()) and time.monotonic() < end:
                time.sleep(_POLL_SECONDS)
            if all_here:
                self.mpi.Finalize()


def remove_left_shared_memory() -> None:
    """Remove what ranks left on this node that were killed while MPI started, a minute ago or longer."""
    before = time.time() - _LEFT_SECONDS
    left = []
    for name in Path(_SHARED_MEMORY).parent.glob(f"{Path(_SHARED_MEMORY).name}*"):
        with suppress(OSError):  # removed meanwhile
            if (facts := name.stat()).st_uid == os.geteuid() and facts.st_mtime < before:
                left.append(name)
    if not left:
        return
    used = set()
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with suppress(OSError):  # it has ended, or is another user's
            used |= _mapped(maps)
    for name in left:
        if str(name) not in used:
            name.unlink(missing_ok=True)


def _mapped(maps: Path) -> set[str]:
    """Return the names of MPICH's shared memory that a process maps."""
    names = (line.split(maxsplit=5)[-1].strip() for line in maps.read_text().splitlines())
    return {name for name in names if name.startswith(_SHARED_MEMORY)}


def _unlink_shared_memory(ranks: Any) -> None:
    """Remove the name of MPICH's shared memory, once all ranks have opened it, as MPICH does at its end.

    So nothing is left on the node of ranks that are killed later.
    """
    ranks.Barrier()
    for name in _mapped(Path("/proc/self/maps")):
        Path(name).unlink(missing_ok=True)  # another rank of this node may be first


def _library(mpi: Any) -> str:
    """Return name and version of the MPI library, such as ``MPICH 5.0.2``."""
    name, version = mpi.get_vendor()
    return f"{name} {'.'.join(map(str, version))}"
