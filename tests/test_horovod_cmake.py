"""The CMake that Horovod's build calls, with a CMake that prints its arguments."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

WRAPPER = Path(__file__).parents[1] / ".ci/horovod-cmake"


@pytest.mark.parametrize(
    ("given", "called"),
    [
        (
            ["--build", ".", "--config", "RelWithDebInfo", "--", "-j8"],
            ["--build", ".", "--target", "tensorflow", "--config", "RelWithDebInfo", "--", "-j8"],
        ),
        (
            ["/the source", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"],
            [
                "/the source",
                "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -DNDEBUG",
            ],
        ),
    ],
)
def test_one_library_is_built_without_debug_information(
    given: list[str], called: list[str], tmp_path: Path
) -> None:
    fake = tmp_path / "cmake"
    fake.write_text('#!/bin/sh\nfor one; do echo "$one"; done\n')
    fake.chmod(0o755)
    variables = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([WRAPPER, *given], env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == called
