"""Open the text file of a table, and read it with Dask."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from workloads.description import DataError, WorkloadError

if TYPE_CHECKING:
    import pandas as pd

_BLOCK_BYTES = 64 << 20
_LEAST_SAMPLE_BYTES = 1 << 16


def open_table(path: Path, advice: str = "") -> TextIO:
    """Open a file that is there and not empty.

    Parameters
    ----------
    advice
        What to do about a missing file, appended to the message.

    Raises
    ------
    DataError
        If the file is missing or empty, or cannot be read.
    """
    hint = f"; {advice}" if advice else ""
    try:
        if path.stat().st_size == 0:
            raise DataError(f"{path}: the file is empty{hint}")
        return path.open(encoding="utf-8", errors="replace", newline="")
    except FileNotFoundError:
        raise DataError(f"{path}: no such file{hint}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error


def read_with_dask(path: Path, **settings: Any) -> pd.DataFrame:
    """Return a whole table, read by Dask in blocks on as many threads as this process has cores.

    Parameters
    ----------
    settings
        Further arguments of ``read_csv``.

    Raises
    ------
    WorkloadError
        If Dask DataFrame is not installed.
    ValueError
        If the file is no such table; pandas' own errors are of this kind.
    """
    try:
        import dask.dataframe as dask_frame
    except ImportError as error:
        raise WorkloadError(
            f"loader dask needs Dask DataFrame, which cannot be imported here ({error}); install it with "
            "pip install '.[dask]', or choose another loader"
        ) from None
    with open_table(path) as lines:
        line_bytes = max(len(lines.readline()), len(lines.readline()))
    blocks = dask_frame.read_csv(
        str(path),
        assume_missing=True,  # otherwise a column of whole numbers in the first rows refuses others later
        blocksize=max(_BLOCK_BYTES, 2 * line_bytes),
        sample=max(_LEAST_SAMPLE_BYTES, 4 * line_bytes),
        index_col=False,
        **settings,
    )
    frame: pd.DataFrame = blocks.compute(scheduler="threads", num_workers=len(os.sched_getaffinity(0)))
    return frame.reset_index(drop=True)
