"""The frameworks that can run a network, each behind the same few functions in a module of its own.

A module is imported only where its framework is used: in the training process, after the
environment that the framework reads was set.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from workloads.context import Context

NAMES = ("tensorflow", "jax", "torch")

Step = Callable[..., Any]


class Backend(Protocol):
    """Functions of every module of this package, which repeats none of these docstrings.

    A network is a function of its inputs, written with Keras, that reads Keras variables. The steps
    made from it take the inputs as arguments and read the variables at every call, so that no
    compiler can compute anything of a step before it runs. Inputs are `to_device` arrays, or NumPy
    arrays, which then move to the device within the step.
    """

    TITLE: str
    """The framework's name for people."""

    JIT_COMPILE: bool
    """The ``jit_compile`` argument of Keras' ``compile``: only JAX needs its compiler for a training step."""

    def environment(self, context: Context, threads: int) -> dict[str, str]:
        """Return the variables that the framework reads as it is imported; the GPUs' is already set."""

    def version(self) -> str:
        """Return the framework's version."""

    def gpu_names(self) -> list[str]:
        """Return the product name of every GPU that the framework can open."""

    def configure(self, context: Context, threads: int, precision: str) -> dict[str, Any]:
        """Set threads, memory, arithmetic and determinism, and return what is in force, read back."""

    def synchronise(self, results: Any = None) -> None:
        """Wait until `results`, or everything that was begun, is computed."""

    def to_device(self, array: Any) -> Any:
        """Return an array's copy on the device that computes."""

    def fetch(self, value: Any) -> Any:
        """Return a value as a NumPy array in host memory."""

    def global_norm(self, gradients: Sequence[Any]) -> float:
        """Return the square root of the sum of the squares of all elements."""

    def forward(self, function: Step, variables: Sequence[Any]) -> Step:
        """Return a step that computes `function`, without keeping anything for gradients."""

    def gradients(self, loss: Step, variables: Sequence[Any]) -> Step:
        """Return a step that computes the gradient of a scalar with respect to every variable."""

    def descent(self, loss: Step, variables: Sequence[Any], rate: float) -> Step:
        """Return a step of plain gradient descent, whose value is the loss before it."""

    def assigning(self, function: Step, variables: Sequence[Any]) -> Step:
        """Return a step that computes `function`, which may assign all `variables` that it reads."""

    def slopes(self, loss: Step, weights: Sequence[Any], others: Sequence[Any]) -> Step:
        """Return a function for use in an `assigning` step, whose value is a result and all gradients.

        Parameters
        ----------
        loss
            Returns a scalar to differentiate, and the result.
        weights
            Variables of the gradients.
        others
            All other variables that `loss` reads, which it may assign.
        """


def load(name: str) -> Backend:
    """Return the module of a framework."""
    return cast("Backend", importlib.import_module(f"{__name__}.{name}"))
