from __future__ import annotations

from dataclasses import dataclass

import pytest

from workloads.runtime.training.resumption import identity_of


@dataclass(frozen=True)
class Parameters:
    epochs: int = 3
    batch_size: int = 8


@dataclass(frozen=True)
class Chosen(Parameters):
    framework: str = "tensorflow"


@pytest.mark.parametrize(
    ("parameters", "common"),
    [
        (Parameters(), {"batch_size": 8}),
        (Chosen(), {"batch_size": 8}),  # as before there was a choice
        (Chosen(framework="jax"), {"batch_size": 8, "framework": "jax"}),
    ],
)
def test_a_checkpoint_of_tensorflow_names_no_framework(parameters, common):
    assert identity_of(parameters, {"epochs"}) == common
