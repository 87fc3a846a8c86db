"""Find and verify ImageNet's files.

Two layouts are known. In *folders* there is one folder per class below ``train`` and below
``validation``, each with its JPEG files; classes are numbered by sorted folder name. In *tfrecords*
there are ``train-00000-of-01024`` and so on, and ``validation-…``, with the records that
avolkov1/keras_experiments (commit 333fad9) writes; their labels count from 1, and 0 is nothing.

The real set has one PNG among its JPEG files, and some JPEG files in CMYK or grey. They are read
like all others and turned into RGB.
"""

from __future__ import annotations

import io
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from workloads.data.synthetic import is_marked, is_marked_content, is_synthetic
from workloads.data.tfrecords import Feature, decode_example, read_records
from workloads.data.threads import in_threads
from workloads.description import DataError, WorkloadError

FOLDERS, TFRECORDS = "folders", "tfrecords"
SPLITS = ("train", "validation")
SUFFIXES = (".jpeg", ".jpg", ".png")
HIGHEST_LABEL = 1000
ENCODED, LABEL = "image/encoded", "image/class/label"

_SHARD = re.compile(r"(train|validation)-(\d{5})-of-(\d{5})")
_SAMPLE = 16  # files of a split
_FORMATS = {"JPEG", "MPO", "PNG"}
_START_OF_SCAN, _END_OF_IMAGE = b"\xff\xda", b"\xff\xd9"
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Folders:
    """Contents of a directory of class folders.

    Parameters
    ----------
    classes
        Folder names, sorted; the place is the class number.
    files
        Per split and class, the sorted names of its files.
    """

    classes: list[str]
    files: dict[str, list[list[str]]]

    def count(self, split: str) -> int:
        """Return the number of images of a split."""
        return sum(map(len, self.files[split]))


def advice(directory: Path) -> str:
    """Return advice on how to get the files."""
    return (
        f"run `orchestrator data generate resnet50 --output {directory}`, or name the directory that has them"
    )


def shard_name(split: str, number: int, count: int) -> str:
    """Return the name of the TFRecord file with a number from 0."""
    return f"{split}-{number:05d}-of-{count:05d}"


def find_layout(directory: Path) -> str:
    """Return which of the two layouts a directory has.

    Raises
    ------
    DataError
        If it has both or neither.
    """
    shards = any(_SHARD.fullmatch(path.name) for path in directory.iterdir())
    folders = any((directory / split).is_dir() for split in SPLITS)
    if shards and folders:
        raise DataError(
            f"{directory}: holds class folders and TFRecord files; move one of the two to another directory"
        )
    if not shards and not folders:
        raise DataError(
            f"{directory}: holds neither folders {' and '.join(SPLITS)} nor files "
            f"{shard_name('train', 0, 1024)} …; {advice(directory)}"
        )
    return TFRECORDS if shards else FOLDERS


def list_folders(directory: Path) -> Folders:
    """Return classes and files of class folders, without hidden files.

    Raises
    ------
    DataError
        If a split is missing, a class is in one split only or has no image, or there is a file
        that cannot be one.
    """
    names = {}
    for split in SPLITS:
        if not (directory / split).is_dir():
            raise DataError(f"{directory / split}: no such folder; {advice(directory)}")
        names[split] = sorted(entry.name for entry in _visible(directory / split))
    for split, other in (SPLITS, SPLITS[::-1]):
        alone = sorted(set(names[split]) - set(names[other]))
        if alone:
            raise DataError(
                f"{directory / split / alone[0]}: there is no such class in {directory / other}; "
                "both need the same class folders"
            )
    if not names["train"]:
        raise DataError(f"{directory / 'train'}: no class folder in it; {advice(directory)}")
    return Folders(
        names["train"],
        {split: [_images(directory / split / name) for name in names[split]] for split in SPLITS},
    )


def list_shards(directory: Path) -> dict[str, list[str]]:
    """Return the names of the TFRecord files of each split, in order.

    Raises
    ------
    DataError
        If one of them is missing.
    """
    found: dict[str, dict[int, set[int]]] = {split: {} for split in SPLITS}
    for path in directory.iterdir():
        if match := _SHARD.fullmatch(path.name):
            found[match[1]].setdefault(int(match[3]), set()).add(int(match[2]))
    for split, numbers in found.items():
        if not numbers:
            raise DataError(f"{directory}: no file {split}-*-of-*; {advice(directory)}")
        count, *others = sorted(numbers)
        if others:
            raise DataError(
                f"{directory}: {split} files of a set of {count} and of a set of {others[0]}; "
                "remove those of one set"
            )
        missing = sorted(set(range(count)) - numbers[count])
        if missing:
            raise DataError(
                f"{directory / shard_name(split, missing[0], count)}: no such file, though others of "
                "its set are there; copy it from where they came"
            )
    return {split: [shard_name(split, k, n) for k in range(n)] for split in SPLITS for n in found[split]}


def check(directory: Path) -> dict[str, Any]:
    """Decode every image and return the numbers of images and classes, and whether they are made.

    Raises
    ------
    DataError
        With the file, and the number of the record in it, of the first thing that is wrong.
    WorkloadError
        If what decodes images is not installed.
    """
    directory = Path(directory)
    facts: dict[str, Any] = {"synthetic": is_synthetic(directory), "layout": find_layout(directory)}
    if facts["layout"] == FOLDERS:
        listing = list_folders(directory)
        tasks = [
            (directory / split / name, names)
            for split in SPLITS
            for name, names in zip(listing.classes, listing.files[split], strict=True)
        ]
        marked = any(list(in_threads(_check_folder, tasks)))
        counts = {split: listing.count(split) for split in SPLITS}
        classes = len(listing.classes)
    else:
        labels = {}
        listed = list_shards(directory)
        marked = any(is_marked(directory / name) for names in listed.values() for name in names)
        for split, names in listed.items():
            shards = in_threads(_check_shard, [directory / name for name in names])
            labels[split] = sum(shards, Counter[int]())
        classes = _check_labels(directory, labels)
        counts = {split: labels[split].total() for split in SPLITS}
    facts["synthetic"] = facts["synthetic"] or marked
    return facts | {f"{split}_images": counts[split] for split in SPLITS} | {"classes": classes}


def sample_is_marked(directory: Path, found: Folders | dict[str, list[str]]) -> bool:
    """Tell whether a few files, spread over the classes or the TFRecord files of a set, are marked as made.

    Of a TFRecord file the first record is looked at.
    """
    for split in SPLITS:
        if isinstance(found, Folders):
            names = [
                f"{split}/{name}/{files[0]}"
                for name, files in zip(found.classes, found.files[split], strict=True)
            ]
        else:
            names = found[split]
        step = max(1, len(names) // _SAMPLE)
        if any(is_marked(directory / name) for name in names[::step]):
            return True
    return False


def pillow() -> Any:
    """Return Pillow's image module.

    Raises
    ------
    WorkloadError
        If it is not installed.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise WorkloadError(
            "images are made and checked with Pillow, which is not installed here; install it"
        ) from error
    return Image


def _visible(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith("."):
                yield entry


def _images(folder: Path) -> list[str]:
    if not folder.is_dir():
        raise DataError(f"{folder}: a file where only class folders are expected; move it away")
    names = sorted(entry.name for entry in _visible(folder))
    for name in names:
        if not name.lower().endswith(SUFFIXES):
            raise DataError(f"{folder / name}: is no image ({', '.join(SUFFIXES)}); move it away")
    if not names:
        raise DataError(f"{folder}: a class without images; copy them again, or remove the class everywhere")
    return names


def _check_folder(task: tuple[Path, list[str]]) -> bool:
    """Return whether one of the images is marked as made."""
    folder, names = task
    marked = False
    for name in names:
        path = folder / name
        try:
            content = path.read_bytes()
            _decode(content)
        except (OSError, ValueError) as error:
            raise DataError(f"{path}: {error}; replace the file") from error
        marked = marked or is_marked_content(content)
    return marked


def _check_shard(path: Path) -> Counter[int]:
    """Return how often each label occurs."""
    labels: Counter[int] = Counter()
    for number, payload in enumerate(read_records(path), start=1):
        try:
            features = decode_example(payload)
            label = _label(features)
            _decode(_only(features, ENCODED, bytes))
        except (OSError, ValueError) as error:
            raise DataError(f"{path}: record {number}: {error}; write the file again") from error
        labels[label] += 1
    return labels


def _label(features: dict[str, Feature]) -> int:
    label = _only(features, LABEL, int)
    if not 1 <= label <= HIGHEST_LABEL:
        raise ValueError(f"label {label} is none of 1 … {HIGHEST_LABEL}")
    return label


def _only(features: dict[str, Feature], name: str, kind: type[_Value]) -> _Value:
    match features.get(name):
        case [value] if isinstance(value, kind):
            return value
    raise ValueError(f"has no single {name}")


def _check_labels(directory: Path, labels: dict[str, Counter[int]]) -> int:
    """Return the number of classes, which are numbered without gaps and the same in both splits."""
    classes = max(max(found, default=0) for found in labels.values())
    for split, found in labels.items():
        missing = set(range(1, classes + 1)) - set(found)
        if missing:
            raise DataError(
                f"{directory}: no {split} record has label {min(missing)}, though there are labels up to "
                f"{classes}; write the {split} files again from all classes"
            )
    return classes


def _decode(content: bytes) -> None:
    """Decode an image completely; raise `OSError` or `ValueError` where that is not possible."""
    image_module = pillow()
    try:
        with image_module.open(io.BytesIO(content)) as image:
            if image.format not in _FORMATS:
                raise ValueError(f"is a {image.format} image, not JPEG or PNG")
            image.load()
            # Pillow forgives a missing end, TensorFlow does not. No scan has these bytes inside it.
            if image.format != "PNG" and content.rfind(_END_OF_IMAGE) < content.rfind(_START_OF_SCAN):
                raise ValueError("the image is cut short")
    except (image_module.UnidentifiedImageError, SyntaxError) as error:
        raise ValueError("is no image") from error
