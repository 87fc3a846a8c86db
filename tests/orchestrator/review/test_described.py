"""A description that is not the pinned file's is named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db.column_values import sha256
from db.rows import BenchmarkRow
from orchestrator.catalog.registered_description import facts_of
from orchestrator.catalog.registry import describe
from orchestrator.review.described import description_differences
from tests.db import rows

FILE = {
    "name": "echo", "title": "Echo", "source": "here", "fom_time": "run",
    "quality": {"metric": "r", "minimum": 0.5},
    "command": {"arguments": ["true"], "accuracy": {"pattern": "acc: (?P<value>[0-9.]+)"}, "seconds": "run"},
}  # fmt: skip


@pytest.fixture
def document(tmp_path: Path) -> dict[str, Any]:
    file = tmp_path / "echo.yaml"
    file.write_text(json.dumps(FILE))
    return facts_of(str(file), describe(str(file)))


def row(document: dict[str, Any], pin: str = "") -> BenchmarkRow:
    planned = rows.benchmark()
    return BenchmarkRow(
        campaign_id=1, benchmark="echo", workload=document["workload"] + pin, instances=1, parameters="{}",
        slot=planned.slot, timeout_seconds=None, quality_metric=None, quality_target=None,
    )  # fmt: skip


def test_a_description_of_its_own_text_is_right_where_the_file_is_gone(document: dict[str, Any]) -> None:
    pinned = row(document, f"#sha256={document['sha256']}")
    assert list(description_differences({"echo": document}, [row(document), pinned], same_code=True)) == []
    assert list(description_differences({}, [row(document)], same_code=True)) == []


def test_a_lower_target_than_the_texts_is_named(document: dict[str, Any]) -> None:
    document["description"]["own_target"]["at_least"] = 0.1
    [found] = description_differences({"echo": document}, [row(document)], same_code=True)
    assert "not described as the registered text" in found


def test_another_text_than_the_pinned_one_is_named(document: dict[str, Any]) -> None:
    other = json.dumps(FILE | {"quality": {"metric": "r", "minimum": 0.1}})
    changed = document | {"text": other}
    assert list(description_differences({"echo": changed}, [row(document)], same_code=True))
    hashed = changed | {"sha256": sha256(other)}
    [found] = description_differences(
        {"echo": hashed},
        [replace(row(document), workload=f"{document['workload']}#sha256={document['sha256']}")],
        same_code=False,
    )
    assert "not the file that was pinned" in found
