"""What observations of accepted attempts say of their containers and of lines that ran before them."""

from __future__ import annotations

from typing import Any

import pytest

from db.evidence.accepted import ObservationGroup
from db.queries.node_descriptions import NodeDescription
from db.states import InstanceState
from orchestrator.analysis.verdict.campaign_provenance import CampaignProvenance, _odd_nodes
from orchestrator.driver.records.attempt_records import to_ledger
from orchestrator.protocol.report import AttemptReport
from orchestrator.rulebooks.provenance import CodeFacts
from tests.db.rows import T0, attempt
from tests.orchestrator.analysis.verdict.test_fom import SEEN, Book


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
    found = code_of({}, fresh, {"processes": "warm"}, {"processes": 1})
    assert found.forked == 2


@pytest.mark.parametrize(
    ("start", "stated"),
    [
        ({"processes": "warm"}, True),
        ({"processes": "fresh", "fresh_because": "it has GPUs"}, False),
        ({}, False),
    ],
)
def test_the_rule_names_instances_whose_reports_say_that_they_were_forked(
    sqlite_url: str, start: dict[str, str], stated: bool
) -> None:
    book = Book(sqlite_url, instances=1)
    book.ledger.submit(book.number, book.session, [attempt(0, token="t")])
    ended = AttemptReport.from_json({
        "token": "t", "label": "p1b1/0", "state": "succeeded", "at_us": T0 + 9, "cores": [0],
        "run_start_us": T0 + 1, "run_stop_us": T0 + 8,
        "result": {"fom_seconds": 7e-6, "accuracy": 0.8, "seen": SEEN | start},
    })  # fmt: skip
    book.ledger.record(book.number, [to_ledger(ended, T0 + 10, InstanceState.DONE)])
    [code] = [one for one in book.verdict.benchmarks[0].rules if one.name == "code"]
    book.ledger.close()
    text = "1 accepted instance was forked from a process that had imported their framework"
    assert (text in code.reason) is stated


def test_instances_with_lines_before_them_are_counted() -> None:
    ran = {"exit_code": 0, "error": ""}
    setup, teardown = {"hooks": {"instance_setup": ran}}, {"hooks": {"instance_teardown": ran}}
    assert code_of({}, setup, teardown, {"hooks": "?"}).setups == 2


def test_nodes_with_another_installation_than_every_driver_are_named() -> None:
    drivers = [{"orchestrator": "1", "db": "2"}, {"orchestrator": "3", "db": "2"}]
    facts = {"a": {"project": drivers[1]}, "b": {"project": {"orchestrator": "9", "db": "2"}}, "c": {}}
    nodes = [NodeDescription(1, f"n{key}", key) for key in ("a", "b", "c", "missing")]
    assert _odd_nodes(drivers, nodes, facts) == {"nb"}
