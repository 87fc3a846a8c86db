"""Messages go through JSON and come back the same, also between versions that know different fields."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from orchestrator.protocol.codec import VERSION, MessageError, from_json, to_json
from orchestrator.protocol.order import AttemptOrder, Gpus, RankResources, RendezvousAddress, SlotOrder
from orchestrator.protocol.report import AttemptReport, Observed, TrainingResult
from tests.messages import order, report, slot_order
from tests.orchestrator.protocol.strategies import (
    attempt_orders,
    attempt_reports,
    observations,
    slot_orders,
    statements,
)

FULL = slot_order(
    order(gpus=Gpus("nvidia", 4)),
    places=(RankResources((0, 1), (2,)),),
    rendezvous=RendezvousAddress("127.0.0.1", 5, 6, "lo"),
    window=(1.0, 2.0),
)


def sent(content: dict[str, Any]) -> Any:
    """Return JSON data as a peer receives it."""
    return json.loads(json.dumps(content))


def extended(content: Any, *, inside: tuple[str, ...]) -> Any:
    """Return JSON data with an unknown field in it and in every message inside it."""
    if isinstance(content, list):
        return [extended(one, inside=inside) for one in content]
    if not isinstance(content, dict):
        return content
    known = {k: extended(v, inside=inside) if k in inside else v for k, v in content.items()}
    return known | {"of_a_newer_version": [1, {"a": None}]}


@settings(max_examples=100, deadline=None)
@given(attempt_orders)
def test_an_order_comes_back_the_same(one: AttemptOrder) -> None:
    assert from_json(AttemptOrder, sent(to_json(one))) == one


@settings(max_examples=100, deadline=None)
@given(slot_orders)
def test_an_order_with_its_slot_comes_back_the_same(one: SlotOrder) -> None:
    assert from_json(SlotOrder, sent(to_json(one))) == one


@settings(max_examples=100, deadline=None)
@given(attempt_reports)
def test_a_report_comes_back_the_same(one: AttemptReport) -> None:
    assert AttemptReport.from_json(sent(one.to_json())) == one


@settings(max_examples=100, deadline=None)
@given(observations)
def test_an_observation_comes_back_the_same(one: Observed) -> None:
    assert Observed.from_json(sent(one.to_json())) == one


@settings(max_examples=200, deadline=None)
@given(statements)
def test_an_observation_keeps_all_that_was_stated(content: dict[str, Any]) -> None:
    """Also nulls and values of an unexpected type, for the ledger keeps what a process said."""
    assert sent(Observed.from_json(content).to_json()) == content


def test_messages_have_a_version_and_lack_what_is_none() -> None:
    assert to_json(order())["version"] == report().to_json()["version"] == VERSION == 1
    assert "wave" not in to_json(order())
    assert "node" not in report().to_json()


def test_unknown_fields_of_orders_are_ignored_at_every_level() -> None:
    content = extended(sent(to_json(FULL)), inside=("order", "gpus", "places", "rendezvous"))
    assert "of_a_newer_version" in content["order"]["gpus"]
    assert "of_a_newer_version" in content["places"][0]
    # Cores and GPUs of a place are numbers, which have no fields.
    assert from_json(SlotOrder, content) == FULL


def test_unknown_fields_of_reports_are_ignored_at_every_level() -> None:
    one = report(result={"fom_seconds": 2.0, "metrics": [{"name": "loss", "value": 1.0}], "seen": {"pid": 5}})
    content = extended(sent(one.to_json()), inside=("result", "metrics"))
    assert "of_a_newer_version" in content["result"]["metrics"][0]
    assert AttemptReport.from_json(content) == one


REQUIRED = [
    (kind, field.name)
    for kind in (AttemptOrder, SlotOrder, AttemptReport)
    for field in msgspec.inspect.type_info(kind).fields  # type: ignore[attr-defined]
    if field.required
]


@pytest.mark.parametrize(("kind", "name"), REQUIRED, ids=lambda one: getattr(one, "__name__", one))
def test_a_missing_field_is_named(kind: type, name: str) -> None:
    content = {AttemptOrder: to_json(order()), SlotOrder: to_json(FULL), AttemptReport: report().to_json()}[
        kind
    ]
    del content[name]
    with pytest.raises(MessageError, match=f"{kind.__name__}.*`{name}`"):
        if kind is AttemptReport:
            AttemptReport.from_json(content)
        else:
            from_json(kind, content)


def test_a_missing_field_of_an_inner_message_is_named_with_its_place() -> None:
    content = sent(to_json(FULL))
    del content["order"]["label"]
    with pytest.raises(MessageError, match=r"`label` - at `\$.order`"):
        from_json(SlotOrder, content)


@pytest.mark.parametrize("content", [None, [1], "x", 5])
def test_a_result_that_is_no_mapping_is_refused(content: Any) -> None:
    with pytest.raises(MessageError, match="no mapping"):
        TrainingResult.from_json(content)


@pytest.mark.parametrize("metrics", [[1], [{"value": 1.0}], [{"name": "loss"}], 5])
def test_metrics_without_name_or_value_are_refused(metrics: Any) -> None:
    with pytest.raises(MessageError, match="metrics"):
        TrainingResult.from_json({"metrics": metrics})
