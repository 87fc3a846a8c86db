"""The images of a data set in memory, as a training takes them, and the check of its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workloads.data.synthetic import is_marked_content, is_synthetic, read_marker
from workloads.description import DataError
from workloads.image_sets import idx, records
from workloads.image_sets.table import DATASET, IMAGE_SETS, ImageSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Part:
    """The training or test images of a data set.

    Parameters
    ----------
    pixels
        Number, row, column, colour.
    labels
        Classes that are learned.
    marked
        Whether they carry the mark of made data.
    """

    pixels: NDArray[np.uint8]
    labels: NDArray[np.int64]
    marked: bool


def read(of: ImageSet, directory: Path) -> tuple[Part, Part]:
    """Return the training and the test images.

    Raises
    ------
    DataError
        As `workloads.image_sets.idx.read` and `workloads.image_sets.records.read`.
    """
    return _part(of, directory, of.training), _part(of, directory, (of.test,))


def shown(of: ImageSet, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return images as shares of the brightest, around the data set's means, by its deviations."""
    import numpy as np

    means, deviations = (np.array(one, np.float32) for one in (of.means, of.deviations))
    scaled: NDArray[np.float32] = (pixels.astype(np.float32) / 255 - means) / deviations
    return scaled


def facts(of: ImageSet, directory: Path, train: Part, test: Part) -> dict[str, Any]:
    """Return the facts of a data set that was read.

    Raises
    ------
    DataError
        As `is_synthetic`, or if the files are those of another data set.
    """
    _check_identity(of, directory, train)
    return {
        "dataset": of.title,
        "train_images": len(train.labels),
        "test_images": len(test.labels),
        "classes": of.classes,
        "synthetic": is_synthetic(directory) or train.marked or test.marked,
    }


def _check_identity(of: ImageSet, directory: Path, train: Part) -> None:
    """Refuse files of another data set in the same form, which their marker or their brightness tells."""
    marker = read_marker(directory)
    if marker is not None:
        name = str(marker.get("sizes", {}).get(DATASET.name, DATASET.default))
        made = IMAGE_SETS[name].title if name in IMAGE_SETS else name
        if made != of.title:
            raise DataError(f"{directory}: made files of {made}, not of {of.title}; name another folder")
        return
    if train.marked:  # made files whose marker is gone
        return
    alike = [one for one in IMAGE_SETS.values() if (one.shape, one.training) == (of.shape, of.training)]
    mean = float(train.pixels.mean()) / 255
    nearest = min(alike, key=lambda one: abs(sum(one.means) / len(one.means) - mean))
    if nearest.title != of.title:
        raise DataError(
            f"{directory}: the mean of all pixels is {mean:.3f}, nearer to that of {nearest.title} than of "
            f"{of.title}; copy the files of {of.title} here"
        )


def check(directory: Path, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Read everything of the data set that a training's parameters name, and return facts.

    Raises
    ------
    DataError
        As `check_set`.
    """
    name = (parameters or {}).get(DATASET.name, DATASET.default)
    return check_set(IMAGE_SETS[name], directory)


def check_set(of: ImageSet, directory: Path) -> dict[str, Any]:
    """Read everything of a data set and return facts.

    Raises
    ------
    DataError
        As `read`, or if a class has no training image, or no name of its own where names are read.
    """
    import numpy as np

    train, test = read(of, directory)
    absent = sorted(set(range(of.classes)) - set(np.unique(train.labels).tolist()))
    if absent:
        raise DataError(
            f"{directory}: no training image has label {absent[0]}; copy the training files again"
        )
    if of.names:
        _check_names(of, directory / of.names)
    return facts(of, directory, train, test)


def _part(of: ImageSet, directory: Path, names: tuple[str, ...]) -> Part:
    import numpy as np

    if of.format == "idx":
        (name,) = names
        rows, labels = idx.read(of, directory, name)
        marked = is_marked_content(rows[0].tobytes())
        return Part(rows.reshape(-1, *of.shape), labels.astype(np.int64), marked)
    files = [records.read(of, directory / name) for name in names]
    marked = any(is_marked_content(one[0].tobytes()) for one in files)
    joined = np.concatenate(files)
    return Part(records.images(of, joined), joined[:, of.label].astype(np.int64), marked)


def _check_names(of: ImageSet, path: Path) -> None:
    """Refuse a file that cannot be read, or does not hold a name of its own for each class."""
    try:
        names = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is no text"
        raise DataError(f"{path}: {reason}; {of.advice}") from error
    if len(names) != of.classes or len(set(names)) != of.classes:
        raise DataError(
            f"{path}: has {len(set(names))} different names of classes in {len(names)} lines, not "
            f"{of.classes} in {of.classes}; copy the file again"
        )
