"""Names of imported modules, each looked at once."""

from __future__ import annotations

import sys
import sysconfig
from types import ModuleType

import pytest

from workloads.provenance import imports
from workloads.provenance.imports import ImportedModules


def test_a_look_that_imports_a_module_itself_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def wanted(name: str) -> bool:
        if not looked:
            monkeypatch.setitem(sys.modules, "imported_meanwhile", ModuleType("imported_meanwhile"))
        looked.append(name)
        return name.startswith("imported_")

    modules = ImportedModules(wanted)
    assert "imported_meanwhile" not in modules.names()
    assert looked == [name for name in sys.modules if name != "imported_meanwhile"]
    looked[:] = ["before"]
    assert modules.names() == ["imported_meanwhile"]
    assert looked == ["before", "imported_meanwhile"]
    assert modules.names() == ["imported_meanwhile"]
    assert len(looked) == 2


def test_the_folders_of_the_standard_library_are_those_of_python() -> None:
    folders = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    assert imports._library() == imports._with_real(folders)
