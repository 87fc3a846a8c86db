from __future__ import annotations

import base64
import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import pytest

import workloads
from db.column_values import sha256, to_json
from tests.harness import wait_for
from tests.workloads.external.files import description, write
from tests.workloads.orders import ROOT, send
from workloads.provenance import code
from workloads.provenance.code import (
    OWN,
    code_digests,
    code_documents,
    command_files,
    directory_of,
    file_digest,
    package_listing,
)
from workloads.provenance.documents import document_key


def test_a_package_has_the_same_listing_wherever_it_is_installed(tmp_path: Path) -> None:
    own = package_listing(directory_of(workloads))
    shutil.copytree(ROOT / "workloads", tmp_path / "workloads")
    (tmp_path / "workloads" / "README.md").write_text("read me")
    (tmp_path / "workloads" / "campaigns" / "mine.yaml").write_text("campaign: mine")
    cache = tmp_path / "workloads" / "__pycache__"
    cache.mkdir(exist_ok=True)
    (cache / "other.py").write_text("")
    assert package_listing(tmp_path / "workloads") == own
    assert "workloads/run.py" in own
    (tmp_path / "workloads" / "lstm.py").write_text("other")
    changed = package_listing(tmp_path / "workloads")
    assert [file for file in own if own[file] != changed[file]] == ["workloads/lstm.py"]


def test_the_code_of_a_run_names_all_files_of_the_workloads() -> None:
    code, listing = code_documents(["workloads.lstm:run"], {})
    assert listing["files"] == package_listing(directory_of(workloads))
    assert code["packages"] == {"workloads": document_key(listing)}
    assert not any(file.startswith("workloads/") for file in code["files"])


def test_a_module_that_was_imported_from_elsewhere_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("workloads.lstm", "mine", "mine.net", "unrelated", "sitecustomize"):
        file = tmp_path / f"{name}.py"
        file.write_text(name)
        module = ModuleType(name)
        module.__file__ = str(file)
        monkeypatch.setitem(sys.modules, name, module)
    code, _ = code_documents(["mine.net"], {})
    digests = {name: file_digest(tmp_path / f"{name}.py") for name in ("workloads.lstm", "mine", "mine.net")}
    assert code["files"] == {
        "workloads/lstm.py": digests["workloads.lstm"],
        "mine.py": digests["mine"],
        "mine/net.py": digests["mine.net"],
        "sitecustomize.py": file_digest(tmp_path / "sitecustomize.py"),
    }


def imported(monkeypatch: pytest.MonkeyPatch, name: str, file: Path) -> None:
    """Let a module be imported from a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(name)
    module = ModuleType(name)
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture
def _all_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """List all files from elsewhere: a suite's process may have imported more tests than are listed."""
    monkeypatch.setattr(code, "_MOST_FILES", 100_000)


@pytest.mark.usefixtures("_all_files")
def test_modules_from_elsewhere_are_listed_by_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "keras", raising=False)  # another test may have imported the real one
    before = code_documents(["tests.workloads"], {})[0]
    assert not any(str(tmp_path) in file for file in before.get("elsewhere", ()))
    fork, shadow = tmp_path / "keras" / "__init__.py", tmp_path / "shadow.py"
    imported(monkeypatch, "keras", fork)
    imported(monkeypatch, "shadow", shadow)
    found = code_documents(["tests.workloads"], {})[0]["elsewhere"]
    assert {file: digest for file, digest in found.items() if file not in before.get("elsewhere", ())} == {
        str(fork): file_digest(fork), str(shadow): file_digest(shadow),
    }  # fmt: skip
    own = [file for file in found if file.startswith((f"{ROOT}/workloads", f"{ROOT}/orchestrator"))]
    assert own == []
    assert not any("site-packages" in file or "/lib/python3" in file for file in found)


def test_a_function_that_tensorflow_converted_is_not_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its file has a random name, so that each process would have run other code."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setitem(sys.modules, "tensorflow.python.autograph.pyct.loader", ModuleType("loader"))
    name = "__autograph_generated_file"
    imported(monkeypatch, f"{name}1a", tmp_path / f"{name}1a.py")
    imported(monkeypatch, f"{name}2b", tmp_path / "mine" / f"{name}2b.py")
    found = code_documents(["tests.workloads"], {})[0]["elsewhere"]
    assert [file for file in found if str(tmp_path) in file] == [f"{tmp_path}/mine/{name}2b.py"]


@pytest.mark.slow
def test_a_training_of_the_suite_imports_nothing_from_elsewhere() -> None:
    small = {"batch_size": 8, "hidden_width": 16, "sequence_length": 5, "steps": 10}
    report = send("lstm", small, fresh=True)
    assert report.code == 0, report.stderr
    [code] = [one for one in report.last["result"]["documents"] if "packages" in one]
    assert code["versions"].keys() >= {"keras", "numpy", "tensorflow"}
    assert "elsewhere" not in code, code["elsewhere"]


@pytest.mark.usefixtures("_all_files")
def test_a_prefix_of_installed_packages_is_named_by_its_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = tmp_path / "spack" / "lib" / "site-packages"
    (prefix / "net-1.0.dist-info").mkdir(parents=True)
    (prefix / "net-1.0.dist-info" / "RECORD").write_text("net/__init__.py,sha256=x,1\n")
    imported(monkeypatch, "net", prefix / "net" / "__init__.py")
    imported(monkeypatch, "stray", prefix / "stray.py")
    code = code_documents(["workloads.lstm"], {})[0]
    assert code["prefixes"].keys() == {str(prefix)}
    assert str(prefix / "stray.py") in code["elsewhere"]
    assert str(prefix / "net" / "__init__.py") not in code["elsewhere"]


def test_the_interpreter_and_variables_that_add_places_are_named(tmp_path: Path) -> None:
    given = {"PYTHONPATH": f"{ROOT}:/other:", "PYTHONHOME": "/home"}
    code = code_documents(["workloads.lstm"], {}, environment=given)[0]
    program = code["interpreter"]
    assert Path(program["path"]).samefile(sys.executable)
    assert program["sha256"] == file_digest(program["path"])
    assert code["search"] == {"PYTHONPATH": "/other", "PYTHONHOME": "/home"}
    assert "search" not in code_documents(["workloads.lstm"], {}, environment={"PYTHONPATH": str(ROOT)})[0]


def test_a_file_that_python_runs_first_belongs_to_an_installed_package_or_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"import os\n"
    for name in ("owned", "edited", "stray", "paths"):
        (tmp_path / f"{name}.pth").write_bytes(content if name != "paths" else b"/some/folder\n")
    (tmp_path / "edited.pth").write_bytes(content + b"import sys\n")
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    record = tmp_path / "one-1.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text(f"owned.pth,sha256={digest},10\nedited.pth,sha256={digest},10\n")
    monkeypatch.setattr(code.site, "getsitepackages", lambda: [str(tmp_path)])
    found = code.foreign_start_up_files.__wrapped__()
    assert {Path(file).name for file in found if file.startswith(str(tmp_path))} == {
        "edited.pth",
        "stray.pth",
    }


def test_a_file_that_changed_during_the_run_has_no_digest() -> None:
    own, files = code_digests(["tests.workloads"], {})
    name, *_ = files
    before = ({**own, "workloads/run.py": "0"}, {**files, name: "1"})
    code, listing = code_documents(["tests.workloads"], {}, before)
    assert {file for file, digest in listing["files"].items() if digest is None} == {"workloads/run.py"}
    assert {file for file, digest in code["files"].items() if digest is None} == {name}


def test_before_a_run_a_listing_that_is_known_is_taken_without_a_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a forked process, which has the listing of the one that it was forked from."""
    package = tmp_path / OWN
    package.mkdir()
    early, late = package / "early.py", package / "late.py"
    for file in (early, late):
        file.write_text("X = 1")
    monkeypatch.setattr(code, "_SETTLED_NS", -(1 << 62))
    monkeypatch.setattr(code, "directory_of", lambda _: package)
    monkeypatch.setattr(code, "local_devices", lambda: frozenset({early.stat().st_dev}))
    known, _ = code_digests([], {})
    early.write_text("X = 22")
    begun_ns = early.stat().st_ctime_ns + 1
    with monkeypatch.context() as context:
        context.setattr(code, "package_listing", lambda *_, **__: pytest.fail("looked"))
        before = code_digests([], {}, anew=False)
    assert before[0] is known

    def changed() -> bool:
        late.write_text("X = 333")
        return late.stat().st_ctime_ns >= begun_ns

    wait_for(changed, "a later time of change")
    _, listing = code_documents([], {}, before, begun_ns=begun_ns)
    assert listing["files"] == {
        f"{OWN}/early.py": hashlib.sha256(b"X = 22").hexdigest(),
        f"{OWN}/late.py": None,
    }
    monkeypatch.setattr(code, "local_devices", frozenset)
    shared = code_digests([], {})[0]
    early.write_text("X = 4444")
    assert code_digests([], {}, anew=False)[0] != shared


def test_a_big_file_is_sampled_and_a_missing_one_has_no_digest(tmp_path: Path) -> None:
    big = tmp_path / "big"
    big.write_bytes(b"a" * (9 << 20))
    before = file_digest(big)
    assert before is not None
    assert before.startswith("sampled:")
    with big.open("ab") as stream:
        stream.write(b"b")
    assert file_digest(big) not in (before, None)
    assert file_digest(tmp_path / "none") is None


def test_a_file_is_read_again_once_it_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "net.py"
    file.write_text("X = 1")
    recent = file_digest(file)
    file.write_text("X = 2")  # perhaps within the resolution of its times
    assert file_digest(file) != recent
    monkeypatch.setattr(code, "_SETTLED_NS", -(1 << 62))
    first = file_digest(file)
    with monkeypatch.context() as context:
        context.setattr(code, "_digest", lambda *_: pytest.fail("read"))
        assert file_digest(file) == first
    before = file.stat()

    def changed() -> bool:
        file.write_text("X = 3")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))  # as a copy that keeps its original's
        return file_digest(file) != first

    wait_for(changed, "another time of change")
    file.unlink()
    assert file_digest(file) is None


@pytest.mark.parametrize("local", [True, False])
def test_a_file_that_is_as_it_was_is_opened_only_where_another_node_may_change_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, local: bool
) -> None:
    package = tmp_path / "mine"
    package.mkdir()
    file = package / "net.py"
    file.write_text("X = 1")
    monkeypatch.setattr(code, "_SETTLED_NS", -(1 << 62))
    devices = frozenset({file.stat().st_dev} if local else ())
    monkeypatch.setattr(code, "local_devices", lambda: devices)
    first = package_listing(package)
    opened: list[str] = []
    real = os.open
    with monkeypatch.context() as context:
        context.setattr(code.os, "open", lambda path, flags: opened.append(str(path)) or real(path, flags))
        assert package_listing(package, anew=False) is first
        assert opened == []
        assert package_listing(package) == first
        assert file_digest(file) == first["mine/net.py"]
    assert opened == ([] if local else [str(package), str(file), str(file)])

    def changed() -> bool:
        file.write_text("X = 2")
        return package_listing(package) != first

    wait_for(changed, "another time of change")
    assert first != package_listing(package, anew=False) == {"mine/net.py": file_digest(file)}


def test_only_file_systems_that_no_other_node_changes_are_local(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mountinfo"
    monkeypatch.setattr(code, "Path", lambda _: mounts)
    found = code.local_devices.__wrapped__
    mounts.write_text(
        "22 1 254:0 / / rw,noatime shared:1 - ext4 /dev/vda rw\n"
        "23 22 0:52 / /home rw - nfs4 server:/home rw,vers=4.2\n"
        "24 22 0:53 / /tmp rw - tmpfs tmpfs rw\n"
        "25 22 0:54 / /opt rw - overlay overlay rw,lowerdir=/a\n"
    )
    assert found() == {os.makedev(254, 0), os.makedev(0, 53)}
    mounts.write_text("unlike\n")
    assert found() == set()
    mounts.unlink()
    assert found() == set()


def test_modules_that_come_and_go_between_looks_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def files() -> set[str]:
        return code._imported_files({"mine_a", "mine_b"}).keys() & {"mine_a.py", "mine_b.py"}

    def add(name: str) -> None:
        module = ModuleType(name)
        module.__file__ = f"/somewhere/{name}.py"
        monkeypatch.setitem(sys.modules, name, module)

    assert files() == set()
    add("mine_a")
    assert files() == {"mine_a.py"}
    assert files() == {"mine_a.py"}
    add("other_c")
    add("mine_b")
    assert files() == {"mine_a.py", "mine_b.py"}
    assert code._imported_files({"mine_b"}) == {"mine_b.py": "/somewhere/mine_b.py"}
    monkeypatch.delitem(sys.modules, "mine_b")  # the last
    assert files() == {"mine_a.py"}
    add("mine_b")
    assert files() == {"mine_a.py", "mine_b.py"}
    monkeypatch.delitem(sys.modules, "mine_a")
    add("mine_d")  # as many as before
    assert files() == {"mine_b.py"}


def test_a_folder_is_read_again_once_a_file_has_come_or_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "mine"
    below = package / "deep/deeper"
    below.mkdir(parents=True)
    (package / "a.py").write_text("A = 1")
    (package / "a.txt").write_text("no code")
    (package / "loop").symlink_to(package)
    monkeypatch.setattr(code, "_SETTLED_NS", -(1 << 62))
    assert package_listing(package).keys() == {"mine/a.py"}
    with monkeypatch.context() as context:
        context.setattr(code, "_folder_content", lambda *_: pytest.fail("read"))
        assert package_listing(package).keys() == {"mine/a.py"}
    times = below.stat().st_ctime_ns

    def later() -> bool:
        (below / "b.yaml").write_text("b: 1")
        (below / "b.yaml").unlink()
        return below.stat().st_ctime_ns != times

    wait_for(later, "another time of change")
    (below / "b.yaml").write_text("b: 1")
    assert package_listing(package).keys() == {"mine/a.py", "mine/deep/deeper/b.yaml"}
    (below / "b.yaml").unlink()
    below.rmdir()
    (package / "deep" / "c.py").write_text("C = 1")
    assert package_listing(package).keys() == {"mine/a.py", "mine/deep/c.py"}
    assert package_listing(tmp_path / "none") == {}


def test_programs_and_scripts_of_a_command_are_its_files_and_data_are_not(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for name in ("train.py", "net.json", "data/rows.csv"):
        (tmp_path / name).write_text(name)
    arguments = [
        "sh",
        "train.py",
        "--net=net.json",
        "--rows",
        str(data / "rows.csv"),
        "",
        "x" * 5000,
        "--fast",
    ]
    found = command_files(arguments, tmp_path, [data])
    assert {name for name in found if not name.startswith("/")} == {"train.py", "net.json"}
    assert [Path(name).name for name in found if name.startswith("/")] == ["sh"]


def test_a_user_s_module_is_reported_as_it_was_imported() -> None:
    result = send("tests.workloads.toy").last["result"]
    code, variables, listing = result["documents"]
    assert code["files"]["tests/workloads/toy.py"] == file_digest(ROOT / "tests/workloads/toy.py")
    assert result["seen"]["code"] == document_key(code) == sha256(to_json(code))
    assert result["seen"]["variables"] == document_key(variables)
    assert "PATH" not in variables["variables"]
    again = send("tests.workloads.toy", known_documents=[document_key(listing)]).last["result"]
    assert again["documents"] == [code, variables]


def test_the_files_of_an_external_command_are_reported(tmp_path: Path) -> None:
    (tmp_path / "score.py").write_text("print('score 0.5')")
    (tmp_path / "library.py").write_text("")
    content = description(
        arguments=["{python}", "score.py"], files=["library.py"], environment={"KERAS_MAX_EPOCHS": "1"}
    )
    code, variables, _ = send(write(tmp_path, content)).last["result"]["documents"]
    for name in ("score.py", "library.py", "own.yaml"):
        assert code["files"][name] == file_digest(tmp_path / name)
    assert variables["variables"]["KERAS_MAX_EPOCHS"] == "1"


def test_versions_of_imported_libraries_are_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, version in (("numpy", "1.0.other"), ("scipy", None), ("unrelated", "2")):
        module = ModuleType(name)
        if version is not None:
            module.__version__ = version  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, module)
    versions = code_documents(["workloads.lstm"], {})[0]["versions"]
    assert versions["numpy"] == "1.0.other"
    assert not {"scipy", "unrelated"} & versions.keys()
