"""Generate yearly files in the format of the ExtremeWeather data set, with storms that can be learned.

The fields are no climate model's: smooth random waves over a trend from equator to pole, and storms added
to them with the signs that they have in nature. Vortices have a minimum of pressure with wind around it,
moisture and rain; a tropical cyclone is deeper and warmer at height than a tropical depression, an
extratropical one is larger, colder and drier. An atmospheric river is a band of moisture with wind along
it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workloads.data.synthetic import MARK, MARK_DIGITS, writing_synthetic
from workloads.extreme_weather.layout import BOXES, IMAGES, MARK_ATTRIBUTE, file_name, find_years, hdf5
from workloads.extreme_weather.sizes import CHANNELS, CLASSES, MOST_BOXES, WeatherSizes

# Mean and spread of each channel, of the order of magnitude that it has in nature.
_CLIMATE = (
    (3e-8, 1e-8), (9.9e4, 4e2), (1.01e5, 4e2), (8e-3, 1e-3), (218.0, 2.0), (255.0, 3.0), (20.0, 3.0),
    (285.0, 3.0), (286.0, 3.0), (3.0, 3.0), (2.0, 2.0), (0.0, 3.0), (0.0, 2.0), (1.6e4, 50.0), (1.2e4, 50.0),
    (65.0, 0.5),
)  # fmt: skip
# What a storm adds at its middle, in spreads; pairs of wind get its speed instead.
_MOIST = {"PRECT": 5.0, "QREFHT": 2.0, "TMQ": 4.0}
_ADDED: tuple[dict[str, float], ...] = (
    {"PSL": -3.0, "PS": -2.0, "T200": 1.0, **_MOIST},
    {"PSL": -8.0, "PS": -6.0, "T200": 4.0, "Z200": 2.0, **_MOIST},
    {"PSL": -6.0, "PS": -5.0, "T500": -3.0, "TREFHT": -2.0, "Z200": -3.0, "PRECT": 3.0},
    {"TMQ": 6.0, "QREFHT": 3.0, "PRECT": 3.0},
)
_WIND = (2.0, 6.0, 4.0, 4.0)
_SHARE = ((0.07, 0.1), (0.08, 0.14), (0.14, 0.22), (0.22, 0.34))  # radius, or half length, of the height
_WAVES = 6
_NOISE = 0.1
_TRIES = 20
_MOST_OVERLAP = 0.2


def make(directory: Path, seed: int, **given: Any) -> tuple[Path, ...]:
    """Write synthetic yearly files and return their paths.

    An image has up to `storms_per_image` storms of random classes, one in eight has none. Images follow from
    the seed, the year and their number. One image is kept in memory at a time. Yearly files that an earlier
    call made in `directory` are removed.

    Parameters
    ----------
    directory
        Created where it does not exist.
    seed
        All images follow from it.
    given
        Fields of `WeatherSizes` that differ from the real data set's.

    Raises
    ------
    DataError
        If the directory holds files that were not made here.
    """
    directory, sizes = Path(directory), WeatherSizes(**given)
    hdf5()
    years = range(sizes.first_year, sizes.first_year + sizes.years)
    present = [path.name for path in directory.glob("climo_*.h5")] if directory.is_dir() else []
    names = [file_name(year) for year in years]
    facts = {"maker": "workloads.extreme_weather.generator:make", "seed": seed, "sizes": asdict(sizes)}
    pixels = len(CHANNELS) * sizes.image_height * sizes.image_width
    least = 4 * pixels * sizes.years * sizes.images_per_year
    with writing_synthetic(directory, (*names, *present), facts, least):
        if present:
            for path in find_years(directory).values():
                path.unlink()
        return tuple(_write(directory / file_name(year), seed, year, sizes) for year in years)


def _write(path: Path, seed: int, year: int, sizes: WeatherSizes) -> Path:
    """Write the file of a year; it has its name only when it is whole."""
    count, shape = sizes.images_per_year, (len(CHANNELS), sizes.image_height, sizes.image_width)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with hdf5().File(partial, "w") as file:
            file.attrs[MARK_ATTRIBUTE] = f"{MARK} {MARK_DIGITS}"
            images = file.create_dataset(IMAGES, (count, *shape), np.float32, chunks=(1, *shape))
            boxes = file.create_dataset(BOXES, (count, MOST_BOXES, 5), np.int32)
            for dataset in (images, boxes):
                dataset.attrs[MARK_ATTRIBUTE] = MARK
            for number in range(count):
                images[number], boxes[number] = draw_image(
                    np.random.default_rng([seed, year, number]), shape[1:], sizes.storms_per_image
                )
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return path


def draw_image(
    random: np.random.Generator, shape: Sequence[int], most_storms: int
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Return one image, channels × height × width, and its rows of boxes."""
    height, width = shape
    down, across = np.meshgrid(
        np.arange(height, dtype=np.float32) + 0.5, np.arange(width, dtype=np.float32) + 0.5, indexing="ij"
    )
    fields = _background(random, down / height, across / width)
    rows = np.full((MOST_BOXES, 5), -1, np.int32)
    storms = 0 if random.random() < 1 / 8 else int(random.integers(1, min(most_storms, MOST_BOXES) + 1))
    placed = 0
    for kind in random.integers(0, len(CLASSES), storms).tolist():
        for _ in range(_TRIES):
            half, angle = _extent(random, kind, height)
            centre = np.array([random.uniform(0, height), random.uniform(0, width)])
            low = np.maximum(np.floor(centre - half), 0)
            high = np.minimum(np.ceil(centre + half), (height, width))
            box = np.array([*low, *high, kind], np.int32)
            inside = np.prod(high - low) > 0.5 * np.prod(2 * half)
            if inside and not _overlaps(box, rows[:placed]):
                _add_storm(fields, (down - centre[0], across - centre[1]), kind, half, angle, random)
                rows[placed] = box
                placed += 1
                break
    means, spreads = np.array(_CLIMATE, np.float32).T
    return fields * spreads[:, None, None] + means[:, None, None], rows


def _background(random: np.random.Generator, down: Any, across: Any) -> NDArray[np.float32]:
    """Return waves, a trend from the equator to the poles, and noise, in spreads of the climate."""
    amplitudes = random.normal(0, 0.5, (len(CHANNELS), _WAVES))
    turns = random.integers(-2, 3, (_WAVES, 2))
    phases = random.uniform(0, 2 * np.pi, _WAVES)
    waves = np.stack([
        np.cos(2 * np.pi * (turn[0] * down + turn[1] * across) + phase)
        for turn, phase in zip(turns, phases, strict=True)
    ])  # fmt: skip
    trend = np.cos(np.pi * (down - 0.5))
    fields: NDArray[np.float32] = (np.tensordot(amplitudes, waves, 1) + trend - 0.6).astype(np.float32)
    return fields + _NOISE * random.standard_normal(fields.shape, dtype=np.float32)


def _extent(random: np.random.Generator, kind: int, height: int) -> tuple[NDArray[np.float64], float]:
    """Return half the sides of a storm's box, and the direction of a river."""
    size = height * random.uniform(*_SHARE[kind])
    if CLASSES[kind] != "atmospheric_river":
        return np.array([size, size]) * random.uniform(0.9, 1.1, 2), 0.0
    angle = random.uniform(0.2, 0.45) * np.pi * random.choice([-1.0, 1.0])
    return np.array([abs(np.sin(angle)), abs(np.cos(angle))]) * size + 0.15 * size, angle


def _overlaps(box: NDArray[np.int32], others: NDArray[np.int32]) -> bool:
    """Tell whether a box covers much of another one, or the other of it."""
    sides = np.minimum(box[2:4], others[:, 2:4]) - np.maximum(box[:2], others[:, :2])
    shared = np.prod(np.maximum(sides, 0), -1)
    areas = np.prod(others[:, 2:4] - others[:, :2], -1)
    return bool((shared > _MOST_OVERLAP * np.minimum(areas, np.prod(box[2:4] - box[:2]))).any())


def _add_storm(
    fields: NDArray[np.float32],
    away: tuple[Any, Any],
    kind: int,
    half: NDArray[np.float64],
    angle: float,
    random: np.random.Generator,
) -> None:
    """Add a storm to an image's fields, where the distances from its middle are `away`."""
    strength = random.uniform(0.8, 1.2)
    if CLASSES[kind] == "atmospheric_river":
        length, breadth = float(half.max()), 0.2 * float(half.max())
        along = away[0] * np.sin(angle) + away[1] * np.cos(angle)
        aside = away[1] * np.sin(angle) - away[0] * np.cos(angle)
        shape = np.exp(-0.5 * (aside / breadth) ** 2) / (1 + np.exp(4 * (np.abs(along) / length * 2 - 2)))
        wind = (shape * np.cos(angle), shape * np.sin(angle))
    else:
        low, wide = away[0] / half[0], away[1] / half[1]
        shape = np.exp(-2 * (low**2 + wide**2))
        turn = -2 * np.exp(0.5) * shape  # tangential, greatest at half the radius
        wind = (turn * low, -turn * wide)
    for name, value in _ADDED[kind].items():
        fields[CHANNELS.index(name)] += strength * value * shape
    for east, north in (("U850", "V850"), ("UBOT", "VBOT")):
        fields[CHANNELS.index(east)] += strength * _WIND[kind] * wind[0]
        fields[CHANNELS.index(north)] += strength * _WIND[kind] * wind[1]
