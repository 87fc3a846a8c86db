"""Find what packages a Python interpreter has, by running it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_INTERPRETER_SECONDS = 300.0

_VERSIONS = (
    "import importlib.metadata as m, json, sys\n"
    "found = {'python': '.'.join(map(str, sys.version_info[:3]))}\n"
    "for name in ('tensorflow', 'tensorflow-cpu', 'keras', 'horovod', 'torch', 'jax', 'mpi4py'):\n"
    "    try: found[name] = m.version(name)\n"
    "    except m.PackageNotFoundError: pass\n"
    "try: import keras\n"  # a broken installation fails here
    "except ModuleNotFoundError as error:\n"
    "    if error.name != 'keras': raise\n"
    "print(json.dumps(found))\n"
)

_ABSENT_SECONDS = 60.0

_ABSENT = (
    "import importlib.util as u, json, sys\n"
    "print(json.dumps([name for name in sys.argv[1:] if u.find_spec(name) is None]))\n"
)


def interpreter_facts(
    interpreter: str | Sequence[str], environment: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the ``versions`` of an interpreter's packages, or why it does not run: ``interpreter_error``.

    Parameters
    ----------
    interpreter
        Its path; or the words that start it, in a container.
    environment
        All variables of its process, by default this one's.
    """
    try:
        answer = subprocess.run(
            [*_words(interpreter), "-c", _VERSIONS],
            env={**(os.environ if environment is None else environment), "PYTHONSAFEPATH": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_INTERPRETER_SECONDS,
            check=False,
        )
        if answer.returncode:
            last_line = " ".join(answer.stderr.strip().splitlines()[-1:])
            return {"interpreter_error": last_line or f"exit code {answer.returncode}"}
        versions = json.loads(answer.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        return {"interpreter_error": "it did not print what a Python interpreter prints; is it one?"}
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"interpreter_error": str(error)}
    return {"versions": versions}


def _words(interpreter: str | Sequence[str]) -> list[str]:
    return [interpreter] if isinstance(interpreter, str) else list(interpreter)


def absent_packages(
    interpreter: str | Sequence[str], packages: Sequence[str], environment: Mapping[str, str]
) -> set[str] | None:
    """Return which packages an interpreter lacks, without importing any; None if it fails to run.

    The set is empty if the interpreter does not answer within 60 s.
    """
    try:
        answer = subprocess.run(
            [*_words(interpreter), "-c", _ABSENT, *packages],
            # As trainings are started: a folder named "keras" in the working directory is no package.
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


def other_program(pid: int, interpreter: str) -> str | None:
    """Return the program that a process runs if that is not an interpreter that was asked for.

    Parameters
    ----------
    interpreter
        Path or name of the file that was started. Where it is a script, the kernel runs another program.

    Returns
    -------
    None where it is that interpreter, or where the process may not be looked at.
    """
    link = f"/proc/{pid}/exe"
    asked = interpreter if "/" in interpreter else shutil.which(interpreter) or interpreter
    try:
        if os.path.samestat(os.stat(link), os.stat(asked)):  # noqa: PTH116  paths take longer, at each mark
            return None
        return str(Path(link).readlink())
    except OSError:
        return None
