"""Fetching and comparing data files from the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.lifecycle.data.files import make_data
from tests.orchestrator.cli.command_line import CommandLine
from tests.orchestrator.lifecycle.data.file_server import FileServer, serving
from workloads.data.synthetic import MARKER
from workloads.modules import workload

SIZES = {"train_rows": 12, "test_rows": 6, "features": 40}


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving() as found:
        yield found


def test_the_list_fetches_nothing(run: CommandLine, tmp_path: Path) -> None:
    ended = run("data", "fetch", "cifar10_resnet44", "--list", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "170,052,171 bytes  MD5, SHA-256" in ended.stdout
    assert "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz" in ended.stdout
    shown = json.loads(run("data", "fetch", "p1b2", "--list", "--json", cwd=tmp_path).stdout)
    assert [file["name"] for file in shown["files"]] == ["P1B2.train.csv", "P1B2.test.csv"]
    assert list(tmp_path.iterdir()) == []


def test_a_mirror_is_fetched_from(run: CommandLine, tmp_path: Path, server: FileServer) -> None:
    words = ("data", "fetch", "nt3", "--only", "nt_test2.csv", "--url", server.url)
    ended = run(*words, cwd=tmp_path, no_proxy="127.0.0.1")
    assert (ended.returncode, ended.stdout) == (0, "data/nt3: 1 file fetched of 1\n")
    assert f"nt_test2.csv: fetching from {server.url}/nt_test2.csv" in ended.stderr
    assert (tmp_path / "data/nt3/nt_test2.csv").read_bytes() == server.content
    assert run(*words, cwd=tmp_path).stdout == "data/nt3: 0 files fetched of 1\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("lstm",), "no published source of the data of workload lstm is known"),
        (("resnet50",), "need an account at image-net.org"),
        (("nt3", "--only", "nt_train.csv"), "did you mean nt_train2.csv?"),
        (("nt3", "--url", "file:///etc"), "only addresses of http, https, ftp are fetched"),
    ],
)
def test_errors_are_one_line(run: CommandLine, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    ended = run("data", "fetch", *words, cwd=tmp_path)
    assert ended.returncode != 0
    assert said in ended.stderr.splitlines()[-1]


def test_parameters_of_any_type_may_be_set(run: CommandLine, tmp_path: Path) -> None:
    sizes = ("--set", "train_images=10", "--set", "test_images=1")
    assert run("data", "generate", "deep500_training", "--output", "d", *sizes, cwd=tmp_path).returncode == 0
    given = ("learning_rate=1e-3", "drop_last=false", "sampler=bucket")
    words = [word for one in given for word in ("--set", one)]
    assert run("data", "verify", "deep500_training", "d", *words, cwd=tmp_path).returncode == 0
    for wrong, message in (
        ("drop_last", "'drop_last' is not NAME=VALUE"),
        ("drop_last=[", "the value is no YAML"),
        ("drop_last=", "drop_last must be true or false"),
    ):
        ended = run("data", "verify", "deep500_training", "d", "--set", wrong, cwd=tmp_path)
        assert ended.returncode in (1, 2)
        assert message in ended.stderr
        assert "Traceback" not in ended.stderr


def test_the_data_set_that_is_verified_is_named(run: CommandLine, tmp_path: Path) -> None:
    sizes = ("--set", "train_images=10", "--set", "test_images=1")
    words = ("--set", "dataset=fashion_mnist")
    made = run("data", "generate", "deep500_training", "--output", "d", *words, *sizes, cwd=tmp_path)
    assert "train-images-idx3-ubyte  7,856 bytes" in made.stdout
    assert "d: good" in run("data", "verify", "deep500_training", "d", *words, cwd=tmp_path).stdout
    ended = run("data", "verify", "deep500_training", "d", cwd=tmp_path)
    assert ended.returncode != 0
    assert ended.stderr.splitlines()[-1].endswith("or name another dataset")


def test_files_are_recorded_and_their_changes_found(run: CommandLine, tmp_path: Path) -> None:
    files = make_data(workload("nt3"), tmp_path / "d", SIZES)
    words = ("data", "verify", "nt3", "d")
    assert "checksum" not in run(*words, cwd=tmp_path).stdout  # synthetic files have none
    (tmp_path / "d" / MARKER).unlink()
    assert "not known" in run(*words, cwd=tmp_path).stdout
    assert "as recorded" in run(*words, "--record", cwd=tmp_path).stdout
    files[0].write_bytes(files[0].read_bytes() + b"\n")
    ended = run(*words, cwd=tmp_path)
    assert (ended.returncode, "changed" in ended.stdout) == (1, True)
    states = json.loads(run(*words, "--json", cwd=tmp_path).stdout)["checksums"]
    assert sorted(file["state"] for file in states) == ["as recorded", "changed"]
