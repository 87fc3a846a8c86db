"""Images come back as they were written, in every published format, and a wrong file is named."""

from __future__ import annotations

import gzip
import struct

import numpy as np
import pytest

from workloads.cifar10 import generator as cifar10_generator
from workloads.description import DataError
from workloads.image_sets import idx, images, records
from workloads.image_sets.generator import make
from workloads.image_sets.table import CIFAR10, IMAGE_SETS

NAMES = tuple(IMAGE_SETS)
TRAIN_IMAGES, TRAIN_LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"


def make_set(folder, name, seed=3):
    return make(folder, seed=seed, dataset=name, train_images=130, test_images=7)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folders = {name: tmp_path_factory.mktemp(name) for name in NAMES}
    for name, folder in folders.items():
        make_set(folder, name)
    return folders


@pytest.mark.parametrize("name", NAMES)
def test_made_files_are_read(made, name):
    of = IMAGE_SETS[name]
    found = images.check(made[name], {"dataset": name})
    facts = {"train_images": 130, "test_images": 7, "classes": of.classes, "synthetic": True}
    assert found == {"dataset": of.title, **facts}
    train, test = images.read(of, made[name])
    assert train.pixels.shape == (130, *of.shape)
    assert test.pixels.shape == (7, *of.shape)
    assert train.pixels.dtype == np.uint8


def test_made_files_have_the_published_names_and_sizes(made):
    others = ("SYNTHETIC.json", "batches.meta.txt")
    sizes = {
        name: {path.name: path.stat().st_size for path in folder.iterdir() if path.name not in others}
        for name, folder in made.items()
    }
    digits = {
        TRAIN_IMAGES: 16 + 130 * 784,
        TRAIN_LABELS: 8 + 130,
        "t10k-images-idx3-ubyte": 16 + 7 * 784,
        "t10k-labels-idx1-ubyte": 8 + 7,
    }
    assert sizes["mnist"] == sizes["fashion_mnist"] == digits
    assert sizes["cifar100"] == {"train.bin": 130 * 3074, "test.bin": 7 * 3074}
    assert sizes["cifar10"] == {
        **{f"data_batch_{number}.bin": 26 * 3073 for number in range(1, 6)},
        "test_batch.bin": 7 * 3073,
    }


@pytest.mark.parametrize("name", ["cifar10", "mnist"])
def test_the_classes_of_made_images_can_be_told_apart(made, name):
    train, test = images.read(IMAGE_SETS[name], made[name])
    shown, asked = (
        (part.pixels.astype(float) + part.pixels[:, :, ::-1]).reshape(len(part.labels), -1)
        for part in (train, test)
    )
    means = np.array([shown[train.labels == label].mean(axis=0) for label in range(10)])
    nearest = ((asked[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == test.labels).all()


def test_the_mark_of_made_images_is_known_without_the_marker(made, tmp_path):
    for name, folder in made.items():
        of, copy = IMAGE_SETS[name], tmp_path / name
        copy.mkdir()
        for path in folder.iterdir():
            if path.suffix != ".json":
                (copy / path.name).write_bytes(path.read_bytes())
        assert images.check_set(of, copy)["synthetic"] is True


def test_files_of_another_data_set_in_the_same_form_are_refused(made, tmp_path):
    with pytest.raises(DataError, match=r"made files of MNIST, not of Fashion-MNIST; name another folder"):
        images.check(made["mnist"], {"dataset": "fashion_mnist"})
    marker = (made["mnist"] / "SYNTHETIC.json").read_text()
    (tmp_path / "SYNTHETIC.json").write_text(marker.replace('"mnist"', '"letters"'))
    for path in made["mnist"].glob("*ubyte"):
        content = bytearray(path.read_bytes())
        if "images" in path.name:
            content[16 : 16 + 784] = bytes(784)  # the first image has the mark
        (tmp_path / path.name).write_bytes(content)
    with pytest.raises(DataError, match="made files of letters, not of MNIST"):
        images.check(tmp_path, {"dataset": "mnist"})
    (tmp_path / "SYNTHETIC.json").unlink()
    assert images.check(tmp_path, {"dataset": "fashion_mnist"})["synthetic"] is False
    with pytest.raises(DataError, match=r"mean of all pixels is 0\.\d+, nearer to that of Fashion-MNIST"):
        images.check(tmp_path, {"dataset": "mnist"})


def test_a_coarse_class_has_five_fine_ones(made):
    rows = records.read(IMAGE_SETS["cifar100"], made["cifar100"] / "train.bin")
    assert (rows[:, 0] == rows[:, 1] // 5).all()
    for name, column in (("cifar100", 1), ("cifar100_coarse", 0)):
        train, _ = images.read(IMAGE_SETS[name], made["cifar100"])
        assert (train.labels == rows[:, column]).all()


def test_an_image_of_idx_is_rows_from_the_top(tmp_path):
    content = bytearray(2 * 784)
    content[784 + 2 * 28 + 5] = 200  # second image, third row, sixth column
    (tmp_path / TRAIN_IMAGES).write_bytes(bytes.fromhex("00000803 00000002 0000001c 0000001c") + content)
    (tmp_path / TRAIN_LABELS).write_bytes(bytes.fromhex("00000801 00000002 03 09"))
    rows, labels = idx.read(IMAGE_SETS["mnist"], tmp_path, "train")
    assert np.argwhere(rows.reshape(2, 28, 28)).tolist() == [[1, 2, 5]]
    assert labels.tolist() == [3, 9]


def test_what_is_shown_is_around_the_means():
    of = IMAGE_SETS["mnist"]
    shown = images.shown(of, np.array([[[[0], [255]]]], np.uint8))
    assert shown.dtype == np.float32
    assert shown.ravel() == pytest.approx([-0.1307 / 0.3081, (1 - 0.1307) / 0.3081])


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_compressed_files_are_read_under_either_name(made, tmp_path, suffix):
    for path in made["mnist"].glob("*ubyte"):
        (tmp_path / f"{path.name}{suffix}").write_bytes(gzip.compress(path.read_bytes()))
    train, _ = images.read(IMAGE_SETS["mnist"], tmp_path)
    expected, _ = images.read(IMAGE_SETS["mnist"], made["mnist"])
    assert (train.pixels == expected.pixels).all()
    assert (train.labels == expected.labels).all()


def test_the_same_seed_makes_the_same_files(made, tmp_path):
    for seed, name in ((3, "again"), (4, "other")):
        make_set(tmp_path / name, "mnist", seed)
    folders = (made["mnist"], tmp_path / "again", tmp_path / "other")
    kept, again, other = ((folder / TRAIN_IMAGES).read_bytes() for folder in folders)
    assert kept == again != other


def test_cifar10_is_made_as_its_own_workload_makes_it(made, tmp_path):
    cifar10_generator.make(tmp_path, seed=3, train_images=130, test_images=7)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (made["cifar10"] / path.name).read_bytes()


def test_the_data_set_is_cifar10_where_none_is_named(made):
    assert images.check(made["cifar10"])["classes"] == CIFAR10.classes


def test_a_class_without_an_image_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(DataError, match=r"at least 100 for CIFAR-100, .*, not 99"):
        make(tmp_path / "new", seed=1, dataset="cifar100", train_images=99, test_images=1)
    assert not (tmp_path / "new").exists()


def replaced(first, content):
    def spoil(path):
        found = bytearray(path.read_bytes())
        found[first : first + len(content)] = content
        path.write_bytes(found)

    return spoil


def cut(size):
    return lambda path: path.write_bytes(path.read_bytes()[:size])


def add_byte(path):
    path.write_bytes(path.read_bytes() + b"\0")


def compress_and_cut(path):
    path.write_bytes(gzip.compress(path.read_bytes())[:-20])


def count(number):
    return replaced(4, struct.pack(">I", number))


def without(label, column):
    def spoil(path):
        rows = np.frombuffer(path.read_bytes(), np.uint8).reshape(-1, 3074).copy()
        rows[rows[:, column] == label, column] = 0
        path.write_bytes(rows.tobytes())

    return spoil


SPOILT = [
    ("mnist", TRAIN_IMAGES, lambda path: path.unlink(), "No such file or directory; copy the IDX files of M"),
    ("mnist", TRAIN_IMAGES, replaced(2, b"\x0d"), "begins with 0x00000d03, not with 0x00000803 as"),
    ("mnist", TRAIN_LABELS, replaced(0, b"PK\3\4"), "begins with 0x504b0304, not with 0x00000801 .* 1 dim"),
    ("mnist", TRAIN_IMAGES, replaced(8, b"\0\0\0\x20\0\0\0\x20"), "has images of 32 × 32 pixels, not 28"),
    ("mnist", TRAIN_IMAGES, cut(11), "is cut short in its header, at byte 11"),
    ("mnist", TRAIN_IMAGES, cut(0), "is cut short in its header, at byte 0"),
    ("mnist", TRAIN_IMAGES, cut(-5), "has 101,915 bytes after its header, which says 101,920; copy"),
    ("mnist", TRAIN_IMAGES, add_byte, "has more bytes after its header, which says 101,920"),
    ("mnist", TRAIN_IMAGES, count(2**32 - 1), "has 101,920 bytes after its header, which says 3,367,2"),
    ("mnist", TRAIN_IMAGES, compress_and_cut, "is no whole gzip file"),
    ("mnist", TRAIN_LABELS, replaced(8 + 4, b"\x0a"), "label 5 is 10, which is none of 0 … 9; copy"),
    ("mnist", "t10k-labels-idx1-ubyte", lambda path: idx.write(path, np.zeros(6, np.uint8)),
     "has 6 labels, and t10k-images-idx3-ubyte has 7 images; copy both"),
    ("fashion_mnist", TRAIN_IMAGES, lambda path: path.unlink(), "copy the IDX files of Fashion-MNIST here"),
    ("cifar100", "train.bin", lambda path: path.unlink(), "copy the binary version of CIFAR-100 here, or"),
    ("cifar100", "train.bin", cut(-5), "record 130 has 3069 of 3,074 bytes; copy the file again"),
    ("cifar100", "test.bin", cut(0), "has no record"),
    ("cifar100", "test.bin", replaced(3074, b"\x14"), "record 2 has label 20, which is none of 0 … 19"),
    ("cifar100", "test.bin", replaced(3075, b"\x64"), "record 2 has label 2, 100, which is none of 0 … 99"),
    ("cifar100", "train.bin", without(99, 1), "no training image has label 99; copy the training"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "file", "spoil", "message"), SPOILT)
def test_what_is_wrong_is_named(tmp_path, name, file, spoil, message):
    make_set(tmp_path, name)
    spoil(tmp_path / file)
    with pytest.raises(DataError, match=message) as caught:
        images.check(tmp_path, {"dataset": name})
    assert file in str(caught.value) or str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_without_an_image_are_refused(tmp_path):
    idx.write(tmp_path / TRAIN_IMAGES, np.zeros((0, 28, 28), np.uint8))
    idx.write(tmp_path / TRAIN_LABELS, np.zeros(0, np.uint8))
    with pytest.raises(DataError, match="train-images-idx3-ubyte: has no image; copy the file again"):
        idx.read(IMAGE_SETS["mnist"], tmp_path, "train")
