"""Finds the container in which the trainings of a benchmark run."""

from __future__ import annotations

from orchestrator.planning.campaign_file import Benchmark
from orchestrator.planning.plan import Plan
from orchestrator.protocol.order import ContainerOrder
from sites import Site
from sites.containers import Container


def container_of(benchmark: Benchmark, site: Site) -> ContainerOrder | None:
    """Return the container of a benchmark, else that of the site; None for none."""
    return container_order(site.container if benchmark.container is None else benchmark.container)


def containers_of(plan: Plan) -> dict[tuple[str, str], ContainerOrder | None]:
    """Return the container of each benchmark of a plan on each pool that serves it, by pool and name."""
    sites, written = plan.site.pooled(), {one.name: one for one in plan.campaign.benchmarks}
    return {
        (one.pool, one.name): container_of(written[one.name], sites[one.pool])
        for each in plan.benchmarks
        for one in each.all_places
    }


def build_files(plan: Plan) -> dict[str, str]:
    """Return the images of a plan's containers by the files that they were built from, if named."""
    sites = plan.site.pooled()
    pools = {one.name: [place.pool for place in one.places] for one in plan.benchmarks}
    found: dict[str, str] = {}
    for benchmark in plan.campaign.benchmarks:
        for pool in pools.get(benchmark.name, ()):
            container = sites[pool].container if benchmark.container is None else benchmark.container
            if isinstance(container, Container) and container.build_file is not None:
                found[container.build_file] = container.image
    return found


def own_containers(plan: Plan) -> dict[str, dict[str, ContainerOrder]]:
    """Return, by pool, the containers that benchmarks have instead of the pool's, by names of benchmarks."""
    sites = plan.site.pooled()
    names: dict[tuple[str, ContainerOrder], list[str]] = {}
    for (pool, benchmark), container in containers_of(plan).items():
        if container is not None and container != container_order(sites[pool].container):
            names.setdefault((pool, container), []).append(benchmark)
    found: dict[str, dict[str, ContainerOrder]] = {}
    for (pool, container), benchmarks in names.items():
        found.setdefault(pool, {})[", ".join(benchmarks)] = container
    return found


def container_order(container: Container | str | None) -> ContainerOrder | None:
    """Return a file's container as an order carries it; None for none."""
    if container is None or isinstance(container, str):
        return None
    return ContainerOrder(
        runtime=container.runtime,
        image=container.image,
        command=container.command or container.runtime,
        options=tuple(container.options),
        bind=tuple(container.bind),
        python=container.python,
    )
