"""The search path of sites, and the site that is the default."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from sites import FileError, available, default, find, load, search


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "config" / "orchestrator" / "sites"
    folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(search, "SYSTEM", tmp_path / "system")
    (tmp_path / "system").mkdir()
    return folder


def here(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: name)


def test_a_users_file_comes_before_the_systems_and_that_before_a_shipped_one(user: Path) -> None:
    (search.SYSTEM / "slurm.yaml").write_text("site: systems\n")
    (search.SYSTEM / "both.yaml").write_text("site: systems\n")
    (user / "both.yaml").write_text("site: users\n")
    assert load("slurm")[0].site == "systems"
    assert load("both")[0].site == "users"
    origins = {one.name: one.origin for one in available()}
    assert (origins["both"], origins["slurm"], origins["local"]) == ("user", "system", "shipped")


def test_the_variable_counts_first(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (user / "ours.yaml").write_text("site: ours\nhosts: ['*']\n")
    monkeypatch.setenv(search.VARIABLE, "frontier")
    assert default() == search.Default("frontier", "$ORCHESTRATOR_SITE names it")
    monkeypatch.setenv(search.VARIABLE, " ")
    assert default().site == "ours"


@pytest.mark.parametrize(
    ("host", "variables", "site"),
    [
        ("aurora-uan-0010.hostmgmt.cm.aurora.alcf.anl.gov", {}, "aurora"),
        ("polaris-login-02", {}, "polaris"),
        ("dt-login03.delta.ncsa.illinois.edu", {}, "delta"),
        ("login05", {"LMOD_SYSTEM_NAME": "frontier"}, "frontier"),
        ("login05", {"NERSC_HOST": "perlmutter"}, "perlmutter"),
        ("login05", {}, "local"),
        ("", {}, "local"),
    ],
)
def test_shipped_machines_are_recognised(
    host: str, variables: dict[str, str], site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LMOD_SYSTEM_NAME", "NERSC_HOST"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    here(monkeypatch, host)
    assert default().site == site


def test_a_site_that_includes_a_shipped_one_takes_its_place(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (user / "mine.yaml").write_text("include: polaris\nscheduler: {account: me}\n")
    here(monkeypatch, "polaris-login-02")
    assert default().site == "mine"
    assert "polaris-login-*" in default().why


def test_two_that_match_are_refused_and_a_broken_file_is_not_considered(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here(monkeypatch, "n1.ours.org")
    for name, hosts in {"a": "[n1.ours.org]", "b": "['n?']", "c": "[", "d": "7"}.items():
        (user / f"{name}.yaml").write_text(f"site: {name}\nhosts: {hosts}\n")
    with pytest.raises(
        FileError, match=r"^this machine matches n1\.ours\.org of site a and n. of site b; name"
    ):
        default()


@pytest.mark.parametrize("hosts", ["x", "[3]", "['a b']", "['$=x']", "['']"])
def test_wrong_hosts_are_refused(hosts: str, user: Path) -> None:
    (user / "ours.yaml").write_text(f"site: ours\nhosts: {hosts}\n")
    with pytest.raises(FileError, match="hosts"):
        load("ours")


def test_a_near_name_is_suggested(user: Path) -> None:
    (user / "ours.yaml").write_text("site: ours\n")
    with pytest.raises(FileError, match="did you mean ours"):
        find("our")
