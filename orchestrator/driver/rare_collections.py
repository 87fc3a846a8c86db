"""Lets Python look for cycles of references seldom while a driver runs."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def rare_collections() -> Iterator[None]:
    """Look for cycles of references seldom: each look visits all attempts in flight.

    Parsl leaves 26 objects of an attempt in cycles. Python itself puts off a look at all objects until a
    quarter of them is new.
    """
    before = gc.get_threshold()
    gc.set_threshold(50_000, 2, 2)
    try:
        yield
    finally:
        gc.set_threshold(*before)
