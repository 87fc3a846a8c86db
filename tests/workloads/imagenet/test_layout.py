from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from tests.workloads.orders import ROOT
from workloads.data.synthetic import MARKER
from workloads.data.tfrecords import decode_example, encode_example, read_records, write_records
from workloads.description import DataError
from workloads.imagenet.generator import make
from workloads.imagenet.layout import ENCODED, LABEL, check, list_folders, list_shards, sample_is_marked

SIZES = {"train_images": 24, "validation_images": 9, "classes": 3, "image_edge": 32, "images_per_shard": 8}
FACTS = {"synthetic": True, "train_images": 24, "validation_images": 9, "classes": 3}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("imagenet")
    for layout in ("folders", "tfrecords"):
        make(root / layout, 5, layout=layout, **SIZES)
    return root


@pytest.fixture
def folders(made, tmp_path):
    return shutil.copytree(made / "folders", tmp_path / "set")


@pytest.fixture
def shards(made, tmp_path):
    return shutil.copytree(made / "tfrecords", tmp_path / "set")


def refusal(directory):
    with pytest.raises(DataError) as caught:
        check(directory)
    return str(caught.value)


def rewrite(path, change):
    """Write a TFRecord file again with other features, checksums and all."""
    records = [decode_example(payload) for payload in read_records(path)]
    flat = [{name: values[0] for name, values in record.items()} for record in records]
    for number, features in enumerate(flat, start=1):
        change(number, features)
    with path.open("wb") as file:
        write_records(file, map(encode_example, flat))


def test_both_layouts_have_the_asked_sizes(made):
    assert check(made / "folders") == FACTS | {"layout": "folders"}
    assert check(made / "tfrecords") == FACTS | {"layout": "tfrecords"}
    assert list_shards(made / "tfrecords") == {
        "train": [f"train-{number:05d}-of-00003" for number in range(3)],
        "validation": ["validation-00000-of-00002", "validation-00001-of-00002"],
    }


def test_an_image_is_the_same_in_both_layouts(made):
    in_folders = {path.read_bytes() for path in (made / "folders").rglob("*.JPEG")}
    in_shards = {
        decode_example(payload)[ENCODED][0]
        for path in (made / "tfrecords").glob("*-of-*")
        for payload in read_records(path)
    }
    assert len(in_folders) == 33
    assert in_folders == in_shards


def test_records_carry_what_the_published_ones_carry(made):
    record = decode_example(next(read_records(made / "tfrecords" / "train-00000-of-00003")))
    assert set(record) == {
        "image/height", "image/width", "image/colorspace", "image/channels", "image/class/label",
        "image/class/text", "image/format", "image/filename", "image/encoded",
    }  # fmt: skip
    image = Image.open(io.BytesIO(record[ENCODED][0]))
    assert [image.width, image.height] == record["image/width"] + record["image/height"]
    assert record["image/class/text"] == [b"made%04d" % (record[LABEL][0] - 1)]


def test_the_seed_alone_decides(made, tmp_path):
    make(tmp_path / "again", 5, **SIZES)
    make(tmp_path / "other", 6, **SIZES)
    for path in sorted((made / "folders").rglob("*.JPEG")):
        name = path.relative_to(made / "folders")
        assert (tmp_path / "again" / name).read_bytes() == path.read_bytes()
        assert (tmp_path / "other" / name).read_bytes() != path.read_bytes()


def test_another_layout_takes_the_place_of_what_was_made(folders):
    make(folders, 5, layout="tfrecords", **SIZES)
    assert check(folders)["layout"] == "tfrecords"
    make(folders, 5, **SIZES | {"classes": 2})
    assert check(folders)["classes"] == 2


def test_real_files_are_never_overwritten(folders):
    (folders / MARKER).unlink()
    with pytest.raises(DataError, match="may be real data"):
        make(folders, 5, **SIZES)


@pytest.mark.parametrize("layout", ["folders", "tfrecords"])
def test_a_copy_of_the_files_alone_is_still_synthetic(made, tmp_path, layout):
    copy = shutil.copytree(made / layout, tmp_path / "set", ignore=shutil.ignore_patterns(MARKER))
    found = list_folders(copy) if layout == "folders" else list_shards(copy)
    assert not (copy / MARKER).exists()
    assert check(copy)["synthetic"] is True
    assert sample_is_marked(copy, found)


def test_images_of_other_origin_are_not_synthetic(folders):
    (folders / MARKER).unlink()
    for path in folders.rglob("*.JPEG"):
        with Image.open(path) as image:
            pixels = image.copy()
        pixels.save(path, "JPEG", comment="made with a camera")
    assert check(folders)["synthetic"] is False
    assert not sample_is_marked(folders, list_folders(folders))


def test_an_interrupted_making_is_not_taken_for_data(folders):
    marker = json.loads((folders / MARKER).read_text())
    (folders / MARKER).write_text(json.dumps(marker | {"complete": False}))
    assert "was interrupted" in refusal(folders)


def test_too_few_images_for_the_classes_are_refused(tmp_path):
    with pytest.raises(DataError, match="validation needs at least 3 images to show all of its 3 classes"):
        make(tmp_path, 1, **SIZES | {"validation_images": 2})


def test_what_the_real_set_has_beside_rgb_jpegs_is_taken(folders):
    pixels = Image.fromarray(np.full((20, 30, 3), 77, np.uint8))
    folder = folders / "train" / "made0000"
    pixels.save(folder / "a.JPEG", "PNG")
    pixels.convert("CMYK").save(folder / "b.JPEG", "JPEG")
    pixels.convert("L").save(folder / "c.jpg", "JPEG")
    (folder / ".hidden").write_text("")
    assert check(folders)["train_images"] == 27


def test_classes_are_numbered_by_sorted_folder_name(folders):
    for split in ("train", "validation"):
        (folders / split / "made0002").rename(folders / split / "a_first")
    assert list_folders(folders).classes == ["a_first", "made0000", "made0001"]


@pytest.mark.parametrize("names", [[], ["x.txt"]])
def test_a_folder_with_neither_layout_is_refused(tmp_path, names):
    for name in names:
        (tmp_path / name).write_text("")
    message = refusal(tmp_path)
    assert message.startswith(f"{tmp_path}: holds neither folders train and validation nor files train-00000")
    assert f"orchestrator data generate resnet50 --output {tmp_path}" in message


def test_both_layouts_in_one_folder_are_refused(folders):
    (folders / "train-00000-of-00001").write_bytes(b"")
    assert "holds class folders and TFRecord files; move one" in refusal(folders)


def test_a_missing_split_is_named(folders):
    shutil.rmtree(folders / "validation")
    assert refusal(folders).startswith(f"{folders / 'validation'}: no such folder; run `orchestrator data")


def test_a_class_of_one_split_only_is_named(folders):
    shutil.rmtree(folders / "validation" / "made0001")
    assert refusal(folders).startswith(f"{folders / 'train' / 'made0001'}: there is no such class in ")


def test_an_empty_class_is_named(folders):
    for path in (folders / "validation" / "made0001").iterdir():
        path.unlink()
    assert refusal(folders).startswith(f"{folders / 'validation' / 'made0001'}: a class without images")


def test_files_in_the_wrong_place_are_named(folders):
    stray = folders / "train" / "made0001" / "notes.txt"
    stray.write_text("")
    assert refusal(folders).startswith(f"{stray}: is no image (.jpeg, .jpg, .png)")
    stray.unlink()
    for split in ("train", "validation"):
        (folders / split / "list.csv").write_text("")
    assert "a file where only class folders are expected" in refusal(folders)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda content: content[:-2], "cut short|truncated"),
        (lambda content: content[: len(content) // 2], "truncated"),
        (lambda content: b"", "is no image"),
        (lambda content: b"hello" * 99, "is no image"),
    ],
)
def test_an_image_that_cannot_be_decoded_is_named(folders, damage, message):
    path = folders / "train" / "made0002" / "made0002_000003.JPEG"
    path.write_bytes(damage(path.read_bytes()))
    found = refusal(folders)
    assert found.startswith(f"{path}: ")
    assert re.search(message, found)
    assert found.endswith("; replace the file")


def test_an_image_of_another_format_is_named(folders):
    path = folders / "train" / "made0000" / "made0000_000000.JPEG"
    Image.new("RGB", (9, 9)).save(path, "BMP")
    assert refusal(folders) == f"{path}: is a BMP image, not JPEG or PNG; replace the file"


def test_a_missing_shard_is_named(shards):
    (shards / "train-00001-of-00003").unlink()
    assert refusal(shards).startswith(f"{shards / 'train-00001-of-00003'}: no such file")


def test_shards_of_two_sets_are_refused(shards):
    shutil.copy(shards / "train-00001-of-00003", shards / "train-00001-of-00004")
    assert "train files of a set of 3 and of a set of 4" in refusal(shards)


def test_shards_without_validation_are_refused(shards):
    for path in shards.glob("validation-*"):
        path.unlink()
    assert refusal(shards).startswith(f"{shards}: no file validation-*-of-*; run `orchestrator data")


def test_a_shard_that_is_cut_short_or_altered_is_named_with_the_record(shards):
    path = shards / "train-00002-of-00003"
    whole = path.read_bytes()
    path.write_bytes(whole[:-7])
    assert refusal(shards).startswith(f"{path}: record 8 is cut short")
    path.write_bytes(whole[:40] + bytes([whole[40] ^ 1]) + whole[41:])
    assert refusal(shards).startswith(f"{path}: record 1: its payload does not match its checksum")


@pytest.mark.parametrize("label", [0, 1001, -3])
def test_a_label_out_of_range_is_named(shards, label):
    path = shards / "validation-00000-of-00002"
    rewrite(path, lambda number, features: features.update({LABEL: label} if number == 2 else {}))
    assert refusal(shards) == (f"{path}: record 2: label {label} is none of 1 … 1000; write the file again")


def test_a_label_that_is_missing_between_others_is_named(shards):
    for path in shards.glob("validation-*"):
        rewrite(path, lambda _, features: features.update({LABEL: max(features[LABEL], 2)}))
    assert refusal(shards).startswith(f"{shards}: no validation record has label 1, though there are labels")


def test_a_record_without_an_image_or_with_a_broken_one_is_named(shards):
    path = shards / "train-00000-of-00003"
    rewrite(path, lambda number, features: features.pop(ENCODED) if number == 3 else None)
    assert refusal(shards).startswith(f"{path}: record 3: has no single image/encoded")
    rewrite(path, lambda _, features: features.update({ENCODED: b"nothing"}))
    assert refusal(shards).startswith(f"{path}: record 1: is no image")


def test_a_payload_that_is_no_example_is_named(shards):
    path = shards / "train-00000-of-00003"
    with path.open("wb") as file:
        write_records(file, [b"\x0a\x05ab"])
    assert refusal(shards).startswith(f"{path}: record 1: a field is cut short")


def test_making_and_checking_import_no_framework(tmp_path):
    program = (
        "import sys; from pathlib import Path\n"
        "from workloads.imagenet.layout import check; from workloads.imagenet.generator import make\n"
        f"folder = Path({str(tmp_path)!r})\n"
        f"make(folder, 1, **{SIZES | {'layout': 'tfrecords'}!r}); check(folder)\n"
        "print([m for m in ('tensorflow', 'keras', 'horovod') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
