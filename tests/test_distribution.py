"""A stranger can install the distributions, and test the project from the source distribution."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.harness import ROOT
from tests.requirements import needs

pytestmark = pytest.mark.slow
SMALL = ("gemm.parameters.seconds=0.1", "triad.parameters.seconds=0.1")


def done(*words: str | Path, cwd: Path) -> str:
    """Return what a command prints that imports nothing from this checkout."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ended = subprocess.run(
        [str(word) for word in words], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def files_of_the_checkout() -> list[str]:
    """Return the files that the next commit may have."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout: distributions are made from the files that git lists")
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = set(done(*words, cwd=ROOT).rstrip("\0").split("\0"))
    return sorted(name for name in listed if (ROOT / name).is_file())


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, and the wheel made from it, as `make release` makes them."""
    needs("build", "twine")
    folder = tmp_path_factory.mktemp("distributions")
    for name in files_of_the_checkout():
        copy = folder / "checkout" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy)
    words = ["build", "--no-isolation", "--outdir", "../dist", "."]
    done(sys.executable, "-m", *words, cwd=folder / "checkout")
    return folder / "dist"


def only(folder: Path, pattern: str) -> Path:
    [file] = folder.glob(pattern)
    return file


@pytest.fixture(scope="module")
def unpacked(distributions: Path) -> Path:
    """The folder that the source distribution unpacks to."""
    place = distributions.parent / "unpacked"
    with tarfile.open(only(distributions, "*.tar.gz")) as archive:
        archive.extractall(place, filter="data")
    return only(place, "*")


def test_a_package_index_takes_them(distributions: Path) -> None:
    files = [only(distributions, "*.tar.gz"), only(distributions, "*.whl")]
    done(sys.executable, "-m", "twine", "check", "--strict", *files, cwd=distributions)


def test_the_source_distribution_has_every_file_of_the_checkout(unpacked: Path) -> None:
    assert [name for name in files_of_the_checkout() if not (unpacked / name).is_file()] == []


def test_tests_run_from_the_source_distribution(unpacked: Path) -> None:
    parts = ["tests/readmes", "tests/sites", "tests/golden", "tests/test_sizes.py"]
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", *parts]
    assert " passed" in done(sys.executable, *words, cwd=unpacked)


def test_the_wheel_runs_hello_in_an_empty_environment(distributions: Path, tmp_path: Path) -> None:
    needs("uv")
    python, wheel = tmp_path / "venv" / "bin" / "python", only(distributions, "*.whl")
    done(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv", cwd=tmp_path)
    done(sys.executable, "-m", "uv", "pip", "install", "--python", python, wheel, cwd=tmp_path)
    orchestrator = python.with_name("orchestrator")
    assert done(orchestrator, "--version", cwd=tmp_path).strip() in wheel.name.split("-")
    smaller = [word for text in SMALL for word in ("--set", text)]
    assert "14 of 14 programs finished" in done(orchestrator, "launch", "hello", *smaller, cwd=tmp_path)
