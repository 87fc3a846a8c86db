"""Slots written into copies of site files and into campaign files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_reading import load_campaign
from orchestrator.tuning.written_slot import write_slot
from sites import find, load, names

SLOT = {"cores": 4, "gpus": "1/2"}
POOLED = """# the machine's own comment
site: ours     # ours alone
scheduler: {type: slurm, walltime: 1 h}
interface: lo
pools:
  cpu: {node: {cores: 0-7, memory: 32 GiB}}
  gpu:
    node: {cores: 0-7, memory: 32 GiB, gpus: {count: 2, memory: 40 GiB, sharing: mps, instances_per_gpu: 4}}
    slots:
      resnet50: {ranks: 2, cores: 4, gpus: 1}  # as always
"""


def write(file: Path, source: Path, **changes: Any) -> None:
    given = {"slot": SLOT, "pool": "", "comment": "best of all", "force": False, **changes}
    write_slot(file, source, "lstm", **given)


def test_a_copy_of_a_shipped_site_keeps_its_comments(tmp_path: Path) -> None:
    file = tmp_path / "größe.yaml"
    write(file, find("local"), slot={"cores": 2})
    assert load(str(file))[0].slots["lstm"].cores == 2
    original = find("local").read_text()
    assert file.read_text() == original + "slots:\n  lstm: {cores: 2} # best of all\n"
    assert [one.name for one in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("name", names())
def test_copies_of_shipped_sites_differ_in_the_slot_alone(name: str, tmp_path: Path) -> None:
    pool = next(iter(load(name)[0].pooled()))
    write(tmp_path / "ours.yaml", find(name), slot={"cores": 1}, pool=pool)
    copy = (tmp_path / "ours.yaml").read_text()
    new = re.search(r" *(?:slots:\n *)?lstm: \{.*\} # best of all\n", copy)
    assert new is not None
    added = [copy.replace(new[0].split("\n", keep)[-1], "", 1) for keep in (0, 1)]
    assert find(name).read_text().split() in [one.split() for one in added]
    slot = load(str(tmp_path / "ours.yaml"))[0].pooled()[pool].slots["lstm"]
    assert (slot.nodes, slot.ranks, slot.cores, slot.gpus, slot.memory) == (1, 1, 1, 0, None)


def test_the_slot_goes_to_the_pool_that_was_measured(tmp_path: Path) -> None:
    source, file = tmp_path / "ours.yaml", tmp_path / "tuned.yaml"
    source.write_text(POOLED)
    write(file, source, pool="gpu")
    assert file.read_text() == POOLED + (
        "      lstm: {nodes: 1, ranks: 1, gpus: 1/2, memory: null, cores: 4} # best of all\n"
    )
    assert source.read_text() == POOLED
    with pytest.raises(CampaignError, match="has no pool tpu"):
        write(tmp_path / "other.yaml", source, pool="tpu")


def test_a_file_that_exists_is_changed_only_by_force(tmp_path: Path) -> None:
    source = tmp_path / "ours.yaml"
    source.write_text(POOLED)
    with pytest.raises(CampaignError, match="exists; --force sets the slot in it"):
        write(source, source, pool="gpu")
    assert source.read_text() == POOLED
    write(source, tmp_path / "unread.yaml", pool="gpu", force=True)
    write(source, tmp_path / "unread.yaml", pool="gpu", force=True, slot={"cores": 1, "gpus": 1})
    assert source.read_text().count("lstm") == 1
    assert load(str(source))[0].pooled()["gpu"].slots["lstm"].cores == 1


def test_a_campaign_file_gets_the_slot_of_its_benchmark(tmp_path: Path) -> None:
    file = tmp_path / "friday.yaml"
    text = (
        "campaign: friday   # weekly\n"
        "benchmarks:\n"
        "  - workload: lstm  # the short one\n"
        "    instances: 4\n"
        "    timeout: 1 h\n"
        "  - {workload: alexnet, instances: 1, timeout: 60}\n"
    )
    file.write_text(text)
    write(file, tmp_path / "unread.yaml", force=True)
    found = load_campaign(file)[0].benchmarks
    assert found[0].slot is not None
    assert found[0].slot.cores == 4
    assert found[1].slot is None
    assert "# weekly" in file.read_text()
    assert "# the short one" in file.read_text()
    file.write_text("campaign: friday\nbenchmarks: [{workload: alexnet, instances: 1, timeout: 60}]\n")
    with pytest.raises(CampaignError, match="no benchmark runs lstm; it has alexnet"):
        write(file, tmp_path / "unread.yaml", force=True)


@pytest.mark.parametrize(
    "text", ["", "[1, 2]", "site: [", "site: ours\nslots: {lstm: 5}\nfoo: 1\n", "a\tb: \0"]
)
def test_what_is_no_site_file_stays_as_it_is(text: str, tmp_path: Path) -> None:
    file = tmp_path / "ours.yaml"
    file.write_text(text)
    with pytest.raises(CampaignError, match=r"ours\.yaml"):
        write(file, file, force=True)
    assert file.read_text() == text
    assert [one.name for one in tmp_path.iterdir()] == ["ours.yaml"]


def test_places_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    with pytest.raises(CampaignError, match=r"gone/ours\.yaml cannot be written: No such file"):
        write(tmp_path / "gone" / "ours.yaml", find("local"), slot={"cores": 1})
    with pytest.raises(CampaignError, match=r"a site file's name ends in \.yaml"):
        write(tmp_path / "ours.txt", find("local"))


def test_a_copy_whose_include_is_not_beside_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("site: base\n")
    source = tmp_path / "ours.yaml"
    source.write_text("include: base.yaml\nsite: ours\n")
    write(tmp_path / "tuned.yaml", source, slot={"cores": 1})
    (tmp_path / "other").mkdir()
    with pytest.raises(CampaignError, match=r"base\.yaml does not exist"):
        write(tmp_path / "other" / "tuned.yaml", source, slot={"cores": 1})
    assert list((tmp_path / "other").iterdir()) == []
