"""Names and sizes of the ExtremeWeather data set; defaults are those of the nine years of HPC AI500."""

from __future__ import annotations

from dataclasses import dataclass

from workloads.parameters import parameter

CLASSES = ("tropical_depression", "tropical_cyclone", "extratropical_cyclone", "atmospheric_river")
CHANNELS = (
    "PRECT", "PS", "PSL", "QREFHT", "T200", "T500", "TMQ", "TREFHT", "TS", "U850", "UBOT", "V850", "VBOT",
    "Z100", "Z200", "ZBOT",
)  # fmt: skip
MOST_BOXES = 15
IMAGE_HEIGHT, IMAGE_WIDTH = 768, 1152


@dataclass(frozen=True, slots=True)
class WeatherSizes:
    """Sizes of synthetic yearly files."""

    first_year: int = parameter(1979, "year of the first file; the others follow", minimum=1000)
    years: int = parameter(9, "yearly files", minimum=2)
    images_per_year: int = parameter(1460, "images of a year, four a day", minimum=1)
    image_height: int = parameter(IMAGE_HEIGHT, "height", unit="pixels", minimum=32)
    image_width: int = parameter(IMAGE_WIDTH, "width", unit="pixels", minimum=32)
    storms_per_image: int = parameter(4, "most storms of an image; some images have none", minimum=1)
