"""Lets Parsl pickle what apps take and return with the standard pickler; dill takes twenty times as long."""

from __future__ import annotations

import pickle
from typing import Any

from parsl.serialize import facade
from parsl.serialize.base import SerializerBase


class PlainPickles(SerializerBase):
    """The standard pickler; Parsl finds it by its name where it was not registered."""

    def serialize(self, data: Any) -> bytes:
        """Return a value's pickle."""
        return pickle.dumps(data)

    def deserialize(self, payload: bytes) -> Any:
        """Return the value of a pickle."""
        return pickle.loads(payload)  # noqa: S301  from our own driver or worker


def pickle_plainly() -> None:
    """Try the standard pickler before dill, in this process; what it refuses, dill still takes."""
    others = dict(facade.methods_for_data)
    facade.methods_for_data.clear()
    facade.register_method_for_data(PlainPickles())
    facade.methods_for_data.update(others)
