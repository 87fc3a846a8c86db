"""ImageNet's images as batches for one rank: read, decoded, changed at random, by TensorFlow alone.

How an image is decoded, cropped and normalised is the benchmark's `View`. Whatever the decoder takes as
JPEG or PNG, also in grey or CMYK, becomes three channels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from workloads.data.synthetic import is_synthetic
from workloads.data.tfrecords import count_records
from workloads.data.threads import in_threads
from workloads.description import DataError
from workloads.imagenet.layout import (
    ENCODED,
    FOLDERS,
    LABEL,
    SPLITS,
    Folders,
    find_layout,
    list_folders,
    list_shards,
    sample_is_marked,
)
from workloads.runtime.collectives import Ranks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PREFETCHED_BATCHES = 2


class View(Protocol):
    """How a benchmark shows the images to its network.

    Seeds are two integers, int64: one of the epoch and rank, one of the image or batch in it.
    """

    def training_image(self, encoded: Any, seed: Any) -> Any:
        """Return an encoded image, height × width × 3, in the size that all images of a batch have."""

    def training_batch(self, images: Any, seed: Any) -> Any:
        """Return images as the network takes them, float32."""

    def validation_image(self, encoded: Any) -> Any:
        """Return an encoded image without random changes, in the size of the batch."""

    def validation_batch(self, images: Any) -> Any:
        """Return images without random changes as the network takes them, float32."""


@dataclass(frozen=True, slots=True)
class Part:
    """The share of an epoch that one rank trains on."""

    epoch: int
    rank: int
    ranks: int
    images: int


class FolderSource:
    """Images in class folders; any image can be read at any time."""

    def __init__(self, directory: Path, listing: Folders) -> None:
        import numpy as np

        self._directory = directory
        self._names: dict[str, NDArray[np.bytes_]] = {}
        self._labels: dict[str, NDArray[np.int64]] = {}
        for split, files in listing.files.items():
            pairs = zip(listing.classes, files, strict=True)
            names = [f"{label}/{name}".encode() for label, group in pairs for name in group]
            self._names[split] = np.array(names)
            self._labels[split] = np.repeat(np.arange(len(files)), [len(group) for group in files])

    def count(self, split: str) -> int:
        """Return the number of images of a split."""
        return len(self._labels[split])

    def training(self, part: Part, seed: int) -> Any:
        """Return a rank's images of an epoch, from one order of all images that all ranks share."""
        import numpy as np

        order = np.random.default_rng([seed, part.epoch]).permutation(self.count("train"))
        return self._files("train", order[part.rank : part.images * part.ranks : part.ranks])

    def validation(self, rank: int, ranks: int) -> Any:
        """Return the validation images that a rank scores; together the ranks score each one once."""
        import numpy as np

        return self._files("validation", np.arange(rank, self.count("validation"), ranks))

    def _files(self, split: str, chosen: NDArray[np.int64]) -> Any:
        import tensorflow as tf

        folder = f"{self._directory / split}/"
        pairs = tf.data.Dataset.from_tensor_slices((self._names[split][chosen], self._labels[split][chosen]))
        return pairs.map(lambda name, label: (folder + name, label))

    @staticmethod
    def open(path: Any, label: Any) -> tuple[Any, Any]:
        """Return the encoded image and its class."""
        import tensorflow as tf

        return tf.io.read_file(path), label

    @staticmethod
    def check(entries: Any, shown: Callable[[Any], Any]) -> None:
        """Raise `DataError` at the first of some images that cannot be shown, with the name of its file."""
        import tensorflow as tf

        for path, _ in entries:
            try:
                shown(tf.io.read_file(path))
            except tf.errors.OpError as error:
                file = path.numpy().decode(errors="replace")
                raise DataError(
                    f"{file}: cannot be read as an image ({_reason(error)}); copy the file again"
                ) from error


class ShardSource:
    """Images in TFRecord files, which can only be read from their beginning."""

    def __init__(
        self,
        directory: Path,
        names: dict[str, list[str]],
        counts: dict[str, list[int]],
        shuffled_records: int,
    ) -> None:
        self._directory = directory
        self._names = names
        self._counts = counts
        self._shuffled_records = shuffled_records

    def count(self, split: str) -> int:
        """Return the number of images of a split."""
        return sum(self._counts[split])

    def training(self, part: Part, seed: int) -> Any:
        """Return a rank's images of an epoch.

        All ranks share one random order of the files, and each reads its own stretch of the records
        in them, through a buffer that shuffles.
        """
        import numpy as np

        order = np.random.default_rng([seed, part.epoch]).permutation(len(self._names["train"]))
        begin = part.rank * part.images
        buffer_seed = np.random.default_rng([seed, part.epoch, part.rank, 0]).integers(2**31)
        return self._stretch("train", order.tolist(), begin, begin + part.images).shuffle(
            self._shuffled_records, seed=int(buffer_seed), reshuffle_each_iteration=False
        )

    def validation(self, rank: int, ranks: int) -> Any:
        """Return the validation images that a rank scores; together the ranks score each one once."""
        count = self.count("validation")
        order = range(len(self._names["validation"]))
        return self._stretch("validation", order, rank * count // ranks, (rank + 1) * count // ranks)

    def _stretch(self, split: str, order: Sequence[int], begin: int, end: int) -> Any:
        """Return the records from `begin` to `end` of the files in this order."""
        import tensorflow as tf

        paths, skips, takes = [], [], []
        first = 0
        for number in order:
            count = self._counts[split][number]
            skip, stop = max(begin - first, 0), min(end - first, count)
            if skip < stop:
                paths.append(str(self._directory / self._names[split][number]))
                skips.append(skip)
                takes.append(stop - skip)
            first += count
        files = tf.data.Dataset.from_tensor_slices(
            (tf.constant(paths, tf.string), tf.constant(skips, tf.int64), tf.constant(takes, tf.int64))
        )
        return files.flat_map(lambda path, skip, take: tf.data.TFRecordDataset(path).skip(skip).take(take))

    @staticmethod
    def open(record: Any) -> tuple[Any, Any]:
        """Return the encoded image and its class, which counts from 0."""
        import tensorflow as tf

        found = tf.io.parse_single_example(
            record,
            {ENCODED: tf.io.FixedLenFeature((), tf.string), LABEL: tf.io.FixedLenFeature((), tf.int64)},
        )
        return found[ENCODED], found[LABEL] - 1

    def check(self, _entries: Any, _shown: Callable[[Any], Any]) -> None:
        """Raise `DataError` at the first file that no longer has the records that were counted."""
        for split, names in self._names.items():
            for name, counted in zip(names, self._counts[split], strict=True):
                path = self._directory / name
                try:
                    count = count_records(path)
                except OSError as error:
                    raise DataError(f"{path}: {error.strerror}; copy the file again") from error
                if count != counted:
                    raise DataError(
                        f"{path}: holds {count} records, and held {counted} when the run began; copy the "
                        "file again"
                    )


def _reason(error: Any) -> str:
    """Return the first line of a TensorFlow error without the names of its operations."""
    return re.sub(r"^\{\{.*?\}\} *| *\[Op:.*$", "", str(error.message).splitlines()[0])


@dataclass(frozen=True, slots=True)
class Batching:
    """Shape and order of a rank's batches.

    Parameters
    ----------
    view
        How images are shown.
    batch_size
        Images of a rank's step.
    seed
        Every random choice follows from it, the epoch and the rank.
    threads
        Images that are decoded at a time.
    shuffled_records
        Records of TFRecord files from which the next one is drawn at random.
    """

    view: View
    classes: int
    batch_size: int
    seed: int
    threads: int
    shuffled_records: int = 2048


class Images:
    """The batches of one rank.

    Parameters
    ----------
    directory, source
        Where the images are.
    ranks
        Who shares the images.
    """

    def __init__(
        self,
        directory: Path,
        source: FolderSource | ShardSource,
        facts: dict[str, Any],
        batching: Batching,
        ranks: Ranks,
    ) -> None:
        self.facts = facts
        self.steps_per_epoch = source.count("train") // (batching.batch_size * ranks.size)
        self._directory = directory
        self._source = source
        self._view, self._classes, self._threads = batching.view, batching.classes, batching.threads
        self._batch_size, self._ranks = batching.batch_size, ranks
        self._seed = batching.seed % 2**64

    def training(self, epoch: int) -> Iterator[tuple[Any, Any]]:
        """Yield the batches of an epoch; no image is in two of them, on whatever ranks.

        Raises
        ------
        DataError
            If an image cannot be read.
        """
        import numpy as np
        import tensorflow as tf

        images = self.steps_per_epoch * self._batch_size
        part = Part(epoch, self._ranks.rank, self._ranks.size, images)
        drawn = int(np.random.default_rng([self._seed, epoch, self._ranks.rank]).integers(2**31))

        def seed(number: Any) -> Any:
            return tf.stack([tf.constant(drawn, tf.int64), number])

        def show(number: Any, encoded: Any) -> Any:
            return self._view.training_image(encoded, seed(number))

        def change(number: Any, batch: tuple[Any, Any]) -> tuple[Any, Any]:
            return self._view.training_batch(batch[0], seed(number)), batch[1]

        entries = self._source.training(part, self._seed)
        batches = self._batches(entries, show).enumerate()
        ready = batches.map(change, num_parallel_calls=self._threads)
        return self._ready(ready, entries, images)

    def validation(self) -> Iterator[tuple[Any, Any]]:
        """Yield the batches that this rank scores; the last one may be smaller.

        Raises
        ------
        DataError
            If an image cannot be read.
        """

        def show(_number: Any, encoded: Any) -> Any:
            return self._view.validation_image(encoded)

        def change(images: Any, labels: Any) -> tuple[Any, Any]:
            return self._view.validation_batch(images), labels

        entries = self._source.validation(self._ranks.rank, self._ranks.size)
        ready = self._batches(entries, show).map(change, num_parallel_calls=self._threads)
        count, rank, ranks = self._source.count("validation"), self._ranks.rank, self._ranks.size
        return self._ready(ready, entries, (rank + 1) * count // ranks - rank * count // ranks)

    def _batches(self, entries: Any, show: Callable[[Any, Any], Any]) -> Any:
        """Return batches of decoded images and labels."""

        def decode(number: Any, entry: Any) -> tuple[Any, Any]:
            import tensorflow as tf

            encoded, label = self._source.open(*(entry if isinstance(entry, tuple) else (entry,)))
            known = tf.debugging.Assert((label >= 0) & (label < self._classes), ["unknown label", label])
            with tf.control_dependencies([known]):
                return show(number, encoded), tf.identity(label)

        return entries.enumerate().map(decode, num_parallel_calls=self._threads).batch(self._batch_size)

    def _ready(self, batches: Any, entries: Any, images: int) -> Iterator[tuple[Any, Any]]:
        """Yield batches, which hold so many images of some entries."""
        import tensorflow as tf

        options = tf.data.Options()
        options.threading.private_threadpool_size = self._threads
        options.deterministic = True
        done = 0
        try:
            for batch in batches.prefetch(_PREFETCHED_BATCHES).with_options(options):
                yield batch
                done += 1
        except (tf.errors.InvalidArgumentError, tf.errors.DataLossError, tf.errors.NotFoundError) as error:
            first = done * self._batch_size
            failed = entries.skip(first).take(self._batch_size)
            self._source.check(failed, self._view.validation_image)
            raise DataError(
                f"{self._directory}: one of images {first} … {first + self._batch_size - 1} of this rank's "
                f"epoch cannot be read ({_reason(error)}); `orchestrator data verify resnet50 "
                f"{self._directory}` says which"
            ) from error
        if done * self._batch_size < images:
            self._source.check(entries.take(0), self._view.validation_image)


def open_images(directory: Path, ranks: Ranks, batching: Batching) -> Images:
    """Survey a directory once for all ranks, and return this rank's batches of it.

    Raises
    ------
    DataError
        On every rank: if files are missing or cut short, the classes are not as many as asked for,
        or the training images do not fill one step.
    """

    def survey() -> dict[str, Any]:
        facts = {"synthetic": is_synthetic(directory), "layout": find_layout(directory)}
        if facts["layout"] == FOLDERS:
            listing = list_folders(directory)
            facts["synthetic"] = facts["synthetic"] or sample_is_marked(directory, listing)
            return {"facts": facts, "classes": listing.classes, "files": listing.files}
        shards = list_shards(directory)
        facts["synthetic"] = facts["synthetic"] or sample_is_marked(directory, shards)
        return {"facts": facts, "files": shards}

    found = ranks.broadcast_object(survey)
    source: FolderSource | ShardSource
    if found["facts"]["layout"] == FOLDERS:
        if len(found["classes"]) != batching.classes:
            raise DataError(
                f"{directory}: {len(found['classes'])} class folders, but parameter classes is "
                f"{batching.classes}"
            )
        source = FolderSource(directory, Folders(found["classes"], found["files"]))
    else:
        counts = _count(directory, found["files"], ranks)
        source = ShardSource(directory, found["files"], counts, batching.shuffled_records)
    facts = found["facts"] | {f"{split}_images": source.count(split) for split in SPLITS}
    images = Images(directory, source, facts, batching, ranks)
    if not images.steps_per_epoch:
        raise DataError(
            f"{directory}: {facts['train_images']} training images do not fill one step of {ranks.size} "
            f"ranks × {batching.batch_size} images; lower batch_size, use fewer ranks, or give more images"
        )
    if not facts["validation_images"]:
        raise DataError(f"{directory}: no validation image; copy the validation files again")
    return images


def _count(directory: Path, names: dict[str, list[str]], ranks: Ranks) -> dict[str, list[int]]:
    """Return the records of every file, each counted by one of the ranks."""
    everything = [directory / name for split in SPLITS for name in names[split]]
    mine = everything[ranks.rank :: ranks.size]
    shares = ranks.all_gather_object(lambda: list(in_threads(count_records, mine)))
    counts = [0] * len(everything)
    for rank, share in enumerate(shares):
        counts[rank :: ranks.size] = share
    train = len(names["train"])
    return {"train": counts[:train], "validation": counts[train:]}
