from __future__ import annotations

import os
import shutil

import numpy as np
import pytest

from workloads.context import Context, SlotView
from workloads.description import DataError
from workloads.imagenet.generator import make
from workloads.imagenet.pipeline import Batching, open_images
from workloads.imagenet.resnet50.projection import (
    MEANS,
    SHIFT,
    ZOOM,
    Projection,
    project,
    random_transforms,
    square,
    transforms,
)
from workloads.runtime.collectives import Ranks
from workloads.runtime.framework import configure_framework

SIZES = {"train_images": 50, "validation_images": 11, "classes": 3, "image_edge": 40, "images_per_shard": 7}


@pytest.fixture(scope="module", autouse=True)
def _framework():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("images")
    for layout in ("folders", "tfrecords"):
        make(root / layout, 5, layout=layout, **SIZES)
    return root


def place(rank=0, size=1):
    """One of several ranks that never talk: what they would be told is the same for all."""
    ranks = Ranks(Context(seed=1, slot=SlotView(cores=(0,))))
    ranks.rank, ranks.size = rank, size
    return ranks


def images(directory, rank=0, size=1, *, classes=3, batch_size=4, seed=1):
    batching = Batching(view=Projection(32), classes=classes, batch_size=batch_size, seed=seed, threads=1)
    found = open_images(directory, place(), batching)
    found._ranks = place(rank, size)
    found.steps_per_epoch = found.facts["train_images"] // (batch_size * size)
    return found


def counts(entries):
    """How often each image, as bytes, was given with each label."""
    found = {}
    for encoded, label in entries:
        key = (encoded.numpy(), int(label))
        found[key] = found.get(key, 0) + 1
    return found


def opened(source, dataset):
    return [source.open(*(entry if isinstance(entry, tuple) else (entry,))) for entry in dataset]


def pixels(batches):
    return sorted(
        (int(label), image.numpy().tobytes())
        for group in batches
        for image, label in zip(*group, strict=True)
    )


@pytest.mark.parametrize("layout", ["folders", "tfrecords"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_validation_image_is_scored_by_one_rank(made, layout, size):
    source = images(made / layout)._source
    shares = [opened(source, source.validation(rank, size)) for rank in range(size)]
    assert [len(share) in (11 // size, 11 // size + 1) for share in shares] == [True] * size
    found = counts([entry for share in shares for entry in share])
    assert len(found) == 11
    assert set(found.values()) == {1}


@pytest.mark.parametrize("layout", ["folders", "tfrecords"])
def test_no_two_ranks_train_on_the_same_image_and_each_epoch_has_its_own_order(made, layout):
    from workloads.imagenet.pipeline import Part

    source = images(made / layout)._source
    orders = []
    for epoch in (0, 1):
        parts = [Part(epoch, rank, 3, 16) for rank in range(3)]
        shares = [opened(source, source.training(part, 7)) for part in parts]
        assert [len(share) for share in shares] == [16, 16, 16]
        entries = [entry for share in shares for entry in share]
        assert set(counts(entries).values()) == {1}
        again = opened(source, source.training(parts[1], 7))
        assert [e.numpy() for e, _ in again] == [e.numpy() for e, _ in shares[1]]
        orders.append([encoded.numpy() for encoded, _ in entries])
    assert orders[0] != orders[1]


def test_both_layouts_give_the_same_images_and_labels(made):
    one, other = images(made / "folders"), images(made / "tfrecords")
    assert pixels(one.validation()) == pixels(other.validation())
    assert one.facts == {
        "synthetic": True, "layout": "folders", "train_images": 50, "validation_images": 11,
    }  # fmt: skip
    assert one.facts | {"layout": "tfrecords"} == other.facts
    everything = [counts(opened(each._source, each._source.training(part(50), 3))) for each in (one, other)]
    assert everything[0] == everything[1]


def part(count):
    from workloads.imagenet.pipeline import Part

    return Part(0, 0, 1, count)


def test_batches_have_one_shape_and_follow_from_seed_epoch_and_rank(made):
    def batches(epoch, rank=0, seed=1):
        return [
            (i.numpy(), n.numpy()) for i, n in images(made / "folders", rank, 2, seed=seed).training(epoch)
        ]

    first = batches(0)
    assert [image.shape for image, _ in first] == [(4, 32, 32, 3)] * 6
    assert first[0][0].dtype == np.float32
    for one, other in zip(first, batches(0), strict=True):
        assert np.array_equal(one[0], other[0])
        assert np.array_equal(one[1], other[1])
    for others in (batches(1), batches(0, rank=1), batches(0, seed=2)):
        assert not np.array_equal(first[0][0], others[0][0])


def test_the_last_validation_batch_is_not_dropped(made):
    assert [len(labels) for _, labels in images(made / "folders").validation()] == [4, 4, 3]


def test_too_few_images_for_one_step_are_refused_with_advice(made):
    with pytest.raises(
        DataError, match=r"50 training images do not fill one step of 1 ranks × 64 .*lower batch"
    ):
        images(made / "folders", batch_size=64)


def test_another_number_of_classes_is_refused(made):
    with pytest.raises(DataError, match="3 class folders, but parameter classes is 1000"):
        images(made / "folders", classes=1000)
    with pytest.raises(DataError, match=r"one of images 4 … 7 of .* cannot be read .*unknown label"):
        list(images(made / "tfrecords", classes=2).training(0))


def test_an_image_that_breaks_later_is_a_data_error(made, tmp_path):
    directory = shutil.copytree(made / "folders", tmp_path / "set")
    found = images(directory)
    next((directory / "validation").rglob("*.JPEG")).write_bytes(b"nothing")
    with pytest.raises(DataError, match=r"/made\d+_\d+\.JPEG: cannot be read as an image \("):
        list(found.validation())


SHARD, IMAGE = "train-00003-of-00008", "train/made0001/made0001_000002.JPEG"


@pytest.mark.parametrize(
    ("layout", "file", "damage", "message"),
    [
        ("tfrecords", SHARD, None, f"{SHARD}: No such file or directory; copy"),
        ("tfrecords", SHARD, 0, f"{SHARD}: holds 0 records, and held "),
        ("tfrecords", SHARD, 900, f"{SHARD}: record 1 is cut short"),
        ("folders", IMAGE, None, f"{IMAGE}: cannot be read as an image .*No such file"),
        ("folders", IMAGE, 700, f"{IMAGE}: cannot be read as an image"),
    ],
)
def test_what_vanishes_or_is_cut_while_it_trains_is_named(made, tmp_path, layout, file, damage, message):
    directory = shutil.copytree(made / layout, tmp_path / "set")
    found = images(directory)
    if damage is None:
        (directory / file).unlink()
    else:
        os.truncate(directory / file, damage)
    with pytest.raises(DataError, match=message):
        list(found.training(0))


def test_a_shard_cut_short_is_a_data_error(made, tmp_path):
    directory = shutil.copytree(made / "tfrecords", tmp_path / "set")
    path = directory / "train-00000-of-00008"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match="train-00000-of-00008: record 7 is cut short"):
        images(directory)


def test_resizing_takes_the_nearest_pixel_and_ignores_the_aspect():
    import tensorflow as tf
    from PIL import Image

    picture = np.random.default_rng(1).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    expected = np.asarray(Image.fromarray(picture).resize((64, 64), Image.NEAREST))
    assert np.array_equal(square(tf.io.encode_png(picture), 64).numpy(), expected)


def test_grey_and_cmyk_become_three_channels(tmp_path):
    from PIL import Image

    for mode in ("L", "CMYK"):
        Image.new("RGB", (9, 9), (200, 200, 200)).convert(mode).save(tmp_path / "a.jpg", "JPEG")
        found = square((tmp_path / "a.jpg").read_bytes(), 8).numpy()
        assert found.shape == (8, 8, 3)
        assert np.abs(found.astype(int) - 200).max() <= 2


def test_random_projections_stay_in_their_bounds_and_reach_them():
    import tensorflow as tf

    count, size = 20_000, 100
    found = random_transforms(count, size, tf.constant([3, 4], tf.int64)).numpy()
    across, down = found[:, 0], found[:, 4]
    centre = (size - 1) / 2
    shift_across = found[:, 2] - centre + across * centre
    shift_down = found[:, 5] - centre + down * centre
    for values, low, high in (
        (np.abs(across), *ZOOM),
        (down, *ZOOM),
        (shift_across / size, -SHIFT, SHIFT),
        (shift_down / size, -SHIFT, SHIFT),
    ):
        assert low - 1e-4 <= values.min() < low + 0.01 * (high - low)
        assert high + 1e-4 >= values.max() > high - 0.01 * (high - low)
        assert values.mean() == pytest.approx((low + high) / 2, abs=0.01)
    assert (across < 0).mean() == pytest.approx(0.5, abs=0.02)
    assert abs(np.corrcoef(np.abs(across), down)[0, 1]) < 0.03  # each axis has its own factor
    assert not found[:, [1, 3, 6, 7]].any()


def test_the_projection_is_a_bilinear_one_with_the_nearest_pixel_outside():
    import tensorflow as tf
    from scipy.ndimage import affine_transform

    size = 24
    picture = np.random.default_rng(2).integers(0, 256, (size, size, 3), dtype=np.uint8)
    zoom, shift, centre = np.array([1.4, 0.6]), np.array([5.5, -7.25]), (size - 1) / 2
    expected = np.stack(
        [
            affine_transform(
                picture[..., channel].astype(np.float64),
                np.diag(zoom), offset=centre - zoom * centre + shift, order=1, mode="nearest",
            )
            for channel in (2, 1, 0)
        ],
        axis=-1,
    ) - np.array(MEANS)  # fmt: skip
    for mirror in (False, True):
        one = transforms(
            size,
            zoom=tf.constant([zoom], tf.float32),
            shift=tf.constant([shift], tf.float32),
            mirror=tf.constant([mirror]),
        )
        found = project(picture[None], one).numpy()[0]
        assert np.abs(found - (expected[:, ::-1] if mirror else expected)).max() < 1e-2


def test_the_projection_is_that_of_the_image_generator_of_keras():
    import tensorflow as tf
    from keras.src.legacy.preprocessing.image import apply_affine_transform

    size, zoom, shift = 24, (1.4, 0.6), (5.5, -7.25)
    picture = np.random.default_rng(2).integers(0, 256, (size, size, 3), dtype=np.uint8)
    theirs = apply_affine_transform(  # x is across, y is down
        picture.astype(np.float32), tx=shift[1], ty=shift[0], zx=zoom[1], zy=zoom[0],
        row_axis=0, col_axis=1, channel_axis=2, fill_mode="nearest", order=1,
    )  # fmt: skip
    one = transforms(size, zoom=tf.constant([zoom]), shift=tf.constant([shift]))
    assert np.abs(project(picture[None], one).numpy()[0] - (theirs[..., ::-1] - np.array(MEANS))).max() < 1e-2


def test_validation_shows_the_central_part():
    import tensorflow as tf

    size = 64
    ramp = np.broadcast_to(np.arange(size, dtype=np.uint8)[:, None, None], (size, size, 3))
    one = transforms(size, zoom=tf.fill((1, 2), 0.875), shift=tf.zeros((1, 2)))
    rows = (project(ramp[None], one).numpy()[0] + np.array(MEANS))[:, 0, 0]
    assert rows[0] == pytest.approx(63 / 2 * 0.125, abs=1e-3)
    assert rows[-1] == pytest.approx(63 - 63 / 2 * 0.125, abs=1e-3)


def test_colours_are_bgr_around_their_means():
    import tensorflow as tf

    red = np.zeros((1, 4, 4, 3), np.uint8)
    red[..., 0] = 255
    still = transforms(4, zoom=tf.ones((1, 2)), shift=tf.zeros((1, 2)))
    assert np.allclose(project(red, still).numpy()[0, 0, 0], [-103.939, -116.779, 255 - 123.68])
