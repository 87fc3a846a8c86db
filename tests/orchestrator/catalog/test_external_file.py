"""Files that describe external commands: pinned by their hash, and wrong in a line for each problem."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.catalog import registry
from tests.workloads.external.files import SCORE, result, write
from tests.workloads.external.files import description as new
from tests.workloads.orders import send
from workloads.description import WorkloadError
from workloads.external.command import ExternalWorkload, from_order
from workloads.external.reference import pin

WINDOW = {"start": "go", "stop": "end", "units": [5]}


def batch(**changes: Any) -> dict[str, Any]:
    """Return a workload file whose window is timed."""
    return new(fom_time="batch", seconds="window", **changes)


def command(**changes: Any) -> dict[str, Any]:
    """Return a workload file with changed keys of the command, also those that the file has itself."""
    content = new()
    content["command"] |= changes
    return content


def test_a_pinned_file_must_not_change_before_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path, new(accuracy=SCORE))
    monkeypatch.chdir(tmp_path)
    pinned = pin("own.yaml")
    assert pinned.startswith(f"{file}#sha256=")
    assert pin(pinned) == pinned
    assert pin("p1b1") == "p1b1"
    assert result(send(pinned))["seen"]["workload_sha256"] == pinned[-64:]
    write(tmp_path, new("print('score 0.7')", accuracy=SCORE))
    assert registry.describe(pinned).name == "own"  # a report of what ran before still works
    with pytest.raises(WorkloadError, match="has changed since the campaign was registered"):
        pin(pinned)
    report = send(pinned)
    assert report.marks == []
    assert "has changed since" in report.last["error"]["message"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("name: [", "line 1, column 8 "),
        ("name: a\nname: b", "line 2, column 1 key 'name' is given twice"),
        ("name: !!python/object:os.system x", "line 1, column 7 could not determine a constructor"),
        ("- a", "must be a mapping of keys to values"),
        ("", "must be a mapping"),
        ("x: 2020-99-99", "unknown key x"),
        ("x: !!bool perhaps", "line 1, column 4 this is not the true or false that it looks like"),
        ("x: !!timestamp x", "could not determine a constructor for the tag"),
        ("x: !!int ''", "this is not the whole number"),
        ('x: "\\UFFFFFFFF"', "own.yaml: "),
        ("? [a]\n: b", "line 1, column 3 a key is a list or a mapping"),
        ("1: b", "name is missing: name of the workload"),
        (new() | {"tilte": "x"}, "unknown key tilte; did you mean title?"),
        ({k: v for k, v in new().items() if k != "title"}, "title is missing"),
        (new(name="a/b"), "name: must be of letters, digits"),
        (new(title=5), "title: must be a text, in quotes, not 5"),
        (new(fom_time="epoch"), "fom_time: must be 'run', 'batch' or 'sample', not 'epoch'"),
        (new(quality={"metric": "r"}, accuracy=SCORE), "quality: needs minimum, or maximum"),
        (new(quality={"metric": "r", "minimum": "x"}), "quality.minimum: must be a number, not 'x'"),
        (
            new(quality={"metric": "r\npass ledger\x1b[2J", "minimum": 1}, accuracy=SCORE),
            "'r\\npass ledger\\x1b[2J' has line breaks or control characters",
        ),
        (new(quality={"metric": "r", "minimum": 1}), "command.accuracy is missing; quality needs it"),
        (new(data="lsmt"), "data: no workload 'lsmt'; did you mean lstm?"),
        (new(data="lstm"), "data: workload lstm reads no files"),
        (new(data="x.yaml"), "data: must be the name of a workload whose files are read"),
        (new(sizes={"layers": 1.5}), "sizes.layers: must be a whole number, not 1.5"),
        (new(parameters={"seed": 1}), "parameters.seed: {seed} is the seed of the instance; choose"),
        (new(parameters={"a-b": 1}), "parameters.a-b: a parameter's name has letters"),
        (new(parameters={"a": None}), "parameters.a.default: must be a number, a text, true or false"),
        (new(parameters={"a": {"default": 1, "minimun": 0}}), "did you mean minimum?"),
        (new(parameters={"a": {"default": 1, "minimum": 2}}), "parameters.a must be at least 2, not 1"),
        (new(parameters={"a": {"default": 1, "choices": [2]}}), "parameters.a must be one of 2, not 1"),
        (new(parameters={"a": {"default": 1, "rule": "fix"}}), "parameters.a.rule: must be 'fixed'"),
        (new(parameters={"a": {"default": "x", "rule": "at least"}}), "only a number can be at least"),
        (new(arguments="python x.py"), "command.arguments: must be a list of texts, one for"),
        (new(arguments=[]), "command.arguments: must have at least 1 entry"),
        (new(arguments=["x", 5]), "command.arguments.1: must be a text, in quotes, not 5"),
        (new(arguments=["{sed}"]), "command.arguments.0: '{sed}' has the unknown field {sed}; did"),
        (new(arguments=["{seed!r}"]), "a field is a plain name such as {seed}"),
        (new(arguments=["{0}"]), "a field is a plain name"),
        (new(arguments=["{"]), "a brace itself is written {{ or }}"),
        (new(arguments=["{data}"]), "uses {data}, but the workload reads none; name whose files"),
        (new(arguments=["a\0"]), "must not contain a NUL"),
        (new(enviroment={}), "unknown key command.enviroment; did you mean environment?"),
        (new(environment={"A B": "1"}), "command.environment: A B: a variable's name"),
        (new(environment={"A": 1}), "command.environment.A: must be a text, in quotes, not 1"),
        (new(environment={"ORCHESTRATOR_SLOT": "1"}), "mark our processes"),
        (new(directory="{foldr}"), "did you mean {folder}?"),
        (new(seconds="wall"), "command.seconds: must be run, mllog, window, {pattern: …}, {mllog: …} or"),
        (new(fom_time="batch"), "run is the time of the whole run, but fom_time is batch"),
        (new(accuracy={}), "command.accuracy: needs pattern, mllog, or json and key; json is missing"),
        (new(accuracy={"json": "{output}/x"}), "key is missing"),
        (new(accuracy={"pattern": "(?P<value>x)", "key": "a"}), "command.accuracy: has pattern and key"),
        (new(accuracy={"json": "{output}/x", "key": "a..b"}), "'a..b' is not a dotted path such as"),
        (new(accuracy={"json": "x", "key": "a"}), "instances side by side would all write x; put"),
        (new(accuracy={"json": "{folder}/x", "key": "a"}, directory="{output}"), "all write {folder}/x"),
        (new(accuracy={"pattern": "("}), "accuracy.pattern: '(' is not a regular expression: missing )"),
        (new(accuracy={"pattern": "x"}), "command.accuracy.pattern: 'x' has no group named value, such as"),
        (new(accuracy={"pattern": "(?P<values>x)"}), "no group named value; rename group values"),
        (new(accuracy={"pattern": r"a\n(?P<value>x)"}), "output is searched line by line"),
        (new(metrics={"a": {"patern": "x"}}), "command.metrics.a.patern; did you mean pattern?"),
        (new(failure={"patterns": "Traceback"}), "failure.patterns: must be a list, such as"),
        (new(seconds="window", fom_time="batch"), "command.window is missing; seconds: window needs it"),
        (new(window=WINDOW), "command.window is of timed steps, but fom_time is run"),
        (batch(window=WINDOW | {"units": ["seed"]}), "units: seed is neither a parameter nor a whole number"),
        (batch(window=WINDOW | {"units": [0]}), "command.window.units: must be at least 1, not 0"),
        (new(accuracy={"mllog": "a"} | SCORE), "command.accuracy: has pattern and mllog; a number"),
        (new(seconds="mllog", fom_time="batch"), "command.seconds: mllog is the time of the whole run, but"),
        (new(curves={"loss": {"mllog": "l", "epoch": "e", "step": "s"}}), "has epoch and step; a point"),
        (new(curves={"loss": {"mllog": "l", "epcoh": "e"}}), "did you mean epoch?"),
        (new(curves={"loss": "("}), "command.curves.loss: '(' is not a regular expression"),
        (new(seconds={"patern": "x"}), "did you mean pattern?"),
        (batch(window=WINDOW | {"units": []}), "command.window.units: must have at least 1 entry"),
        (
            batch(window=WINDOW | {"units": ["kind"]}, parameters={"kind": "a"}),
            "command.window.units: parameter kind is no number",
        ),
        (batch(window=WINDOW | {"start": "("}), "command.window.start: '(' is not a regular expression"),
        (command(data={"synthetic": SCORE}), "command.data: synthetic: whether data are synthetic is looked"),
        (command(data={"rows": {"pattern": "x"}}), "command.data.rows.pattern: 'x' has no group named value"),
        (new(failure={"patterns": ["x*"]}), "'x*' matches any line"),
        (new(failure={"exit_codes_ok": ["0"]}), "command.failure.exit_codes_ok.0: must be a whole number"),
        (new(failure={"exit_codes_ok": []}), "exit_codes_ok: must have at least 1 entry"),
        (new(failure={"exit_codes": [0]}), "did you mean exit_codes_ok?"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_file_is_a_line_each(
    tmp_path: Path, content: dict[str, Any] | str, said: str
) -> None:
    file = write(tmp_path, content)
    with pytest.raises(WorkloadError) as caught:
        registry.describe(file)
    lines = str(caught.value).splitlines()
    assert all(line.startswith(f"{file}: ") for line in lines)
    assert said in lines[0]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\xff")
    (tmp_path / "deep.yaml").write_text("[" * 20_000)
    (tmp_path / "big.yml").write_text(" " * (1 << 20) + "#")
    for name, said in {
        "none.yaml": "does not exist", "folder.yaml": "cannot be read: Is a directory",
        "binary.yaml": "not UTF-8 text", "deep.yaml": "nested too deeply", "big.yml": "larger than 1 MiB",
    }.items():  # fmt: skip
        with pytest.raises(WorkloadError, match=said):
            registry.describe(str(tmp_path / name))
    with pytest.raises(WorkloadError, match="~nobody-of-this-name"):
        registry.describe("~nobody-of-this-name/x.yaml")


def test_numbers_with_an_exponent_are_numbers(tmp_path: Path) -> None:
    file = write(tmp_path, json.dumps(new(parameters={"rate": 0})).replace('"rate": 0', '"rate": 1e-3'))
    assert registry.describe(file).resolve({}) == {"rate": 0.001}


def test_a_command_comes_back_from_its_order_as_it_was(tmp_path: Path) -> None:
    content = new(
        accuracy=SCORE,
        seconds={"json": "{output}/x", "key": "a.b"},
        metrics={"loss": {"json": "{output}/x", "key": "c", "unit": "s"}},
        environment={"A": "1", "B": None},
        failure={"exit_codes_ok": [0, 2], "patterns": ["^x"]},
        data="p1b1",
    )
    workload = registry.describe(write(tmp_path, content))
    assert isinstance(workload, ExternalWorkload)
    again = from_order(json.loads(json.dumps(workload.to_order())))
    assert again.command == workload.command
    assert (again.name, again.file, again.sha256) == (workload.name, workload.file, workload.sha256)
    assert again.fom_time == "run"
    assert again.data is not None
    assert workload.data is not None
    assert again.data.files == workload.data.files
