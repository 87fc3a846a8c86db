"""What a node of a block finds: ``python -m orchestrator.node.probe ORDER.json``, run once on every node.

The node tells the driver over the network, which proves the network, and measures by that talk how
far its clock is off. It also writes what it found beside the order, which proves the shared path;
and from there the driver learns why a node could not be heard.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import sys
import time
from pathlib import Path
from typing import Any

from orchestrator.host.gpus import GpuError, discover
from orchestrator.host.interpreter import interpreter_facts
from orchestrator.protocol.block_environment import node_name

_CONNECT_SECONDS = 30.0
_ANSWER_SECONDS = 180.0  # the driver may be waiting for its batch system


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
