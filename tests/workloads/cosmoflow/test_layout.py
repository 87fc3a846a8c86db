from __future__ import annotations

import gzip

import numpy as np
import pytest

from workloads.cosmoflow import layout
from workloads.cosmoflow.generator import image, make
from workloads.data.synthetic import holds_mark
from workloads.data.tfrecords import encode_example, write_records
from workloads.description import DataError

SIZES = {"train_images": 3, "validation_images": 2, "image_edge": 8}
FACTS = {"train_images": 3, "validation_images": 2, "synthetic": True, "image_edge": 8}
COUNTS = np.arange(8 * 8 * 8 * 4, dtype="<i2")
TARGETS = [0.5, -0.25, 1.0, -1.0]


@pytest.fixture
def data(tmp_path):
    make(tmp_path / "cosmo", 3, **SIZES)
    return tmp_path / "cosmo"


def write(path, *, records=1, **features):
    """Write records; `features` differ from those of an image of edge 8, and None leaves one out."""
    named = {"x": COUNTS.tobytes(), "y": TARGETS} | features
    example = encode_example({name: value for name, value in named.items() if value is not None})
    with path.open("wb") as file:
        write_records(file, [example] * records)


def counts_with(value):
    counts = COUNTS.copy()
    counts[4 * 8 + 2] = value
    return counts.tobytes()


@pytest.mark.parametrize("compression", ["gzip", "none"])
def test_made_files_have_the_true_format(tmp_path, compression):
    import tensorflow as tf

    make(tmp_path, 3, **SIZES, compression=compression)
    kind = {"gzip": "GZIP", "none": ""}[compression]
    for split, count in (("train", 3), ("validation", 2)):
        files = sorted((tmp_path / split).glob("*.tfrecord"))
        assert len(files) == count
        assert {path.read_bytes()[:2] == b"\x1f\x8b" for path in files} == {compression == "gzip"}
        known = {"x": tf.io.FixedLenFeature([], tf.string), "y": tf.io.FixedLenFeature([4], tf.float32)}
        for path in files:
            [record] = tf.data.TFRecordDataset(str(path), compression_type=kind)
            parsed = tf.io.parse_single_example(record, known)
            counts = tf.reshape(tf.io.decode_raw(parsed["x"], tf.int16), (8, 8, 8, 4))
            ours = layout.read(path, 8)
            assert np.array_equal(ours.counts, counts)
            assert np.array_equal(ours.parameters, parsed["y"])
    assert layout.check(tmp_path) == layout.check(tmp_path, {"image_edge": 8}) == FACTS


def test_counts_are_by_axes_and_redshift(tmp_path):
    write(tmp_path / "one.tfrecord")
    found = layout.read(tmp_path / "one.tfrecord", 8)
    assert found.counts[1, 2, 3, 1] == ((1 * 8 + 2) * 8 + 3) * 4 + 1
    assert found.parameters.tolist() == TARGETS


def test_statistics_of_made_images_tell_their_parameters():
    drawn = [image(12, np.random.default_rng([1, number])) for number in range(60)]
    logarithms = np.array([np.log1p(counts).mean((0, 1, 2)) for counts, _ in drawn])
    parameters = np.array([one for _, one in drawn])
    assert np.abs(parameters).max() <= 1
    assert np.corrcoef(logarithms.mean(1), parameters[:, 0])[0, 1] > 0.8  # how much matter
    assert np.corrcoef(logarithms[:, 3] - logarithms[:, 0], parameters[:, 2])[0, 1] > 0.8  # how fast it grows


@pytest.mark.parametrize("compression", ["gzip", "none"])
def test_the_same_seed_makes_the_same_files(tmp_path, compression):
    contents = []
    for number, seed in enumerate((3, 3, 4)):
        make(tmp_path / str(number), seed, **SIZES, compression=compression)
        contents.append([path.read_bytes() for path in sorted(tmp_path.glob(f"{number}/*/*.tfrecord"))])
    assert contents[0] == contents[1] != contents[2]


@pytest.mark.parametrize("compression", ["gzip", "none"])
def test_copied_files_are_known_as_made_without_the_marker(tmp_path, compression):
    make(tmp_path, 3, **SIZES, compression=compression)
    (tmp_path / "SYNTHETIC.json").unlink()
    assert layout.check(tmp_path) == FACTS
    assert holds_mark(tmp_path)


def test_made_again_in_other_sizes_leaves_nothing_of_before(data):
    make(data, 3, **(SIZES | {"train_images": 1}))
    assert layout.check(data) == FACTS | {"train_images": 1}


def test_real_files_are_not_overwritten(data):
    (data / "SYNTHETIC.json").unlink()
    with pytest.raises(DataError, match="may be real data"):
        make(data, 3, **SIZES)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-9]), "the compressed file is cut short; copy"),
        (
            lambda path: path.write_bytes(gzip.decompress(path.read_bytes())[:-9]),
            "record 1 is cut short; copy the file again",
        ),
        (lambda path: path.write_bytes(b""), "has 0 records, not one; write a file for each image"),
        (lambda path: write(path, records=2), "has 2 records, not one; write a file for each image"),
        (lambda path: write(path, x=None), "its record has no x of bytes and y of floats; write"),
        (lambda path: write(path, x=b""), "x has 0 bytes, an image of edge 8 has 4,096; set image_edge"),
        (lambda path: write(path, y=b"1"), "its record has no x of bytes and y of floats; write"),
        (
            lambda path: write(path, x=COUNTS[:-1].tobytes()),
            "x has 4,094 bytes, an image of edge 8 has 4,096; set image_edge",
        ),
        (
            lambda path: write(path, x=counts_with(-3)),
            r"x\[0, 1, 0, 2\] is -3, and counts are not negative; write the file again",
        ),
        (lambda path: write(path, y=TARGETS[:3]), r"y is \[0.5, -0.25, 1.0\], not 4 finite numbers; write"),
        (
            lambda path: write(path, y=[0.5, 0.5, 0.5, float("nan")]),
            r"y is .* nan\], not 4 finite numbers; write",
        ),
        (lambda path: (path.unlink(), path.mkdir()), r"cannot be read \(Is a directory\); copy"),
    ],
)
def test_what_is_wrong_is_named(data, spoil, message):
    path = sorted((data / "validation").glob("*"))[1]
    spoil(path)
    with pytest.raises(DataError, match=f"^{path}: {message}"):
        layout.check(data)


def test_a_record_that_is_no_example_is_named(tmp_path):
    path = tmp_path / "one.tfrecord"
    with path.open("wb") as file:
        write_records(file, [b"\x0b\x01"])
    with pytest.raises(DataError, match=f"^{path}: its record is no Example .*; copy the file again"):
        layout.read(path, 8)


def test_images_of_another_edge_than_the_training_asks_for_are_refused(data):
    with pytest.raises(DataError, match="x has 4,096 bytes, an image of edge 128 has 16,777,216; set"):
        layout.check(data, {"image_edge": 128})


def test_all_images_have_the_edge_of_the_first_one(data):
    write(data / "train" / "made_000002.tfrecord", x=bytes(2**3 * 8))
    with pytest.raises(
        DataError, match=r"made_000002\.tfrecord: x has 64 bytes, an image of edge 8 has 4,096"
    ):
        layout.check(data)


def test_missing_folders_and_files_are_named(data, tmp_path):
    with pytest.raises(DataError, match=f"^{tmp_path}/train: no such folder; run `orchestrator data gen"):
        layout.list_files(tmp_path)
    for path in (data / "validation").glob("*.tfrecord"):
        path.unlink()
    with pytest.raises(DataError, match=rf"^{data}/validation: no file \*.tfrecord in it; run"):
        layout.check(data)
