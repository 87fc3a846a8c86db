"""The packages of a training's Python interpreter, listed by running it."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Mapping
from typing import Any

_SECONDS = 60.0
_FRAMEWORKS = frozenset({
    "tensorflow", "tensorflow-cpu", "tensorflow-rocm", "intel-extension-for-tensorflow", "keras", "torch",
    "intel-extension-for-pytorch", "jax", "jaxlib", "horovod", "numpy",
})  # fmt: skip
_LIST = (
    "import importlib.metadata as m, json, platform\n"
    "found = sorted({f'{d.metadata[\"Name\"]}=={d.version}' for d in m.distributions()})\n"
    "print(json.dumps([platform.python_version(), found]))\n"
)


def installed_packages(interpreter: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return ``python``, ``frameworks`` and ``packages`` of an interpreter, or why it does not list them.

    Parameters
    ----------
    environment
        All variables of its process.
    """
    try:
        answer = subprocess.run(
            [interpreter, "-c", _LIST],
            env={**environment, "PYTHONSAFEPATH": "1"},
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
        version, listed = json.loads(answer.stdout.strip().splitlines()[-1])
    except (OSError, ValueError, IndexError, subprocess.SubprocessError) as error:
        return {"python": {"problem": f"{interpreter} does not list its packages: {error}"}}
    return {
        "python": {"version": version},
        "frameworks": dict(
            one.lower().split("==", 1) for one in listed if one.lower().partition("==")[0] in _FRAMEWORKS
        ),
        "packages": {"sha256": hashlib.sha256("\n".join(listed).encode()).hexdigest(), "list": listed},
    }
