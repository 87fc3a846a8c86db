from __future__ import annotations

import subprocess
import sys

import pytest

from orchestrator.catalog import registry
from tests.workloads import toy
from tests.workloads.orders import ROOT
from workloads import modules
from workloads.description import WorkloadError

HEAVY = ("tensorflow", "keras", "pandas", "sklearn", "numpy")


def test_describing_every_workload_imports_nothing_heavy():
    program = (
        "import sys\nfrom orchestrator.catalog import registry\nfrom workloads import modules\n"
        "for name in modules.names(): assert registry.describe(name).name == name\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", modules.names())
def test_everything_a_description_refers_to_exists(name):
    workload = registry.describe(name)
    assert callable(modules.load(workload.entry))
    if workload.data:
        assert callable(modules.load(workload.data.maker))
        assert callable(modules.load(workload.data.checker))


def test_a_module_path_names_a_workload_of_ones_own():
    assert registry.describe("tests.workloads.toy") is toy.WORKLOAD


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lsmt", "no workload 'lsmt'; did you mean lstm?"),
        ("zebra", "no workload 'zebra'; there are p1b1, p3b1, lstm"),
        ("tests.workloads.nothing", "no module 'tests.workloads.nothing' on the Python path"),
        ("nowhere.at.all", "no module 'nowhere.at.all' on the Python path (not found: nowhere)"),
        ("tests.workloads.orders", "module 'tests.workloads.orders' has no 'WORKLOAD'"),
        (".relative", "'.relative' is not a dotted module path"),
    ],
)
def test_what_is_no_workload_is_refused_with_the_reason(name, message):
    with pytest.raises(WorkloadError) as caught:
        registry.describe(name)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("name", ["bare.py", "./bare.py", "folder/bare", "no.such.folder.py"])
def test_a_script_is_refused_before_it_runs(tmp_path, monkeypatch, name):
    (tmp_path / "bare.py").write_text("raise SystemExit('the script ran')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(WorkloadError) as caught:
        registry.describe(name)
    assert str(caught.value) == (
        f"workload {name!r} is a path and no .yaml file; a script needs a workload file, which says how it "
        "is started: `orchestrator docs your-own`, External command"
    )


def test_a_module_whose_own_import_is_missing_says_which(tmp_path, monkeypatch):
    (tmp_path / "own_workload.py").write_text("import not_installed_anywhere\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(WorkloadError, match="'own_workload' needs 'not_installed_anywhere'"):
        modules.load("own_workload:WORKLOAD")


def test_a_description_of_the_wrong_type_is_refused(tmp_path, monkeypatch):
    (tmp_path / "holder").mkdir()
    (tmp_path / "holder" / "wrong.py").write_text("WORKLOAD = {}\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(WorkloadError, match="is a dict, not a workload description"):
        registry.describe("holder.wrong")


@pytest.mark.parametrize("reference", ["module", "module:", ":name", ""])
def test_references_need_module_and_name(reference):
    with pytest.raises(WorkloadError, match="must have the form module:name"):
        modules.load(reference)


@pytest.fixture
def _plugin(tmp_path, monkeypatch):
    """An installed package that names two workloads, one by the name of a built-in one."""
    facts = tmp_path / "plugin-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(
        f"[{modules.GROUP}]\ntoy-of-theirs = tests.workloads.toy:WORKLOAD\nlstm = tests.workloads.toy\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    modules.installed.cache_clear()
    yield
    modules.installed.cache_clear()


@pytest.mark.usefixtures("_plugin")
def test_an_installed_package_names_workloads_by_entry_points():
    assert registry.names() == (*modules.names(), "toy-of-theirs")
    assert registry.describe("toy-of-theirs") is toy.WORKLOAD
    assert registry.describe("lstm").name == "lstm"
    with pytest.raises(WorkloadError, match="did you mean toy-of-theirs"):
        registry.describe("toy-of-their")
