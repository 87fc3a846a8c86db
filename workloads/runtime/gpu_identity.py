"""Finds the GPUs of AMD or Intel that this process opened, by the PCI addresses of runtime and kernel.

The runtime (HIP, Level Zero) states the PCI address of each device that it opened; the kernel states which
GPU has this address. Together they prove what a visibility variable only asks for.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

AMD, INTEL = "0x1002", "0x8086"
"""PCI vendor numbers."""
PCI_ORDER = "ZE_ENABLE_PCI_ID_DEVICE_ORDER"
"""Variable by which Level Zero numbers devices in the order of their PCI addresses."""
_DISPLAY_CLASS = "0x03"
_PCI_PROPERTIES = 0x10008  # ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES of ze_api.h
_NAME_BYTES = 64


class _PciProperties(ctypes.Structure):
    """``ze_pci_ext_properties_t`` of ze_api.h."""

    _fields_ = (
        ("stype", ctypes.c_uint32),
        ("next", ctypes.c_void_p),
        ("domain", ctypes.c_uint32),
        ("bus", ctypes.c_uint32),
        ("device", ctypes.c_uint32),
        ("function", ctypes.c_uint32),
        ("generation", ctypes.c_int32),
        ("width", ctypes.c_int32),
        ("bandwidth", ctypes.c_int64),
    )


def opened(
    assigned: Sequence[str],
    names: Sequence[str],
    environment: Mapping[str, str] = os.environ,
    root: Path = Path("/sys"),
    addresses: Callable[[str], list[str]] | None = None,
) -> list[dict[str, Any]]:
    """Return the GPUs that this process opened, or those it was assigned as not proven, with the reason.

    Parameters
    ----------
    names
        Product names of the GPUs that the framework opened, in its order.
    root
        Where sysfs is.
    addresses
        Returns the PCI addresses that a vendor's runtime opened, in its order.
    """
    vendor = AMD if environment.get("ROCR_VISIBLE_DEVICES") else INTEL
    try:
        found = (addresses or pci_addresses)(vendor)
        identify = _amd_names if vendor == AMD else _intel_names
        identities = identify(found, assigned, environment, root)
        pairs = list(zip(identities, names, found, strict=True))
    except (OSError, ValueError) as error:
        return [
            {"uuid": uuid, "name": name, "proven": False, "unproven": str(error)}
            for uuid, name in zip(assigned, names, strict=True)
        ]
    return [{"uuid": uuid, "name": name, "pci": address} for uuid, name, address in pairs]


def unprovable(vendor: str, root: Path = Path("/sys")) -> str | None:
    """Return why this node cannot prove which GPUs a process opened; None if it can.

    Parameters
    ----------
    vendor
        ``nvidia``, ``amd`` or ``intel``.
    """
    number = {"amd": AMD, "intel": INTEL}.get(vendor)
    if number is None:  # NVIDIA's driver states the UUID of what a process opened
        return None
    cards = display_devices(number, root)
    if not cards:
        return f"{root}/bus/pci/devices lists no GPU of {vendor}"
    if number == AMD and (without := [card for card in cards if not _serial(card, root)]):
        return f"the kernel states no unique_id of the GPU at {', '.join(without)}"
    return None


def pci_addresses(vendor: str) -> list[str]:
    """Return the PCI addresses of the devices that HIP or Level Zero shows this process, in its order.

    Raises
    ------
    OSError
        If the runtime's library is missing or refuses a call.
    """
    return _hip_addresses() if vendor == AMD else _level_zero_addresses()


def display_devices(vendor: str, root: Path = Path("/sys")) -> list[str]:
    """Return the PCI addresses of a vendor's GPUs that the kernel knows, sorted."""
    return sorted(
        device.name
        for device in (root / "bus/pci/devices").glob("*")
        if file_text(device / "vendor") == vendor
        and (file_text(device / "class").startswith(_DISPLAY_CLASS) or (device / "unique_id").exists())
    )


def _amd_names(
    addresses: Sequence[str],
    assigned: Sequence[str],  # noqa: ARG001
    environment: Mapping[str, str],  # noqa: ARG001
    root: Path,
) -> list[str]:
    serials = [_serial(address, root) for address in addresses]
    missing = [address for address, serial in zip(addresses, serials, strict=True) if not serial]
    if missing:
        raise OSError(f"the kernel states no unique_id of the GPU at {', '.join(missing)}")
    return [f"GPU-{serial}" for serial in serials]


def _serial(address: str, root: Path) -> str:
    """Return the serial number of an AMD GPU in 16 digits; empty where the kernel states none.

    It stands with the PCI device, or else among the properties of the compute driver's topology.
    """
    text = file_text(root / "bus/pci/devices" / address.lower() / "unique_id")
    number = int(text, 16) if text else _topology(root).get(address.lower(), 0)
    return f"{number:016x}" if number else ""


def _topology(root: Path) -> dict[str, int]:
    """Return serial numbers by PCI address; a location's bits are bus, device (5) and function (3)."""
    found = {}
    for file in (root / "class/kfd/kfd/topology/nodes").glob("*/properties"):
        facts = dict(line.split()[:2] for line in file_text(file).splitlines() if len(line.split()) > 1)
        if int(facts.get("unique_id", 0)):
            place = int(facts.get("location_id", 0))
            domain = int(facts.get("domain", 0))
            address = f"{domain:04x}:{place >> 8:02x}:{place >> 3 & 31:02x}.{place & 7}"
            found[address] = int(facts["unique_id"])
    return found


def _intel_names(
    addresses: Sequence[str], assigned: Sequence[str], environment: Mapping[str, str], root: Path
) -> list[str]:
    """Return the node's numbers of opened GPUs; a number belongs to one tile or one GPU, by PCI address."""
    if environment.get(PCI_ORDER) != "1":
        raise OSError(f"{PCI_ORDER} is not 1, so that numbers of GPUs follow no known order")
    node = _numbered(environment, root)
    names = []
    for place, address in enumerate(addresses):
        numbers = [number for number, other in enumerate(node) if other == address.lower()]
        if not numbers:
            raise OSError(f"the kernel knows no Intel GPU at {address}")
        wanted = assigned[place].partition(".")[0] if place < len(assigned) else ""
        matches = wanted.isdecimal() and int(wanted) in numbers
        names.append(assigned[place] if matches else str(numbers[0]))
    return names


def _numbered(environment: Mapping[str, str], root: Path) -> list[str]:
    """Return the PCI address of every device number: one for each GPU, or tile of a flat hierarchy."""
    flat = environment.get("ZE_FLAT_DEVICE_HIERARCHY", "FLAT").upper() != "COMPOSITE"
    return [
        address
        for address in display_devices(INTEL, root)
        for _ in range(_tiles(root / "bus/pci/devices" / address) if flat else 1)
    ]


def _tiles(device: Path) -> int:
    """Return the tiles of an Intel GPU: of its xe driver, or of its i915 driver."""
    xe = [entry for entry in device.glob("tile*") if re.fullmatch(r"tile\d+", entry.name)]
    i915 = [entry for entry in device.glob("drm/card*/gt/gt*") if re.fullmatch(r"gt\d+", entry.name)]
    return len(xe) or len(i915) or 1


def _hip_addresses() -> list[str]:
    library = ctypes.CDLL("libamdhip64.so")
    count = ctypes.c_int()
    _check("hipGetDeviceCount", library.hipGetDeviceCount(ctypes.byref(count)))
    found = []
    for ordinal in range(count.value):
        name = ctypes.create_string_buffer(_NAME_BYTES)
        _check("hipDeviceGetPCIBusId", library.hipDeviceGetPCIBusId(name, _NAME_BYTES, ordinal))
        found.append(name.value.decode().lower())
    return found


def _level_zero_addresses() -> list[str]:
    library = ctypes.CDLL("libze_loader.so.1")
    _check("zeInit", library.zeInit(0))
    found = []
    for driver in _handles(library.zeDriverGet):
        for device in _handles(lambda *rest, of=driver: library.zeDeviceGet(of, *rest)):
            facts = _PciProperties(stype=_PCI_PROPERTIES)
            _check(
                "zeDevicePciGetPropertiesExt",
                library.zeDevicePciGetPropertiesExt(device, ctypes.byref(facts)),
            )
            found.append(f"{facts.domain:04x}:{facts.bus:02x}:{facts.device:02x}.{facts.function}")
    return found


def _handles(call: Callable[..., int]) -> list[ctypes.c_void_p]:
    """Return the handles that a function of Level Zero lists, which is asked for their number first."""
    count = ctypes.c_uint32()
    _check("listing devices", call(ctypes.byref(count), None))
    handles = (ctypes.c_void_p * count.value)()
    _check("listing devices", call(ctypes.byref(count), handles))
    return [ctypes.c_void_p(handle) for handle in handles]


def _check(name: str, status: int) -> None:
    if status:
        raise OSError(f"{name} failed with status {status}")


def file_text(file: Path) -> str:
    """Return the text of a file of the kernel, without white space around it; empty if unreadable."""
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
