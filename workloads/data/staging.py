"""Copies of the dataset cache's entries on each node's own disk, made once per node.

The first instance of a node that uses an entry locks a file beside the copy's place and copies; the others
of the node wait for the lock, which the kernel releases when its holder ends. A copy is written to disk,
read back, compared with the hashes that the entry was built with, and renamed into place. Where it cannot
be made, instances map the shared entry, and the reason is a fact of theirs.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import platform
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from workloads.data.cache_entry import (
    MANIFEST,
    Parsed,
    flush,
    lock_file,
    open_entry,
    put_in_place,
    remove_abandoned,
)

_COPYING = ".copying-"
_COPIES = 2


def staged(shared: Parsed, stage: Path) -> tuple[Parsed, str]:
    """Return an entry, mapped from the node's own disk, and how it came there.

    Parameters
    ----------
    shared
        Mapped from the cache; or from the stage already.

    Returns
    -------
    Parsed
        The copy, or `shared` where there can be none.
    str
        ``hit`` if the copy was there, ``copied`` if this process made it, ``copied again`` if its first copy
        had a wrong hash, ``waited`` if another process made it, else ``not used:`` and the reason.
    """
    entry = shared.entry
    if entry is None or entry.parent == stage:
        return shared, "hit"
    if "$" in str(stage):
        return shared, f"not used: the node sets no value of a variable in {stage}"
    try:
        copy, state = _find_or_copy(entry, stage)
    except OSError as error:
        return shared, f"not used: {error.strerror or error}"
    return copy or shared, state


def _find_or_copy(entry: Path, stage: Path) -> tuple[Parsed | None, str]:
    stage.mkdir(parents=True, exist_ok=True)
    target = stage / entry.name
    with (stage / f"{entry.name}.lock").open("a+b") as lock:
        waited, locked = lock_file(lock)
        known = open_entry(target)
        if known is not None:
            return known, "waited" if waited else "hit"
        return _copy(entry, target, locked=locked)


def _copy(entry: Path, target: Path, *, locked: bool) -> tuple[Parsed | None, str]:
    """Copy an entry to a folder of its own, and put it in place."""
    ours = f"{_COPYING}{entry.name}-{platform.node()}-"
    folder = target.with_name(f"{ours}{secrets.token_hex(8)}")
    folder.mkdir()
    try:
        remove_abandoned(folder, _COPYING, ours if locked else None)
        text = (entry / MANIFEST).read_bytes()
        arrays = json.loads(text)["arrays"]
        if shutil.disk_usage(folder).free < sum(one["bytes"] for one in arrays.values()):
            raise OSError(
                errno.ENOSPC, os.strerror(errno.ENOSPC)
            )  # each that waits would fill the disk again
        for number in range(_COPIES):
            if all(_copy_file(entry, folder, f"{name}.npy", one) for name, one in arrays.items()):
                with (folder / MANIFEST).open("wb") as file:
                    file.write(text)
                    flush(file)
                mapped = open_entry(folder)
                if mapped is not None:
                    state = "copied" if number == 0 else "copied again, as the first copy had a wrong hash"
                    return put_in_place(folder, target, mapped), state
        return None, f"not used: {_COPIES} copies had a wrong hash"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy_file(entry: Path, folder: Path, name: str, recorded: dict[str, Any]) -> bool:
    """Copy a file, read it back from the disk, and return whether it is what the entry was built with."""
    path = folder / name
    with suppress(FileNotFoundError):
        path.unlink()
    shutil.copyfile(entry / name, path)
    with path.open("rb") as file:
        flush(file)
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        whole = hashlib.file_digest(file, "blake2b").hexdigest()
    path.chmod(0o444)
    return bool(whole == recorded["blake2b"])
