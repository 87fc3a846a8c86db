"""`schema`: the files that the project ships follow it, and editors accept what the commands accept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer.main
from typer.testing import CliRunner

from orchestrator.cli import app
from orchestrator.cli.files.schema import Kind, editor_schema
from orchestrator.outputs.table import OUTPUTS
from orchestrator.planning.campaign_source import campaign_names, find_campaign
from sites.yaml_loader import load
from tests.harness import ROOT

LEAST = "campaign: a\nbenchmarks:\n- {workload: p1b1, instances: 1, timeout: 60"


def right(kind: Kind, text: str) -> bool:
    return jsonschema.Draft202012Validator(editor_schema(kind)).is_valid(load(text))


@pytest.mark.parametrize("kind", Kind)
def test_it_is_a_schema_with_a_description_of_every_key(kind: Kind) -> None:
    shown = CliRunner().invoke(app, ["schema", kind])
    assert shown.exit_code == 0
    schema: dict[str, Any] = json.loads(shown.stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    for model in (schema, *schema["$defs"].values()):
        for name, key in model.get("properties", {}).items():
            described = schema["$defs"][key["$ref"].rsplit("/", 1)[1]] if "$ref" in key else key
            assert name == "type" or key.get("description", described.get("description")), name


@pytest.mark.parametrize("name", campaign_names())
def test_shipped_campaigns_follow_it(name: str) -> None:
    assert right(Kind.CAMPAIGN, find_campaign(name).read_text())


@pytest.mark.parametrize(
    "file", sorted((ROOT / "tests/toys/external").glob("*.yaml")), ids=lambda one: one.stem
)
def test_workload_files_follow_it(file: Path) -> None:
    assert right(Kind.WORKLOAD, file.read_text())


@pytest.mark.parametrize(
    "text",
    [
        LEAST + "}",
        LEAST + ", data: folder}",
        LEAST + ", data: {directory: f, generate: {}}, expected_runtime: 10 s}",
        LEAST + "}\nclass: base\nstart_timeout: 60\nabort_after_failures: 3",
        LEAST + "}\ninclude: base.yaml",
        "include: [base.yaml]",
    ],
)
def test_short_forms_and_includes_follow_it(text: str) -> None:
    assert right(Kind.CAMPAIGN, text)


@pytest.mark.parametrize(
    "text", ["campaign: a", LEAST + "}\nrun_class: base", LEAST + ", data: 3}", LEAST + "}\ninclude: 3"]
)
def test_what_is_wrong_does_not(text: str) -> None:
    assert not right(Kind.CAMPAIGN, text)


def test_another_kind_is_refused_in_one_line() -> None:
    shown = CliRunner().invoke(app, ["schema", "sites"])
    assert shown.exit_code == 2


def with_json(command: Any, path: str = "") -> set[str]:
    """Return the words of every command that has ``--json``."""
    found: set[str] = set()
    for name, one in getattr(command, "commands", {}).items():
        words = f"{path} {name}".strip()
        found |= {words} if any("--json" in each.opts for each in one.params) else set()
        found |= with_json(one, words)
    return found


def test_every_command_with_json_has_a_schema() -> None:
    assert with_json(typer.main.get_command(app)) == set(OUTPUTS)
    listed = CliRunner().invoke(app, ["schema", "output"])
    assert listed.stdout.splitlines() == list(OUTPUTS)
    for name in OUTPUTS:
        shown = CliRunner().invoke(app, ["schema", "output", *name.split()])
        jsonschema.Draft202012Validator.check_schema(json.loads(shown.stdout))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("output", "instance", "lits"), "did you mean instance list?"),
        (("output", "docs"), "no command 'docs' prints JSON"),
        (("site", "list"), "only output takes the words of a command"),
    ],
)
def test_wrong_words_are_named(words: tuple[str, ...], line: str) -> None:
    shown = CliRunner().invoke(app, ["schema", *words], env={"COLUMNS": "200"})
    assert shown.exit_code == 2
    assert line in shown.output
