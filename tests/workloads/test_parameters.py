"""Typed parameters: the table is made from the class, and what run receives is the class."""

from __future__ import annotations

import dataclasses
import json

import pytest

from workloads import modules
from workloads.description import Parameter
from workloads.parameters import common, parameter, table

RATE = Parameter("rate", 0.1, "of descent", minimum=0)


@dataclasses.dataclass(frozen=True)
class Toy:
    steps: int = parameter(3, "how many", unit="steps", minimum=1)
    rate: float = common(RATE)


def test_a_table_is_made_from_the_fields() -> None:
    assert table(Toy) == (Parameter("steps", 3, "how many", unit="steps", minimum=1), RATE)
    assert table(Toy, steps={"default": 9, "minimum": 2})[0].default == 9
    assert Toy() == Toy(steps=3, rate=0.1)


@pytest.mark.parametrize("name", modules.names())
def test_what_run_receives_has_every_parameter_with_its_type(name: str) -> None:
    workload = modules.workload(name)
    resolved = workload.resolve({})
    typed = workload.typed(resolved)
    assert dataclasses.asdict(typed) == resolved
    fields = {field.name: field.type for field in dataclasses.fields(typed)}
    assert fields == {one.name: type(one.default).__name__ for one in workload.parameters}
    assert "parameters_type" not in json.dumps(workload.to_dict())
