"""Files that a browser needs: all there, and the project's own as they are installed."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from orchestrator.listing.errors import ListingError
from orchestrator.listing.runtime import project_archive, project_differs, runtime_files
from orchestrator.version import __version__

PROGRAMS = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")
WHEELS = (
    "annotated_types-0.8.0-py3-none-any.whl", "msgspec-0.22.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl",
    "pydantic-2.14.4-py3-none-any.whl", "pydantic_core-2.50.5-cp314-cp314-pyemscripten_2026_0_wasm32.whl",
    "ruamel.yaml-0.19.1-py3-none-any.whl",
    "typing_extensions-4.16.0-py3-none-any.whl", "typing_inspection-0.4.5-py3-none-any.whl",
)  # fmt: skip


def test_missing_files_are_named(tmp_path: Path) -> None:
    for name in (*PROGRAMS, *WHEELS, "console.html"):
        (tmp_path / name).touch()
    assert {file.name for file in runtime_files(tmp_path)} == {*PROGRAMS, *WHEELS}
    (tmp_path / "pyodide.asm.wasm").unlink()
    (tmp_path / WHEELS[1]).unlink()
    with pytest.raises(ListingError) as error:
        runtime_files(tmp_path)
    assert "lacks pyodide.asm.wasm, a wheel of msgspec: " in str(error.value)
    with pytest.raises(ListingError, match=r"lacks pyodide\.mjs"):
        runtime_files(tmp_path / "none")


def test_the_archive_has_the_code_that_is_installed() -> None:
    packed = project_archive()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        names = set(archive.namelist())
        content = {name: archive.read(name) for name in names}
    assert {"orchestrator/listing/recomputing.py", "db/reader.py", "sites/__init__.py"} <= names
    assert {"workloads/__init__.py", "orchestrator/rulebooks/coral2/reference.yaml"} <= names
    assert f"ensemble_throughput_orchestrator-{__version__}.dist-info/METADATA" in names
    assert not any(
        "__pycache__" in name or name.startswith(("tests/", "orchestrator/cli/")) for name in names
    )
    assert not project_differs(packed)
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:  # packed in another way
        for name, value in content.items():
            archive.writestr(name, value)
    assert not project_differs(other.getvalue())
    with zipfile.ZipFile(other, "a") as archive:
        archive.writestr("orchestrator/more.py", b"")
    assert project_differs(other.getvalue())
    assert project_differs(packed[:-30])
    assert project_differs(b"")
