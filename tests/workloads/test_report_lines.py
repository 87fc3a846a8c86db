"""Lines of a training's reports: JSON, signed with a key."""

from __future__ import annotations

import json
import os

from workloads.report_lines import content_of_line, line_writer


def written(key: bytes = b"") -> list[bytes]:
    read, write = os.pipe()
    line_writer(write, key)({"value": float("nan"), "text": "a\nb"})
    os.close(write)
    with os.fdopen(read, "rb") as lines:
        return lines.readlines()


def test_lines_are_whole_json_even_with_nan() -> None:
    (line,) = written()
    assert json.loads(line)["text"] == "a\nb"


def test_a_line_is_read_with_the_key_that_signed_it_alone() -> None:
    (line,) = written(b"key")
    content = content_of_line(line.rstrip(), b"key")
    assert content is not None
    assert json.loads(content)["text"] == "a\nb"
    assert content_of_line(line.rstrip(), b"other") is None
    assert content_of_line(content, b"key") is None
    assert content_of_line(b"", b"key") is None
