from __future__ import annotations

import numpy as np
import pytest

from workloads.cifar10 import layout
from workloads.cifar10.generator import make
from workloads.description import DataError


@pytest.fixture
def data(tmp_path):
    make(tmp_path / "cifar10", seed=3, train_images=52, test_images=7)
    return tmp_path / "cifar10"


def test_made_files_have_the_true_format(data):
    assert {path.name: path.stat().st_size for path in data.glob("*.bin")} == {
        **{f"data_batch_{number}.bin": (11 if number < 3 else 10) * 3073 for number in range(1, 6)},
        "test_batch.bin": 7 * 3073,
    }
    facts = {"train_images": 52, "test_images": 7, "classes": 10, "synthetic": True}
    assert layout.check(data) == {"dataset": "CIFAR-10", **facts}
    assert len((data / "batches.meta.txt").read_text().splitlines()) == 10


def test_the_smallest_set_has_every_class(tmp_path):
    make(tmp_path, seed=3, train_images=10, test_images=1)
    assert layout.check(tmp_path)["train_images"] == 10


def test_the_same_seed_makes_the_same_files(data, tmp_path):
    make(tmp_path / "again", seed=3, train_images=52, test_images=7)
    make(tmp_path / "other", seed=4, train_images=52, test_images=7)
    first, again, other = (
        (folder / layout.TEST).read_bytes() for folder in (data, tmp_path / "again", tmp_path / "other")
    )
    assert first == again != other


def test_a_record_is_a_label_then_red_green_and_blue_by_rows(tmp_path):
    record = np.zeros(3073, np.uint8)
    record[0] = 7
    record[1 + 1 * 1024 + 2 * 32 + 3] = 200  # green, third row, fourth column
    (tmp_path / "one.bin").write_bytes(record.tobytes())
    records = layout.read(tmp_path / "one.bin")
    [image] = layout.images(records)
    assert records[0, 0] == 7
    assert image.shape == (32, 32, 3)
    assert np.argwhere(image).tolist() == [[2, 3, 1]]


def test_copied_files_are_known_as_made_without_the_marker(data):
    (data / "SYNTHETIC.json").unlink()
    assert layout.check(data)["synthetic"] is True


def cut(path):
    path.write_bytes(path.read_bytes()[:-5])


def with_label(path):
    content = bytearray(path.read_bytes())
    content[2 * 3073] = 10
    path.write_bytes(content)


def same_label(path):
    for file in path.parent.glob("data_batch_*.bin"):
        records = np.frombuffer(file.read_bytes(), np.uint8).reshape(-1, 3073).copy()
        records[:, 0] = records[:, 0].clip(max=8)
        file.write_bytes(records.tobytes())


@pytest.mark.parametrize(
    ("name", "spoil", "message"),
    [
        (
            "data_batch_2.bin",
            cut,
            r"data_batch_2.bin: record 11 has 3068 of 3,073 bytes; copy the file again",
        ),
        ("data_batch_5.bin", with_label, r"data_batch_5.bin: record 3 has label 10, which is none of 0 … 9"),
        ("test_batch.bin", with_label, r"test_batch.bin: record 3 has label 10"),
        (
            "data_batch_3.bin",
            lambda path: path.unlink(),
            r"data_batch_3.bin: No such file or directory; copy",
        ),
        ("test_batch.bin", lambda path: path.write_bytes(b""), r"test_batch.bin: has no record"),
        ("data_batch_1.bin", same_label, r"no training image has label 9; copy the training files"),
        (
            "batches.meta.txt",
            lambda path: path.unlink(),
            r"batches.meta.txt: No such file or directory; copy",
        ),
        (
            "batches.meta.txt",
            lambda path: path.write_text("cat\n" * 10),
            r"has 1 different names .* in 10 lines",
        ),
        ("batches.meta.txt", lambda path: path.write_bytes(b"\xff"), r"batches.meta.txt: is no text; copy"),
    ],
)
def test_what_is_wrong_is_named(data, name, spoil, message):
    spoil(data / name)
    with pytest.raises(DataError, match=message):
        layout.check(data)


def test_real_files_are_not_overwritten(data):
    (data / "SYNTHETIC.json").unlink()
    with pytest.raises(DataError, match="may be real data"):
        make(data, seed=3, train_images=52, test_images=7)
