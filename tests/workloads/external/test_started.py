"""What a command started, by the files themselves."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.workloads.external.files import description, result, write
from tests.workloads.orders import send
from workloads.external.started import position_of_script


@pytest.fixture(autouse=True)
def _scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def started(folder: Path, *arguments: str, **changes: Any) -> dict[str, Any]:
    """Run a command with arguments for Python, and return what its code says that it started."""
    content = description(**changes)
    content["command"]["arguments"] = list(arguments)
    found = result(send(write(folder, content)))
    assert "started" not in found["seen"]
    [code] = [one for one in found["documents"] if "packages" in one]
    command: dict[str, Any] = code["command"]
    return command


def test_the_script_and_all_that_it_may_import_are_listed(tmp_path: Path) -> None:
    place = tmp_path / "program"
    (place / "package").mkdir(parents=True)
    for name in ("main.py", "beside.py", "package/__init__.py", "notes.txt"):
        (place / name).write_text(f"# {name}\n")
    (place / "main.py").write_text("import beside, package\n")
    (tmp_path / "listed.txt").write_text("read by it")
    (tmp_path / "link.py").symlink_to(place / "main.py")
    words = ("{python}", "-u", "link.py", "{seed}")
    found = started(tmp_path, *words, files=["listed.txt"], environment={"A": "1"})
    assert found["arguments"] == list(words)
    assert found["environment"] == ["A"]
    assert found["program"] == os.path.realpath(sys.executable)
    assert found["started"] == str(place / "main.py")
    own = [place / "main.py", place / "beside.py", place / "package" / "__init__.py", tmp_path / "listed.txt"]
    # The folder of a listed file may be one that it imports from.
    assert found["files"] == {str(path): digest(path) for path in [*own, tmp_path / "link.py"]}


def test_a_script_that_puts_another_in_its_place_is_seen(tmp_path: Path) -> None:
    script = tmp_path / "main.py"
    script.write_text("from pathlib import Path\nPath(__file__).write_text('print(1)')\n")
    found = started(tmp_path, "{python}", "main.py")
    assert found["files"] == {str(script): None}
    script.write_text("import os\nopen('other.py', 'w').close()\n")
    found = started(tmp_path, "{python}", "main.py")
    assert found["files"] == {str(script): digest(script), str(tmp_path / "other.py"): None}


def test_compiled_files_beside_a_script_are_listed(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("import beside\n")
    (tmp_path / "beside.py").write_text("")
    names = {Path(name).name for name in started(tmp_path, "{python}", "main.py")["files"]}
    assert names == {"main.py", "beside.py"}, "a command leaves no compiled files of its own"
    cache = tmp_path / "__pycache__"
    cache.mkdir()
    (cache / "beside.cpython-311.pyc").write_bytes(b"other")
    assert str(cache / "beside.cpython-311.pyc") in started(tmp_path, "{python}", "main.py")["files"]


def test_a_shell_is_seen_where_a_script_names_it(tmp_path: Path) -> None:
    (tmp_path / "python3").write_text("#!/bin/sh\nsleep 0.2\n")
    (tmp_path / "python3").chmod(0o755)
    (tmp_path / "main.py").write_text("")
    found = started(tmp_path, "{folder}/python3", "main.py")
    assert found["program"] == os.path.realpath("/bin/sh")


def test_code_that_is_no_file_is_no_script(tmp_path: Path) -> None:
    assert started(tmp_path, "{python}", "-c", "pass")["started"] == ""
    assert position_of_script(["python", "-m", "main"]) is None
    assert position_of_script(["python", "-u", "-B", "main.py", "-c"]) == 3
    assert position_of_script(["python"]) is None


def test_a_folder_of_many_files_is_not_listed_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("")
    for number in range(300):
        (tmp_path / f"m{number}.py").touch()
    found = started(tmp_path, "{python}", "main.py")["files"]
    assert len(found) == 201
    assert found["more than 200 files"] is None


@pytest.mark.parametrize(
    ("arguments", "position"),
    [
        (["python", "a.py", "-m"], 1), (["python", "-u", "-B", "a.py"], 3),
        (["python", "-m", "mpi4py", "a.py"], 3),
        (["python", "-u", "-m", "mpi4py", "a.py"], 4), (["python", "-m", "mpi4py"], None),
        (["python", "-m", "other", "a.py"], None), (["python", "-c", "pass"], None), (["python"], None),
    ],
)  # fmt: skip
def test_the_script_is_found_behind_options_that_change_no_code(
    arguments: list[str], position: int | None
) -> None:
    assert position_of_script(arguments) == position
