"""What a Python interpreter has installed, asked by running it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

_INTERPRETER_SECONDS = 300.0

_VERSIONS = (
    "import importlib.metadata as m, json, sys\n"
    "found = {'python': '.'.join(map(str, sys.version_info[:3]))}\n"
    "for name in ('tensorflow', 'tensorflow-cpu', 'keras', 'horovod', 'torch', 'jax'):\n"
    "    try: found[name] = m.version(name)\n"
    "    except m.PackageNotFoundError: pass\n"
    "import keras\n"
    "print(json.dumps(found))\n"
)

_ABSENT_SECONDS = 60.0

_ABSENT = (
    "import importlib.util as u, json, sys\n"
    "print(json.dumps([name for name in sys.argv[1:] if u.find_spec(name) is None]))\n"
)


def interpreter_facts(interpreter: str) -> dict[str, Any]:
    """Return the ``versions`` of packages in a Python, or ``interpreter_error``: why it cannot train."""
    try:
        answer = subprocess.run(
            [interpreter, "-c", _VERSIONS],
            capture_output=True,
            text=True,
            timeout=_INTERPRETER_SECONDS,
            check=False,
        )
        if answer.returncode:
            said = " ".join(answer.stderr.strip().splitlines()[-1:])
            return {"interpreter_error": said or f"exit code {answer.returncode}"}
        versions = json.loads(answer.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        return {"interpreter_error": "it does not answer as a Python does"}
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"interpreter_error": str(error)}
    return {"versions": versions}


def absent_packages(
    interpreter: str, packages: Sequence[str], environment: Mapping[str, str]
) -> set[str] | None:
    """Return which packages a Python lacks, without importing any; None where it gives no answer.

    One that takes too long for an answer is not known to lack any.
    """
    try:
        answer = subprocess.run(
            [interpreter, "-c", _ABSENT, *packages],
            # As trainings are started: a folder that happens to be called "keras" is no package.
            env={**environment, "PYTHONSAFEPATH": "1"},
            capture_output=True,
            text=True,
            timeout=_ABSENT_SECONDS,
            check=True,
        )
        return set(json.loads(answer.stdout.strip().splitlines()[-1])) & set(packages)
    except subprocess.TimeoutExpired:
        return set()
    except (OSError, ValueError, IndexError, TypeError, subprocess.SubprocessError):
        return None
