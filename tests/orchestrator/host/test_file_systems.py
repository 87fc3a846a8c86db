from __future__ import annotations

from pathlib import Path

from orchestrator.host.file_systems import file_system_of

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:30 / /lustre rw - lustre 10.0.0.1@tcp:/fs rw
31 30 0:31 / /lustre/my\\040data rw,relatime shared:3 master:1 - tmpfs tmpfs rw
32 22 0:32 / /twice rw - nfs a:/ rw
33 22 0:33 / /twice rw - nfs4 b:/ rw
"""


def test_the_deepest_and_latest_mount_counts(tmp_path: Path) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(MOUNTS)
    places = ("/nosuch/x", "/lustre/set", "/lustre/my data/set", "/lustrelike", "/twice/x")
    found = [file_system_of(Path(place), table) for place in places]
    assert found == ["ext4", "lustre", "tmpfs", "ext4", "nfs4"]


def test_a_table_that_cannot_be_read_gives_no_type(tmp_path: Path) -> None:
    assert file_system_of(tmp_path, tmp_path / "nosuch") == "unknown"
    assert file_system_of(tmp_path) != "unknown"
