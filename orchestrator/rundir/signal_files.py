"""Files by which a driver signals the nodes of its session: a stop, a cancel, the start of a wave, its time.

About once a second the driver writes its time into a file that all nodes see. A node that reads the file
reads an instant that has passed, so its clock is ahead of the driver's by at most its own time less that
instant. How far it is behind is bounded by results: they are received after they were sent.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from db.states import CANCELLED_BY_USER
from orchestrator.host.atomic_files import atomic_write
from orchestrator.protocol.order import AttemptOrder
from orchestrator.rundir.layout import RunDirectory

CLOCK_PERIOD_SECONDS = 1.0
WITHDRAWN = "withdrawn"
"""Reason of attempts that the driver has declared lost, in their cancel file."""
EXCLUDED = "excluded"
"""Reason of attempts that did not start because their node is on the campaign's exclude list."""
CANCEL_PERIOD_SECONDS = 5.0
"""Between two looks of an attempt for its cancel file."""
_last_lists: dict[str, tuple[str, ...]] = {}


def stop_requested(order: AttemptOrder) -> bool:
    """Return whether an attempt's session starts no attempts now; False if the file system fails."""
    return os.path.exists(_files(order)[0])  # noqa: PTH110  half the time, before each attempt


def cancel_reason(order: AttemptOrder) -> str | None:
    """Return why an attempt was cancelled; None if it was not, or if the file system fails."""
    folder = _files(order)[1]
    try:
        with open(f"{folder}/{order.token}", "rb", 0) as stream:  # noqa: PTH123  a path for each takes longer
            text = stream.read()
    except OSError:
        return None
    return WITHDRAWN if text == WITHDRAWN.encode() else CANCELLED_BY_USER


def excluded_of(order: AttemptOrder, nodes: Iterable[str]) -> tuple[str, ...]:
    """Return those of some nodes that an attempt's session excludes.

    A name with a domain and the same one without are one node. While the file system fails, the list that was
    read last counts.
    """
    if not order.excludes_nodes:
        return ()
    file = _files(order)[2]
    try:
        now = os.stat(file)  # noqa: PTH116  as above
        listed = _last_lists[file] = _listed(file, now.st_ino, now.st_mtime_ns)
    except FileNotFoundError:
        return ()
    except (OSError, ValueError):
        listed = _last_lists.get(file, ())
    found: list[str] = []
    for node in nodes:  # the first of them comes again among those of an instance over several
        if any(same_node(node, one) for one in listed) and not any(same_node(node, one) for one in found):
            found.append(node)
    return tuple(found)


def write_exclude_list(directory: RunDirectory, session: int, nodes: Iterable[str]) -> None:
    """Let no attempt of a session start on these nodes from now on; raises `OSError`."""
    atomic_write(directory.excluded_nodes(session), "".join(f"{node}\n" for node in nodes))


@functools.lru_cache(maxsize=4)
def _listed(file: str, inode: int, changed_ns: int) -> tuple[str, ...]:  # noqa: ARG001  of this file's text
    """Return the lines of a file; a worker looks before each of its attempts, and mostly none has changed."""
    return tuple(Path(file).read_text(encoding="utf-8").split())


def same_node(node: str, other: str) -> bool:
    """Tell whether two names are of one node, of which one may have a domain."""
    return node == other or node.startswith(f"{other}.") or other.startswith(f"{node}.")


def _files(order: AttemptOrder) -> tuple[str, str, str, str]:
    """Return an attempt's stop file, folder of cancelled attempts, exclude list and clock file."""
    return _files_of(order.directory, order.session)


@functools.lru_cache(maxsize=8)
def _files_of(directory: str, session: int) -> tuple[str, str, str, str]:
    found = RunDirectory(Path(directory))
    stop, excluded = str(found.stop_file(session)), str(found.excluded_nodes(session))
    return stop, str(found.cancel_files), excluded, str(found.clock_file(session))


def request_cancel(directory: RunDirectory, tokens: Iterable[str], *, withdrawn: bool = False) -> None:
    """Let attempts end within seconds, whichever driver started them; raises `OSError`.

    Parameters
    ----------
    withdrawn
        Whether the driver gives them up, and no user cancelled them.
    """
    directory.cancel_files.mkdir(exist_ok=True)
    for token in tokens:
        file = directory.cancel_file(token)
        if withdrawn:
            atomic_write(file, WITHDRAWN)
        else:
            file.touch()


def barrier_of(order: AttemptOrder) -> Path | None:
    """Return the file that an attempt waits for; None where it starts as soon as it is ready."""
    if order.wave is None:
        return None
    return RunDirectory(Path(order.directory)).barrier_file(order.session, order.wave)


def announced_start(file: Path) -> int | None:
    """Return the announced start, UTC microseconds; None while there is none or the file cannot be read."""
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def announced_us(order: AttemptOrder, start_us: int) -> int:
    """Return when the driver announced the start of an attempt's wave, UTC microseconds by its clock."""
    return start_us - int(order.lead_seconds * 1e6)


def write_driver_time(file: Path, now_us: int) -> None:
    """Write the driver's time, UTC microseconds.

    On a write error the previous value stays, which is still a valid bound.
    """
    with suppress(OSError):
        atomic_write(file, str(now_us))


def clock_file_of(order: AttemptOrder) -> Path:
    """Return the file to which the driver of an attempt's session writes its time."""
    return Path(_files(order)[3])


def max_offset_us(order: AttemptOrder, now_us: Callable[[], int]) -> int | None:
    """Return how many microseconds this node's clock is ahead of the driver's at most.

    Parameters
    ----------
    now_us
        This node's clock, UTC microseconds; read after the driver's time.

    Returns
    -------
    int or None
        Negative where the clock is certainly behind; None where the driver's time cannot be read.
    """
    try:
        with open(_files(order)[3], "rb", 0) as stream:  # noqa: PTH123  as above
            driver_us = int(stream.read())
    except (OSError, ValueError):
        return None
    return now_us() - driver_us
