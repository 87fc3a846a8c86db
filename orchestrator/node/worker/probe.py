"""Probe a node: ``python -m orchestrator.node.worker.probe ORDER.json``, run once on every node of a block.

The node sends its findings to the driver over the network, which proves the network, and measures
its clock offset on that connection. It also writes them to a file beside the order, which proves
the shared file system and states why a node could not connect.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from orchestrator.host.atomic_files import atomic_write
from orchestrator.host.containers import ContainerError, interpreter_command, pinned, usable
from orchestrator.host.gpus import GpuError, discover
from orchestrator.host.interpreter import interpreter_facts
from orchestrator.protocol.block_environment import node_name
from orchestrator.protocol.codec import from_json
from orchestrator.protocol.order import ContainerOrder
from workloads.runtime.gpu_identity import unprovable

_CONNECT_SECONDS = 30.0
_ANSWER_SECONDS = 180.0  # the driver may be waiting for its batch system


def main() -> int:
    """Probe this node, and send and write the findings."""
    path = Path(sys.argv[1])
    order = json.loads(path.read_text(encoding="utf-8"))
    found = observe(order)
    file = path.with_name(f"node-{found['node']}-{os.getpid()}.json")
    atomic_write(file, json.dumps(found))  # first: once all nodes have reported, the block may be ended
    try:
        with socket.create_connection((order["address"], order["port"]), timeout=_CONNECT_SECONDS) as peer:
            peer.settimeout(_ANSWER_SECONDS)
            stream = peer.makefile("rwb")
            found["clock_offset_seconds"] = clock_offset(stream)
            _send(stream, {"token": order["token"], "found": found})
            stream.readline()  # the acknowledgement
    except (OSError, ValueError) as error:
        found["unheard"] = f"{order['address']} port {order['port']} cannot be reached: {error}"
        atomic_write(file, json.dumps(found))
    return 0


def observe(order: dict[str, Any]) -> dict[str, Any]:
    """Return this node's resources and faults as JSON-ready data."""
    found: dict[str, Any] = {
        "node": node_name(),
        "cores": sorted(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "disk_bytes": shutil.disk_usage(os.environ.get("TMPDIR") or tempfile.gettempdir()).total,
        "cpu": platform.machine(),
        "parsl": _version("parsl"),
        "python": platform.python_version(),
        "working_directory": Path(order["working_directory"]).is_dir(),
    }
    if order["gpus"] is not None:
        try:
            found["gpus"] = discover(order["gpus"]["vendor"], order["gpus"]["count"])
            found["gpus_unprovable"] = unprovable(order["gpus"]["vendor"])
        except GpuError as error:
            found["gpu_error"] = str(error)
    found["own_containers"] = {
        names: _in_container(one, order["environment"])
        for names, one in order.get("own_containers", {}).items()
    }
    if order.get("container") is None:
        return found | interpreter_facts(order["interpreter"])
    return found | _in_container(order["container"], order["environment"])


def _in_container(described: dict[str, Any], environment: dict[str, str]) -> dict[str, Any]:
    """Return a container's image and what its Python has, or why it cannot be used."""
    try:
        container = usable(from_json(ContainerOrder, described))
        pin, digest = pinned(container)
        image = {"container": f"{container.runtime}, {container.image} ({digest})"}
        return image | interpreter_facts(*interpreter_command(pin, environment))
    except ContainerError as error:
        return {"container_error": str(error), "interpreter_error": "not asked"}


def clock_offset(stream: Any) -> float:
    """Return how many seconds this clock is ahead of the driver's, from the fastest of five exchanges.

    The offset is taken between the driver's reading and the middle of the exchange, so its error is
    at most half the exchange's duration (D. L. Mills, RFC 5905, section 8).
    """
    best = (float("inf"), 0.0)
    for _ in range(5):
        begin = time.time()
        _send(stream, {"clock": True})
        driver_time = json.loads(stream.readline())["clock"]
        end = time.time()
        best = min(best, (end - begin, (begin + end) / 2 - driver_time))
    return best[1]


def _send(stream: Any, message: dict[str, Any]) -> None:
    stream.write(json.dumps(message).encode() + b"\n")
    stream.flush()


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())
