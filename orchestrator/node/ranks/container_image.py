"""Read the digest of a container's image on this node, before the first attempt that uses it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

import msgspec.structs

from orchestrator.host.atomic_files import atomic_write
from orchestrator.host.containers import image_file, pinned, usable
from orchestrator.protocol.block_environment import node_name
from orchestrator.protocol.order import AttemptOrder, ContainerOrder
from orchestrator.rundir.layout import RunDirectory

_BY_NAME_SECONDS = 60.0
"""How long the digest of an image counts that is started by its name, which may be given to another."""


def pinned_order(order: AttemptOrder) -> tuple[AttemptOrder, dict[str, str] | None]:
    """Return the order of an attempt with its image pinned, and what the ledger keeps of its container.

    The digest of a file is read again when its size, inode or times have changed; that of any other image
    once on each node of a session, and of one that is not started by its digest again after a minute.

    Raises
    ------
    ContainerError
        If runtime or image are not on this node.
    """
    if order.container is None:
        return order, None
    container = usable(order.container)
    if container.runtime == "apptainer":
        status = image_file(container).stat()
        what = [container.image, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    else:
        what = [asdict(container), order.session, node_name()]
    key = hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]
    file = RunDirectory(Path(order.directory)).container_digest(key)
    file.parent.mkdir(parents=True, exist_ok=True)
    with _locked(file.with_suffix(".lock")):
        name, digest = _recorded(file, container) or _read(container, file)
    facts = {"runtime": container.runtime, "image": order.container.image, "digest": digest}
    if options := _options(order.container):
        facts["options"] = options
    return msgspec.structs.replace(order, container=replace(container, image=name, digest=digest)), facts


def _options(container: ContainerOrder) -> str:
    """Return what decides beside the image what runs: an own command, options, and paths of the node."""
    own = [container.command] if container.command != container.runtime else []
    return shlex.join([*own, *container.options, *container.bind])


def _read(container: ContainerOrder, file: Path) -> tuple[str, str]:
    pin, digest = pinned(container)
    found = pin.image, digest
    atomic_write(file, json.dumps(found))
    return found


def _recorded(file: Path, container: ContainerOrder) -> tuple[str, str] | None:
    try:
        if container.runtime == "sarus" and time.time() - file.stat().st_mtime > _BY_NAME_SECONDS:
            return None
        name, digest = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError):
        return None
    return str(name), str(digest)


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Let one process read an image; where the file system has no locks, each reads it."""
    with file.open("a") as stream:
        with suppress(OSError):
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield
