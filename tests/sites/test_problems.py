"""Problems of a file are told in its own words: place, what may be, what is written; never pydantic's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from sites import FileError, Site, parse, problems
from sites.files import Model
from sites.problems import _explain

PYDANTIC = ("Input should", "String should", "List should", "valid dictionary", "permitted", "Field required")
BATCH = (
    "site: a\naddress: 127.0.0.1\nnode: {cores: '0', memory: 1 GiB}\nscheduler: {type: slurm, walltime: 1 h, "
)


def told(text: str) -> list[str]:
    with pytest.raises(FileError) as caught:
        parse(text, Site, "here.yaml")
    lines = str(caught.value).splitlines()
    assert all(line.startswith("here.yaml:") for line in lines)
    assert not [line for line in lines for word in PYDANTIC if word in line]
    return [re.sub(r"^here.yaml: (line \d+: )?", "", line) for line in lines]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("site: a\n\ninherit: ['A B']",
         "line 3: inherit.0: must match ^[A-Za-z0-9_*?\\[\\]!-]+$, not 'A B'"),
        ("site: a\ninherit: 3", "line 2: inherit: must be 'all' or a list, such as [a, b], not 3"),
        ("site: a\nnode:\n  slots:\n    a: 3", "line 3: unknown key node.slots; known keys: "
         "cores, numa_domains, memory, disk, gpus"),
        ("description: b\nheartbeat:\n  period: -1 h\nsite: a", "line 3: heartbeat.period: must be "
         "a number of seconds or a text like '10 min' or '02:00:00', not '-1 h'"),
        ("site: a\nslot: {<<: {cores: 0}}", "line 2: slot.cores: must be at least 1, not 0"),
        ("description: a", "site is missing: name of the site"),
        ("site: a\nsampling: no", "line 2: sampling: must be 'off' or a number of seconds "
         "or a text like '10 min' or '02:00:00', not 'no'"),
    ],
)  # fmt: skip
def test_a_problem_is_one_line_with_the_line_of_the_file(text: str, problem: str) -> None:
    with pytest.raises(FileError) as caught:
        parse(text, Site, "here.yaml")
    assert str(caught.value) == f"here.yaml: {problem}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("site: a b", "site: must be of letters, digits, '.', '_' and '-', and begin with a letter or digit, "
         "not 'a b'"),
        ("site: a\nscript_hook: mine", "script_hook: must have the form module:function, not 'mine'"),
        ("site: a\nnode: {gpus: {count: 1, sharing: all}}",
         "node.gpus.sharing: must be 'none', 'time-slicing', 'mps' or 'mig', not 'all'"),
        (f"{BATCH}launcher: {{type: mpirun}}}}",
         "scheduler.launcher.type: must be one of srun, jsrun, mpiexec, aprun, flux, ssh, not 'mpirun'; "
         "did you mean aprun?"),
        (f"{BATCH}max_blocks: }}",
         "scheduler.max_blocks: must be a whole number, and nothing is written there"),
        (f"{BATCH}exclusive: perhaps}}", "scheduler.exclusive: must be true or false, not 'perhaps'"),
        (f"{BATCH}skip_directives: --mem=0}}",
         "scheduler.skip_directives: must be a list, such as [a, b], not '--mem=0'"),
        (f"{BATCH}prologue: [3]}}", "scheduler.prologue.0: must be a text, in quotes, not 3"),
        ("site: a\nslots: [1]", "slots: must be a mapping of keys to values, such as {key: value}"),
        ("site: a\nenvironment: {1: x}", "environment.1: a key must be a text, in quotes, not 1"),
        ('site: a\nenvironment: {"A=B": x}',
         "environment.A=B: a variable's name must have a character, no =, and no zero byte, not 'A=B'"),
        ('site: a\nenvironment: {A: "x\\0y"}',
         r"environment.A: a variable cannot have a zero byte, not 'x\x00y'"),
        ("site: a\nheartbeat: {period: 20, threshold: 30}",
         "heartbeat.threshold: must be at least twice the period of 20 s, not 30 s"),
        ("site: a\nheartbeat: {period: 0.5}", "heartbeat.period: must be at least 1.0, not 0.5"),
        ("site: a\n1: x", "1: a key must be a text, in quotes, not 1"),
        ("site: a\nnode: {gpus: {vendor: amd}}",
         "node.gpus.count is missing: gpus of a node, mig instances where they are cut so"),
    ],
)  # fmt: skip
def test_a_problem_is_in_words_of_the_field(text: str, said: str) -> None:
    assert [line.lower() for line in told(text)] == [said.lower()]


def test_several_problems_have_a_line_each_unknown_keys_first() -> None:
    lines = told("slot: {cores: 0}\nheartbeet: 1\nnodes: none")
    assert lines == [
        "unknown key heartbeet; did you mean heartbeat?",
        "site is missing: name of the site",
        "nodes: must be a whole number, not 'none'",
        "and 1 more",
    ]


def test_of_many_problems_only_those_that_are_told_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    explained = []

    def explain(choices: Sequence[Mapping[str, Any]], model: type[BaseModel], data: object) -> str:
        explained.append(choices[0]["loc"])
        return _explain(choices, model, data)

    def schema(model: type[BaseModel], **_: Any) -> dict[str, Any]:
        made.append(model)
        return Model.model_json_schema.__func__(model)  # type: ignore[attr-defined, no-any-return]

    made: list[type[BaseModel]] = []
    monkeypatch.setattr(problems, "_explain", explain)
    monkeypatch.setattr(Site, "model_json_schema", classmethod(schema))
    problems._schema.cache_clear()
    lines = told("site: a\n" + "".join(f"key{number}: 1\n" for number in range(1000)))
    assert [line.partition(";")[0] for line in lines] == [
        *(f"unknown key key{number}" for number in range(3)),
        "and 997 more",
    ]
    assert len(explained) == 3
    assert made == [Site]


@pytest.mark.parametrize(
    ("value", "column"),
    [("1" * 400, 21), ("0x" + "f" * 5000, 21), ("1" * 5000, 21), ("!!bool perhaps", 21),
     ("!!int ''", 21), ("[1, !!float x]", 25)],
)  # fmt: skip
def test_a_value_that_is_not_what_it_looks_like(value: str, column: int) -> None:
    [line] = told(f"site: a\nheartbeat: {{period: {value}}}")
    assert line.startswith(f"line 2, column {column} this is not the ")
    assert line.endswith(" that it looks like; put it in quotes if it is a text")


@pytest.mark.parametrize("text", ["site: " + "[" * 3000, "site: " + "{a: " * 3000 + "}" * 3000])
def test_what_stands_in_one_another_without_end(text: str) -> None:
    [line] = told(text)
    assert re.fullmatch(r"line 1, column \d+ nested too deeply", line)


@pytest.mark.parametrize("text", ['site: "\\UFFFFFFFF"', 'site: "\\U00110000"', f"%YAML 1.{'1' * 5000}"])
def test_what_the_scanner_cannot_read(text: str) -> None:
    assert len(told(text)) == 1


def test_a_key_that_was_misspelt_is_not_also_missing() -> None:
    assert told("sit: a") == ["unknown key sit; did you mean site?"]


def test_three_problems_are_all_of_them() -> None:
    lines = told("slot: {cores: 0, ranks: 0, nodes: 0}\nsite: a")
    assert [line.partition(":")[0] for line in lines] == ["slot.nodes", "slot.ranks", "slot.cores"]


def test_an_editor_is_told_the_words_of_a_pattern() -> None:
    properties = Site.model_json_schema()["properties"]
    assert "letters" in properties["site"]["patternErrorMessage"]
    assert "module:function" in properties["script_hook"]["patternErrorMessage"]
