"""State of a process that an import may change, and that is lost or shared at a fork."""

from __future__ import annotations

import os
import random
import resource
import signal
import stat
import sys
from contextlib import suppress
from pathlib import Path

from orchestrator.node.forked_child import open_descriptors

_LIMITS = tuple(number for name, number in vars(resource).items() if name.startswith("RLIMIT_"))


def process_state() -> dict[str, object]:
    """Return by name what can be compared; values of variables are not for messages."""
    found: dict[str, object] = {f"the variable {name}": value for name, value in os.environ.items()}
    found["random's state"] = random.getstate()
    if (numbers := sys.modules.get("numpy.random")) is not None:
        kind, words, *rest = numbers.get_state()
        found["numpy.random's state"] = kind, words.tobytes(), *rest
    for number in signal.valid_signals():
        found[f"the handler of signal {int(number)}"] = signal.getsignal(number)
    for descriptor in open_descriptors():
        with suppress(OSError):  # not seekable
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                file = Path(f"/proc/self/fd/{descriptor}").readlink()
                found[f"the open file {file}"] = descriptor, os.lseek(descriptor, 0, os.SEEK_CUR)
    status = Path("/proc/self/status").read_text().splitlines()
    found["the umask"] = next((line for line in status if line.startswith("Umask")), None)
    found["the working directory"] = str(Path.cwd())
    found["the limits of resources"] = [resource.getrlimit(number) for number in _LIMITS]
    return found


def first_change(before: dict[str, object], after: dict[str, object]) -> str | None:
    """Return the name of what differs first between two states; None if nothing does."""
    names = sorted(before.keys() | after.keys())
    changed = (one for one in names if before.get(one) != after.get(one))
    return next((one.encode(errors="backslashreplace").decode() for one in changed), None)
