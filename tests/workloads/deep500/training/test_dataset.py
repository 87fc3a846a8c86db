"""Every storage gives every sample as it was written, and its latencies are those of the waiting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloads import modules
from workloads.cifar10 import layout
from workloads.context import Context, Paths, SlotView
from workloads.deep500.training import dataset, storages
from workloads.deep500.training.dataset import WORKLOAD
from workloads.description import DataError, WorkloadError
from workloads.metrics.measure import recorded_metrics

RECORDS = np.random.default_rng(1).integers(0, 256, (11, layout.RECORD_BYTES), np.uint8)
RECORDS[:, 0] %= 10


@pytest.fixture
def run(tmp_path):
    def run(**changes):
        context = Context(
            seed=1, slot=SlotView(cores=(0,), memory_bytes=2**30), paths=Paths(scratch=tmp_path / "scratch")
        )
        parameters = WORKLOAD.typed(WORKLOAD.resolve({"images": 100, "batch_size": 8} | changes))
        result = modules.load(WORKLOAD.entry)(parameters, context)
        return result, {one.name: one.value for one in (*result.metrics, *recorded_metrics(context))}

    return run


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    (folder / "one").write_bytes(RECORDS[:4].tobytes())
    (folder / "none").write_bytes(b"")
    (folder / "two").write_bytes(RECORDS[4:].tobytes())
    storages.write_records(folder / "records", RECORDS)
    found = [
        storages.Memory(RECORDS),
        storages.BinaryFiles([folder / name for name in ("one", "none", "two")]),
        storages.RecordFile(folder / "records"),
    ]
    yield found
    for one in found:
        one.close()


@given(indices=st.lists(st.integers(0, 10), min_size=1, max_size=30))
def test_a_storage_gives_what_was_stored_in_any_order(stored, indices):
    for one in stored:
        assert (one.batch(np.array(indices)) == RECORDS[indices]).all()


@pytest.mark.parametrize("storage", dataset.STORAGES)
def test_a_run_waits_for_each_batch_and_leaves_nothing(run, storage, tmp_path):
    result, found = run(storage=storage, epochs=2)
    assert found["wrong_samples"] == 0
    assert (found["samples_seen"], found["dataset_bias_samples"]) == (192, 192)
    assert found["dataset_seconds_reruns"] == found["sampling_seconds_reruns"] == 24
    assert 0 < found["dataset_seconds_low"] <= found["dataset_seconds"] <= found["dataset_seconds_high"]
    assert found["images_per_second"] > 0
    assert not list((tmp_path / "scratch").iterdir())
    assert result.accuracy is None


def test_a_partial_batch_counts_where_it_is_kept(run):
    assert run(drop_last=False)[1]["samples_seen"] == 100


def test_labels_one_after_another_are_no_bias(run):
    _, found = run(drop_last=False, sampler="ordered")
    assert found["dataset_bias"] == pytest.approx(0)
    assert run(sampler="choice")[1]["dataset_bias"] > 0.01


def test_a_sample_that_comes_back_otherwise_is_counted(run, monkeypatch):
    monkeypatch.setattr(storages.BinaryFiles, "batch", lambda self, indices: 0 * RECORDS[indices % 11])
    assert run(storage="binary")[1]["wrong_samples"] == 96


@pytest.mark.parametrize("storage", ["binary", "tfrecord"])
def test_a_file_that_gets_shorter_is_named(run, monkeypatch, tmp_path, storage):
    made = dataset._made

    def cut(*arguments):
        found = made(*arguments)
        for file in (*arguments[1].glob("data_batch_*"), *arguments[1].glob("*.tfrecord")):
            file.write_bytes(file.read_bytes()[:100])
        return found

    monkeypatch.setattr(dataset, "_made", cut)
    with pytest.raises(DataError, match=r"(data_batch_\d\.bin|records\.tfrecord): cut short at byte \d+"):
        run(storage=storage)
    assert not list((tmp_path / "scratch").iterdir())


def test_too_few_images_are_refused(run):
    with pytest.raises(DataError, match="100 images do not fill a batch of 101; lower batch_size"):
        run(batch_size=101)


def test_buckets_that_fill_no_batch_are_named(run):
    with pytest.raises(DataError, match="sampler bucket has no full batch of 64; lower batch_size"):
        run(sampler="bucket", batch_size=64)


def test_too_many_images_are_refused():
    with pytest.raises(WorkloadError, match=r"needs about 8585\.9 GiB of memory, and its slot has 1\.0 GiB"):
        WORKLOAD.check_memory(WORKLOAD.resolve({"images": 10**9}), 2**30)


def test_a_run_without_a_scratch_directory_is_refused():
    with pytest.raises(WorkloadError, match="there is no scratch directory"):
        dataset.run(dataset.DatasetParameters(), Context(seed=1, slot=SlotView()))
