"""The data sets: their files, formats, shapes and classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workloads.description import Parameter
from workloads.parameters import common, parameter


@dataclass(frozen=True, slots=True)
class ImageSet:
    """A data set of images with classes, as it is published.

    Parameters
    ----------
    title
        Its name, for people.
    format
        ``idx``: pairs of IDX files; ``records``: files of records, of labels and one image each.
    training, test
        Names of its files; with ``idx``, what the names of a pair begin with.
    shape
        Rows, columns and colours of an image.
    label_classes
        For each label of an image, how many classes it tells apart.
    label
        Index of the label that is learned.
    means, deviations
        Of each colour, over the published training images, as shares of the brightest. CIFAR-10's deviations
        are the usual ones, means over the images of the deviation within each.
    names
        File with a name for each class, one a line; empty where it is not read.
    """

    title: str
    format: Literal["idx", "records"]
    training: tuple[str, ...]
    test: str
    shape: tuple[int, int, int]
    label_classes: tuple[int, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    label: int = 0
    names: str = ""

    @property
    def classes(self) -> int:
        """Classes that are learned."""
        return self.label_classes[self.label]

    @property
    def pixel_bytes(self) -> int:
        """Bytes of an image."""
        rows, columns, colours = self.shape
        return rows * columns * colours

    @property
    def record_bytes(self) -> int:
        """Bytes of an image with its labels."""
        return len(self.label_classes) + self.pixel_bytes

    @property
    def advice(self) -> str:
        """Advice about a missing file."""
        form = "IDX files" if self.format == "idx" else "binary version"
        return f"copy the {form} of {self.title} here, or name another dataset"


def _mnist(title: str, mean: float, deviation: float) -> ImageSet:
    return ImageSet(
        title=title,
        format="idx",
        training=("train",),
        test="t10k",
        shape=(28, 28, 1),
        label_classes=(10,),
        means=(mean,),
        deviations=(deviation,),
    )


def _cifar100(label: int) -> ImageSet:
    return ImageSet(
        title="CIFAR-100",
        format="records",
        training=("train.bin",),
        test="test.bin",
        shape=(32, 32, 3),
        label_classes=(20, 100),
        label=label,
        means=(0.5071, 0.4865, 0.4409),
        deviations=(0.2673, 0.2564, 0.2762),
    )


CIFAR10 = ImageSet(
    title="CIFAR-10",
    format="records",
    training=tuple(f"data_batch_{number}.bin" for number in range(1, 6)),
    test="test_batch.bin",
    shape=(32, 32, 3),
    label_classes=(10,),
    means=(0.4914, 0.4822, 0.4465),
    deviations=(0.2023, 0.1994, 0.2010),
    names="batches.meta.txt",
)

IMAGE_SETS = {
    "cifar10": CIFAR10,
    "cifar100": _cifar100(label=1),
    "cifar100_coarse": _cifar100(label=0),
    "mnist": _mnist("MNIST", 0.1307, 0.3081),
    "fashion_mnist": _mnist("Fashion-MNIST", 0.2860, 0.3530),
}

DATASET = Parameter(
    "dataset",
    "cifar10",
    "images and classes, in the published files; cifar100_coarse: its 20 superclasses",
    choices=tuple(IMAGE_SETS),
)


@dataclass(frozen=True, slots=True)
class ImageSetSizes:
    """Sizes of made data; the defaults are those of CIFAR-10."""

    dataset: str = common(DATASET)
    train_images: int = parameter(
        50_000, "images to train with; MNIST and Fashion-MNIST have 60,000", minimum=10
    )
    test_images: int = parameter(10_000, "images of the test set", minimum=1)
