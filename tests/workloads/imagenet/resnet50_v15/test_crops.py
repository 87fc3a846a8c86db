from __future__ import annotations

import io

import numpy as np
import pytest

from workloads.context import Context, SlotView
from workloads.imagenet.resnet50_v15.crops import AREAS, MEANS, RATIOS, Crops, random_window
from workloads.runtime.framework import configure_framework


@pytest.fixture(scope="module", autouse=True)
def _framework():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))


def encoded(picture, kind="PNG", mode="RGB"):
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(picture).convert(mode).save(file, kind)
    return file.getvalue()


def seed(number):
    return np.array([7, number], np.int64)


def test_random_windows_keep_within_area_and_ratio_and_follow_from_the_seed():
    windows = np.array([random_window((300, 400, 3), seed(number)).numpy() for number in range(150)])
    top, left, height, width = windows.T
    assert (top >= 0).all()
    assert (left >= 0).all()
    assert ((top + height <= 300) & (left + width <= 400)).all()
    area, ratio = height * width / (300 * 400), width / height
    assert AREAS[0] - 0.01 <= area.min() < 0.15
    assert 0.7 < area.max() <= AREAS[1]
    assert RATIOS[0] - 0.02 <= ratio.min() < 0.8
    assert 1.25 < ratio.max() <= RATIOS[1] + 0.02
    assert (random_window((300, 400, 3), seed(5)).numpy() == windows[5]).all()


def test_a_jpeg_and_the_same_pixels_in_png_are_cut_alike_and_half_are_mirrored():
    ramp = np.zeros((200, 300, 3), np.uint8)
    ramp[..., 0] = np.arange(300) * 255 // 299
    png, jpeg = encoded(ramp), encoded(ramp, "JPEG")
    mirrored = 0
    for number in range(40):
        one = Crops(64).training_image(png, seed(number)).numpy()
        assert one.shape == (64, 64, 3)
        assert np.abs(Crops(64).training_image(jpeg, seed(number)).numpy() - one).mean() < 4
        mirrored += one[0, 0, 0] > one[0, -1, 0]
    assert 10 < mirrored < 30


def test_grey_and_cmyk_become_three_channels():
    for mode in ("L", "CMYK"):
        file = encoded(np.full((50, 60, 3), 200, np.uint8), "JPEG", mode)
        for image in (Crops(32).training_image(file, seed(1)), Crops(32).validation_image(file)):
            assert image.shape == (32, 32, 3)
            assert np.abs(image.numpy() - 200).max() <= 3


@pytest.mark.parametrize(("height", "width"), [(512, 1024), (1024, 512), (40, 64)])
def test_validation_cuts_the_centre_of_the_image_with_its_short_side_at_256(height, width):
    picture = np.zeros((height, width, 3), np.uint8)
    picture[..., 0] = (np.arange(height) * 255 // (height - 1))[:, None]
    picture[..., 1] = (np.arange(width) * 255 // (width - 1))[None, :]
    found = Crops(224).validation_image(encoded(picture)).numpy()
    assert found.shape == (224, 224, 3)
    scale = 256 / min(height, width)
    for channel, side, ends in ((0, height, found[:, 112, 0]), (1, width, found[112, :, 1])):
        covered = 224 / (side * scale) * 255
        assert ends[-1] - ends[0] == pytest.approx(covered, abs=6), channel
        assert ends.mean() == pytest.approx(127.5, abs=3)


def test_colours_are_rgb_around_their_means_in_255ths():
    red = np.zeros((1, 2, 2, 3), np.float32)
    red[..., 0] = 255
    expected = (np.array([255, 0, 0]) - np.array(MEANS)) / 255
    for found in (Crops(2).training_batch(red, seed(1)), Crops(2).validation_batch(red)):
        assert np.allclose(found.numpy()[0, 0, 0], expected, atol=1e-6)
