"""Files that include others: merged in order, self-contained as text, and refused with file and line."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sites import FileError, find, load
from sites.resolved import RESOLVED, Setting, dump, merged, resolve
from sites.yaml_loader import load as load_yaml

SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text()
KEYS = st.text(min_size=1)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    return folder / f"{next(iter(files))}.yaml"


def resolved(file: Path) -> dict[Any, Any]:
    return resolve(file, "site", find).data


@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_what_is_dumped_is_loaded_again(data: dict[str, Any]) -> None:
    hidden = ("\U0001fffe", "\U0001ffff", "\U0002fffe")
    if not any(one in repr(data) or one in str(data) for one in hidden):
        assert (load_yaml(dump(data)) or {}) == data


def test_values_of_every_kind_survive() -> None:
    data = {
        "a b": [1.5, 1e-300, float("inf"), -float("inf"), None, True],
        "yes": {"x": {}, "y": [], "1": "010"},
    }
    data["odd"] = ["\x85\u2028\x7f\ufeff\x01", "\U0001f600", "no", "~", "2 h", "# x", "a: b"]  # type: ignore[assignment]
    assert load_yaml(dump(data)) == data


def test_mappings_are_merged_and_the_including_file_wins(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        ours="include: [machine.yaml, ./user.yaml]\nscheduler: {walltime: 2 h}\n",
        machine="site: m\nscheduler: {type: slurm, walltime: 1 h, account: a}\nslot: {cores: 1}\n",
        user="scheduler: {account: mine}\nslot: {cores: 2}\n",
    )
    assert resolved(file) == {
        "site": "m",
        "scheduler": {"type": "slurm", "walltime": "2 h", "account": "mine"},
        "slot": {"cores": 2},
    }


def test_paths_are_from_the_file_that_includes(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    write(tmp_path / "inner", a="include: b.yaml\n", b="site: inner\n")
    assert resolved(write(tmp_path, ours="include: inner/a.yaml\n")) == {"site": "inner"}


def test_a_name_includes_a_site_of_the_search_path(tmp_path: Path) -> None:
    site, text = load(
        str(write(tmp_path, ours="include: perlmutter\nsite: ours\nscheduler: {account: m1}\n"))
    )
    assert site.site == "ours"
    assert site.scheduler.account == "m1"  # type: ignore[union-attr]
    assert site.nodes == load("perlmutter")[0].nodes
    assert load_yaml(text)["site"] == "ours"


def test_the_text_is_self_contained_and_names_every_file_with_its_hash(tmp_path: Path) -> None:
    file = write(tmp_path, ours="include: base.yaml # mine\nsite: o\n", base="description: a \u00e9\n")
    site, text = load(str(file), [Setting(("slot", "cores"), 2, "site.slot.cores=2")])
    assert text.startswith(RESOLVED)
    for one in (file, tmp_path / "base.yaml"):
        assert f'{one}", sha256 {hashlib.sha256(one.read_bytes()).hexdigest()}' in text
    assert "#   include: base.yaml # mine" in text
    assert '#   --set "site.slot.cores=2"' in text
    again = tmp_path / "again.yaml"
    again.write_text(text)
    assert load(str(again)) == (site, text)


def test_a_file_that_includes_nothing_keeps_its_text(tmp_path: Path) -> None:
    text = "# mine\nsite:   o\n"
    assert load(str(write(tmp_path, ours=text)))[1] == text


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"a": "site: x\ninclude: b.yaml", "b": "include: a.yaml"},
            "b.yaml: line 1: files include each other: ",
        ),
        ({"a": "site: x\ninclude: a.yaml"}, "a.yaml: line 2: files include each other: "),
        ({"a": "site: x\ninclude: none.yaml"}, "a.yaml: line 2: site file "),
        ({"a": "\ninclude: nowhere"}, "a.yaml: line 2: include: no site 'nowhere'"),
        (
            {"a": "include: 3"},
            "a.yaml: line 1: include must be the path of a file, or a list of paths, not 3",
        ),
        ({"a": "include: [b.yaml, {}]"}, "a.yaml: line 1: include must be"),
        ({"a": "include:"}, "a.yaml: line 1: include must be"),
        ({"a": "include: ''"}, "a.yaml: line 1: include must be"),
        ({"a": 'include: "a\\0.yaml"'}, "is no path"),
        ({"a": "include: b.yaml", "b": "x: [\n"}, "b.yaml: line 2, column 1 "),
        ({"a": "include: b.yaml", "b": ""}, "b.yaml: is empty"),
        ({"a": "include: ."}, "no site '.'"),
        ({"a": "include: ./"}, "cannot be read"),
    ],
)
def test_bad_includes_are_refused_with_file_and_line(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    with pytest.raises(FileError) as error:
        resolve(write(tmp_path, **files), "site", find)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_errors_name_the_file_and_line_that_a_value_is_from(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        ours="include: base.yaml\nsite: o\nheartbeat: {period: x}\n",
        base="paths:\n  data: d\nslot:\n  cores: 0\nnods: 3\n",
    )
    with pytest.raises(FileError) as error:
        load(str(file))
    lines = str(error.value).splitlines()
    assert f"{tmp_path}/base.yaml: line 5: unknown key nods; did you mean nodes?" in lines
    assert f"{tmp_path}/base.yaml: line 4: slot.cores: must be at least 1, not 0" in lines
    assert any(line.startswith(f"{file}: heartbeat.period: ") for line in lines)


def test_a_file_that_is_included_very_often_is_read_once(tmp_path: Path) -> None:
    for number in range(15):
        write(tmp_path, **{f"f{number}": f"include: [{', '.join([f'f{number + 1}.yaml'] * 8)}]\n"})
    write(tmp_path, f15="site: x\n")
    found = resolve(tmp_path / "f0.yaml", "site", find)
    assert found.data == {"site": "x"}
    assert len(found.files) == 16


def test_a_long_chain_is_refused(tmp_path: Path) -> None:
    for number in range(30):
        write(tmp_path, **{f"f{number}": f"include: f{number + 1}.yaml\n"})
    with pytest.raises(FileError, match="more than 20 files include one another in a row"):
        resolve(tmp_path / "f0.yaml", "site", find)


def test_values_have_places_that_the_file_need_not_have(tmp_path: Path) -> None:
    base = resolve(write(tmp_path, a="x: {y: 1}\nlist: [{a: 1}, {a: 2}]\n"), "site", find)
    settings = [Setting(("x", "z", "w"), 2, "s"), Setting(("list", "1", "a"), 3, "t")]
    assert base.with_settings(settings).data == {"x": {"y": 1, "z": {"w": 2}}, "list": [{"a": 1}, {"a": 3}]}
    assert base.data == {"x": {"y": 1}, "list": [{"a": 1}, {"a": 2}]}
    for place in (("x", "y", "z"), ("list", "2"), ("list", "a"), ("list", "9" * 5000)):
        with pytest.raises(FileError, match=r"^--set s: "):
            base.with_settings([Setting(place, 1, "s")])


def test_merging_keeps_both_sides_unchanged() -> None:
    base, over = {"a": {"b": 1}, "c": [1]}, {"a": {"d": 2}, "c": [2]}
    assert merged(base, over) == {"a": {"b": 1, "d": 2}, "c": [2]}
    assert base == {"a": {"b": 1}, "c": [1]}
