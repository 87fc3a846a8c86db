"""A wheelhouse is installed by its hashes, with the network cut off."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path

import pytest

from tests.schedulers.fixtures import missing
from tests.wheelhouse import REQUIREMENTS, main

INFORMATION = "built_here-1.0.dist-info"
TAG = f"linux_{platform.machine()}"


@pytest.fixture
def built(tmp_path: Path) -> Distribution:
    """A package as an installer leaves one that was compiled here: script, bytecode and files of its own."""
    folder = tmp_path / "lib" / "python3" / "site-packages"
    files = {
        "built_here/__init__.py": "answer = 42\n",
        "built_here/größe.txt": "x" * 5000,
        "built_here/__pycache__/__init__.cpython-311.pyc": "bytecode",
        f"{INFORMATION}/METADATA": "Metadata-Version: 2.1\nName: built-here\nVersion: 1.0\n",
        f"{INFORMATION}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-{TAG}\n",
        f"{INFORMATION}/entry_points.txt": "[console_scripts]\nrun-it = built_here:main\n",
        f"{INFORMATION}/INSTALLER": "uv",
        f"{INFORMATION}/uv_build.json": "{}",
        "../../../bin/run-it": "#!/elsewhere/python\n",
    }
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / INFORMATION / "RECORD").write_text("".join(f"{name},,\n" for name in files))
    [found] = distributions(path=[str(folder)])
    return found


def without_network(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    return subprocess.run(
        ["unshare", "-n", *words], capture_output=True, text=True, env=environment, check=False
    )


def test_what_was_built_here_is_packed_and_installed_without_network(
    built: Distribution, tmp_path: Path
) -> None:
    missing([] if os.geteuid() == 0 else ["a network namespace, which root may make"])
    house, there = tmp_path / "house", tmp_path / "there"
    main(house, [built])
    [wheel] = house.glob("*.whl")
    assert wheel.name == f"built_here-1.0-py3-none-{TAG}.whl"
    before = wheel.read_bytes()
    main(house, [built])  # again, into the same folder
    assert wheel.read_bytes() == before
    assert sorted(file.name for file in house.iterdir()) == [wheel.name, REQUIREMENTS]
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--find-links", str(house)]
    words += ["--require-hashes", "--requirement", str(house / REQUIREMENTS), "--target", str(there)]
    ended = without_network(*words)
    assert ended.returncode == 0, ended.stderr
    assert (there / "built_here" / "größe.txt").read_text() == "x" * 5000
    assert (there / "bin" / "run-it").read_text().splitlines()[0] == f"#!{sys.executable}"
    wheel.write_bytes(before[:-1] + b"?")
    changed = without_network(*words, "--upgrade")
    assert changed.returncode != 0
    assert "DO NOT MATCH THE HASHES" in changed.stderr
