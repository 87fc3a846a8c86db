from __future__ import annotations

import gzip
import struct

import pytest

from workloads.context import Context, SlotView
from workloads.data.tfrecords import (
    count_records,
    decode_example,
    encode_example,
    read_records,
    write_records,
)
from workloads.description import DataError
from workloads.runtime.framework import configure_framework


def example(kind, numbers):
    """Features { feature { key "n" value { … } } }, of a list of some kind."""
    value = kind + bytes([len(numbers)]) + numbers
    entry = b"\x0a\x01n\x12" + bytes([len(value)]) + value
    features = b"\x0a" + bytes([len(entry)]) + entry
    return b"\x0a" + bytes([len(features)]) + features


PAYLOADS = [b"first", b"", b"x" * 300]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "train-00000-of-00001"
    with path.open("wb") as opened:
        write_records(opened, PAYLOADS)
    return path


def test_what_is_written_is_read(file):
    assert list(read_records(file)) == PAYLOADS
    assert count_records(file) == 3


def test_tensorflow_reads_the_same(file):
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))  # it cannot be once TensorFlow is in use
    import tensorflow as tf

    assert [record.numpy() for record in tf.data.TFRecordDataset(str(file))] == PAYLOADS


def test_tensorflow_and_we_read_each_others_examples():
    import tensorflow as tf

    ours = encode_example({"image": b"\x00\xff", "label": 1000, "negative": -7})
    floats = tf.train.Example.FromString(encode_example({"box": [0.5, -3.0]}))
    assert floats.features.feature["box"].float_list.value == [0.5, -3.0]
    theirs = tf.train.Example.FromString(ours)
    assert theirs.features.feature["image"].bytes_list.value == [b"\x00\xff"]
    assert theirs.features.feature["negative"].int64_list.value == [-7]
    theirs.features.feature["several"].int64_list.value.extend([1, 1 << 40, -1])
    theirs.features.feature["box"].float_list.value.extend([0.5, -3.0])
    assert decode_example(theirs.SerializeToString()) == {
        "image": [b"\x00\xff"],
        "label": [1000],
        "negative": [-7],
        "several": [1, 1 << 40, -1],
        "box": [0.5, -3.0],
    }


def test_floats_may_also_come_one_by_one():
    # float_list { value: 0.5 value: -3 }, not packed
    numbers = b"\x0d" + struct.pack("<f", 0.5) + b"\x0d" + struct.pack("<f", -3)
    assert decode_example(example(b"\x12", numbers)) == {"n": [0.5, -3.0]}
    with pytest.raises(ValueError, match="a list of floats is cut short"):
        decode_example(example(b"\x12", b"\x0a\x03abc"))


def test_integers_may_also_come_one_by_one():
    # int64_list { value: 3 value: 4 }, not packed
    assert decode_example(example(b"\x1a", b"\x08\x03\x08\x04")) == {"n": [3, 4]}


@pytest.mark.parametrize("content", [b"\x0a\x05ab", b"\x0a", b"\x0b\x01", b"\x08\x01"])
def test_what_is_no_example_is_refused(content):
    with pytest.raises(ValueError, match=r"cut short|unknown kind|holds a number"):
        decode_example(content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: b[:-1], "record 3 is cut short"),
        (lambda b: b[: 16 + 5 + 5], "record 2 is cut short"),
        (lambda b: b + b"\x01\x02", "record 4 is cut short"),
        (lambda b: b[:13] + b"X" + b[14:], "record 1: its payload does not match its checksum"),
        (lambda b: b[:1] + b"\x01" + b[2:], "record 1: its length does not match its checksum"),
    ],
)
def test_damage_is_found_with_file_and_record(file, change, message):
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(DataError) as caught:
        list(read_records(file))
    assert str(caught.value) == f"{file}: {message}; copy the file again from where it came"


@pytest.mark.parametrize("cut", [1, 5, 300, 316])
def test_counting_notices_a_missing_end(file, cut):
    file.write_bytes(file.read_bytes()[:-cut])
    with pytest.raises(DataError, match="is cut short") if cut != 316 else pytest.raises(AssertionError):
        assert count_records(file) == 3


def test_a_file_may_be_compressed_as_a_whole(file):
    content = gzip.compress(file.read_bytes())
    assert list(read_records(file, compressed=True)) == PAYLOADS
    file.write_bytes(content)
    assert list(read_records(file, compressed=True)) == PAYLOADS
    for broken, message in (
        (content[:-1], "the compressed file is cut short"),
        (content[:15] + b"\xff\xff" + content[17:], "the compressed file is damaged"),
        (content[:-8] + bytes(8), "the compressed file is damaged"),
        (gzip.compress(gzip.decompress(content)[:-1]), "record 3 is cut short"),
    ):
        file.write_bytes(broken)
        with pytest.raises(DataError, match=f"{file}: {message}.*copy the file again"):
            list(read_records(file, compressed=True))
