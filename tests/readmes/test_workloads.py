"""The workloads' page lists every key, workload and choice, and its examples work."""

from __future__ import annotations

import re
import sys
import types
from dataclasses import fields
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from orchestrator.catalog.external_command import Command
from orchestrator.catalog.external_file import ExternalFile
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.campaign_reading import parse_campaign
from sites import parse
from tests.readmes.pages import PAGES, block, first_column, section
from workloads import modules
from workloads.candle.loader import LOADER
from workloads.context import Context, SlotView
from workloads.external.templates import ALL_FIELDS
from workloads.metrics.definitions import METRICS
from workloads.metrics.measure import Options
from workloads.runtime.framework import FRAMEWORK, PRECISION

PAGE = "workloads/README.md"


def keys(model: type[BaseModel], place: str = "") -> list[str]:
    """Return the keys of a file by their whole path; a list's entries are ``key[]``."""
    found = []
    for name, field in model.model_fields.items():
        path = place + (field.alias or name)
        inner = next(
            (one for one in _types(field.annotation) if isinstance(one, type) and issubclass(one, BaseModel)),
            None,
        )
        if inner is None:
            found.append(path)
            continue
        many = "list" in str(field.annotation)
        found += [path] if many or not path.startswith("retries") else []
        found += keys(inner, f"{path}[]." if many else f"{path}.")
    return found


def _types(annotation: object) -> list[object]:
    parts = get_args(annotation)
    return [annotation] if not parts else [one for part in parts for one in _types(part)]


def test_every_key_of_a_campaign_file_has_its_row() -> None:
    assert sorted(first_column(section(PAGE, "Campaign file"))) == sorted(keys(CampaignFile))


def test_every_shipped_workload_has_its_row_with_its_time() -> None:
    rows = dict(
        re.findall(r"^\| `([^`]+)` \|[^|]*\| (\w+),", section(PAGE, "Shipped workloads"), re.MULTILINE)
    )
    assert rows == {name: modules.workload(name).fom_time for name in modules.names()}


def test_loaders_precisions_and_frameworks_are_all_listed() -> None:
    assert first_column(section(PAGE, "Loaders")) == list(LOADER.choices)
    for values in (PRECISION.choices, FRAMEWORK.choices):
        assert ", ".join(f"`{one}`" for one in values) in section(PAGE, "Precision and frameworks")


def test_the_keys_and_fields_of_a_command_are_all_listed() -> None:
    assert sorted(first_column(section(PAGE, "External command"))) == sorted(Command.model_fields)
    assert all(f"{{{name}}}" in section(PAGE, "External command") for name in ALL_FIELDS)


def test_the_example_campaign_is_right() -> None:
    assert parse_campaign(block(PAGES[PAGE], "yaml"), "x").start == "synchronized"


def test_the_example_command_is_right() -> None:
    assert parse(block(section(PAGE, "External command"), "yaml"), ExternalFile, "x").name == "p1b1-original"


def test_the_example_workload_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("examples.mine")
    exec(compile(block(PAGES[PAGE], "python"), "mine.py", "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, "examples.mine", module)
    workload = modules.workload("examples.mine")
    result = modules.load(workload.entry)(workload.resolve({}), Context(seed=1, slot=SlotView(cores=(0,))))
    assert result.accuracy > 0.5


def test_the_example_measurement_runs() -> None:
    names: dict[str, Any] = {}
    exec(compile(block(section(PAGE, "Measuring"), "python"), "measured.py", "exec"), names)
    context = Context(seed=1, slot=SlotView(cores=(0,)))
    names["run"]({}, context)
    found = {one.name: one.value for one in context.metrics}
    assert found["error_over_bound"] <= 1
    assert found["flop_per_second"] > 0


def test_every_metric_of_a_measurement_is_on_the_page() -> None:
    listed = set(re.findall(r"`([a-z0-9_]+)`", section(PAGE, "Measuring")))
    assert set(METRICS) <= listed
    assert {one.name for one in fields(Options)} <= listed
