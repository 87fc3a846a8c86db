"""The machines that are shipped: the suite can be planned on each, within its rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sites
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.placement import shape_of
from orchestrator.planning.plan import make_plan
from orchestrator.planning.site_facts import node_facts
from orchestrator.planning.slots import partition, share_of_system
from sites import Site, core_numbers, load, names, parse
from sites.schedulers import Batch
from workloads.modules import names as workloads

MACHINES = [name for name in names() if not load(name)[0].local]
POOLED = [site for name in MACHINES for site in load(name)[0].pooled().values()]
GENERIC = {"slurm", "lsf", "pbspro", "torque", "flux"}
LARGEST_SHARE = 0.02
CAMPAIGNS = sorted((Path(sites.__file__).parents[1] / "workloads" / "campaigns").glob("coral2-*.yaml"))


@pytest.fixture(params=POOLED, ids=lambda site: "-".join(filter(None, (site.site, site.pool))))
def site(request: pytest.FixtureRequest) -> Site:
    found: Site = request.param
    return found


def test_the_machines_people_use_are_there() -> None:
    assert set(MACHINES) - GENERIC == {
        *(
            "perlmutter",
            "perlmutter-pools",
            "frontier",
            "polaris",
            "aurora",
            "summit",
            "delta",
            "titan",
            "theta",
        ),
        *("elcapitan", "tuolumne", "lumi", "leonardo", "juwels", "alps"),
    }
    assert set(MACHINES) >= GENERIC
    assert {load(name)[0].scheduler.type for name in GENERIC} == GENERIC


def test_what_is_written_of_a_machine_says_where_it_is_from(site: Site) -> None:
    if site.site in GENERIC:
        assert "copy it" in site.description
    else:
        assert "20" in site.source
        assert "checked" in site.source  # what is not from a document is told


FITS_ANY = (  # keys of the templates that are right on every machine of their batch system
    *(
        "site",
        "description",
        "source",
        "scheduler",
        "type: slurm",
        "type: lsf",
        "type: pbspro",
        "type: torque",
        "type: flux",
    ),
    *(
        "nodes_per_block",
        "max_blocks",
        "exclusive",
        "extra_directives:$",
        "place: scatter:excl",
        "launcher:$",
        "paths",
    ),
    *("type: srun", "type: jsrun", r"options: \[--smpiargs=-disable_gpu_hooks\]"),
)
MARKED_WHOLE = ("node:", "slots:", "paths:")  # a mark there is of all lines below it, or none is needed


@pytest.mark.parametrize("name", sorted(GENERIC))
def test_all_that_a_template_says_of_its_example_machine_is_marked(name: str) -> None:
    unmarked, block = [], ""
    for line in sites.find(name).read_text().splitlines():
        said = line.partition("#")[0].rstrip()
        if not said:
            continue
        if not said.startswith(" "):
            block = said
        covered = block.startswith(MARKED_WHOLE) and said.startswith(" ")
        general = any(re.match(rf"[ -]*{known}", said) for known in FITS_ANY)
        if not (re.search(r"# \([1-5]\)", line) or covered or general):
            unmarked.append(line)
    assert unmarked == []


@pytest.mark.parametrize("name", sorted(GENERIC))
def test_a_templates_head_tells_what_each_mark_is(name: str) -> None:
    head, _, rest = sites.find(name).read_text().partition("\nsite:")
    marks = set(re.findall(r"# \((\d)\)", rest))
    assert marks == set(re.findall(r"\((\d)\)", head)) == set("12345")


def test_a_node_is_whole(site: Site) -> None:
    cores = set(core_numbers(site.node.cores))
    domains = [set(core_numbers(domain)) for domain in site.node.numa_domains]
    assert cores <= set().union(*domains)
    if site.node.gpus:
        near = [set(core_numbers(text)) for text in site.node.gpus.gpu_cores]
        assert len(near) == site.node.gpus.count
        assert set().union(*near) <= cores
        for one in near:  # a GPU hangs on one domain
            assert sum(bool(one & domain) for domain in domains) == 1 or site.site == "titan"


def test_a_node_is_filled_by_instances_near_their_gpus(site: Site) -> None:
    node, shape = node_facts(site), shape_of(site.slot)
    slots = partition(node, shape)
    if not node.gpus:
        assert len(slots) * shape.cores == len(node.cores)
        return
    assert [place.gpus for (place,) in slots] == [(number,) for number in range(node.gpus)]
    for (place,), near in zip(slots, node.gpu_cores, strict=True):
        assert set(place.cores) == set(near)


def test_a_resnet50_instance_holds_no_more_than_the_rules_let_it(site: Site) -> None:
    node, shape = node_facts(site), shape_of(site.slots["resnet50"])
    share = share_of_system(node, shape, site.nodes)
    assert share is not None
    assert share <= LARGEST_SHARE
    (ranks,) = partition(node, shape)
    if node.gpus:  # one rank for each GPU of its nodes
        assert [place.gpus for place in ranks] == [(number,) for number in range(node.gpus)]
    assert shape.ranks == len(ranks) * shape.nodes
    assert isinstance(site.scheduler, Batch)
    assert site.scheduler.nodes_per_block % shape.nodes == 0


@pytest.mark.skipif("resnet50" not in workloads(), reason="the suite's campaigns need resnet50")
@pytest.mark.parametrize("file", CAMPAIGNS, ids=lambda file: file.stem)
def test_the_suite_can_be_planned(site: Site, file: Path) -> None:
    campaign = parse(file.read_text(), CampaignFile, file.name)
    plan = make_plan(campaign, site, node_facts(site), Path("/data"))
    assert plan.size == 7 * 14000 + 50
    assert [len(stage.benchmarks) for stage in plan.stages] == [7, 1]
    shares = {one.name: one.share_of_system for one in plan.benchmarks}
    assert shares["resnet50"] <= LARGEST_SHARE
