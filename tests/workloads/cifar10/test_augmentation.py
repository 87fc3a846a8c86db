from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from workloads.cifar10.augmentation import augmented, normalised
from workloads.cifar10.benchmark import Schedule
from workloads.cifar10.generator import make
from workloads.cifar10.images import Augmentation, Cifar10Images
from workloads.description import DataError
from workloads.image_sets.table import CIFAR10

IMAGES = np.random.default_rng(1).integers(0, 256, (40, 32, 32, 3)).astype(np.uint8)


def changed(**changes):
    given = {"padding": 0, "flip": False, "cutout": 0} | changes
    return augmented(IMAGES, np.random.default_rng(2), **given)


def test_images_are_normalised_by_the_published_numbers():
    assert normalised(np.full((1, 1, 1, 3), 255, np.uint8)).ravel() == pytest.approx(
        [(1 - 0.4914) / 0.2023, (1 - 0.4822) / 0.1994, (1 - 0.4465) / 0.2010], rel=1e-5
    )
    assert np.allclose(changed() * CIFAR10.deviations + CIFAR10.means, IMAGES / 255, atol=1e-6)


def test_a_crop_is_a_window_of_the_image_in_a_border_of_the_mean_colour():
    plain, places = normalised(IMAGES), set()
    for image, shown in zip(plain, changed(padding=4), strict=True):
        framed = np.pad(image, ((4, 4), (4, 4), (0, 0)))
        [place] = [
            (top, left)
            for top in range(9)
            for left in range(9)
            if np.array_equal(framed[top : top + 32, left : left + 32], shown)
        ]
        places.add(place)
    assert {top for top, _ in places} == {left for _, left in places} == set(range(9))


def test_half_of_the_images_are_mirrored():
    plain, shown = normalised(IMAGES), changed(flip=True)
    mirrored = [np.array_equal(one[:, ::-1], other) for one, other in zip(plain, shown, strict=True)]
    same = [np.array_equal(one, other) for one, other in zip(plain, shown, strict=True)]
    assert [one != other for one, other in zip(mirrored, same, strict=True)] == [True] * 40
    assert 10 < sum(mirrored) < 30


def test_a_square_around_a_random_pixel_is_cut_out():
    sides = set()
    for image, shown in zip(normalised(IMAGES), changed(cutout=16), strict=True):
        holes = (shown != image).any(axis=2)
        rows, columns = np.flatnonzero(holes.any(axis=1)), np.flatnonzero(holes.any(axis=0))
        assert not shown[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].any()
        assert holes.sum() == len(rows) * len(columns)
        sides |= {len(rows), len(columns)}
    assert max(sides) == 16
    assert min(sides) >= 8  # the middle is inside


def test_the_rate_is_a_tenth_from_epochs_81_122_and_164():
    schedule = Schedule(learning_rate=0.1, momentum=0.9, steps_per_epoch=781)
    rates = {epoch: schedule.rate(epoch * 781) for epoch in (0, 80, 81, 121, 122, 163, 164)}
    assert rates == pytest.approx({0: 0.1, 80: 0.1, 81: 0.01, 121: 0.01, 122: 0.001, 163: 0.001, 164: 0.0001})
    assert schedule.rate(81 * 781 - 1) == 0.1
    assert schedule.momentum_of(5) == 0.9


def opened(directory, rank, size, **changes):
    given = {"batch_size": 4, "seed": -1} | changes
    ranks = SimpleNamespace(rank=rank, size=size)
    return Cifar10Images(directory, ranks, augmentation=Augmentation(2, True, 8), **given)


def test_ranks_share_the_images_of_an_epoch_and_score_each_test_image_once(tmp_path):
    make(tmp_path, seed=1, train_images=30, test_images=11)
    plain = Cifar10Images(tmp_path, SimpleNamespace(rank=0, size=1), 4, 5, Augmentation(0, False, 0))
    every = {image.tobytes() for images, _ in plain.training(0) for image in images}
    assert (plain.steps_per_epoch, len(every)) == (7, 28)
    parts = [
        Cifar10Images(tmp_path, SimpleNamespace(rank=rank, size=3), 4, 5, Augmentation(0, False, 0))
        for rank in range(3)
    ]
    shares = [[image.tobytes() for images, _ in one.training(2) for image in images] for one in parts]
    assert [len(share) for share in shares] == [8, 8, 8]
    assert len(set().union(*shares)) == 24
    scored = [image.tobytes() for one in parts for images, _ in one.validation() for image in images]
    assert len(scored) == len(set(scored)) == 11
    assert {one.facts["validation_images"] for one in parts} == {11}


def test_the_order_and_the_changes_follow_from_seed_and_epoch(tmp_path):
    make(tmp_path, seed=1, train_images=30, test_images=11)

    def shown(epoch, **changes):
        return np.concatenate([images for images, _ in opened(tmp_path, 0, 1, **changes).training(epoch)])

    assert np.array_equal(shown(1), shown(1))
    assert not np.array_equal(shown(1), shown(2))
    assert not np.array_equal(shown(1), shown(1, seed=7))


def test_too_few_images_for_a_step_are_refused(tmp_path):
    make(tmp_path, seed=1, train_images=30, test_images=11)
    with pytest.raises(DataError, match=r"30 training images do not fill one step of 2 ranks × 16 images"):
        opened(tmp_path, 0, 2, batch_size=16)
