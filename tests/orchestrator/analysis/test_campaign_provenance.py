"""What observations of accepted attempts say of their containers and of lines that ran before them."""

from __future__ import annotations

from typing import Any

import pytest

from db.evidence.accepted import ObservationGroup
from orchestrator.analysis.campaign_provenance import CampaignProvenance
from orchestrator.rulebooks.provenance import CodeFacts


def group(seen: dict[str, Any], number: int = 1) -> ObservationGroup:
    return ObservationGroup(seen, None, None, None, number, *[None] * 5, 0, None, None, 0)  # type: ignore[arg-type]


def code_of(*seen: dict[str, Any]) -> CodeFacts:
    known = CampaignProvenance(recorded=True, versions=frozenset(), changed=frozenset(), documents={})
    return known.code([group(one, 2) for one in seen])


def image(digest: str, **more: str) -> dict[str, Any]:
    return {"container": {"runtime": "podman", "image": f"train:{digest}", "digest": digest, **more}}


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ([{}], {}),
        ([image("a"), image("a")], {"a": "train:a"}),
        ([image("a"), {}], {"a": "train:a", "": ""}),
        ([image("a", options="--volume=/fork:/keras")], {"a": "train:a with --volume=/fork:/keras"}),
        ([image("a", options="--env=X=1"), image("a")], {"a": "train:a and train:a with --env=X=1"}),
    ],
)
def test_options_of_a_container_stand_beside_its_image(
    seen: list[dict[str, Any]], expected: dict[str, str]
) -> None:
    assert code_of(*seen).containers == expected


def test_forked_instances_are_counted() -> None:
    fresh = {"processes": "fresh", "fresh_because": "it has GPUs"}
    assert code_of({}, fresh, {"processes": "warm"}, {"processes": 1}).forked == 2


def test_instances_with_lines_before_them_are_counted() -> None:
    ran = {"exit_code": 0, "error": ""}
    setup, teardown = {"hooks": {"instance_setup": ran}}, {"hooks": {"instance_teardown": ran}}
    assert code_of({}, setup, teardown, {"hooks": "?"}).setups == 2
