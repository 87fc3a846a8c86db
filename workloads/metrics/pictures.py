"""Arrays of a measurement as files, and as pictures of at most 1024 x 1024 pixels."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from workloads.metrics import FOLDER

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_MOST_PIXELS = 1024
_MOST_ELEMENTS = 2**24
_LONGEST_NAME = 100


def save_arrays(scratch: Path, name: str, found: dict[str, Array]) -> list[str]:
    """Write each array as ``NAME.npy`` in 32 bits and as ``NAME.png``; return the names of the files.

    Arrays of more than 16 Mi elements are written as pictures alone. Without Pillow there are no pictures.
    """
    import numpy as np

    folder = scratch / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for number, (output, array) in enumerate(found.items()):
        file = folder / _file_name(name, output, number)
        if array.size <= _MOST_ELEMENTS:
            np.save(f"{file}.npy", array.astype(np.float32))
            files.append(f"{FOLDER}/{file.name}.npy")
        with suppress(ImportError):
            _save_picture(Path(f"{file}.png"), array)
            files.append(f"{FOLDER}/{file.name}.png")
    return files


def _file_name(name: str, output: str, number: int) -> str:
    """Return the name of a file: that of the output, or its number where a file cannot be called so."""
    if not output:
        return name
    usable = len(output) <= _LONGEST_NAME and all(one.isalnum() or one in "._-" for one in output)
    return f"{name}.{output if usable and output.isascii() else number}"


def _save_picture(file: Path, array: Array) -> None:
    """Draw an array: rows are all its axes but the last; blue is lowest, white 0, red highest.

    The value of full red and blue is in the picture's text ``scale``. What is not finite is black.
    """
    import numpy as np
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    plane = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, -1)
    if not plane.size:
        plane = np.zeros((1, 1))
    for axis in (0, 1):
        plane = _largest_of_blocks(plane, axis)
    finite = np.isfinite(plane)
    scale = float(np.abs(plane[finite]).max(initial=0.0))
    with np.errstate(invalid="ignore"):
        level = np.where(finite, plane, 0.0) / (scale or 1.0)
    pale = 255 * (1 - np.abs(level))
    red, blue = np.where(level >= 0, 255, pale), np.where(level <= 0, 255, pale)
    colours = np.where(finite[..., None], np.stack([red, pale, blue], axis=-1), 0)
    text = PngInfo()
    text.add_text("scale", repr(scale))
    Image.fromarray(colours.astype(np.uint8)).save(file, pnginfo=text)


def _largest_of_blocks(plane: Array, axis: int) -> Array:
    """Return at most 1024 rows or columns: of each block the value of largest magnitude."""
    import numpy as np

    size = plane.shape[axis]
    if size <= _MOST_PIXELS:
        return plane
    starts = np.arange(0, size, -(-size // _MOST_PIXELS))
    with np.errstate(invalid="ignore"):
        high = np.maximum.reduceat(plane, starts, axis)
        low = np.minimum.reduceat(plane, starts, axis)
    chosen: Array = np.where(-low > high, low, high)
    return chosen
