"""Changed sources are seen at once, installed packages every few seconds."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path
from types import ModuleType

import pytest

from tests.harness import ROOT, wait_for
from workloads.forking.loaded_files import LoadedFiles

REPLACED = """
import os, shutil
from workloads.forking.loaded_files import LoadedFiles
files, program = LoadedFiles(), os.readlink("/proc/self/exe")
print(files.changed(at_once=True))
shutil.copy(program, f"{program}.new")
os.rename(f"{program}.new", program)
print(files.changed(at_once=True))
"""


def module(monkeypatch: pytest.MonkeyPatch, name: str, file: Path) -> Path:
    """Have an imported module in a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("X = 1")
    found = ModuleType(name)
    found.__file__ = str(file)
    monkeypatch.setitem(sys.modules, name, found)
    return file


def test_a_source_that_changes_or_goes_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = module(monkeypatch, "mine.net", tmp_path / "mine" / "net.py")
    files = LoadedFiles()
    assert files.changed() is None
    os.utime(file, ns=(1, 1))
    assert files.changed() == str(file)
    file.unlink()
    assert files.changed() == str(file)
    module(monkeypatch, "mine.net", file)
    assert LoadedFiles().changed() is None


def test_a_source_written_while_imports_ran_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = module(monkeypatch, "mine.net", tmp_path / "mine" / "net.py")
    os.utime(file, ns=(1, 1))  # as a copy that keeps the time of its original
    written_ns = file.stat().st_ctime_ns
    assert LoadedFiles(started_ns=written_ns).changed() is None
    assert LoadedFiles(started_ns=written_ns - 1).changed() == str(file)


def test_an_installation_is_seen_after_some_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "lib" / "site-packages"
    file = module(monkeypatch, "numbers_of_others", folder / "numbers_of_others" / "a.py")
    seconds = 0.0
    files = LoadedFiles(lambda: seconds)
    os.utime(file, ns=(1, 1))  # not looked at one by one
    os.utime(folder, ns=(1, 1))
    assert files.changed() is None
    assert files.changed(at_once=True) == f"{folder}/"
    seconds = 5.0
    assert files.changed() == f"{folder}/"


def test_another_python_in_the_place_of_the_one_that_runs_is_seen(tmp_path: Path) -> None:
    home = tmp_path / "python"
    venv.create(home, symlinks=False)
    program = home / "bin" / "python3"
    ended = subprocess.run(
        [program, "-c", REPLACED],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        env={"HOME": str(home)},
    )
    assert ended.stdout.splitlines() == ["None", str(program.resolve())]


def test_the_first_file_of_a_package_is_looked_at_and_all_of_a_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "lib" / "site-packages"
    first = module(monkeypatch, "numbers_of_others", folder / "numbers_of_others" / "__init__.py")
    second = module(monkeypatch, "numbers_of_others.b", folder / "numbers_of_others" / "b.py")
    files, of_user = LoadedFiles(), LoadedFiles(package="numbers_of_others")
    second.write_text("X = 2 + 2")
    assert files.changed(at_once=True) is None
    assert of_user.changed() == str(second)
    first.write_text("X = 2 + 2")
    assert files.changed() is None
    assert files.changed(at_once=True) == str(first)


def test_a_file_whose_time_was_set_back_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = module(monkeypatch, "mine.net", tmp_path / "mine" / "net.py")
    was = file.stat()
    files = LoadedFiles()

    def changed() -> bool:  # a file system's clock advances in steps of milliseconds
        file.write_text("X = 2")
        os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
        return files.changed() == str(file)

    wait_for(changed, "another time of change")
    assert file.stat()[:2] == was[:2]
    assert file.stat().st_mtime_ns == was.st_mtime_ns


def test_links_and_modes_of_what_is_installed_are_no_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "site-packages"
    file = module(monkeypatch, "numbers_of_others", folder / "numbers_of_others.py")
    before, files = [one.stat().st_ctime_ns for one in (file, folder)], LoadedFiles()

    def changed() -> bool:  # a file system's clock advances in steps of milliseconds
        (tmp_path / "cached.py").unlink(missing_ok=True)
        (tmp_path / "cached.py").hardlink_to(file)
        folder.chmod(0o755)
        return all(one.stat().st_ctime_ns != was for one, was in zip((file, folder), before, strict=True))

    wait_for(changed, "other times of change")
    assert files.changed(at_once=True) is None
    file.write_text("X = 2 + 2")
    assert files.changed(at_once=True) == str(file)


def test_modules_without_a_file_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "odd", ModuleType("odd"))
    monkeypatch.setitem(sys.modules, "none", None)  # type: ignore[arg-type]
    assert LoadedFiles().changed() is None
