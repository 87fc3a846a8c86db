"""State of a process that an import may change, and that is lost or shared at a fork."""

from __future__ import annotations

import os
import random
import resource
import signal
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from workloads.forking.forked_child import open_descriptors
from workloads.forking.random_draws import draws_in

_LIMITS = tuple(number for name, number in vars(resource).items() if name.startswith("RLIMIT_"))


def process_state() -> dict[str, object]:
    """Return by name what can be compared; values of variables are not for messages."""
    found: dict[str, object] = {f"the variable {name}": value for name, value in os.environ.items()}
    found["random's state"] = random.getstate()
    for name, state in _NUMBERS.items():
        if (module := sys.modules.get(name)) is not None:
            found[f"{name}'s state"] = state(module)
    for number in signal.valid_signals():
        found[f"the handler of signal {int(number)}"] = signal.getsignal(number)
    for descriptor in open_descriptors():
        with suppress(OSError):  # closed meanwhile
            kind = os.fstat(descriptor).st_mode
            file = Path(f"/proc/self/fd/{descriptor}").readlink()
            if stat.S_ISREG(kind):
                found[f"the open file {file}"] = descriptor, os.lseek(descriptor, 0, os.SEEK_CUR)
            elif not stat.S_ISCHR(kind):  # forked processes would read what others write
                found[f"the open {str(file).partition(':')[0]} {descriptor}"] = str(file)
    status = Path("/proc/self/status").read_text().splitlines()
    found["the umask"] = next((line for line in status if line.startswith("Umask")), None)
    found["the working directory"] = str(Path.cwd())
    found["the limits of resources"] = [resource.getrlimit(number) for number in _LIMITS]
    found["memory that processes share"] = _shared_memory()
    found["its child processes"] = _has_children()
    return found


def _shared_memory() -> list[str]:
    """Return where memory is mapped that forked processes would write to together, such as that of locks."""
    lines = Path("/proc/self/maps").read_text(errors="replace").splitlines()
    return [line.partition(" ")[0] for line in lines if line.split(None, 2)[1][1::2] == "ws"]


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def first_change(before: dict[str, object], after: dict[str, object]) -> str | None:
    """Return the name of what differs first between two states; None if nothing does."""
    names = sorted(before.keys() | after.keys())
    changed = (one for one in names if before.get(one) != after.get(one))
    return next((one.encode(errors="backslashreplace").decode() for one in changed), None)


def changed_by(load: Callable[[], object], package: str = "") -> str | None:
    """Return the name of what imports change first; None if they change nothing.

    Parameters
    ----------
    load
        Imports. If it is the first to import NumPy or PyTorch, random numbers as that leaves them count as
        those before, so that what needs neither is forked without it.
    package
        A user's package, whose modules are looked at also where it is installed.
    """
    before = process_state()
    finder = _NumbersFinder(before)
    sys.meta_path.insert(0, finder)
    try:
        drawn = draws_in(load, package)
    finally:
        sys.meta_path.remove(finder)
    if (change := first_change(before, process_state())) is None and drawn is not None:
        change = f"random numbers, or a process id, that trainings would share: {drawn} takes them"
    return change


class _NumbersFinder:
    """Notes the state of random numbers when their module has been imported."""

    def __init__(self, noted: dict[str, object]) -> None:
        self._noted = noted

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find it as Python does, and nothing else."""
        if name not in _NUMBERS or (spec := PathFinder.find_spec(name, path, target)) is None:
            return None
        if spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_note(module: ModuleType) -> None:
                run(module)
                self._noted[f"{name}'s state"] = _NUMBERS[name](module)

            vars(spec.loader)["exec_module"] = run_and_note
        return spec


def _numpy_state(numbers: Any) -> tuple[object, ...]:
    kind, words, *rest = numbers.get_state()
    return kind, words.tobytes(), *rest


def _torch_state(torch: Any) -> bytes:
    return bytes(torch.default_generator.get_state().numpy())


_NUMBERS: Mapping[str, Callable[[Any], object]] = {"numpy.random": _numpy_state, "torch": _torch_state}
"""Functions that return the state of the random numbers of modules."""
