"""When an external command is the suite's own program, unmodified: by the file that it starts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from orchestrator.rulebooks.coral2.reference import originals
from orchestrator.rulebooks.provenance import CodeFacts, CommandFacts
from tests.orchestrator.rulebooks.test_coral2_verdict import measured, rule

PYTHON = "/usr/bin/python3.11"
ROOT = "/opt/suite"
ALEXNET = "tensorflow/benchmark_alexnet.py"


def started(workload: str, **changes: Any) -> CommandFacts:
    """Return what is recorded of a command that starts the suite's own program, with changes."""
    files = originals()[workload].files
    main = next(iter(files))
    command = CommandFacts(
        arguments=("{python}", "-u", main, "--epochs", "{epochs}"),
        program=PYTHON,
        interpreter=PYTHON,
        started=f"{ROOT}/{main}",
        files={f"{ROOT}/{file}": digest for file, digest in files.items()},
    )
    return replace(command, **changes)


def external(workload: str, *commands: CommandFacts) -> Any:
    code = CodeFacts(recorded=True, missing=0, listings=({"workloads/run.py": "a"},), commands=commands)
    unknown: dict[str, Any] = {
        "software__frameworks": frozenset({"external"}),
        "software__precisions": frozenset({"unknown"}),
    }
    return measured(workload, program="external", provenance__code=code, **unknown)


@pytest.mark.parametrize("workload", sorted(originals()))
def test_the_suites_own_program_passes_and_is_stated(workload: str) -> None:
    item = external(workload, started(workload))
    for name in ("source", "framework", "precision"):
        assert rule(item, name).passed
    known = originals()[workload]
    assert f"{known.repository} {known.version}, unmodified" in rule(item, "source").reason
    [declared] = rule(item, "source").declared
    main = next(iter(known.files))
    assert declared == f"the suite's program is started as `{{python}} -u {main} --epochs {{epochs}}`"


@pytest.mark.parametrize(
    "given",
    [
        ("--num_batches={num_batches}",), ("-b{batch_size}",), ("-b", "{batch_size}"), ("--size", "{w},{h}"),
        ("--rng_seed", "{seed}"), ("--random-state", "{seed}"), ("--seed={seed}",), ("--run", "seed-{seed}"),
        ("--data", "{data}/train.csv"), ("--save={output}/model-{epochs}.h5",), ("--quiet",),
        ("--size=({w},{h})",), ("{data}/train_{size}.csv",),
    ],
)  # fmt: skip
def test_what_parameters_give_is_not_fixed(given: tuple[str, ...]) -> None:
    item = external("alexnet", started("alexnet", arguments=("{python}", ALEXNET, *given)))
    assert rule(item, "source").passed, rule(item, "source").reason


def test_a_single_file_may_lie_anywhere() -> None:
    main = "/home/me/benchmark_alexnet.py"
    files = {main: next(iter(originals()["alexnet"].files.values()))}
    item = external("alexnet", started("alexnet", started=main, files=files))
    assert rule(item, "source").passed


def files(workload: str, **changes: str | None) -> dict[str, str | None]:
    """Return the recorded files with changed digests; those that are None are taken out."""
    found: dict[str, str | None] = {**started(workload).files}
    found |= {f"{ROOT}/{name}": digest for name, digest in changes.items()}
    return {name: digest for name, digest in found.items() if digest is not None}


@pytest.mark.parametrize(
    ("workload", "changes", "words"),
    [
        # The suite's script is among the files, and another one is started.
        (
            "alexnet",
            {
                "started": f"{ROOT}/tensorflow/fast.py",
                "files": files("alexnet", **{"tensorflow/fast.py": "c" * 64}),
            },
            "/opt/suite/tensorflow/fast.py is not tensorflow/benchmark_alexnet.py of soumith",
        ),
        ("alexnet", {"files": files("alexnet", **{ALEXNET: "c" * 64})}, "is not tensorflow/benchmark"),
        ("alexnet", {"started": "", "arguments": ("{python}", "-c", "pass")}, "`{python} -c pass` starts no"),
        (
            "alexnet",
            {"files": files("alexnet", **{"tensorflow/tensorflow.py": "c" * 64})},
            "beside its own files Python could import /opt/suite/tensorflow/tensorflow.py",
        ),
        ("p1b1", {"files": files("p1b1", **{"Pilot1/P1B1/p1b1.py": "c" * 64})}, "p1b1.py differ from ECP"),
        ("p1b1", {"files": files("p1b1", **{"common/data_utils.py": None})}, "list a file of that folder"),
        ("alexnet", {"program": "/usr/bin/bash"}, "was run by /usr/bin/bash, which is no Python"),
        ("alexnet", {"program": ""}, "was run by a program that was not seen"),
        ("alexnet", {"environment": ("PYTHONPATH",)}, "sets or removes PYTHONPATH"),
        ("alexnet", {"environment": ("LD_PRELOAD",)}, "sets or removes LD_PRELOAD"),
        ("alexnet", {"search": ("/home/me/forks",)}, "PYTHONPATH names /home/me/forks"),
        (
            "alexnet",
            {"arguments": ("{python}", ALEXNET, "--num_batches", "1")},
            "arguments 1 are no para",
        ),
        ("alexnet", {"arguments": ("{python}", ALEXNET, "--num_batches=1")}, "--num_batches=1 are no param"),
        *(
            (
                "alexnet",
                {"arguments": ("{python}", ALEXNET, *given)},
                f"arguments {given[-1]} are no parameters",
            )
            for given in (
                ("--num_batches", "{ranks}"),
                ("--num_batches={cores}",),
                ("--num_batches", "1{batch_size}"),
                ("--num_batches", "{batch_size}0"),
                ("--num_batches=0.{batch_size}",),
                ("-b1{batch_size}",),
                ("--num_batches", "{seed}"),
                ("--num_batches={seed}",),
                ("--seed={seed}", "{seed}"),
                ("-{x}",),
            )
        ),
    ],
)
def test_another_program_fails(workload: str, changes: dict[str, Any], words: str) -> None:
    item = external(workload, started(workload), started(workload, **changes))
    found = rule(item, "source")
    assert found.passed is False
    assert words in found.reason
    assert rule(item, "precision").passed is False


def test_what_the_workload_file_reads_is_stated() -> None:
    reads = {"accuracy": "pattern 'r'", "seconds": "pattern 's'", "window": "from 'a' to 'b', of 89"}
    found = rule(external("alexnet", started("alexnet", reads=reads)), "source")
    assert found.passed
    assert found.declared[1:] == (
        "accuracy: pattern 'r'",
        "seconds: pattern 's'",
        "window: from 'a' to 'b', of 89",
    )
    chosen = rule(external("alexnet", started("alexnet", reads=reads | {"seconds": "window"})), "source")
    assert chosen.passed is False
    assert "a window that the workload file chose" in chosen.reason
    assert rule(external("p1b1", started("p1b1", reads={"seconds": "run"})), "source").passed


def test_sizes_that_a_command_printed_are_stated() -> None:
    found = rule(external("p1b1", started("p1b1")), "data")
    assert found.passed
    assert found.declared == ("sizes of the data are those that the external command printed",)
    assert rule(external("alexnet", started("alexnet")), "data").declared == ()


def test_a_text_beside_it_is_no_code() -> None:
    item = external(
        "alexnet", started("alexnet", files=files("alexnet", **{"tensorflow/notes.txt": "c" * 64}))
    )
    assert rule(item, "source").passed


def test_what_does_not_change_imports_is_stated() -> None:
    other = started("alexnet", environment=("TF_CPP_MIN_LOG_LEVEL",), program="/opt/tf1/bin/python2.7")
    found = rule(external("alexnet", other), "source")
    assert found.passed
    assert found.declared[1:] == (
        "the workload file sets or removes the variables TF_CPP_MIN_LOG_LEVEL",
        "it runs under /opt/tf1/bin/python2.7, whose packages are not recorded",
    )


def test_what_was_not_recorded_proves_nothing() -> None:
    assert "not recorded which file" in rule(external("alexnet"), "source").reason
    assert rule(external("alexnet"), "source").passed is False
    assert rule(external("p3b1", started("p1b1")), "source").passed is False
