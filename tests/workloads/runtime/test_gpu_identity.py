"""GPUs of AMD and Intel are proven by the PCI addresses that runtime and kernel agree on."""

from __future__ import annotations

from pathlib import Path

import pytest

from workloads.runtime.gpu_identity import AMD, INTEL, PCI_ORDER, display_devices, opened, unprovable

SERIALS = {"0000:c1:00.0": 0x18D5A0F2B3C4D5E6, "0000:c6:00.0": 0x00A1B2C3D4E5F607}
AMD_NAMES = ["GPU-18d5a0f2b3c4d5e6", "GPU-00a1b2c3d4e5f607"]
ROCM = {"ROCR_VISIBLE_DEVICES": ",".join(AMD_NAMES)}
ZE = {"ZE_AFFINITY_MASK": "1", PCI_ORDER: "1"}


def device(root: Path, address: str, vendor: str, **files: str) -> Path:
    folder = root / "bus/pci/devices" / address
    folder.mkdir(parents=True)
    for name, text in {"vendor": vendor, "class": "0x038000", **files}.items():
        (folder / name).write_text(text + "\n")
    return folder


@pytest.fixture
def amd(tmp_path: Path) -> Path:
    for address, serial in SERIALS.items():
        device(tmp_path, address, AMD, unique_id=f"{serial:016x}")
    device(tmp_path, "0000:01:00.0", "0x15b3", **{"class": "0x020000"})  # a network card
    return tmp_path


@pytest.fixture
def intel(tmp_path: Path) -> Path:
    for address in ("0000:9a:00.0", "0000:18:00.0"):
        folder = device(tmp_path, address, INTEL)
        for tile in ("gt0", "gt1"):
            (folder / "drm/card0/gt" / tile).mkdir(parents=True)
    device(tmp_path, "0000:00:1f.0", INTEL, **{"class": "0x060100"})  # a bridge
    return tmp_path


def test_amd_gpus_are_named_by_the_serial_at_their_address(amd: Path) -> None:
    found = opened(AMD_NAMES, ["MI250X"] * 2, ROCM, amd, lambda _: ["0000:C6:00.0", "0000:c1:00.0"])
    assert found == [
        {"uuid": AMD_NAMES[1], "name": "MI250X", "pci": "0000:C6:00.0"},
        {"uuid": AMD_NAMES[0], "name": "MI250X", "pci": "0000:c1:00.0"},
    ]
    assert unprovable("amd", amd) is None


def test_another_amd_gpu_than_assigned_is_named_as_what_it_is(amd: Path) -> None:
    [found] = opened([AMD_NAMES[0]], ["MI250X"], ROCM, amd, lambda _: ["0000:c6:00.0"])
    assert found["uuid"] == AMD_NAMES[1]
    assert "proven" not in found


def test_the_compute_drivers_topology_has_serials_too(tmp_path: Path) -> None:
    device(tmp_path, "0000:c1:00.0", AMD)
    node = tmp_path / "class/kfd/kfd/topology/nodes/4"
    node.mkdir(parents=True)
    (node / "properties").write_text(
        f"cpu_cores_count 0\nlocation_id {0xC1 << 8}\ndomain 0\nunique_id {SERIALS['0000:c1:00.0']}\n"
    )
    cpu = node.parent / "0"
    cpu.mkdir()
    (cpu / "properties").write_text("cpu_cores_count 64\nlocation_id 0\nunique_id 0\n")
    [found] = opened([AMD_NAMES[0]], ["MI250X"], ROCM, tmp_path, lambda _: ["0000:c1:00.0"])
    assert found["uuid"] == AMD_NAMES[0]
    assert unprovable("amd", tmp_path) is None


@pytest.mark.parametrize(
    ("addresses", "reason"),
    [(["0000:c1:00.0"], "states no unique_id of the GPU at 0000:c1:00.0"), ([], "")],
)
def test_a_gpu_without_a_serial_is_not_proven(tmp_path: Path, addresses: list[str], reason: str) -> None:
    device(tmp_path, "0000:c1:00.0", AMD)
    [found] = opened([AMD_NAMES[0]], ["W7900"], ROCM, tmp_path, lambda _: addresses)
    assert found["proven"] is False
    assert found["uuid"] == AMD_NAMES[0]
    assert reason in found["unproven"]
    assert "unique_id" in str(unprovable("amd", tmp_path))


def test_a_missing_runtime_library_proves_nothing(amd: Path) -> None:
    def missing(_: str) -> list[str]:
        raise OSError("libamdhip64.so: cannot open shared object file")

    [found] = opened([AMD_NAMES[0]], ["MI250X"], ROCM, amd, missing)
    assert (found["proven"], found["unproven"]) == (False, "libamdhip64.so: cannot open shared object file")


@pytest.mark.parametrize(
    ("assigned", "address", "hierarchy", "uuid"),
    [
        ("1", "0000:18:00.0", "FLAT", "1"),  # two tiles a GPU: 0 and 1 are those of the first
        ("3", "0000:9a:00.0", "FLAT", "3"),
        ("3", "0000:18:00.0", "FLAT", "0"),  # another GPU than the one assigned
        ("1", "0000:9a:00.0", "COMPOSITE", "1"),
        ("1.0", "0000:9a:00.0", "COMPOSITE", "1.0"),
        ("1", "0000:18:00.0", "COMPOSITE", "0"),
    ],
)
def test_intel_gpus_are_numbered_in_the_order_of_their_addresses(
    intel: Path, assigned: str, address: str, hierarchy: str, uuid: str
) -> None:
    environment = ZE | {"ZE_FLAT_DEVICE_HIERARCHY": hierarchy}
    [found] = opened([assigned], ["Max 1550"], environment, intel, lambda _: [address])
    assert found == {"uuid": uuid, "name": "Max 1550", "pci": address}


def test_xe_tiles_count_too(tmp_path: Path) -> None:
    folder = device(tmp_path, "0000:18:00.0", INTEL)
    (folder / "tile0").mkdir()
    (folder / "tile1").mkdir()
    [found] = opened(["1"], ["B60"], ZE, tmp_path, lambda _: ["0000:18:00.0"])
    assert found["uuid"] == "1"


def test_without_the_order_of_addresses_an_intel_number_proves_nothing(intel: Path) -> None:
    [found] = opened(["1"], ["Max 1550"], {"ZE_AFFINITY_MASK": "1"}, intel, lambda _: ["0000:18:00.0"])
    assert found["proven"] is False
    [found] = opened(["1"], ["Max 1550"], ZE, intel, lambda _: ["0000:77:00.0"])
    assert "no Intel GPU at 0000:77:00.0" in found["unproven"]


def test_a_plan_can_ask_before_anything_runs(amd: Path, tmp_path: Path) -> None:
    assert unprovable("nvidia", tmp_path / "empty") is None
    assert "lists no GPU of intel" in str(unprovable("intel", amd))
    assert display_devices(AMD, amd) == sorted(SERIALS)
