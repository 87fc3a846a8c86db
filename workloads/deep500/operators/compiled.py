"""Compile an operator in C++ with the system's compiler, keep the library, and call it."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from workloads.deep500.operators.definition import GRADIENT, Operator, Size
from workloads.description import WorkloadError
from workloads.runtime import host_facts

VERSION = 1
"""Of the functions in the header."""
HEADER = Path(__file__).with_name("deep500_operator.h")
_COMPILERS = ("c++", "g++", "clang++")
_FLAGS = "-O3 -march=native"
_FOLDER = "deep500-operators"
_SHOWN_LINES = 3
_INCLUDES_MORE = re.compile(rb'^\s*#\s*include\b(?!\s*"deep500_operator\.h")', re.MULTILINE)
_FILE_OF_LINES = re.compile(rb'^# \d+ "([^"<]+)"', re.MULTILINE)
"""In preprocessed text, the file that the next lines are of."""


class _Array(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("axes", ctypes.c_int64),
    )


class CompiledOperator:
    """The functions of a C++ file; see ``deep500_operator.h``.

    Parameters
    ----------
    file, source
        The file, and its bytes.
    cache
        Directory where the library is kept under the hash of what it is made of; None: it is not kept.

    Raises
    ------
    WorkloadError
        If there is no compiler, the file cannot be compiled, or its functions have another version.
    """

    def __init__(self, file: Path, source: bytes, cache: Path | None, operator: Operator, size: Size) -> None:
        self._file, self._operator = file, operator
        compiler = _compiler()
        command = [*compiler, *shlex.split(os.environ.get("CXXFLAGS", _FLAGS))]
        self.observed: dict[str, Any] = {"compiler": shlex.join(command)}
        whole = _preprocessed(file, source, command)
        if included := _included(file, whole):
            self.observed["implementation_includes_sha256"] = included
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) if cache is None else cache / _FOLDER
            library = _built(file, source, whole, command, folder)
            try:
                self._library = ctypes.CDLL(str(library))
            except OSError as error:
                raise WorkloadError(f"implementation {file} cannot be loaded: {error}") from None
        self._size_values = (ctypes.c_int64 * len(size))(*size.values())
        self._shapes = {name: operator.shape(name, size) for name in operator.results("gradient")}
        if (version := self._symbol("version")()) != VERSION:
            raise WorkloadError(
                f"implementation {file} has functions of version {version}, not {VERSION}: "
                f"return DEEP500_VERSION of {HEADER.name} and compile anew"
            )

    def function(self, name: str) -> Callable[..., dict[str, Any]]:
        """Return ``forward`` or ``backward`` as a function of mappings of arrays."""
        call = self._symbol(name)
        results = self._operator.outputs if name == "forward" else self._operator.inputs
        prefix = "" if name == "forward" else GRADIENT

        def run(*given: Any) -> dict[str, Any]:
            # Numbers that the function does not write must not look like results of an earlier call.
            made = {one: np.full(self._shapes[prefix + one], np.nan, np.float32) for one in results}
            arguments = [_structures(arrays) for arrays in (*given[:-1], made)]
            if code := call(self._size_values, *arguments):
                raise WorkloadError(f"deep500_{name} of {self._file} failed: it returned {code}")
            return made

        return run

    def _symbol(self, name: str) -> Any:
        try:
            function = getattr(self._library, f"deep500_{name}")
        except AttributeError:
            raise WorkloadError(
                f"implementation {self._file} has no deep500_{name}; include {HEADER.name}, which declares it"
            ) from None
        function.restype = ctypes.c_int64
        return function


def _structures(arrays: Mapping[str, Any]) -> Any:
    structures = [
        _Array(one.ctypes.data, (ctypes.c_int64 * one.ndim)(*one.shape), one.ndim) for one in arrays.values()
    ]
    return (_Array * len(structures))(*structures)


def _compiler() -> list[str]:
    asked = shlex.split(os.environ.get("CXX", ""))
    for name in [asked[0]] if asked else _COMPILERS:
        if (path := shutil.which(name)) is not None:
            return [path, *asked[1:]]
    looked = f"CXX={asked[0]}" if asked else ", ".join(_COMPILERS)
    raise WorkloadError(
        f"no C++ compiler on this node (looked for {looked}): load one in instance_setup, or set CXX"
    )


def _options(file: Path) -> list[str]:
    return ["-std=c++17", f"-I{HEADER.parent}", f"-I{file.parent.absolute()}", "-x", "c++", "-"]


def _preprocessed(file: Path, source: bytes, command: Sequence[str]) -> bytes:
    """Return a source with the files that it includes, which may change while the source does not."""
    if not _INCLUDES_MORE.search(source):
        return source
    preprocess = [*command, "-E", *_options(file)]
    return subprocess.run(preprocess, input=source, capture_output=True, check=False).stdout


def _included(file: Path, whole: bytes) -> dict[str, str]:
    """Return the hashes of the files below the source's folder that it includes, by their path from there."""
    folder = file.parent.resolve()
    found = {Path(os.fsdecode(name)).resolve() for name in _FILE_OF_LINES.findall(whole)}
    return {
        str(one.relative_to(folder)): hashlib.sha256(one.read_bytes()).hexdigest()
        for one in sorted(found)
        if one.is_relative_to(folder) and one.is_file() and one != HEADER.resolve()
    }


def _built(file: Path, source: bytes, whole: bytes, command: Sequence[str], folder: Path) -> Path:
    """Return the library of a source, compiled unless it is there; several processes may do so at once."""
    options = _options(file)
    parts = (source, whole, HEADER.read_bytes(), shlex.join(command).encode(), _processor().encode())
    key = hashlib.sha256(b"\0".join(hashlib.sha256(one).digest() for one in parts)).hexdigest()
    library = folder / f"{key}.so"
    if library.exists():
        return library
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        made = Path(work) / library.name
        done = subprocess.run(
            [*command, "-shared", "-fPIC", *options, "-o", str(made)],
            input=source, capture_output=True, check=False,
        )  # fmt: skip
        if done.returncode:
            lines = done.stderr.decode(errors="replace").replace("<stdin>", file.name).splitlines()
            errors = [line for line in lines if "error" in line] or lines or ["no message"]
            raise WorkloadError(f"{command[0]} cannot compile {file}: {'; '.join(errors[:_SHOWN_LINES])}")
        made.replace(library)
    return library


def _processor() -> str:
    """Return the processor that ``-march=native`` compiles for: nodes that share the cache may differ."""
    return f"{platform.machine()} {host_facts.host_facts()['cpu_model']}"
