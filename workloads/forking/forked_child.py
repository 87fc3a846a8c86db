"""Make a forked process what a new interpreter would be: its environment, descriptors, signals and seeds."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` makes members of enumerations, for each attempt
import atexit
import os
import random
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Collection, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workloads.forking.loaded_files import LoadedFiles

PLACEHOLDER = "ORCHESTRATOR_PAD"
"""Variable of a fork server whose memory its children's slot mark is written to."""
_OF_ONE_PROCESS = frozenset({"ORCHESTRATOR_SLOT", PLACEHOLDER})
_SAFE_THREADS = frozenset({"jemalloc_bg_thd"})
"""Names of threads that may run at a fork: jemalloc, which PyArrow brings, has handlers that restart it."""
_ACCELERATORS = ("/dev/nvidia", "/dev/kfd", "/dev/dri/")
"""Beginnings of the files that drivers of NVIDIA's, AMD's and Intel's GPUs open."""
_DESCRIPTORS, _THREADS = "/proc/self/fd", "/proc/self/task"
_SIGNALS = tuple(map(int, signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}))


@dataclass(frozen=True, slots=True)
class Template:
    """Settings with which the process that others are forked from has imported its modules."""

    environment: Mapping[str, str]
    descriptors: frozenset[int]
    files: LoadedFiles

    def differs(self, environment: Mapping[str, str], own: Set[str] = frozenset()) -> str | None:
        """Return the first variable of a training that the template was not imported with; None if none.

        Parameters
        ----------
        own
            Names of variables that each process has of its own, and that no import reads.
        """
        names = (self.environment.keys() | environment.keys()) - _OF_ONE_PROCESS - own
        different = (one for one in sorted(names) if self.environment.get(one) != environment.get(one))
        return next(different, None)

    def out_of_date(self, *, at_once: bool = False) -> str | None:
        """Return which file has changed since it was imported, in words; see `LoadedFiles.changed`."""
        file = self.files.changed(at_once=at_once)
        return None if file is None else f"{file} has changed since it was imported"

    def why_not(self, process: str = "supervisor") -> str | None:
        """Return why this process, of an attempt, cannot fork trainings now, in words; None if it can."""
        left = left_behind()
        return self.out_of_date(at_once=True) if left is None else f"its {process} has {left}"


def fork(run: Callable[[], int]) -> int:
    """Fork, run a function in the child, which ends with the code it returns, and return the child's id."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = os.EX_SOFTWARE
    try:
        code = run()
    except SystemExit as error:
        _wait_for_threads()
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:  # noqa: BLE001  nothing of the parent's frames may run in the child
        with suppress(OSError, ValueError):
            traceback.print_exc()
    finally:
        os._exit(code)


def enter(
    environment: Mapping[str, str], streams: tuple[int, int, int], kept: Collection[int], program: str
) -> None:
    """Take over a new process: a session of its own, its streams, variables and random numbers.

    Parameters
    ----------
    streams
        Descriptors of standard input, output and error.
    program
        Module that takes the place of the main program.
    """
    os.setsid()
    for target, source in enumerate(streams):
        os.dup2(source, target, inheritable=True)
    _close_others({0, 1, 2, *kept})
    _reset_signals()
    take_variables(environment)
    module = sys.modules[program]
    sys.modules["__main__"] = module
    sys.argv = [str(module.__file__)]
    seed_anew()


def seed_anew() -> None:
    """Seed all random numbers by entropy that a new process seeds so when it imports their modules."""
    random.seed()
    if (numbers := sys.modules.get("numpy.random")) is not None:
        numbers.seed()
    if (torch := sys.modules.get("torch")) is not None:
        torch.default_generator.seed()


def take_variables(variables: Mapping[str, str]) -> None:
    """Give this process these variables and no others, by a call of the C library for each that differs."""
    for name in os.environ.keys() - variables.keys():
        del os.environ[name]
    for name, value in variables.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def open_descriptors() -> frozenset[int]:
    """Return the open descriptors of this process."""
    found = set()
    for descriptor in map(int, os.listdir(_DESCRIPTORS)):  # noqa: PTH208  as below
        with suppress(OSError):  # that of the listing itself
            os.fstat(descriptor)
            found.add(descriptor)
    return frozenset(found)


def other_threads() -> list[str]:
    """Return the names of threads beside the main one that a fork would lose."""
    own, found = str(os.getpid()), []
    for thread in os.listdir(_THREADS):  # noqa: PTH208  an attempt is looked at this way: paths take longer
        if thread != own:
            with suppress(OSError):  # ended meanwhile
                name = Path(_THREADS, thread, "comm").read_text().strip()
                if name not in _SAFE_THREADS:
                    found.append(name)
    return found


def left_behind() -> str | None:
    """Return what of this process a forked child would lack or must not share, in words; None if nothing."""
    if threads := other_threads():
        return f"threads: {', '.join(sorted(set(threads)))}"
    if devices := _open_accelerators():
        return f"open devices: {', '.join(sorted(set(devices)))}"
    return None


def _open_accelerators() -> list[str]:
    """Return the files of GPUs that this process has open: their drivers do not work in a forked child."""
    found = []
    for descriptor in os.listdir(_DESCRIPTORS):  # noqa: PTH208  as above
        with suppress(OSError):  # that of the listing itself
            found.append(os.readlink(f"{_DESCRIPTORS}/{descriptor}"))  # noqa: PTH115
    return [file for file in found if file.startswith(_ACCELERATORS)]


def _close_others(kept: Collection[int]) -> None:
    for descriptor in open_descriptors() - set(kept):
        with suppress(OSError):
            os.close(descriptor)


def _reset_signals() -> None:
    """Undo the handlers of the process that was forked, as a new program does."""
    signal.set_wakeup_fd(-1)
    for number in _SIGNALS:
        if callable(_signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _wait_for_threads() -> None:
    """End as an interpreter does: end executors, wait for threads that are no daemons, run exit functions."""
    threading._shutdown()  # type: ignore[attr-defined]  # as processes of multiprocessing do
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
