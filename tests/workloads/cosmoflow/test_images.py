from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from workloads.cosmoflow.generator import make
from workloads.cosmoflow.images import CosmoImages
from workloads.description import DataError


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    directory = tmp_path_factory.mktemp("cosmo")
    make(directory, 1, train_images=14, validation_images=7, image_edge=2)
    return directory


def opened(directory, rank=0, size=1, **changes):
    ranks = SimpleNamespace(rank=rank, size=size, broadcast_object=lambda make: make())
    given = {"edge": 2, "batch_size": 2, "seed": -1, "threads": 2} | changes
    return CosmoImages(directory, ranks, **given)


def test_the_batches_of_all_ranks_are_those_of_one_with_as_many_images(data):
    [whole] = [list(opened(data, batch_size=6).training(3))]
    parts = [list(opened(data, rank, 3).training(3)) for rank in range(3)]
    assert (len(whole), [len(part) for part in parts]) == (2, [2, 2, 2])
    for step, batch in enumerate(whole):
        for number, values in enumerate(batch):
            assert np.array_equal(values, np.concatenate([part[step][number] for part in parts]))


def test_no_image_is_in_two_batches_of_an_epoch_and_the_order_follows_from_seed_and_epoch(data):
    def shown(epoch, **changes):
        return [
            targets.tobytes() for _, batch in opened(data, **changes).training(epoch) for targets in batch
        ]

    assert len(set(shown(0))) == 14
    assert shown(0) == shown(0)
    assert len({tuple(shown(0)), tuple(shown(1)), tuple(shown(0, seed=5))}) == 3


def test_each_validation_image_is_scored_once(data):
    parts = [[targets for _, targets in opened(data, rank, 3).validation()] for rank in range(3)]
    assert [[len(batch) for batch in part] for part in parts] == [[2, 1], [2], [2]]
    assert len({row.tobytes() for part in parts for batch in part for row in batch}) == 7
    assert opened(data).facts == {"train_images": 14, "validation_images": 7, "synthetic": True}


def test_too_few_images_for_a_step_are_refused(data):
    with pytest.raises(DataError, match=r"14 training images do not fill one step of 2 ranks × 8 images"):
        opened(data, size=2, batch_size=8)


def test_a_file_that_changes_while_it_trains_is_named(tmp_path):
    make(tmp_path, 1, train_images=4, validation_images=1, image_edge=2)
    images = opened(tmp_path)
    path = tmp_path / "train" / "made_000002.tfrecord"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(DataError, match=r"made_000002\.tfrecord: the compressed file is cut short"):
        list(images.training(0))
