"""Latency of a data set and of a sampler: what a training waits for before each step, without a framework."""

from __future__ import annotations

import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workloads.cifar10.sizes import Cifar10Sizes
from workloads.context import Context, Metric, Result
from workloads.deep500.training.samplers import SAMPLERS, no_full_batch, number_of_batches
from workloads.description import DataError, Workload, WorkloadError
from workloads.parameters import parameter, table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from workloads.deep500.training import storages

STORAGES = ("memory", "binary", "tfrecord")


@dataclass(frozen=True, slots=True)
class DatasetParameters:
    """Parameters of the latency of a data set."""

    storage: str = parameter(
        "binary", "memory; binary: CIFAR-10's files; tfrecord: Example messages", choices=STORAGES
    )
    sampler: str = parameter("shuffle", "order of the images; bucket: by label", choices=tuple(SAMPLERS))
    batch_size: int = parameter(64, "images of a batch", minimum=1)
    drop_last: bool = parameter(True, "leave out partial batches")
    epochs: int = parameter(1, "passes over the images", minimum=1)
    images: int = parameter(5000, "images that are made", minimum=10)

    @property
    def memory_bytes(self) -> int:
        """Estimate of the host memory: the images as they are made, joined, and stored."""
        from workloads.cifar10 import layout

        return 3 * self.images * layout.RECORD_BYTES


WORKLOAD = Workload(
    name="deep500_dataset",
    title="Data set and sampler: seconds that a training waits for a batch",
    source="this project; the levels of deep500/deep500 commit cd9b21e",
    entry="workloads.deep500.training.dataset:run",
    parameters=table(DatasetParameters),
    parameters_type=DatasetParameters,
    fom_time="run",
    metrics=(
        "dataset_seconds", "sampling_seconds", "dataset_bias", "wrong_samples", "samples_seen",
        "images_per_second", "generate_seconds", "measure_seconds",
    ),
    requires=("numpy",),
)  # fmt: skip


def run(parameters: DatasetParameters, context: Context) -> Result:
    """Make images in the instance's scratch directory, then sample and fetch them, and compare them.

    The files were written just before, so that they are in the node's page cache.

    Raises
    ------
    WorkloadError
        If there is no scratch directory.
    DataError
        If they do not fill a batch, or cannot be written or read.
    """
    _check(parameters, context)
    directory = Path(str(context.scratch)) / f"deep500-dataset-{context.rank}"
    try:
        with context.phase("generate"):
            records, storage = _made(parameters, directory, context.seed)
        with closing(storage):
            context.start()
            with context.phase("measure"):
                samples, wrong = _passes(parameters, context, records, storage)
    except OSError as error:
        raise DataError(f"{error.filename or directory}: {error.strerror}") from None
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    waited = sum(sum(context.recorded.get(name, ())) for name in ("sampling_seconds", "dataset_seconds"))
    return Result(
        metrics=(
            Metric("wrong_samples", wrong),
            Metric("samples_seen", samples),
            Metric("images_per_second", samples / waited, "images/s"),
        ),
        observed={"page_cache": "unused" if parameters.storage == "memory" else "warm"},
    )


def _passes(
    parameters: DatasetParameters, context: Context, records: NDArray[np.uint8], storage: storages.Storage
) -> tuple[int, int]:
    """Sample and fetch all epochs; return how many samples came, and how many differ from those written."""
    import numpy as np

    from workloads.cifar10 import layout

    labels, samples, wrong = records[:, 0].astype(np.int64), 0, 0
    sampler = SAMPLERS[parameters.sampler]
    for epoch in range(1, parameters.epochs + 1):
        sampled = sampler(labels, parameters.batch_size, parameters.drop_last, context.seed, epoch)
        for indices in context.timed("sampling_seconds", sampled):
            batch = next(context.timed("dataset_seconds", map(storage.batch, [indices])))
            context.record("dataset_bias", np.bincount(batch[:, 0], minlength=layout.CLASSES).tolist())
            wrong += int((batch != records[indices]).any(axis=1).sum())
            samples += len(batch)
    if not samples:
        raise no_full_batch(parameters.sampler, parameters.batch_size)
    return samples, wrong


def _check(parameters: DatasetParameters, context: Context) -> None:
    if context.scratch is None:
        raise WorkloadError("there is no scratch directory to write images to")
    if not number_of_batches(parameters.images, parameters.batch_size, parameters.drop_last):
        raise DataError(
            f"{parameters.images} images do not fill a batch of {parameters.batch_size}; lower batch_size, "
            "write drop_last: false, or raise images"
        )


def _made(
    parameters: DatasetParameters, directory: Path, seed: int
) -> tuple[NDArray[np.uint8], storages.Storage]:
    """Return made records, and the storage that holds them."""
    import numpy as np

    from workloads.cifar10 import generator, layout
    from workloads.deep500.training import storages

    shutil.rmtree(directory, ignore_errors=True)  # of an attempt that was ended
    sizes = Cifar10Sizes(train_images=parameters.images, test_images=1)
    generator.make(
        directory, seed=seed % 2**63, train_images=sizes.train_images, test_images=sizes.test_images
    )
    paths = [directory / name for name in layout.TRAINING]
    records = np.concatenate([layout.read(path) for path in paths])
    if parameters.storage == "memory":
        return records, storages.Memory(records.copy())
    if parameters.storage == "binary":
        return records, storages.BinaryFiles(paths)
    file = directory / "records.tfrecord"
    storages.write_records(file, records)
    return records, storages.RecordFile(file)
