"""The GPUs of this machine with model, memory and the cores nearest to each, for a site file."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.host.gpus import GpuError, amd_uuids, ask, nvidia_names, nvidia_uuids
from workloads.runtime.gpu_identity import file_text

_MEBIBYTE = 2**20
# Vendor and PCI classes: display controllers and accelerators, for NVIDIA also those that drive a screen.
_PCI = {
    "0x10de": ("nvidia", ("0x0302", "0x0300")),
    "0x1002": ("amd", ("0x0380", "0x1200")),
    "0x8086": ("intel", ("0x0380", "0x1200")),
}


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU, or a MIG instance.

    Parameters
    ----------
    kind
        Model; empty if it is not known.
    memory_bytes
        None if it is not known.
    near_cores
        Logical CPUs nearest to it, as the kernel lists them, such as ``0-15``; empty if it does not say.
    is_mig
        Whether it is a part of a GPU.
    """

    vendor: str
    kind: str = ""
    memory_bytes: int | None = None
    near_cores: str = ""
    is_mig: bool = False


def find_gpus(root: Path = Path("/"), ask: Callable[..., str] = ask) -> list[Gpu]:
    """Return this machine's GPUs: those of NVIDIA, else of AMD, else what is on its PCI buses.

    Parameters
    ----------
    root
        Root of ``/sys``.
    ask
        Runs a vendor's command and returns its output, or raises `GpuError`.
    """
    devices = root / "sys/bus/pci/devices"
    return _nvidia(devices, ask) or _amd(devices, ask) or _on_pci(devices)


def _nvidia(devices: Path, ask: Callable[..., str]) -> list[Gpu]:
    try:
        names = nvidia_uuids() or nvidia_names(ask("nvidia-smi", "-L"))
    except GpuError:
        return []
    if any(name.startswith("MIG-") for name in names):
        return [Gpu("nvidia", is_mig=True) for _ in names]
    try:
        query = "--query-gpu=name,memory.total,pci.bus_id"
        details = nvidia_details(ask("nvidia-smi", query, "--format=csv,noheader,nounits"))
    except GpuError:
        details = []
    return _completed([Gpu("nvidia") for _ in names], details, devices)


def _amd(devices: Path, ask: Callable[..., str]) -> list[Gpu]:
    try:
        details = amd_details(
            ask("rocm-smi", "--showproductname", "--showmeminfo", "vram", "--showbus", "--json")
        )
    except GpuError:
        details = []
    return _completed([Gpu("amd") for _ in amd_uuids() or details], details, devices)


def nvidia_details(answer: str) -> list[tuple[str, int | None, str]]:
    """Return model, bytes and PCI address of each line of nvidia-smi's answer."""
    rows = [[cell.strip() for cell in row] for row in csv.reader(answer.splitlines())]
    return [
        (name, int(memory) * _MEBIBYTE if memory.isdecimal() else None, address)  # "[N/A]": of the CPU
        for name, memory, address in (row for row in rows if len(row) == 3)
    ]


def amd_details(answer: str) -> list[tuple[str, int | None, str]]:
    """Return model, bytes and PCI address of each card of rocm-smi's answer; none if it has another form."""
    try:
        cards = json.loads(answer)
        numbered = sorted(
            (int(card[4:]), facts)
            for card, facts in cards.items()
            if card.startswith("card") and card[4:].isdecimal()
        )
        return [
            (
                str(facts.get("Card Series") or facts.get("Card series") or ""),
                int(facts["VRAM Total Memory (B)"]) if "VRAM Total Memory (B)" in facts else None,
                str(facts.get("PCI Bus", "")),
            )
            for _, facts in numbered
        ]
    except (ValueError, AttributeError, TypeError):
        return []


def _completed(gpus: list[Gpu], details: Sequence[tuple[str, int | None, str]], devices: Path) -> list[Gpu]:
    """Return GPUs with their details, where there are details of each."""
    if len(gpus) != len(details):
        return gpus
    return [
        replace(gpu, kind=kind, memory_bytes=memory, near_cores=_near(devices / _short(address)))
        for gpu, (kind, memory, address) in zip(gpus, details, strict=True)
    ]


def _on_pci(devices: Path) -> list[Gpu]:
    return [Gpu(vendor, near_cores=_near(device)) for vendor, device in gpu_devices(devices)]


def gpu_devices(devices: Path) -> Iterator[tuple[str, Path]]:
    """Yield vendor and folder of the GPUs among the kernel's PCI devices, in the order of their addresses."""
    for device in sorted(devices.glob("*")):
        vendor, classes = _PCI.get(file_text(device / "vendor"), ("", ()))
        if file_text(device / "class").startswith(classes) and vendor:
            yield vendor, device


def _short(address: str) -> str:
    """Return a PCI address as the kernel writes it; NVIDIA's domains have eight digits."""
    domain, _, rest = address.lower().partition(":")
    return f"{domain[-4:]}:{rest}"


def _near(device: Path) -> str:
    return file_text(device / "local_cpulist")
