"""Lets Parsl pickle what apps take and return with the standard pickler; dill takes twenty times as long.

Parsl's own `PickleSerializer` is known only where it was registered: a process that reads a value imports
the serializer by the name that stands before the value.
"""

from __future__ import annotations

import pickle
from typing import Any

from parsl.serialize import facade
from parsl.serialize.base import SerializerBase


class PlainPickles(SerializerBase):
    """The standard pickler."""

    def serialize(self, data: Any) -> bytes:
        """Return a value's pickle."""
        return pickle.dumps(data)

    def deserialize(self, payload: bytes) -> Any:
        """Return the value of a pickle."""
        return pickle.loads(payload)  # noqa: S301  from our own driver or worker


def pickle_plainly() -> None:
    """Try the standard pickler before dill, in this process; what it refuses, dill still takes."""
    plain = PlainPickles()
    # The first is tried first. A new dict, as other threads may be pickling.
    facade.methods_for_data = {plain.identifier: plain} | facade.methods_for_data
