"""What a node of a block finds: ``python -m orchestrator.probe ORDER.json``, run once on every node.

The node tells the driver over the network, which proves the network, and measures by that talk how
far its clock is off. It also writes what it found beside the order, which proves the shared path;
and from there the driver learns why a node could not be heard.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from orchestrator.gpus import GpuError, discover
from orchestrator.protocol.block_environment import node_name

_CONNECT_SECONDS = 30.0
_ANSWER_SECONDS = 180.0  # the driver may be waiting for its batch system
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


def main() -> int:
    """Look around, tell the driver, and leave the same in a file."""
    path = Path(sys.argv[1])
    order = json.loads(path.read_text(encoding="utf-8"))
    found = observe(order)
    file = path.with_name(f"node-{found['node']}-{os.getpid()}.json")
    _write(file, found)  # first: once all nodes are heard, the block may be ended
    try:
        with socket.create_connection((order["address"], order["port"]), timeout=_CONNECT_SECONDS) as talk:
            talk.settimeout(_ANSWER_SECONDS)
            stream = talk.makefile("rwb")
            found["clock_offset_seconds"] = clock_offset(stream)
            _say(stream, {"token": order["token"], "found": found})
            stream.readline()  # the driver has it
    except (OSError, ValueError) as error:
        found["unheard"] = f"{order['address']} port {order['port']} cannot be reached: {error}"
        _write(file, found)
    return 0


def observe(order: dict[str, Any]) -> dict[str, Any]:
    """Return what this node offers, and what is wrong with it, as JSON-ready data."""
    found: dict[str, Any] = {
        "node": node_name(),
        "cores": sorted(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "cpu": platform.machine(),
        "parsl": _version("parsl"),
        "python": platform.python_version(),
        "working_directory": Path(order["working_directory"]).is_dir(),
    }
    if order["gpus"] is not None:
        try:
            found["gpus"] = discover(order["gpus"]["vendor"], order["gpus"]["count"])
        except GpuError as error:
            found["gpu_error"] = str(error)
    found |= interpreter_facts(order["interpreter"])
    return found


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


def clock_offset(stream: Any) -> float:
    """Return how many seconds this clock is ahead of the driver's, the best of a few exchanges.

    The offset is that between the driver's reading and the middle of the exchange; the fastest
    exchange tells most (D. L. Mills, RFC 5905, section 8).
    """
    best = (float("inf"), 0.0)
    for _ in range(5):
        begin = time.time()
        _say(stream, {"clock": True})
        theirs = json.loads(stream.readline())["clock"]
        end = time.time()
        best = min(best, (end - begin, (begin + end) / 2 - theirs))
    return best[1]


def _say(stream: Any, message: dict[str, Any]) -> None:
    stream.write(json.dumps(message).encode() + b"\n")
    stream.flush()


def _write(file: Path, found: dict[str, Any]) -> None:
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(found), encoding="utf-8")
    partial.replace(file)


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())
