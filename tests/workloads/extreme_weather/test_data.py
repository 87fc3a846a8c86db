"""Yearly files: what is made, what is read of them, and what is wrong with them."""

from __future__ import annotations

import os
import re
import shutil

import h5py
import numpy as np
import pytest

from workloads.context import Context, SlotView
from workloads.data.synthetic import holds_mark, is_marked
from workloads.description import DataError, WorkloadError
from workloads.extreme_weather.generator import draw_image, make
from workloads.extreme_weather.layout import BOXES, IMAGES, check, find_years, split_years, survey
from workloads.extreme_weather.pipeline import Batching, Split, channel_statistics, open_images
from workloads.extreme_weather.sizes import CHANNELS, CLASSES, MOST_BOXES
from workloads.runtime.collectives import Ranks


def one_line(error):
    assert "\n" not in str(error)
    return str(error)


SIZES = {"years": 3, "images_per_year": 7, "image_height": 40, "image_width": 56}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    directory = tmp_path_factory.mktemp("weather")
    make(directory, 7, **SIZES)
    return directory


@pytest.fixture
def data(made, tmp_path):
    shutil.copytree(made, tmp_path / "data")
    return tmp_path / "data"


class Rank(Ranks):
    """One of several ranks that needs no other: rank 0's survey is done by each."""

    def __init__(self, rank, size):
        super().__init__(Context(seed=1, slot=SlotView()))
        self.rank, self.size = rank, size

    def broadcast_object(self, make):
        return make()


def images_of(directory, rank=0, size=1, **changes):
    batching = Batching(**{"height": 40, "width": 56, "batch_size": 2, "seed": 3} | changes)
    return open_images(directory, Rank(rank, size), batching)


def test_made_files_have_the_layout_and_are_marked(made):
    paths = find_years(made)
    assert list(paths) == [1979, 1980, 1981]
    with h5py.File(paths[1980]) as file:
        assert (file[IMAGES].shape, file[IMAGES].dtype) == ((7, 16, 40, 56), np.float32)
        assert file[BOXES].shape == (7, 15, 5)
    facts = check(made)
    assert facts["synthetic"] is True
    assert (facts["years"], facts["images"], facts["image_height"], facts["image_width"]) == (3, 21, 40, 56)
    assert sum(facts[name] for name in CLASSES) > 0
    assert "warnings" not in facts


def test_a_copy_of_one_made_file_keeps_its_marks(made, tmp_path):
    source = made / "climo_1979.h5"
    shutil.copy(source, tmp_path / "climo_2000.h5")
    assert is_marked(tmp_path / "climo_2000.h5")
    assert holds_mark(tmp_path)
    with h5py.File(source) as old, h5py.File(tmp_path / "climo_2001.h5", "w") as new:
        old.copy(IMAGES, new)
        new[BOXES] = old[BOXES][:]
    assert survey(tmp_path / "climo_2001.h5").marked
    with h5py.File(tmp_path / "climo_2002.h5", "w") as new, h5py.File(source) as old:
        new[IMAGES], new[BOXES] = old[IMAGES][:], old[BOXES][:]
    assert not survey(tmp_path / "climo_2002.h5").marked


def test_the_same_seed_makes_the_same_images_and_another_call_replaces_them(made, tmp_path):
    make(tmp_path, 7, **SIZES | {"years": 2})
    with h5py.File(made / "climo_1980.h5") as one, h5py.File(tmp_path / "climo_1980.h5") as two:
        assert np.array_equal(one[IMAGES][:], two[IMAGES][:])
        assert np.array_equal(one[BOXES][:], two[BOXES][:])
    make(tmp_path, 8, **SIZES | {"years": 2, "first_year": 2000})
    assert list(find_years(tmp_path)) == [2000, 2001]


def test_real_files_are_never_overwritten(tmp_path):
    (tmp_path / "climo_1990.h5").write_bytes(b"real")
    with pytest.raises(DataError, match=r"climo_1990\.h5: exists and has no SYNTHETIC\.json"):
        make(tmp_path, 7, **SIZES)
    assert (tmp_path / "climo_1990.h5").read_bytes() == b"real"


def test_years_of_more_than_four_digits_are_refused(tmp_path):
    with pytest.raises(DataError, match="2 years from 9999 end after 9999"):
        make(tmp_path / "new", 7, **SIZES | {"first_year": 9999, "years": 2})
    assert not (tmp_path / "new").exists()


def test_a_cyclone_has_low_pressure_moisture_and_wind_around_its_middle():
    random = np.random.default_rng(3)
    cyclones = []
    while len(cyclones) < 10:
        image, rows = draw_image(random, (96, 144), 1)
        if rows[0, 4] == 1 and rows[0, 0] > 8 and rows[0, 2] < 88:
            cyclones.append((image, rows[0]))
    anomalies = []
    for image, (top, left, bottom, right, _) in cyclones:
        inside = image[:, top:bottom, left:right]
        middle = inside[:, inside.shape[1] // 2, inside.shape[2] // 2] - image.mean((1, 2))
        north, south = (inside[CHANNELS.index("U850"), row].mean() for row in (2, -3))
        anomalies.append([middle[CHANNELS.index("PSL")], middle[CHANNELS.index("TMQ")], north - south])
    pressure, moisture, shear = np.mean(anomalies, 0)
    assert pressure < -2000
    assert moisture > 5
    assert abs(shear) > 5


def test_years_are_divided_as_parameters_say(made):
    assert [list(part) for part in split_years(made, "", "")] == [[1979, 1980], [1981]]
    assert [list(part) for part in split_years(made, "1981", "1979, 1980")] == [[1981], [1979, 1980]]
    assert [list(part) for part in split_years(made, "", "1979-1980")] == [[1981], [1979, 1980]]


@pytest.mark.parametrize(
    ("train", "validation", "message"),
    [
        ("1980", "1979-1981", "1980 is in train_years and in validation_years"),
        ("nineteen", "", "train_years is 'nineteen'; write years such as '1979-1982 1984'"),
        ("", "1979-1985", "climo_1982.h5: no such file"),
        ("", "1979-1981", "one year alone, which validates"),
    ],
)
def test_years_that_cannot_be_used_are_refused(made, train, validation, message):
    with pytest.raises(WorkloadError) as caught:
        split_years(made, train, validation)
    assert message in one_line(caught.value)


def test_a_directory_without_files_says_how_to_get_them(tmp_path):
    with pytest.raises(DataError, match=r"no file climo_YYYY\.h5; run `orchestrator data generate"):
        check(tmp_path)


def rewrite(path, images=None, boxes=None, dtype=None, chunks=None):
    """Write a file again with other datasets; functions get the old values."""
    with h5py.File(path) as file:
        values = {IMAGES: file[IMAGES][:], BOXES: file[BOXES][:].astype(np.float32)}
    for name, change in ((IMAGES, images), (BOXES, boxes)):
        if change:
            values[name] = change(values[name])
    path.unlink()
    with h5py.File(path, "w") as file:
        file.create_dataset(IMAGES, data=values[IMAGES], dtype=dtype, chunks=chunks)
        file[BOXES] = values[BOXES]


def put(index, value):
    def change(values):
        values[index] = value
        return values

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"boxes": put((2, 1), (5, 6, 41, 9, 0))}, "boxes[2, 1] = (5, 6, 41, 9, 0) reaches beyond the image"),
        ({"boxes": put((2, 1), (-3, 6, 9, 9, 0))}, "boxes[2, 1] = (-3, 6, 9, 9, 0) reaches beyond the image"),
        ({"boxes": put((6, 14), (9, 6, 5, 9, 0))}, "boxes[6, 14] = (9, 6, 5, 9, 0) has a maximum"),
        (
            {"boxes": put((0, 3), (5, 6, 9, 9, 4))},
            "boxes[0, 3] = (5, 6, 9, 9, 4) has a class that is none of",
        ),
        (
            {"boxes": put((0, 3), (5, 6, 9, 9, 0.5))},
            "boxes[0, 3] = (5, 6, 9, 9, 0.5) has a class that is none",
        ),
        ({"boxes": put((0, 3), np.nan)}, "boxes[0, 3] = (nan, nan, nan, nan, nan) holds a value"),
        ({"boxes": lambda rows: rows[:, :9]}, "boxes have shape (7, 9, 5), not (7, 15, 5)"),
        ({"boxes": lambda rows: rows[:5]}, "boxes have shape (5, 15, 5), not (7, 15, 5) as for 7 images"),
        ({"images": lambda values: values[:, :8]}, "images have 8 channels (shape (7, 8, 40, 56)), not 16"),
        ({"images": lambda values: values[0]}, "images have shape (16, 40, 56)"),
        (
            {"images": lambda values: np.pad(values, ((0, 0), (0, 0), (0, 0), (0, 8)))},
            "images are of 40 × 64 pixels, those of climo_1979",
        ),
        ({"images": put((4, 2, 7, 8), np.nan)}, "images[4, 2, 7, 8] (PSL) is nan"),
        ({"images": put((4, 2, 7, 8), -np.inf)}, "images[4, 2, 7, 8] (PSL) is -inf"),
        ({"dtype": np.int32}, "images are of type int32, not floating-point numbers"),
    ],
)
def test_what_is_wrong_with_a_file_is_named_with_its_place(data, change, message):
    path = data / "climo_1980.h5"
    rewrite(path, **change)
    with pytest.raises(DataError) as caught:
        check(data)
    assert one_line(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("kept", [0, 100, 5000, -1])
def test_a_file_that_is_cut_short_is_named(data, kept):
    path = data / "climo_1980.h5"
    content = path.read_bytes()
    path.write_bytes(content[:kept])
    with pytest.raises(DataError) as caught:
        check(data)
    assert f"{path}: cannot be opened as HDF5" in one_line(caught.value)


def test_a_file_that_is_cut_while_it_trains_is_named_with_the_image(tmp_path):
    make(tmp_path, 7, **SIZES | {"years": 2, "images_per_year": 60})
    path = tmp_path / "climo_1979.h5"
    batches = images_of(tmp_path).training(0)
    next(batches)
    os.truncate(path, path.stat().st_size // 3)
    with pytest.raises(DataError) as caught:
        list(batches)
    assert re.search(rf"^{re.escape(str(path))}: images\[\d+:\d+\] cannot be read \(", one_line(caught.value))


def test_a_file_without_a_dataset_is_named(data):
    with h5py.File(data / "climo_1981.h5", "a") as file:
        del file[BOXES]
        file.create_group(BOXES)
    with pytest.raises(DataError, match=r"climo_1981\.h5: has no dataset 'boxes'"):
        check(data)


def test_a_year_without_boxes_is_a_warning_and_an_error_where_it_alone_is_used(data):
    path = data / "climo_1981.h5"
    rewrite(path, boxes=lambda rows: np.full_like(rows, -1))
    assert check(data)["warnings"] == [f"{path}: no image has a box"]
    parameters = {"train_years": "", "validation_years": ""}
    with pytest.raises(
        DataError, match=r"validation_years \(climo_1981\.h5\) hold no box; choose other years"
    ):
        check(data, parameters)
    with pytest.raises(DataError, match="validation_years"):
        images_of(data)
    assert check(data, parameters | {"validation_years": "1979"})["images"] == 21
    with pytest.raises(DataError, match=r"train_years \(climo_1981\.h5\) hold no box"):
        images_of(data, train_years="1981", validation_years="1979")


def test_files_of_another_size_than_the_parameters_are_refused(data):
    with pytest.raises(DataError, match="are of 40 × 56 pixels, but parameters image_height and image_width"):
        images_of(data, height=48)
    with pytest.raises(DataError, match="14 training images do not fill one step of 3 ranks × 5 images"):
        images_of(data, 1, 3, batch_size=5)


@pytest.mark.parametrize("chunks", [None, (1, 16, 40, 56), (3, 1, 20, 56), (7, 16, 10, 10)])
def test_ranks_share_every_epoch_in_random_order_and_score_each_image_once(data, chunks):
    for path in find_years(data).values():
        rewrite(path, chunks=chunks)
    expected = []
    for path in find_years(data).values():
        with h5py.File(path) as file:
            expected += list(zip(file[IMAGES][:], file[BOXES][:], strict=True))
    ranks = [images_of(data, rank, 3) for rank in range(3)]
    assert {images.steps_per_epoch for images in ranks} == {2}
    epochs = []
    for epoch in (0, 1):
        batches = [batch for images in ranks for batch in images.training(epoch)]
        numbers = np.concatenate([batch.numbers for batch in batches]).tolist()
        assert len(set(numbers)) == len(numbers) == 12
        for batch in batches:
            for image, rows, number in zip(batch.images, batch.boxes, batch.numbers.tolist(), strict=True):
                assert np.array_equal(image, expected[number][0])
                assert np.array_equal(rows, expected[number][1])
        epochs.append(numbers)
    assert epochs[0] != epochs[1]
    scored = [
        number for images in ranks for batch in images.validation() for number in batch.numbers.tolist()
    ]
    assert sorted(scored) == list(range(7))
    assert ranks[0].facts["train_images"] == 14


def test_images_of_one_chunk_stay_together_in_an_epoch(data):
    for path in find_years(data).values():
        rewrite(path, chunks=(3, 1, 20, 56))
    split = Split([survey(path) for path in find_years(data).values()])
    order = split.order(np.random.default_rng(1)).tolist()
    places = {number: place for place, number in enumerate(order)}
    assert sorted(order) == list(range(21))
    for first in (0, 3, 7, 10, 14, 17):
        together = sorted(places[first + more] for more in range(3))
        assert together[-1] - together[0] == 2


def test_an_image_that_is_not_finite_stops_a_training_with_its_place(data):
    rewrite(data / "climo_1980.h5", images=put((4, 2, 7, 8), np.inf))
    with pytest.raises(DataError, match=r"climo_1980\.h5: images\[4, 2, 7, 8\] \(PSL\) is inf"):
        list(images_of(data).training(0))


def test_channels_are_scaled_by_mean_and_deviation_of_the_sampled_images():
    images = np.random.default_rng(1).normal(1e5, 3, (5, 2, 8, 9)).astype(np.float32)
    images[:, 1] = 7
    means, spreads = channel_statistics(iter(images))
    wanted = images[:, 0].astype(float)
    assert np.allclose(means, [wanted.mean(), 7])
    assert np.allclose(spreads, [wanted.std(), 1])
    assert len(CHANNELS) == 16
    assert MOST_BOXES == 15
