from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestrator.catalog import registry
from workloads import modules
from workloads.context import Context, Metric, Paths, Result, SlotView
from workloads.deep500 import user_module
from workloads.runtime.framework import configure_framework


@dataclass(frozen=True)
class Run:
    """A finished run in this process, and what its context recorded."""

    result: Result
    marks: list[str]
    phases: dict[str, float]
    measured: list[Metric]

    def metric(self, name: str) -> float:
        after = self.result.measure_after
        found = (*self.result.metrics, *self.measured, *(after() if after else ()))
        return {one.name: one.value for one in found}[name]


def run_here(
    name: str,
    parameters: dict[str, Any],
    data: Path | None = None,
    seed: int = 1,
    cache: Path | None = None,
    scratch: Path | None = None,
) -> Run:
    """Run a built-in workload on one thread in the test's own process."""
    marks: list[str] = []
    context = Context(
        seed=seed,
        slot=SlotView(cores=(0,)),
        paths=Paths(data=data, cache=cache, scratch=scratch),
        send=lambda message: marks.append(message["mark"]),
    )
    workload = registry.describe(name)
    result = modules.load(workload.entry)(workload.typed(workload.resolve(parameters)), context)
    return Run(result, marks, context.phases, context.metrics)


@pytest.fixture(scope="package", autouse=True)
def _compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let JAX keep what it compiles: nearly all of its processes compile the same small programs."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # of all workers
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAX_COMPILATION_CACHE_DIR", str(folder / "compiled"))
        patch.setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
        patch.setenv("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
        yield


_LARGE = 1 << 20


@pytest.fixture
def shapes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Keras build models whose large weights have no values.

    TensorFlow's allocator keeps what one full-size model took until the process ends, whatever is cleared.
    """
    import keras
    from keras.src import backend

    assert keras.backend.backend() == "tensorflow"
    initialize = backend.Variable._initialize_with_initializer

    def declare(variable: Any, initializer: Any) -> None:
        if math.prod(variable.shape) < _LARGE:
            initialize(variable, initializer)
        else:
            variable._value, variable._initializer = None, initializer

    monkeypatch.setattr(backend.Variable, "_initialize_with_initializer", declare)


@pytest.fixture
def tensorflow_on_one_thread() -> None:
    """Give TensorFlow the thread that `run_here` asks for: once it has computed, it takes no other number."""
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))


@pytest.fixture(scope="session")
def run():
    return run_here


@pytest.fixture(autouse=True)
def _without_rule() -> Iterator[None]:
    """Forget an update rule that a test loaded, which is among the listed code of a process from then on."""
    yield
    sys.modules.pop(user_module.MODULE, None)
