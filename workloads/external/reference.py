"""References to workload files: found by path, pinned by their hash."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from workloads.description import WorkloadError

_PIN = re.compile(r"#sha256=([0-9a-f]{64})$")

_LARGEST = 1 << 20


def is_file(reference: str) -> bool:
    """Tell whether a workload's name is the path of a file, pinned or not."""
    return _PIN.sub("", reference).endswith((".yaml", ".yml"))


def is_pinned(reference: str) -> bool:
    """Tell whether the path of a workload file is pinned by its hash."""
    return _PIN.search(reference) is not None


def path_of(reference: str) -> Path:
    """Return the absolute path of a workload file; relative ones start at the working directory."""
    path = Path(_PIN.sub("", reference))
    try:
        return path.expanduser().absolute()
    except RuntimeError as error:  # no such user
        raise WorkloadError(f"workload file {path}: {error}") from None


def located(reference: str, folder: Path, kind: str = "workload") -> str:
    """Return the reference to a file of a folder; as it is where it stands in the working directory.

    Parameters
    ----------
    reference
        The path of a file that is not pinned. An absolute one stays as it is.
    folder
        Of the file that names it, which is looked at first.

    Raises
    ------
    WorkloadError
        If neither has such a file.
    """
    path = Path(reference)
    here, folder = Path.cwd(), folder.resolve()
    if path.is_absolute() or reference.startswith("~") or here.resolve() == folder:
        return reference
    if os.path.lexists(folder / path):
        return str(folder / path)
    if os.path.lexists(path):
        return reference
    raise WorkloadError(
        f"{kind} file {path} does not exist, neither in {folder}, where it is named, nor in {here}, the "
        "working directory"
    )


def pin(reference: str) -> str:
    """Return a workload's name so that it means the same everywhere and later.

    The path of a file becomes ``/absolute/path.yaml#sha256=<hash of its bytes>``; other names
    stay as they are.

    Raises
    ------
    WorkloadError
        If the file cannot be read, or is not what it was when the name was pinned.
    """
    if not is_file(reference):
        return reference
    path = path_of(reference)
    digest = hashlib.sha256(read_bytes(path)).hexdigest()
    pinned = _PIN.search(reference)
    if pinned and pinned[1] != digest:
        raise WorkloadError(
            f"workload file {path} has changed since the campaign was registered; "
            "put it back, or launch the changed one as another campaign"
        )
    return f"{path}#sha256={digest}"


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a workload file; raises `WorkloadError` if that cannot be."""
    try:
        with path.open("rb") as stream:
            content = stream.read(_LARGEST + 1)
    except FileNotFoundError:
        raise WorkloadError(f"workload file {path} does not exist") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise WorkloadError(f"workload file {path} cannot be read: {reason}") from None
    if len(content) > _LARGEST:
        raise WorkloadError(f"workload file {path} is larger than 1 MiB")
    return content
