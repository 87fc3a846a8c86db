"""Faults in a part of a value, which a validator of the whole value finds."""

from __future__ import annotations

from pydantic_core import PydanticCustomError

from sites.places import Place

PLACED = "placed"
"""Type of these errors; their context has the `place` of the part."""


def placed(problem: str, place: Place) -> PydanticCustomError:
    """Return what a validator raises for a fault in a part of its value; its line in the file is stated.

    Parameters
    ----------
    place
        Keys and numbers that lead from the validator's value to the part.
    """
    return PydanticCustomError(PLACED, "{problem}", {"problem": problem, "place": place})
