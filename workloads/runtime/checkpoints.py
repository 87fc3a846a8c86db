"""Write the state of a training to disk after an epoch, atomically, and read it back."""

from __future__ import annotations

import json
import os
import re
import sys
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workloads.context import Context

_FOLDER = "checkpoints"
_NAME = re.compile(r"checkpoint-(\d{6})\.npz")
_KEEP = 2


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """State after an epoch: its arrays, and what else has to be known to go on."""

    epoch: int
    arrays: list[NDArray[Any]]
    facts: dict[str, Any]


class Checkpoints:
    """The checkpoints of one instance in its own directory; the last two are kept.

    Errors are printed on standard error and stop no training.

    Parameters
    ----------
    directory
        Made where it does not exist.
    identity
        What a checkpoint and this training must have in common, JSON-ready.
    earlier
        Directory of the checkpoints of a shorter training of the same parameters, with any seed, from which
        this one goes on where it has none of its own; None for none.
    """

    def __init__(self, directory: Path, identity: Mapping[str, Any], earlier: Path | None = None) -> None:
        self._directory = directory
        self._identity = dict(identity)
        self._earlier = earlier
        self.written = 0

    def write(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint, then remove all but the last two."""
        path = self._directory / f"checkpoint-{checkpoint.epoch:06d}.npz"
        partial = path.with_suffix(".partial")
        facts = json.dumps({"identity": self._identity, "facts": checkpoint.facts})
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as file:
                _save(file, facts, checkpoint.arrays)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
            _sync(self._directory)
            for old in _paths(self._directory)[_KEEP:]:
                old.unlink()
        except OSError as error:
            print(f"checkpoint {path} not written: {error}", file=sys.stderr)
            with suppress(OSError):
                partial.unlink()
        else:
            self.written += 1

    def read(self, shapes: Sequence[tuple[int, ...]]) -> Checkpoint | None:
        """Return the last checkpoint that is whole and of this training; None where there is none."""
        own = [(path, self._identity) for path in _paths(self._directory)]
        if self._earlier is not None:
            without = {name: value for name, value in self._identity.items() if name != "seed"}
            own += [(path, without) for path in _paths(self._earlier)]
        for path, identity in own:
            try:
                return self._read(path, shapes, identity)
            except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
                reason = str(error) or type(error).__name__
                print(f"checkpoint {path} is passed over: {reason}", file=sys.stderr)
        return None

    @staticmethod
    def _read(path: Path, shapes: Sequence[tuple[int, ...]], identity: Mapping[str, Any]) -> Checkpoint:
        import numpy as np

        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            stored = json.loads(file["facts"].tobytes())
            known = stored["identity"]
            if {
                name: value for name, value in known.items() if name in identity or name != "seed"
            } != identity:
                raise ValueError("it is of a training with other parameters, seed, ranks or data")
            arrays = [file[f"state_{number:05d}"] for number in range(len(shapes))]
        if [array.shape for array in arrays] != [tuple(shape) for shape in shapes]:
            raise ValueError("its arrays have other shapes than the model")
        match = _NAME.fullmatch(path.name)
        return Checkpoint(int(match[1]) if match else 0, arrays, stored["facts"])


def checkpoints_of(context: Context, identity: Mapping[str, Any]) -> Checkpoints | None:
    """Return the checkpoints of an instance; None where it has no directory of its own.

    Parameters
    ----------
    identity
        As for `Checkpoints`; the instance's seed is added.
    """
    if context.scratch is None:
        return None
    earlier = None if context.earlier is None else context.earlier / _FOLDER
    return Checkpoints(context.scratch / _FOLDER, {**identity, "seed": context.seed}, earlier)


def _paths(directory: Path) -> list[Path]:
    """Return the files of all checkpoints, the last epoch first."""
    found = [path for path in directory.glob("checkpoint-*.npz") if _NAME.fullmatch(path.name)]
    return sorted(found, reverse=True)


def _save(file: BinaryIO, facts: str, arrays: Sequence[NDArray[Any]]) -> None:
    """Write an uncompressed archive as `numpy.savez` does.

    After an error the archive is let go: savez would write to the full disk again when it is collected, and
    print that error too.
    """
    import numpy as np

    named = {f"state_{number:05d}": array for number, array in enumerate(arrays)}
    archive = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True)
    try:
        for name, array in {"facts": np.frombuffer(facts.encode(), np.uint8), **named}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)  # type: ignore[no-untyped-call]
        archive.close()
    except BaseException:
        archive.fp = None
        raise


def _sync(directory: Path) -> None:
    """Make a renaming in a directory survive a power cut, where the file system can."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
