"""The sites' page lists every key with its default, every shipped site, and every batch system."""

from __future__ import annotations

import re
from typing import Any

import pytest

import sites
from sites.containers import Container
from sites.cost import Cost
from sites.nodes import Gpus, Node, SiteSlot
from sites.schedulers import LAUNCHERS, TYPES, Batch, Flux, Lsf, PbsPro, Psij, Slurm, Torque
from sites.schema import Heartbeat, Paths, Site
from tests.readmes.pages import PAGES, block, first_column, section

PAGE = "sites/README.md"


def test_the_example_site_is_right() -> None:
    site = sites.parse(block(PAGES[PAGE], "yaml"), Site, "x")
    assert (site.scheduler.type, site.node.gpus and site.node.gpus.count) == ("slurm", 4)
    priced = block(section(PAGE, "Price and CO2"), "yaml")
    assert sites.parse(f"site: x\n{priced}", Site, "x").cost is not None


def keys(prefix: str, *models: type[Any]) -> set[str]:
    """Return the keys of models in a file."""
    return {prefix + (field.alias or name) for one in models for name, field in one.model_fields.items()}


def test_every_key_of_a_site_file_has_its_row() -> None:
    top = keys("", Site) - {"paths", "heartbeat"} | keys("paths.", Paths) | keys("heartbeat.", Heartbeat)
    assert set(first_column(section(PAGE, "Top-level keys"))) == top
    batch = keys("", Batch, Slurm, Lsf, PbsPro, Torque, Flux, Psij) - {"type"}
    assert set(first_column(section(PAGE, "Batch systems"))) == batch
    assert set(first_column(section(PAGE, "Nodes and slots"))) == keys("node.", Node) | keys(
        "slot.", SiteSlot
    )
    assert set(first_column(section(PAGE, "Price and CO2"))) == keys("", Cost)
    assert set(first_column(section(PAGE, "GPUs").partition("| sharing |")[0])) == keys("", Gpus)
    assert set(first_column(section(PAGE, "Launchers"))) == set(LAUNCHERS)


def test_every_key_of_a_container_has_its_row_and_the_examples_are_right() -> None:
    text = section(PAGE, "Containers")
    assert set(first_column(text.partition("| passes")[0])) == keys("", Container)
    own, lumi, perlmutter = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    sites.parse(f"site: x\n{own}", Site, "x")
    for example, runtime in ((lumi, "apptainer"), (perlmutter, "shifter")):
        included = sites.parse(re.sub("include: .*", "", example), Site, "x")
        assert isinstance(included.container, Container)
        assert included.container.runtime == runtime


def test_every_shipped_site_and_batch_system_is_listed() -> None:
    assert set(first_column(section(PAGE, "Shipped sites"))) == set(sites.names())
    assert all(f"`{name}`" in section(PAGE, "Batch systems") for name in TYPES)


MACHINES = "sites/machines/README.md"
RETIRED = {"summit", "theta", "titan"}
MADE_FOR = [name for name in sites.names() if "(" in sites.load(name)[0].description]


def test_every_shipped_machine_has_a_section() -> None:
    assert set(MADE_FOR) > RETIRED
    assert all(f"`{name}`" in section(MACHINES, "Retired machines") for name in RETIRED)


@pytest.mark.parametrize("name", sorted(set(MADE_FOR) - RETIRED))
def test_the_section_of_a_machine_agrees_with_its_site(name: str) -> None:
    site, _ = sites.load(name)
    scheduler = site.scheduler
    titles = re.findall(r"^## (.+)$", PAGES[MACHINES], re.MULTILINE)
    machine = name.removesuffix("-pools")
    [title] = [one for one in titles if machine in one.lower().replace(" ", "")]
    text = section(MACHINES, title)
    for step in ("Modules", "Install", "First run", "Batch", "Fill in"):
        assert f"- *{step}.*" in text
    assert isinstance(scheduler, Batch)
    assert str(scheduler.account) in text
    for line in scheduler.prologue:
        if line.startswith("module load "):
            assert f"`{line.removeprefix('module load ')}`" in text, line
    where = getattr(scheduler, "partition", None) or getattr(scheduler, "queue", None) or scheduler.qos
    assert f"`{where}`" in text
    per_node = [one for one in scheduler.extra_directives if "gpu" in one]
    assert all(one in text for one in per_node)


SITE_MODELS: dict[str, tuple[type[Any], ...]] = {
    "Top-level keys": (Site, Paths, Heartbeat),
    "Batch systems": (Batch, Slurm, Lsf, PbsPro, Torque, Flux, Psij),
    "Nodes and slots": (Node, SiteSlot),
    "GPUs": (Gpus,),
}


def as_text(default: object) -> str:
    """Return a default as the tables show it, without its unit."""
    if isinstance(default, bool):
        return str(default).lower()
    return f"{default:g}" if isinstance(default, float) else str(default)


@pytest.mark.parametrize("title", SITE_MODELS)
def test_defaults_of_the_site_file_are_true(title: str) -> None:
    text = section(PAGE, title).partition("| sharing |")[0]
    rows = re.findall(r"^\| `(?:(\w+)\.)?(\w+)` \| ([^|]*?) ?\| ", text, re.MULTILINE)
    compared = 0
    for owner, name, cell in rows:
        models = [one for one in SITE_MODELS[title] if not owner or one.__name__.lower().endswith(owner)]
        field = next(one.model_fields[name] for one in models if name in one.model_fields)
        assert (cell == "required") == field.is_required(), name
        if match := re.fullmatch(r"`([^`{]+)`|(\d+)(?: s)?", cell):
            assert (match[1] or match[2]) == as_text(field.default), name
            compared += 1
    assert compared
