"""Links of a node: between its GPUs, of devices to the PCI bus, and of network adapters to the fabric.

Facts are read from files of the kernel below a root, so that a test can make a node up, and the links between
NVIDIA's GPUs from `nvidia-smi topo`. No fact names the node, as an address would, so that equal nodes have
equal facts. What a node does not state is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import combinations
from pathlib import Path

from orchestrator.host.gpu_inventory import gpu_devices
from orchestrator.host.gpus import GpuError, ask
from workloads.runtime.gpu_identity import file_text

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_GPU = re.compile(r"GPU\d+")
_XGMI = "11"
"""Type of a link between AMD's GPUs in the topology of the compute driver (Linux, `HSA_IOLINKTYPE_XGMI`)."""


def interconnect(root: Path = Path("/"), ask: Callable[..., str] = ask) -> dict[str, str]:
    """Return the links of this node: ``gpu_links``, ``gpu_bus``, ``infiniband``, ``network``.

    Parameters
    ----------
    root
        Root of ``/sys``.
    ask
        Runs a command and returns its output, or raises `GpuError`.
    """
    return {
        name: value
        for name, value in (
            ("gpu_links", nvidia_links(_answer(ask)) or _amd_links(root)),
            ("gpu_bus", _gpu_bus(root)),
            ("infiniband", _infiniband(root)),
            ("network", _networks(root)),
        )
        if value
    }


def _answer(ask: Callable[..., str]) -> str:
    with suppress(GpuError):
        return ask("nvidia-smi", "topo", "-m")
    return ""


def nvidia_links(answer: str) -> str:
    """Return how pairs of GPUs are linked, by the table of `nvidia-smi topo -m`; empty for fewer than two.

    Its words are NVIDIA's: NV4 are four NVLinks; PIX, PXB, PHB, NODE, SYS are ways over PCI, nearest first.
    """
    rows = [[cell.strip() for cell in line.split("\t")] for line in _ESCAPE.sub("", answer).splitlines()]
    head: list[str] = next((row for row in rows if "GPU0" in row[1:]), [])
    columns = [cell for cell in head if _GPU.fullmatch(cell)]
    table = {row[0]: dict(zip(columns, row[1:], strict=False)) for row in rows if row[0] in columns}
    kinds = {
        (a, b): table.get(first, {}).get(second, "")
        for (a, first), (b, second) in combinations(enumerate(columns), 2)
    }
    return _links(len(columns), kinds) if all(kinds.values()) else ""


def _amd_links(root: Path) -> str:
    """Return how pairs of AMD's GPUs are linked, by the compute driver; empty for fewer than two."""
    nodes = root / "sys/class/kfd/kfd/topology/nodes"
    facts = {file.parent.name: _properties(file) for file in nodes.glob("[0-9]*/properties")}
    facts = {name: one for name, one in facts.items() if name.isdecimal()}
    gpus = [name for name in sorted(facts, key=int) if facts[name].get("simd_count", "0") != "0"]
    place = {name: k for k, name in enumerate(gpus)}
    kinds = dict.fromkeys(combinations(range(len(gpus)), 2), "PCI")
    for file in nodes.glob("[0-9]*/io_links/[0-9]*/properties"):
        link = _properties(file)
        ends = [place.get(link.get(name, "")) for name in ("node_from", "node_to")]
        pair = tuple(sorted(one for one in ends if one is not None))
        if pair in kinds and link.get("type") == _XGMI:
            speed = link.get("max_bandwidth", "0")
            kinds[pair] = "XGMI" if speed == "0" else f"XGMI {speed} MB/s"
    return _links(len(gpus), kinds)


def _links(gpus: int, kinds: dict[tuple[int, int], str]) -> str:
    """Return the kinds of links of pairs, the most frequent first."""
    pairs: dict[str, list[str]] = {}
    for (a, b), kind in sorted(kinds.items()):
        pairs.setdefault(kind, []).append(f"{a}-{b}")
    if len(pairs) == 1 and gpus > 1:
        return f"{next(iter(pairs))} between all {gpus} GPUs"
    ordered = sorted(pairs.items(), key=lambda one: (-len(one[1]), one[0]))
    return "; ".join(f"{kind} {', '.join(names)}" for kind, names in ordered)


def _gpu_bus(root: Path) -> str:
    """Return the links of GPUs to the PCI bus: generation by its highest speed, as an idle GPU lowers it."""
    found = []
    for _, device in gpu_devices(root / "sys/bus/pci/devices"):
        speed, width = file_text(device / "max_link_speed"), file_text(device / "current_link_width")
        if speed and width not in ("", "0"):
            found.append([f"{speed} x{width}"])
    return _counted(found)


def _infiniband(root: Path) -> str:
    """Return the ports of InfiniBand and RoCE adapters that are up, with speed, model and firmware."""
    ports, up = [], []
    for device in (root / "sys/class/infiniband").glob("*"):
        adapter = [file_text(device / "hca_type"), _labelled("board", file_text(device / "board_id"))]
        adapter += [_labelled("firmware", file_text(device / "fw_ver")), _bus(device / "device")]
        ports += (mine := list((device / "ports").glob("*")))
        active = [port for port in mine if "ACTIVE" in file_text(port / "state")]
        up += [[file_text(port / "rate"), file_text(port / "link_layer"), *adapter] for port in active]
    return _counted(up) or ("no port is up" if ports else "")


def _networks(root: Path) -> str:
    """Return the network interfaces of devices that are up, with speed and driver, without those on USB.

    Interfaces on USB are of service processors, and carry no traffic of jobs.
    """
    up = []
    for one in (root / "sys/class/net").glob("*"):
        device = one / "device"
        if not device.exists() or file_text(one / "operstate") != "up" or "/usb" in str(device.resolve()):
            continue
        speed = file_text(one / "speed")
        megabits = int(speed) if speed.isdecimal() else 0
        driver = device / "driver"
        up.append(
            [
                f"{megabits / 1000:g} Gb/s" if megabits > 0 else "",
                _labelled("driver", driver.resolve().name if driver.exists() else ""),
                _bus(device),
            ]
        )
    return _counted(up)


def _counted(found: Iterable[Sequence[str]]) -> str:
    """Return facts of devices with how many have them; names of devices depend on the order of probing."""
    kinds = Counter(", ".join(filter(None, facts)) or "up" for facts in found)
    return "; ".join(f"{number} of {kind}" for kind, number in sorted(kinds.items()))


def _bus(device: Path) -> str:
    """Return the link of a network adapter to the PCI bus as it is now."""
    speed, width = file_text(device / "current_link_speed"), file_text(device / "current_link_width")
    return f"{speed} x{width}" if speed and width not in ("", "0") else ""


def _labelled(label: str, value: str) -> str:
    return f"{label} {value}" if value else ""


def _properties(file: Path) -> dict[str, str]:
    pairs = (line.partition(" ") for line in file_text(file).splitlines())
    return {name: value.strip() for name, _, value in pairs}
