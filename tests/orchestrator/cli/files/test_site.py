"""Commands about sites: the schema that editors read is the one that files follow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

import sites
from orchestrator.cli import app
from sites.yaml_loader import load


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    shown = CliRunner().invoke(app, ["schema", "site"])
    assert shown.exit_code == 0
    found: dict[str, Any] = json.loads(shown.stdout)
    return found


def wrong(schema: dict[str, Any], text: str) -> bool:
    return bool(list(jsonschema.Draft202012Validator(schema).iter_errors(load(text))))


def test_it_is_a_schema_that_explains_every_key(schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    for model in (schema, *schema["$defs"].values()):
        assert model["additionalProperties"] is False
        for name, key in model["properties"].items():
            assert name == "type" or key.get("description"), name


@pytest.mark.parametrize("name", sites.names())
def test_shipped_sites_follow_it(name: str, schema: dict[str, Any]) -> None:
    assert not wrong(schema, sites.find(name).read_text())


BATCH = "site: a\ninterface: ib0\nnode: {cores: '0-3', memory: 4 GiB}\nscheduler: {type: slurm"


@pytest.mark.parametrize(
    "text",
    [
        *("site: a", "site: a\nscheduler: {type: local}", "site: a\nnode: {memory: auto}"),
        *("site: a\nheartbeat: {period: 5, threshold: 1 min}", "site: a\nslot: {gpus: 1/4, memory: 1 GiB}"),
        *(f"{BATCH}, walltime: 02:00:00}}", f"{BATCH}, walltime: 90}}", f"{BATCH}, walltime: 1 h, qos: x}}"),
    ],
)
def test_what_people_write_follows_it(text: str, schema: dict[str, Any]) -> None:
    sites.parse(text, sites.Site, "here.yaml")
    assert not wrong(schema, text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "{}",
            "site: a\nheartbeet: {period: 5 s}",
            "site: a\nslot: {cores: 0}",
            "site: a\nnode: {cores: 4}",
        ),
        *("site: a\nscheduler: {type: slrm, walltime: 1 h}", "site: a\nslot: {gpus: 2/3}"),
        *(f"{BATCH}}}", f"{BATCH}, walltime: 0}}", f"{BATCH}, walltime: 1 h, queue: x}}"),
    ],
)
def test_what_is_wrong_does_not(text: str, schema: dict[str, Any]) -> None:
    with pytest.raises(sites.FileError):
        sites.parse(text, sites.Site, "here.yaml")
    assert wrong(schema, text)


def test_help_says_what_an_editor_needs() -> None:
    shown = " ".join(CliRunner().invoke(app, ["schema", "--help"]).stdout.split())
    assert "# yaml-language-server: $schema=campaign.schema.json" in shown
    assert "Example: orchestrator schema campaign > campaign.schema.json" in shown


def test_the_list_names_every_site_and_the_default() -> None:
    listed = json.loads(CliRunner().invoke(app, ["site", "list", "--json"]).stdout)
    assert [one["site"] for one in listed] == sites.names()
    assert {one["origin"] for one in listed} == {"shipped"}
    assert [one["site"] for one in listed if one["default"]] == ["local"]


def test_a_broken_file_of_the_user_is_listed_and_harms_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "orchestrator" / "sites"
    folder.mkdir(parents=True)
    (folder / "broken.yaml").write_text("site: [")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    shown = CliRunner().invoke(app, ["site", "list"])
    assert shown.exit_code == 0
    assert "cannot be used: " in shown.stdout
    assert "default  local: " in shown.stdout


@pytest.mark.parametrize("name", sites.names())
def test_every_site_can_be_shown(name: str) -> None:
    shown = CliRunner().invoke(app, ["site", "show", name])
    assert shown.exit_code == 0
    lines = [line.rstrip() for line in sites.find(name).read_text().splitlines()]
    assert all(line in shown.stdout for line in lines)
    found = json.loads(CliRunner().invoke(app, ["site", "show", name, "--json"]).stdout)
    assert found["site"] == name
    for node in found["found"].values() if found["pools"] else [found["found"]]:
        assert node["memory_bytes"] > 2**30
