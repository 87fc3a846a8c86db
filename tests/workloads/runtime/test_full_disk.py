"""Full disks are told apart: a node's own one, and one that other nodes see."""

from __future__ import annotations

import errno
import gzip
import io
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.small_disk import mounted
from tests.workloads.external.files import go
from tests.workloads.orders import Report
from workloads.description import DataError
from workloads.provenance.code import local_devices
from workloads.run import describe_error
from workloads.runtime.full_disk import NodeDisks, full_disk_error, full_place, named_place, says_full

LARGE = b"x" * (1 << 20)


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    local_devices()  # which a process keeps, and which lacks what is mounted later
    with mounted(tmp_path_factory.mktemp("own") / "disk", "512k") as folder:
        yield folder


@pytest.fixture
def own(disk: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A node's own disk of 512 KiB, where temporary files are."""
    monkeypatch.setenv("TMPDIR", str(disk))
    yield disk
    for path in disk.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def with_file(folder: Path) -> None:
    with open(folder / "a.bin", "wb") as file:
        file.write(LARGE)


def with_numpy(folder: Path) -> None:
    np.save(folder / "a.npy", np.frombuffer(LARGE, np.uint8))


def with_text(folder: Path) -> None:
    with open(folder / "a.txt", "w") as file, open(__file__) as _other:
        file.write("x" * (1 << 20))


def copied(folder: Path) -> None:
    source = folder.parent / "large.bin"
    source.write_bytes(LARGE)
    shutil.copyfile(source, folder / "copy.bin")


def reserved(folder: Path) -> None:
    with (folder / "a.bin").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, 1 << 20)


WRITERS = [with_file, with_numpy, with_text, copied, reserved]


@pytest.mark.parametrize("write", WRITERS)
def test_the_disk_of_a_file_that_could_not_grow_is_known(own: Path, write: Callable[[Path], None]) -> None:
    disks = NodeDisks([own.parent])
    with pytest.raises(OSError, match=r"No space left|524160 written") as caught:
        write(own)
    if write is not with_numpy:  # whose words do not say that the disk is full
        for path in own.iterdir():
            path.unlink()  # as temporary files are, before an error is described
    assert full_place(caught.value) == own
    assert disks.own(own)
    assert describe_error(caught.value, disks=disks)["kind"] == "node disk"
    assert (
        describe_error(caught.value, disks=NodeDisks([own]))["kind"] == "disk"
    )  # its run directory is there
    wrapped = DataError("the cache cannot be written")
    wrapped.__cause__ = caught.value
    assert describe_error(wrapped, disks=disks)["kind"] == "node disk"


def test_a_disk_that_was_full_before_is_not_filled_by_the_run(own: Path) -> None:
    with pytest.raises(OSError, match="No space left"):
        with_file(own)
    before = NodeDisks([own.parent])
    with pytest.raises(OSError, match="No space left") as caught:
        (own / "more.bin").write_bytes(LARGE)
    assert full_place(caught.value) == own
    assert not before.own(own)
    assert describe_error(caught.value, disks=before)["kind"] == "disk"


def test_files_that_cannot_be_asked_for_their_names_are_passed_over(own: Path) -> None:
    def train() -> None:
        text = io.TextIOWrapper(io.BytesIO())
        text.detach()
        with gzip.open(own / "packed.gz", "wb") as packed:
            packed.write(b"")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="No space left") as caught:
        train()
    assert full_place(caught.value) == own


def test_without_a_name_a_disk_that_is_full_now_counts(own: Path) -> None:
    error = RuntimeError("write failed: No space left on device")
    disks = NodeDisks([own.parent])
    assert describe_error(error, disks=disks)["kind"] == "disk"  # full_place is not known
    with pytest.raises(OSError, match="No space left"):
        with_file(own)
    assert describe_error(error, disks=disks)["kind"] == "node disk"
    assert describe_error(OSError(errno.EDQUOT, "quota"), disks=NodeDisks([own]))["kind"] == "disk"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cp: error writing '{own}/a.bin': No space left on device", "own"),
        ("dd: error writing 'here.bin': No space left on device", "cwd"),
        ("cp: error writing ‘{own}/a, <b>.bin’: No space left on device", "own"),
        ("{own}/ckpt.tempstate; No space left on device", "own"),
        ("[Errno 28] No space left on device: '{cwd}/here.bin' -> '{own}/x'", "own"),
        ("filename = '{own}/x.h5', errno = 28, error message = 'No space left on device'", "own"),
        ("OSError: [Errno 28] No space left on device", None),
        ("cannot write '/no/such/folder/x': No space left on device", None),
        ("'" + "x" * 5000 + "': No space left on device", None),
        ("'nul\0': No space left on device", None),
    ],
)
def test_a_text_names_the_file(own: Path, tmp_path: Path, text: str, found: str | None) -> None:
    (tmp_path / "here.bin").touch()
    text = text.replace("{own}", str(own)).replace("{cwd}", str(tmp_path))
    assert says_full(text)
    assert named_place(text, tmp_path) == {"own": own, "cwd": tmp_path, None: None}[found]


def test_what_says_nothing_of_a_disk_is_another_error() -> None:
    assert full_disk_error(OSError(errno.ENOENT, "none")) is None
    assert full_disk_error(ValueError("full")) is None
    assert full_disk_error(OSError("8 requested and 4 written")) is None
    assert not NodeDisks([]).own(None)
    assert not NodeDisks([]).own(Path("/proc"))


@pytest.mark.parametrize(
    ("program", "shared", "kind"),
    [
        ("open('{own}/a', 'wb').write(b'x' * 2**20)", False, "node disk"),
        ("open('{own}/a', 'wb').write(b'x' * 2**20)", True, "disk"),
        ("import tempfile as t; t.TemporaryFile().write(b'x' * 2**20)", False, "disk"),
        ("import sys; sys.exit('{own}/a: Disk quota exceeded')", False, "node disk"),
        ("import os; os.write(2, b'No space left on device: {own}/a\\n'); os.abort()", False, "node disk"),
        ("import sys; sys.stderr.write('No space left on device\\n' + 'x\\n' * 50); sys.exit(1)", False,
         "command"),
        ("raise SystemExit('no space')", False, "command"),
    ],
)  # fmt: skip
def test_commands_say_that_a_disk_is_full(
    own: Path, tmp_path: Path, program: str, shared: bool, kind: str
) -> None:
    report: Report = go(
        tmp_path,
        program.replace("{own}", str(own)),
        run={"scratch": str((own if shared else tmp_path) / "s")},
    )
    assert report.code != 0
    assert report.last["error"]["kind"] == kind
