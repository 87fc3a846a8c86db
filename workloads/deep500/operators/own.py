"""An operator in a file of a user: Python, or C++ that is compiled when it runs."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from workloads.deep500.operators.definition import GRADIENT, Operator, Size
from workloads.deep500.operators.own_file import check_file
from workloads.description import WorkloadError

Arrays = Mapping[str, Any]


class OwnStep:
    """The operator of a user's file on float32 arrays; it has run once.

    Parameters
    ----------
    file
        A Python file has ``forward(inputs, size)``, which returns the outputs, and for gradients
        ``backward(inputs, output_gradients, size)``, which returns the gradients by the inputs; all three
        are mappings from names to arrays, and ``size`` one from names to numbers. A C++ file has the
        functions of ``deep500_operator.h``.
    operator, size, arrays
        What it computes; it gets copies of the arrays, which it must not change.
    cache
        Directory where compiled files are kept; None: they are not.

    Attributes
    ----------
    observed
        Facts for the ledger.

    Raises
    ------
    WorkloadError
        If the file is missing, is none of either language, or lacks a function.
    """

    def __init__(
        self, file: Path, operator: Operator, size: Size, arrays: Arrays, cache: Path | None
    ) -> None:
        check_file(file)
        try:
            source = file.read_bytes()
        except OSError as error:
            raise WorkloadError(f"implementation {file} cannot be read: {error.strerror}") from None
        self._file, self._operator, self._size = file, operator, size
        self._arrays = arrays
        self.observed = {"implementation_sha256": hashlib.sha256(source).hexdigest()}
        self._inputs = {name: _read_only(arrays[name]) for name in operator.inputs}
        self._slopes = {
            name.removeprefix(GRADIENT): _read_only(one)
            for name, one in arrays.items()
            if name not in operator.inputs
        }
        wanted = ("forward", "backward") if self._slopes else ("forward",)
        self._functions = (
            self._python(wanted) if file.suffix == ".py" else self._compiled(wanted, source, cache)
        )
        self()

    def __call__(self) -> Any:
        """Compute the outputs, and the gradients where gradients of the outputs were given."""
        found = self._called("forward", self._inputs, self._size)
        if self._slopes:
            slopes = self._called("backward", self._inputs, self._slopes, self._size)
            found |= {GRADIENT + name: one for name, one in slopes.items()}
        return found

    def fetch(self, results: Any) -> dict[str, Any]:
        """Return results as float32 arrays.

        Raises
        ------
        WorkloadError
            If one is missing, has another shape or no numbers, or the arrays that were given have changed.
        """
        given = self._inputs | {GRADIENT + name: one for name, one in self._slopes.items()}
        for name, one in given.items():
            if not np.array_equal(one, self._arrays[name]):
                raise WorkloadError(
                    f"{self._file} changed its input {name}: let it write to its results only"
                )
        names = self._operator.results("gradient" if self._slopes else "forward")
        found = {}
        for name in names:
            if name not in results:
                raise WorkloadError(
                    f"{self._file} returned no {_called(name)}, only {', '.join(results) or 'nothing'}"
                )
            try:
                found[name] = np.asarray(results[name], np.float32)
            except (TypeError, ValueError):
                raise WorkloadError(
                    f"{self._file} returned {_called(name)} that is no array of numbers"
                ) from None
            if found[name].shape != (shape := self._operator.shape(name, self._size)):
                raise WorkloadError(
                    f"{self._file} returned {_called(name)} with shape {found[name].shape}, not {shape}"
                )
        return found

    def _called(self, function: str, *given: Any) -> dict[str, Any]:
        found = self._functions[function](*given)
        if not isinstance(found, Mapping):
            raise WorkloadError(
                f"{function} of {self._file} returned a {type(found).__name__}, not a mapping"
            )
        return dict(found)

    def _python(self, wanted: Sequence[str]) -> dict[str, Callable[..., Arrays]]:
        spec = importlib.util.spec_from_file_location("deep500_own_operator", self._file)
        assert spec is not None  # the suffix is .py  # noqa: S101
        assert spec.loader is not None  # noqa: S101
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:  # whatever the code of a user does
            raise WorkloadError(
                f"implementation {self._file} cannot be imported: {type(error).__name__}: {error}"
            ) from error
        for name in wanted:
            if not callable(getattr(module, name, None)):
                raise WorkloadError(f"implementation {self._file} has no function {name}")
        return {name: getattr(module, name) for name in wanted}

    def _compiled(
        self, wanted: Sequence[str], source: bytes, cache: Path | None
    ) -> dict[str, Callable[..., Arrays]]:
        from workloads.deep500.operators.compiled import CompiledOperator

        library = CompiledOperator(self._file, source, cache, self._operator, self._size)
        self.observed |= library.observed
        return {name: library.function(name) for name in wanted}


def _called(name: str) -> str:
    return f"gradient by {name.removeprefix(GRADIENT)}" if name.startswith(GRADIENT) else f"output {name}"


def _read_only(array: Any) -> Any:
    copy = np.array(array, order="C")
    copy.flags.writeable = False
    return copy
