from __future__ import annotations

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
    theirs = tf.train.Example.FromString(ours)
    assert theirs.features.feature["image"].bytes_list.value == [b"\x00\xff"]
    assert theirs.features.feature["negative"].int64_list.value == [-7]
    theirs.features.feature["several"].int64_list.value.extend([1, 1 << 40, -1])
    theirs.features.feature["box"].float_list.value.append(0.5)
    assert decode_example(theirs.SerializeToString()) == {
        "image": [b"\x00\xff"],
        "label": [1000],
        "negative": [-7],
        "several": [1, 1 << 40, -1],
    }


def test_integers_may_also_come_one_by_one():
    # Features { feature { key "n" value { int64_list { value: 3 value: 4 } } } }, not packed
    numbers = b"\x08\x03\x08\x04"
    value = b"\x1a" + bytes([len(numbers)]) + numbers
    entry = b"\x0a\x01n\x12" + bytes([len(value)]) + value
    features = b"\x0a" + bytes([len(entry)]) + entry
    assert decode_example(b"\x0a" + bytes([len(features)]) + features) == {"n": [3, 4]}


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
