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
    "intel-extension-for-pytorch", "jax", "jaxlib", "horovod", "mpi4py", "mpich", "impi-rt", "numpy",
})  # fmt: skip
_HASHED = sorted(_FRAMEWORKS | {"dask", "h5py", "pandas", "scikit-learn", "scipy"})
# Each look at `metadata` reads and parses a file.
# RECORD names every installed file with its hash, so that another build of one version has another RECORD.
_LIST = (
    "import hashlib, importlib.metadata as m, json, pathlib, platform, sys\n"
    "packages = [(d, d.metadata) for d in m.distributions()]\n"
    'found = sorted({f\'{t["Name"]}=={t["Version"]}\' for _, t in packages})\n'
    "texts = {}\n"
    "for d, t in reversed(packages):\n"
    "    name = (t['Name'] or '').lower().replace('_', '-')\n"
    "    if name in sys.argv[1:]: texts[name + '/RECORD'] = (d.read_text('RECORD') or '').encode()\n"
    "for path in filter(None, sys.path):\n"
    "    try: texts.update({f.name: f.read_bytes() for f in pathlib.Path(path).glob('*.pth')})\n"
    "    except OSError: pass\n"
    "digests = {name: hashlib.sha256(text).hexdigest() for name, text in sorted(texts.items()) if text}\n"
    "print(json.dumps([platform.python_version(), found, digests]))\n"
)


def installed_packages(interpreter: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return ``python``, ``frameworks``, ``packages`` and ``installed`` of an interpreter, or why it cannot.

    The last has the SHA-256 of the lists of files (RECORD) of frameworks and what reads data, and of the
    ``.pth`` files, by which Python runs code at its start.
    """
    try:
        answer = subprocess.run(
            [interpreter, "-c", _LIST, *_HASHED],
            env={**environment, "PYTHONSAFEPATH": "1"},
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
        version, listed, digests = json.loads(answer.stdout.strip().splitlines()[-1])
    except (OSError, ValueError, IndexError, subprocess.SubprocessError) as error:
        return {"python": {"problem": f"{interpreter} does not list its packages: {error}"}}
    return {
        "python": {"version": version},
        "frameworks": dict(
            one.lower().split("==", 1) for one in listed if one.lower().partition("==")[0] in _FRAMEWORKS
        ),
        "packages": {"sha256": hashlib.sha256("\n".join(listed).encode()).hexdigest(), "list": listed},
        "installed": digests,
    }
